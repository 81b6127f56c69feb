// Files of nodes, edges and events: plain edges are read by a quick look at a line, and pieces that
// only link are loaded together. Either way it is as if each line had been read as any other and
// each batch applied by itself.
#include <algorithm>
#include <random>

#include "tests/storage/formats/load_both_ways.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

constexpr std::string_view kPlainMembers[] = {
    R"("weight":0.5)",
    R"("weight": 2)",
    R"("weight":-0)",
    R"("label":"red")",
    R"("label":"")",
    R"("created_at":1700000000000)",
    R"("created_at":"2020-01-02")",
    R"("valid_from":7)",
    R"("valid_until":"2099-01-02T03:04:05Z")",
};
// What the general way reads of an edge, some of it with a remark.
constexpr std::string_view kOtherMembers[] = {
    R"("weight":null)",           R"("label":null)",      R"("created_by":"me")",
    R"("created_at":1700000000)", R"("valid_from":null)", R"("valid_until":7)",
    R"("label":"a\u0041")",
};
constexpr std::string_view kKinds[] = {"link",        "knows",  "causes", "caused_by",
                                       "contradicts", "owns a", "mutual", "k\xc3\xa9"};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  template <class List>
  std::string Of(const List& list) {
    return std::string(std::data(list)[Below(std::size(list))]);
  }
  std::string Key(int keys) {
    const std::string number = std::to_string(Below(static_cast<std::uint64_t>(keys)));
    return Below(3) ? number : "key \xc3\xa9 " + number;
  }
  // Some attributes of an edge, of each name one. What is not plain only with `others`.
  std::string Attributes(bool others) {
    std::string all;
    std::vector<std::string> names;
    for (std::uint64_t i = Below(4); i > 0; --i) {
      const std::string one = others && Below(9) == 0 ? Of(kOtherMembers) : Of(kPlainMembers);
      if (!others && one.starts_with("\"valid")) continue;  // such pieces are not loaded
      const std::string name = one.substr(0, one.find(':'));
      if (std::ranges::find(names, name) != names.end()) continue;
      names.push_back(name);
      all += ',' + one;
    }
    return all;
  }

 private:
  std::mt19937_64 random_;
};

std::string EdgeLine(Random& random, int keys, bool others) {
  const std::string kind = random.Of(kKinds), source = random.Key(keys);
  std::string target = random.Key(keys);
  while (target == source && kind[0] == 'c') target = random.Key(keys);
  std::string line = R"({"edge":[")" + source + "\",\"" + target + "\"]";
  if (random.Below(4)) line += R"(,"kind":")" + kind + '"';
  line += random.Attributes(others) + '}';
  return line + (random.Below(20) ? "\n" : " \r\n");
}

std::string NodeLine(Random& random, int keys) {
  switch (random.Below(6)) {
    case 0:
      return R"({"node":")" + random.Key(keys) + R"(","text":"a \"text\"\n","tags":["t"]})" + "\n";
    case 1:
      return R"({"event":"e)" + random.Key(keys) + R"(","members":[{"id":")" + random.Key(keys) +
             "\"}]}\n";
    case 2:
      return R"({"unlink":[")" + random.Key(keys) + "\",\"" + random.Key(keys) + "\"]}\n";
    case 3:
      return R"({"remove":")" + random.Key(keys) + "\"}\n";
    case 4:
      return R"({"edge":[")" + random.Key(keys) + R"(","x"],"props":{"a":1}})" + "\n";
    default:
      return R"({"node":")" + random.Key(keys) + R"(","kind":"person","trust":0.5})" + "\n";
  }
}

// Stretches of edges between other records.
std::string JsonLinesOf(Random& random, int keys) {
  std::string text = R"({"kind":"mutual","plane":"fact","symmetric":true})";
  text += '\n';
  for (std::uint64_t stretch = 1 + random.Below(5); stretch > 0; --stretch) {
    for (std::uint64_t i = random.Below(30); i > 0; --i) text += NodeLine(random, keys);
    const bool others = random.Below(3) == 0;
    for (std::uint64_t i = random.Below(400); i > 0; --i) text += EdgeLine(random, keys, others);
  }
  return text;
}

std::string DrawKey(Random& random, int keys) {
  const std::string key = random.Key(keys);
  return key[0] != 'k' && random.Below(2) ? key : '"' + key + '"';
}

std::string NodeLinkOf(Random& random, int keys) {
  const bool directed = random.Below(2), multigraph = random.Below(2), others = random.Below(2);
  std::string nodes, links;
  for (int i = 0; i < keys; ++i)
    nodes += (i ? ", " : "") + std::string(R"({"id":)") + DrawKey(random, keys) +
             (random.Below(2) ? R"(,"kind":"person"})" : R"(,"size":3})");
  for (std::uint64_t i = 0, end = random.Below(600); i < end; ++i) {
    links += (i ? "," : "") + std::string(random.Below(30) ? "" : "\n") + R"({"source":)" +
             DrawKey(random, keys) + R"(, "target":)" + DrawKey(random, keys) +
             random.Attributes(others);
    if (random.Below(2)) links += directed ? R"(,"kind":"knows")" : R"(,"type":"mutual")";
    if (random.Below(5) == 0) links += directed ? R"(,"directed":true)" : R"(,"directed":false)";
    if (multigraph && random.Below(2)) links += R"(,"key":)" + DrawKey(random, 3);
    if (others && random.Below(40) == 0) links += R"(,"color":"red")";
    links += '}';
  }
  const std::string flags = std::string(R"("directed":)") + (directed ? "true" : "false") +
                            R"(,"multigraph":)" + (multigraph ? "true" : "false");
  return random.Below(2) ? '{' + flags + R"(,"nodes":[)" + nodes + R"(],"links":[)" + links + "]}"
                         : R"({"edges":[)" + links + R"(],"nodes":[)" + nodes + "]," + flags + '}';
}

std::string GraphMlOf(Random& random, int keys) {
  std::string text =
      R"(<graphml><key id="w" for="edge" attr.name="weight" attr.type="double"/>)"
      R"(<key id="k" for="edge" attr.name="kind" attr.type="string"/><graph edgedefault=")";
  text += random.Below(2) ? "directed\">" : "undirected\">";
  for (int i = 0; i < keys; ++i) text += "<node id=\"" + std::to_string(i) + "\"/>\n";
  for (std::uint64_t i = random.Below(500); i > 0; --i) {
    text += "<edge source=\"" + random.Key(keys) + "\" target=\"" + random.Key(keys) + "\">";
    if (random.Below(2)) text += "<data key=\"w\">0." + std::to_string(random.Below(9)) + "</data>";
    if (random.Below(4) == 0) text += "<data key=\"k\">mutual</data>";
    text += "</edge>\n";
  }
  return text + "</graph></graphml>";
}

std::string MatrixOf(Random& random, int keys) {
  const bool symmetric = random.Below(2);
  std::string entries;
  std::uint64_t count = 0;
  for (int row = 1; row <= keys; ++row)
    for (int column = 1; column <= row; ++column)
      if (random.Below(3) == 0) {
        entries += std::to_string(row) + ' ' + std::to_string(column) + " 0.5\n";
        ++count;
      }
  const std::string size = std::to_string(keys);
  return "%%MatrixMarket matrix coordinate real " +
         std::string(symmetric ? "symmetric\n" : "general\n") + size + ' ' + size + ' ' +
         std::to_string(count) + '\n' + entries;
}

std::string AnyFile(Random& random, int keys, std::string& name) {
  switch (random.Below(5)) {
    case 0:
      name += ".json";
      return NodeLinkOf(random, keys);
    case 1:
      name += ".graphml";
      return GraphMlOf(random, keys);
    case 2:
      name += ".mtx";
      return MatrixOf(random, std::min(keys, 40));
    default:
      name += ".jsonl";
      return JsonLinesOf(random, keys);
  }
}

class MixedLoad : public FormatLoad {
 protected:
  // Read line by line by the general way, each batch applied; and as users do.
  void ExpectSame(const std::vector<std::string>& files, const ImportOptions& options,
                  std::string_view base = {}) {
    ImportOptions slow = options;
    slow.kind_names = {{"no such kind", "no such name"}};  // then no line is plain
    const Imported general = ImportOneWay(files, slow, false, base);
    const auto two = MakeThreadExecutor(2), three = MakeThreadExecutor(3);
    for (const auto& [executor, bytes] :
         {std::pair<Executor*, std::uint64_t>(&SerialExecutor(), ImportLimits::kHalfOfFree),
          {two.get(), ImportLimits::kHalfOfFree},
          {&SerialExecutor(), 0},
          {three.get(), 200'000}}) {
      SCOPED_TRACE(bytes);
      ImportOptions quick = options;
      quick.executor = executor;
      quick.limits.load_bytes = bytes;
      const Imported loaded = ImportOneWay(files, quick, bytes > 0, base);
      ASSERT_EQ(general.report.has_value(), loaded.report.has_value());
      if (!general.report) continue;
      ExpectSameReport(*general.report, *loaded.report);
      EXPECT_EQ(general.report->removed, loaded.report->removed);
      EXPECT_EQ(general.report->events, loaded.report->events);
      EXPECT_EQ(general.report->stubs, loaded.report->stubs);
      EXPECT_EQ(general.report->new_edge_kinds, loaded.report->new_edge_kinds);
      ASSERT_EQ(general.records, loaded.records);
      EXPECT_EQ(JsonLines(general.graph->snapshot()), JsonLines(loaded.graph->snapshot()));
      ASSERT_TRUE(general.graph->Compact());
      ASSERT_TRUE(loaded.graph->Compact());
      ExpectSameState(general.graph->snapshot(), loaded.graph->snapshot());
      fewer_appends_ += general.appends - loaded.appends;
      without_errors_ += general.report->errors == 0;
    }
  }
  std::uint64_t fewer_appends_ = 0, without_errors_ = 0;
};

TEST_F(MixedLoad, IsWhatItsBatchesMake) {
  for (int round = 0; round < LoadRounds(60); ++round) {
    SCOPED_TRACE(round);
    Random random(static_cast<std::uint64_t>(round));
    const int keys = round % 3 ? 60 : 9;
    std::vector<std::string> files;
    for (std::uint64_t i = 0; i <= random.Below(2); ++i) {
      std::string name = "f" + std::to_string(i);
      const std::string text = AnyFile(random, keys, name);
      files.push_back(File(name, text));
    }
    ImportOptions options;
    options.now_ms = kNow;
    options.block_bytes = random.Below(3) ? 512 << random.Below(5) : 256;
    options.batch_ops = 1 + random.Below(60);
    if (random.Below(4) == 0) options.on_error = OnImportError::kSkip;
    const std::string base = random.Below(2) ? JsonLinesOf(random, keys) : "";
    ASSERT_NO_FATAL_FAILURE(ExpectSame(files, options, base));
  }
  EXPECT_GT(fewer_appends_, 50u * static_cast<unsigned>(LoadRounds(60)));  // loaded together
  EXPECT_GT(without_errors_, 2u * static_cast<unsigned>(LoadRounds(60)));
}

// One bad line anywhere: the same is said, and nothing or the rest is in.
TEST_F(MixedLoad, ABadLineIsToldAsBefore) {
  constexpr std::string_view kBad[] = {
      R"({"edge":["a"]})",
      R"({"edge":["a","b"],"weight":-1})",
      R"({"edge":["a","b"],"weight":1e99})",
      R"({"edge":["a","b"],"weight":01})",
      R"({"edge":["a","b"],"weight":1e-9999999999})",
      R"({"edge":["a","b"],"weight":0e9999999999})",
      R"({"edge":["a","b"],"kind":""})",
      R"({"edge":["a","b"],"kind":"has_tag"})",
      R"({"edge":["a","a"],"kind":"causes"})",
      R"({"edge":["a","b"],"valid_from":9,"valid_until":3})",
      R"({"edge":["a","b"],"edge":["a","b"]})",
      R"({"edge":["a","b"],"color":"red"})",
      R"({"edge":["","b"]})",
      "{\"edge\":[\"a\tb\",\"b\"]}",
      "{\"edge\":[\"a\rb\",\"b\"]}",
      "{\"edge\":[\"\xff\",\"b\"]}",
      "{\"edge\":[\"a\\u001fb\",\"b\"]}",
      R"({"edge":["a","b"]} x)",
  };
  int round = 0;
  for (const std::string_view bad : kBad)
    for (const auto on_error : {OnImportError::kStop, OnImportError::kSkip}) {
      SCOPED_TRACE(bad);
      Random random(static_cast<std::uint64_t>(++round));
      ImportOptions options;
      options.now_ms = kNow;
      options.block_bytes = 1024;
      options.batch_ops = 20;
      options.on_error = on_error;
      const std::string text =
          JsonLinesOf(random, 20) + std::string(bad) + '\n' + JsonLinesOf(random, 20);
      ASSERT_NO_FATAL_FAILURE(ExpectSame({File("f.jsonl", text)}, options));
    }
}

// Other values for edges with properties, which a load cannot say, and another writer: what waits
// is applied piece by piece.
TEST_F(MixedLoad, WhatCannotBeLoadedIsApplied) {
  Random random(5);
  std::string text = R"({"node":"n"})";
  for (int i = 0; i < 300; ++i)
    text += "\n{\"edge\":[\"" + std::to_string(i % 20) + "\",\"" + std::to_string(i % 7) +
            "\"],\"weight\":" + std::to_string(i % 5) + '}';
  const std::string base = R"({"edge":["3","3"],"props":{"a":1}})";
  ImportOptions options;
  options.now_ms = kNow;
  options.block_bytes = 512;
  options.batch_ops = 20;
  ASSERT_NO_FATAL_FAILURE(ExpectSame({File("f.jsonl", text)}, options, base));
}

// A name that a built-in kind has for the other way round may become a kind of its own.
TEST_F(MixedLoad, AnInverseNameThatGivesWay) {
  ImportOptions options;
  options.now_ms = kNow;
  for (const char* traits : {R"("plane":"fact","symmetric":true)", R"("plane":"index")",
                             R"("plane":"index","target":"tag")", R"("plane":"fact")"}) {
    SCOPED_TRACE(traits);
    const std::string kind = R"(,"kind":"supported_by")";
    const std::string text = R"({"edge":["a","b"])" + kind + "}\n{" + kind.substr(1) + ',' +
                             traits + "}\n" + R"({"edge":["c","d"],"weight":1)" + kind + "}\n" +
                             R"({"edge":["d","c"],"weight":2)" + kind + "}\n";
    ASSERT_NO_FATAL_FAILURE(ExpectSame({File("f.jsonl", text)}, options));
  }
}

// A time that no graph takes, which is found when the first batch is applied.
TEST_F(MixedLoad, ARefusedTime) {
  Random random(7);
  std::string text;
  for (int i = 0; i < 200; ++i) text += EdgeLine(random, 20, false);
  ImportOptions options;
  options.now_ms = std::int64_t{1} << 61;
  options.block_bytes = 512;
  options.batch_ops = 20;
  ASSERT_NO_FATAL_FAILURE(
      ExpectSame({File("f.jsonl", R"({"node":"a"})" + std::string("\n") + text)}, options));
}

// Each time that progress is told, another writer is faster than the load.
TEST_F(MixedLoad, AnotherWriterComesInBetween) {
  Random random(6);
  std::string text = R"({"kind":"mutual","plane":"fact","symmetric":true})";
  for (int i = 0; i < 900; ++i)
    text += '\n' + (i % 300 == 0 ? R"({"node":"a","text":"words"})" : EdgeLine(random, 20, false));
  const std::string file = File("f.jsonl", text);
  ImportOptions options;
  options.now_ms = kNow;
  options.block_bytes = 512;
  options.batch_ops = 20;
  const Imported alone = ImportOneWay({file}, options, false);
  const auto graph = Graph::InMemory();
  class Writer final : public Progress {
   public:
    explicit Writer(Graph& graph) : graph_(graph) {}
    bool Report(std::string_view phase, std::uint64_t, std::uint64_t) override {
      WriteBatch batch(kNow);
      batch.SetF64(batch.UpsertNode("other"), kTrust, ++written_ % 2);
      return phase != "importing" || graph_.Apply(batch).has_value();
    }

   private:
    Graph& graph_;
    int written_ = 0;
  } writer(*graph);
  options.progress = &writer;
  const auto report = ImportFiles(*graph, {file}, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->errors, 0u);
  WriteBatch remove(kNow);
  remove.RemoveNode(remove.Node("other"));
  ASSERT_TRUE(graph->Apply(remove));
  const auto lines = [](const Graph& of) {  // ids are others where another node came first
    std::vector<std::string> all;
    const std::string exported = JsonLines(of.snapshot());
    for (std::size_t at = 0; at < exported.size();) {
      const std::size_t end = exported.find('\n', at);
      all.push_back(exported.substr(at, end - at));
      at = end + 1;
    }
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(lines(*graph), lines(*alone.graph));
}

// A wide row of the shapes that a document's edge may have.
TEST_F(MixedLoad, ElementsReadQuicklyAreElements) {
  constexpr std::string_view kElements[] = {
      R"({"source":1,"target":2})",
      R"({"source":"1","target":2,"directed":true})",
      R"({"source":1,"target":2,"kind":"knows","type":"friend"})",
      R"({"source":1,"target":2,"type":"knows"})",
      R"({"source":1,"target":2,"kind":""})",
      R"({"source":1,"target":2,"kind":null})",
      R"({"source":-1,"target":2})",
      R"({"source":1.0,"target":2})",
      R"({"source":01,"target":2})",
      R"({"source":123456789012345678901,"target":2})",
      R"({"source":{"id":1},"target":2})",
      R"({"source":1})",
      R"({"source":1,"target":2,"key":0})",
      R"({"source":1,"target":2,"key":"0"})",
      R"({"source":1,"target":2,"key":1})",
      R"({"source":1,"target":2,"key":-7})",
      R"({"source":1,"target":2,"key":-0})",
      R"({"source":1,"target":2,"key":9223372036854775808})",
      R"({"source":1,"target":2,"key":123456789012345678901})",
      R"({"source":1,"target":2,"key":1.5})",
      R"({"source":1,"target":2,"key":null})",
      R"({"source":1,"target":2,"key":1,"label":"x"})",
      R"({"source":1,"target":2,"key":1,"label":""})",
      R"({"source":1,"target":2,"directed":false})",
      R"({"source":1,"target":2,"directed":"no"})",
      R"({"source":1,"target":2,"directed":null})",
      R"({"source":1,"target":1,"kind":"causes"})",
      R"({"source":1,"target":2,"kind":"causes","directed":false})",
      R"({"source":1,"target":2,"weight":"3"})",
      R"({"source":1,"target":2,"weight":3,"color":"red"})",
      R"({"source":1,"target":2,"source":3})",
      R"({ "source" : 1 , "target" : 2 , "weight" : 3.5e0 })",
  };
  for (const std::string_view element : kElements)
    for (const char* directed : {"true", "false"})
      for (const char* multigraph : {"true", "false"})
        for (const auto on_error : {OnImportError::kStop, OnImportError::kSkip}) {
          SCOPED_TRACE(std::string(element) + directed + multigraph);
          const std::string one(element);
          const std::string text = R"({"directed":)" + std::string(directed) + R"(,"multigraph":)" +
                                   multigraph + R"(,"nodes":[],"links":[)" + one + ',' + one +
                                   R"(,{"source":1,"target":2,"weight":9},)" + one + "]}";
          ImportOptions options;
          options.now_ms = kNow;
          options.batch_ops = 2;
          options.on_error = on_error;
          ASSERT_NO_FATAL_FAILURE(ExpectSame({File("g.json", text)}, options));
        }
}

}  // namespace
}  // namespace plexus::formats::internal
