// The tools of MCP's memory server at their limits: time, cancelling, sizes, many kinds, and the
// state by which subscribers hear of changes.
#include <atomic>
#include <set>

#include "tests/tools/server/knowledge_fixture.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/server/knowledge/knowledge_batch.h"

namespace plexus::tools::server {
namespace {

TEST(KnowledgeText, EndsAtItsLimit) {
  const KnowledgeEntity one{"a", "t", {std::string(100, 'x')}, 1};
  const KnowledgeRelation tie{"a", "b", std::string(100, 'y'), 2};
  const KnowledgePart part{{&one, &one, &one}, {&tie}};
  const std::string all = *JsonOfPart(part, 10'000);
  EXPECT_TRUE(ParseJson(all));
  EXPECT_TRUE(JsonOfPart(part, all.size()));
  for (const std::size_t most : {1u, 150u, 350u, 500u}) EXPECT_FALSE(JsonOfPart(part, most));
}

// What a call asks of the graph, each by its first entry.
constexpr std::pair<const char*, const char*> kLooping[] = {
    {"create_entities", R"({"entities":[{"name":"c","entityType":"t","observations":[]}]})"},
    {"create_relations", R"({"relations":[{"from":"a","to":"c","relationType":"r"}]})"},
    {"add_observations", R"({"observations":[{"entityName":"a","contents":["new"]}]})"},
    {"delete_entities", R"({"entityNames":["a"]})"},
    {"delete_observations", R"({"deletions":[{"entityName":"a","observations":["o"]}]})"},
    {"delete_relations", R"({"relations":[{"from":"a","to":"b","relationType":"r"}]})"},
    {"search_nodes", R"({"query":"a"})"}};

TEST_F(KnowledgeTest, CancelledOrLateCallsEndAndChangeNothing) {
  (void)Result("create_entities",
               R"({"entities":[{"name":"a","entityType":"t","observations":["o"]}]})");
  (void)Result("create_relations", R"({"relations":[{"from":"a","to":"b","relationType":"r"}]})");
  const std::string before = Text("read_graph", "{}");
  const std::atomic<bool> cancelled = true;
  Caller caller;
  caller.cancel = &cancelled;
  for (const auto& [tool, arguments] : kLooping)
    EXPECT_NE(Text(tool, arguments, caller).find("cancelled"), std::string::npos) << tool;
  EXPECT_EQ(Text("read_graph", "{}"), before);
  Open(1e-9);
  for (const auto& [tool, arguments] : kLooping)
    EXPECT_NE(Text(tool, arguments).find("max_seconds"), std::string::npos) << tool;
  Open();
  EXPECT_EQ(Text("read_graph", "{}"), before);
}

TEST_F(KnowledgeTest, ManyNewTypesOfOneCallAreKinds) {
  constexpr std::size_t kMany = 2000;
  std::string list;
  for (std::size_t i = 0; i < kMany; ++i)
    list += (i > 0 ? "," : "") + std::string(R"({"from":"a)") + std::to_string(i) +
            R"(","to":"b","relationType":"r)" + std::to_string(i) + "\"}";
  const json::object made = Result("create_relations", R"({"relations":[)" + list + "]}");
  ASSERT_TRUE(ObjectMember(made, "structuredContent")) << json::serialize(made).substr(0, 300);
  const json::object* all = ObjectMember(made, "structuredContent");
  EXPECT_EQ(Member(*all, "relations")->get_array().size(), kMany);
  EXPECT_GT(service_->snapshot()->schema().edge_kinds().size(), kMany);
}

// What is searched is one text, of which parts are dropped: against a search of each entity.
TEST_F(KnowledgeTest, SearchFindsTheSameAfterManyChanges) {
  std::set<std::string> alive;
  const auto create = [&](int first, int last) {
    std::string list;
    for (int i = first; i < last; ++i) {
      const std::string name = "e" + std::to_string(i);
      alive.insert(name);
      list += (list.empty() ? "" : ",") + std::string(R"({"name":")") + name +
              R"(","entityType":"t","observations":["number )" + std::to_string(i % 7) +
              R"( of all"]})";
    }
    (void)Result("create_entities", R"({"entities":[)" + list + "]}");
  };
  const auto drop = [&](int step) {
    std::string list;
    for (int i = 0; i < 300; i += step) {
      list += (list.empty() ? "" : ",") + std::string("\"e") + std::to_string(i) + "\"";
      alive.erase("e" + std::to_string(i));
    }
    (void)Result("delete_entities", R"({"entityNames":[)" + list + "]}");
  };
  const auto agrees = [&](int number) {
    const json::value shown =
        Shown("search_nodes", R"({"query":"NUMBER )" + std::to_string(number) + R"( of"})");
    std::set<std::string> found, expected;
    for (const json::value& one : shown.at("entities").as_array())
      found.emplace(one.at("name").as_string());
    for (const std::string& name : alive)
      if (std::stoi(name.substr(1)) % 7 == number) expected.insert(name);
    EXPECT_EQ(found, expected) << number;
    EXPECT_EQ(shown.at("entities").as_array().size(), expected.size());
  };
  create(0, 200);
  for (const int step : {3, 2, 5}) {
    drop(step);
    for (int number = 0; number < 7; ++number) agrees(number);
    create(300 + 10 * step, 310 + 10 * step);
    agrees(step);
  }
  drop(1);
  EXPECT_EQ(Shown("search_nodes", R"({"query":"e150"})").at("entities").as_array().size(), 0u);
  EXPECT_EQ(Text("read_graph", "{}"), Text("read_graph", "{}"));
  create(400, 401);
  EXPECT_NE(Text("read_graph", "{}").find("e400"), std::string::npos);
}

TEST_F(KnowledgeTest, TheStateOfItsResourceIsThatOfWhatItShows) {
  static const json::object none;
  server::Call call{.params = none};
  std::set<std::size_t> seen = {tools_->ResourceState(call)};
  for (const auto& [tool, arguments] : kLooping) {
    if (std::string_view(tool).starts_with("delete") || tool == std::string_view("search_nodes"))
      continue;
    (void)Result("create_entities",
                 R"({"entities":[{"name":"a","entityType":"t","observations":["o"]}]})");
    (void)tools_->ResourceState(call);
    (void)Result(tool, arguments);
    EXPECT_TRUE(seen.insert(tools_->ResourceState(call)).second) << tool;
  }
  const std::size_t last = tools_->ResourceState(call);
  const auto put = *RequestFromJson(*FindOperation("put"), R"({"key":"p","text":"x"})");
  ASSERT_TRUE(service_->Ask(put, {}));
  EXPECT_NE(tools_->ResourceState(call), last);
  Open();
  const std::size_t again = tools_->ResourceState(call);
  EXPECT_FALSE(seen.contains(again));
  (void)Result("search_nodes", R"({"query":"a"})");
  EXPECT_EQ(tools_->ResourceState(call), again);
}

}  // namespace
}  // namespace plexus::tools::server
