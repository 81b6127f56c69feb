// Export, import into an empty graph, export: the same bytes. Random graphs with
// everything in them: updates, unlinks, removals, purges, events, vectors.
#include <cstdlib>
#include <random>

#include "storage/formats/base/properties.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed), graph_(Graph::InMemory()) {
    WriteBatch b(1000);
    EdgeKind mentors;
    mentors.name = "mentors";
    mentors.inverse = "mentored_by";
    b.DefineEdgeKind(mentors);
    b.DefineNodeKind({"topic", Plane::kIndex});
    EdgeKind near;
    near.name = "near";
    near.plane = Plane::kIndex;
    near.symmetric = true;
    near.half_life_ms = 86'400'000;
    b.DefineEdgeKind(near);
    b.DefineColumn({"stakes", ColumnType::kF64});
    b.DefineColumn({"place", ColumnType::kString});
    b.DefineSpace({"default", 3, Metric::kCosine});
    b.DefineSpace({"other", 2, Metric::kInnerProduct});
    Apply(b);
  }

  Graph& graph() { return *graph_; }

  void Step() {
    WriteBatch b(static_cast<std::int64_t>(2000 + steps_++));
    const int ops = 1 + static_cast<int>(random_() % 12);
    for (int i = 0; i < ops; ++i) Operation(b);
    Apply(b);
    if (random_() % 20 == 0) {
      ASSERT_TRUE(graph_->Compact());
    }
  }

 private:
  std::uint64_t Pick(std::uint64_t n) { return random_() % n; }
  std::string Word() {
    static const char* const kWords[] = {
        "plain",    "quo\"te", "back\\slash", "tab\there",       "nl\nthere", "\xc3\xa9t\xc3\xa9",
        "\x01\x7f", "",        "=1+1",        "\xf0\x9f\x98\x80"};
    return kWords[Pick(10)];
  }
  std::string Key() { return "n" + std::to_string(Pick(30)) + (Pick(5) ? "" : Word()); }
  double Number() {
    switch (Pick(4)) {
      case 0:
        return static_cast<double>(Pick(100));
      case 1:
        return -0.0;
      case 2:
        return static_cast<double>(random_()) / 1e12;
      default:
        return 1.0 / static_cast<double>(1 + Pick(1000));
    }
  }
  std::string Map() {
    std::string json = R"({"s":)" + std::to_string(Pick(9)) +
                       R"(,"list":[1,2.5,"x",null,true],"deep":{"a":)" + std::to_string(Number()) +
                       "}}";
    return PropertiesFromJson(json).value();
  }
  NodeRef AnyNode(WriteBatch& b) {
    switch (Pick(12)) {
      case 0:
        return b.IndexNode(kTag, "tag" + std::to_string(Pick(6)));
      case 1:
        return b.IndexNode(kFile, "src/f" + std::to_string(Pick(6)) + ".rs");
      case 2:
        return b.UpsertNode(IndexKey("topic", "t" + std::to_string(Pick(4))),
                            b.NodeKindNamed("topic"));
      default:
        return b.Node(Key());
    }
  }
  EdgeKindRef AnyKind(WriteBatch& b) {
    static const char* const kKinds[] = {"supports", "caused_by",   "contradicts",
                                         "mentors",  "mentored_by", "near",
                                         "free",     "link",        "similar"};
    return b.EdgeKindNamed(kKinds[Pick(9)]);
  }
  void Operation(WriteBatch& b) {
    switch (Pick(15)) {
      case 0:
        b.UpsertNode(Key(), NodeKindId(Pick(6)));
        break;
      case 1:
        b.SetPayload(b.UpsertNode(Key()), NodeField::kText, Word() + Word());
        break;
      case 2:
        b.SetPayload(b.UpsertNode(Key()), NodeField::kProperties, Map());
        break;
      case 3:
        b.SetF64(b.UpsertNode(Key()), b.ColumnNamed(Pick(2) ? "stakes" : "stability"), Number());
        break;
      case 4:
        b.SetString(b.UpsertNode(Key()), b.ColumnNamed(Pick(2) ? "place" : "scope"), "s" + Word());
        break;
      case 5: {
        const float values[] = {static_cast<float>(Number()), 0.1f, -3e-7f};
        const bool three = Pick(2);
        b.SetVector(b.UpsertNode(Key()), b.SpaceNamed(three ? "default" : "other"),
                    std::span(values, three ? 3 : 2));
        break;
      }
      case 6:
        b.RemoveNode(b.Node(Key()));
        break;
      case 7:
        if (Pick(3) == 0) b.PurgeNode(b.Node(Key()));
        break;
      case 8: {
        WriteBatch::EdgeInput e;
        e.source = b.UpsertNode(Key());
        e.target = b.IndexNode(kTag, "tag" + std::to_string(Pick(6)));
        e.kind = kHasTag;
        if (Pick(6) == 0) e.weight = 0.5f;
        b.Link(e);
        break;
      }
      case 9:
        Event(b);
        break;
      case 10:
        Outcome(b);
        break;
      case 11:
        b.Unlink(b.Node(Key()), AnyKind(b), b.Node(Key()));
        break;
      default: {
        const std::string source = Key();
        const std::string target = Key();
        if (source == target) break;
        WriteBatch::EdgeInput e;
        e.kind = AnyKind(b);
        e.source = Pick(4) ? b.Node(source) : AnyNode(b);
        e.target = b.Node(target);
        const std::string label = Pick(4) ? "" : Word();
        e.label = label;
        if (Pick(2)) e.weight = static_cast<float>(std::abs(Number()));
        if (Pick(3) == 0) e.valid_from = 5;
        if (Pick(3) == 0) e.created_by = "me";
        const std::string map = Map();
        if (Pick(4) == 0) e.properties = map;
        b.Link(e);
      }
    }
  }
  void Event(WriteBatch& b) {
    const NodeRef event = b.IndexNode(kEvent, "e" + std::to_string(Pick(5)));
    b.UpsertNode(event);
    b.SetPayload(event, NodeField::kText, "query " + Word());
    static const char* const kMaps[] = {R"({"tool":"t","mode":"m"})", R"({"tool":"t","x":[1]})",
                                        R"({"tool":7})", R"({"type":"x"})",
                                        R"({"confidence":0.5})"};
    b.SetPayload(event, NodeField::kProperties, PropertiesFromJson(kMaps[Pick(5)]).value());
    WriteBatch::EdgeInput e;
    e.source = event;
    e.target = b.Node(Key());
    e.kind = kMember;
    const std::string role = Pick(2) ? "primary" : "related";
    e.label = role;
    const std::string map =
        PropertiesFromJson(Pick(3) ? R"({"rank":1,"score":0.5,"tags":["a"]})" : R"({"odd":1})")
            .value();
    if (Pick(2)) e.properties = map;
    b.Link(e);
    if (Pick(8) == 0) b.RemoveNode(b.IndexNode(kEvent, "e" + std::to_string(Pick(5))));
  }
  void Outcome(WriteBatch& b) {
    const std::string id = "e" + std::to_string(Pick(5));
    const NodeRef outcome =
        b.IndexNode(kOutcome, Pick(2) ? "helpful/7/user/" + id : "of another making");
    b.UpsertNode(outcome);
    b.SetI64(outcome, kCreatedAt, 7);
    b.SetPayload(outcome, NodeField::kProperties,
                 PropertiesFromJson(R"({"type":"helpful","source":"user"})").value());
    b.Link(outcome, kLabels, b.IndexNode(kEvent, id));
  }
  void Apply(const WriteBatch& b) {
    auto applied = graph_->Apply(b);
    // A batch that the graph refuses (a self-loop by inverse names, say) changes nothing.
    if (!applied) {
      EXPECT_EQ(applied.error().code, ErrorCode::kInvalidArgument) << applied.error().message;
    }
    applied_ += applied.has_value();
  }

  std::mt19937_64 random_;
  std::unique_ptr<Graph> graph_;
  int steps_ = 0;
  int applied_ = 0;
};

TEST(RoundTrip, RandomGraphs) {
  const char* only = std::getenv("PLEXUS_TEST_SEED");
  const std::uint64_t first = only ? std::strtoull(only, nullptr, 10) : 1;
  const std::uint64_t last = only ? first : 60;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("repeat with PLEXUS_TEST_SEED=" + std::to_string(seed));
    RandomGraph random(seed);
    for (int i = 0; i < 60; ++i) random.Step();
    const std::string out = JsonLines(random.graph().snapshot());
    EXPECT_GT(out.size(), 1000u);
    auto copy = Graph::InMemory();
    ImportOptions options;
    options.now_ms = 999'999;
    options.batch_ops = seed % 3 ? 262'144 : 5;
    LoadClean(*copy, "out.jsonl", out, options);
    const Snapshot a = random.graph().snapshot(), b = copy->snapshot();
    ASSERT_EQ(JsonLines(b), out);
    for (Plane plane : {Plane::kFact, Plane::kIndex}) {
      EXPECT_EQ(a.CountNodes(plane), b.CountNodes(plane));
      EXPECT_EQ(a.CountEdges(plane), b.CountEdges(plane));
    }
    // And into itself: nothing changes.
    LoadClean(*copy, "out.jsonl", out, options);
    ASSERT_EQ(JsonLines(copy->snapshot()), out);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(RoundTrip, ReadableExample) {
  auto graph = Graph::InMemory();
  const std::string text =
      R"({"column":"stakes","type":"f64"})"
      "\n"
      R"({"node":"m1","kind":"memory","text":"hello","props":{"k":1},"tags":["a","b"],)"
      R"("trust":0.8,"created_at":5,"stakes":2})"
      "\n"
      R"({"node":"m2","kind":"memory","created_at":6})"
      "\n"
      R"({"edge":["m1","m2"],"kind":"supports","weight":0.7,"created_at":7})"
      "\n"
      R"({"event":"e1","tool":"t","query":"q","created_at":8,"members":[{"id":"m1",)"
      R"("role":"primary","rank":0,"trust":0.9}],"props":{"x":1}})"
      "\n"
      R"({"outcome":"e1","confidence_delta":0.5,"source":"user","type":"helpful","notes":"n",)"
      R"("labeled_at":9})"
      "\n";
  const std::size_t at = text.find("{\"node\":\"m1\"");
  LoadClean(*graph, "in.jsonl", text);
  std::string out = JsonLines(graph->snapshot());
  EXPECT_EQ(out, text) << at;
}

TEST(RoundTrip, APurgedMemberKeepsItsPlace) {
  auto graph = Graph::InMemory();
  const std::string text =
      R"({"event":"e","created_at":1,"members":[{"id":"m1","role":"primary","rank":1},)"
      R"({"id":"m2","role":"primary","rank":2,"preview":"secret"}]})"
      "\n"
      R"({"purge":"m2"})"
      "\n";
  LoadClean(*graph, "in.jsonl", text);
  const std::string out = JsonLines(graph->snapshot());
  EXPECT_NE(out.find(R"({"id":"m2","role":"primary","rank":2}]})"), std::string::npos) << out;
  auto copy = Graph::InMemory();
  LoadClean(*copy, "out.jsonl", out);
  EXPECT_EQ(JsonLines(copy->snapshot()), out);
}

}  // namespace
}  // namespace plexus::formats::internal
