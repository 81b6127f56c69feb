// The seeds' own tools: their parameters, and replies under their members' names.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "tests/support/run_plexus.h"
#include "tools/server/operation_backend.h"
#include "tools/server/tool_reply.h"

namespace plexus::tools::server {
namespace {

TEST(ReplyNames, MembersAreRenamedLeftOutAndSplit) {
  const auto renamed = [](const char* json, const char* names) {
    const auto reply = RenamedReply(json, names);
    return reply ? *reply : reply.error().message;
  };
  EXPECT_EQ(renamed(R"({"a":1.50,"b":[{"a":"x"},{"a":"}\"]"}],"c":{}})", "b.a=z; a=q"),
            R"({"q":1.50,"b":[{"z":"x"},{"z":"}\"]"}],"c":{}})");
  EXPECT_EQ(renamed(R"({"a":1,"b":{"a":2,"c":3},"d":4})", "a=; b.c="), R"({"b":{"a":2},"d":4})");
  EXPECT_EQ(renamed(R"({"a":1})", "a="), "{}");
  EXPECT_EQ(
      renamed(R"({"l":[{"ids":["m1","m2"],"s":1},{"ids":["m3","m4"]}]})", "l.ids=first|second"),
      R"({"l":[{"first":"m1","second":"m2","s":1},{"first":"m3","second":"m4"}]})");
  EXPECT_EQ(renamed(R"({"a":[],"b":null,"c":[[1,2],[]]})", "b=x"),
            R"({"a":[],"x":null,"c":[[1,2],[]]})");
  EXPECT_EQ(renamed(R"({"k":1,"t":[{"name":"a","value":0.5,"weight":{}},{"name":"b","value":1}]})",
                    "t=*"),
            R"({"k":1,"a":0.5,"b":1})");
  EXPECT_EQ(renamed(R"({"k":1,"t":[],"e":2})", "t=*"), R"({"k":1,"e":2})");
  EXPECT_FALSE(RenamedReply(R"({"t":[{"value":1}]})", "t=*"));
  for (const char* broken : {"", "{", "[1", R"({"a")", R"({"a":})", R"({"a":1}x)", R"({"a":"b)"})
    EXPECT_FALSE(RenamedReply(broken, "a=b")) << broken;
  EXPECT_FALSE(RenamedReply(R"({"ids":["one"]})", "ids=first|second"));
}

TEST(ReplyPages, APageEndsWhereItIsAskedTo) {
  const std::string json = R"({"a":[0],"l":[{"k":"}]"},2,[3],"4,"],"t":false})";
  const auto page = [&](std::uint64_t from, std::uint64_t most, std::uint64_t chars = 1000) {
    return *PageOfReply(json, "l", from, most, chars);
  };
  EXPECT_EQ(page(0, 9), json);
  EXPECT_EQ(page(0, 4), json);
  EXPECT_EQ(page(0, 2), R"({"a":[0],"l":[{"k":"}]"},2],"t":false,"next_cursor":"p2"})");
  EXPECT_EQ(page(2, 2), R"({"a":[0],"l":[[3],"4,"],"t":false})");
  EXPECT_EQ(page(1, 9, 4), R"({"a":[0],"l":[2,[3]],"t":false,"next_cursor":"p3"})");
  EXPECT_EQ(page(9, 2), R"({"a":[0],"l":[],"t":false})");
  EXPECT_EQ(*PageOfReply(R"({"l":[]})", "l", 0, 1, 1), R"({"l":[]})");
  for (const std::uint64_t chars : {9u, 10u}) {  // of the first one
    bool long_one = false;
    ASSERT_TRUE(PageOfReply(json, "l", 0, 9, chars, &long_one));
    EXPECT_EQ(long_one, chars < 10);
  }
  for (const char* broken :
       {"", "{}", R"({"l":1})", R"({"l":[1)", R"({"l":[1})", R"({"x":{"l":[]}})"})
    EXPECT_FALSE(PageOfReply(broken, "l", 0, 1, 1)) << broken;
  EXPECT_EQ(*PlaceOfCursor("p12"), 12u);
  for (const char* wrong : {"", "p", "12", "p-1", "p1x", "p99999999999999999999", "p100001"})
    EXPECT_FALSE(PlaceOfCursor(wrong)) << wrong;
}

class SeedTools : public ::testing::Test {
 protected:
  SeedTools() {
    ServiceOptions options;
    options.directory = dir_ / "g";
    service_ = *Service::Open(options);
    backend_ = std::make_unique<OperationBackend>(
        *service_, *ChooseTools({"memory", "ledger", "retrieval", "decisions", "admin"}));
  }
  json::object Ask(std::string_view tool, std::string_view arguments) {
    static const json::object none;
    server::Call call{.params = none};
    const json::value given = *ParseJson(arguments);
    const Outcome outcome = backend_->CallTool(tool, given.get_object(), call);
    if (!outcome) return {};
    const json::value result = *ParseJson("{" + *outcome + "}");
    const json::object* structured = ObjectMember(result.get_object(), "structuredContent");
    EXPECT_TRUE(structured) << tool << " " << arguments << JsonOf(result);
    return structured ? *structured : json::object();
  }
  // Members in order, joined.
  static std::string Names(const json::value& value) {
    std::string names;
    for (const auto& member : value.get_object())
      names += (names.empty() ? "" : " ") + std::string(member.key().data(), member.key().size());
    return names;
  }
  testing::TempDir dir_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<OperationBackend> backend_;
};

TEST_F(SeedTools, ComposedGraphHasItsSevenActions) {
  for (const char* memory :
       {R"({"key":"m1","text":"Gateway keys rotate weekly.","tags":["gw"]})",
        R"({"key":"m2","text":"Deploys stop on Fridays.","tags":["gw"]})",
        R"({"key":"m3","text":"The gateway restarts after key rotation.","tags":["gw"]})"})
    (void)Ask("remember", memory);
  (void)Ask("record_use", R"({"query":"why twice","members":["m1:primary","m2"]})");
  (void)Ask("record_use", R"({"query":"why again","members":["m1:primary","m2"]})");

  const json::object recent = Ask("composed_graph", R"({"action":"recent","limit":1})");
  EXPECT_EQ(recent.at("action"), "recent");
  const json::object& event = recent.at("events").get_array().at(0).get_object();
  EXPECT_EQ(Names(event), "id created_at tool mode query query_hash outcomes");
  EXPECT_EQ(event.at("query"), "why again");
  const std::string id(TextMember(event, "id")), next(TextMember(recent, "next"));
  ASSERT_FALSE(next.empty());  // a page: the next begins there
  const json::object page =
      Ask("composed_graph", R"({"action":"recent","cursor":")" + next + "\"}");
  EXPECT_EQ(page.at("events").get_array().at(0).at("query"), "why twice");

  const json::object label = Ask("composed_graph", R"({"action":"label","event_id":")" + id +
                                                       R"(","outcome_type":"helpful"})");
  EXPECT_EQ(label.at("action"), "label");
  EXPECT_EQ(label.at("eventId"), json::value(id));
  EXPECT_EQ(label.at("outcome").at("source"), "user");

  const json::object got = Ask("composed_graph", R"({"action":"get","event_id":")" + id + "\"}");
  EXPECT_EQ(Names(got), "action event members outcomes");
  EXPECT_EQ(got.at("event").at("id"), json::value(id));
  EXPECT_EQ(got.at("members").get_array().at(0).at("memory_id"), "m1");
  EXPECT_EQ(got.at("outcomes").get_array().at(0).at("type"), "helpful");

  const json::object memory = Ask("composed_graph", R"({"action":"memory","memory_id":"m1"})");
  EXPECT_EQ(memory.at("memoryId"), "m1");
  EXPECT_EQ(memory.at("events").get_array().size(), 2u);
  const json::object near = Ask("composed_graph", R"({"action":"neighbors","memory_id":"m1"})");
  EXPECT_EQ(Names(near.at("neighbors").get_array().at(0)), "memoryId composedCount latestEventAt");

  const json::object never = Ask("composed_graph", R"({"action":"never_composed","limit":1})");
  EXPECT_EQ(never.at("evidenceStatus"), "hypothesis");
  const json::value& pair = never.at("candidates").get_array().at(0);
  for (const char* member :
       {"firstId", "secondId", "score", "noveltyScore", "bridgeScore", "trustScore",
        "outcomeScoreAdjustment", "sharedTags", "boundaryTags", "sharedTerms", "priorOutcomes",
        "outcomeSignal", "firstNodeType", "secondNodeType", "firstPreview", "secondPreview",
        "reason", "compositionQuestion"})
    EXPECT_TRUE(pair.get_object().contains(member)) << member;
  EXPECT_TRUE(never.contains("next"));

  const json::object bounty = Ask("composed_graph", R"({"action":"bounty_mode"})");
  for (const char* member :
       {"action", "alreadyComposedLanes", "neverComposedLanes", "closedDoors", "duplicateRiskLanes",
        "needsPocLanes", "topWeirdCombinations", "guardrails"})
    EXPECT_TRUE(bounty.contains(member)) << member;
  EXPECT_TRUE(bounty.at("neverComposedLanes").get_array().at(0).get_object().contains("firstId"));
  const json::value& lane = bounty.at("alreadyComposedLanes").get_array().at(0);
  EXPECT_EQ(lane.at("event").get_object().contains("id"), true) << json::serialize(lane);

  const json::object evidence = Ask("deep_reference", R"({"query":"gateway keys"})");
  for (const char* member : {"evidence", "composition_event_id", "compositionWriteStatus",
                             "confidence", "status", "conflicts"})
    EXPECT_TRUE(evidence.contains(member)) << member;
  const json::object last = Ask("composed_graph", R"({"action":"recent","limit":1})");
  EXPECT_EQ(last.at("events").get_array().at(0).at("tool"), "deep_reference");
}

// A decision's edges one away unless asked for more, and paths against edges, too.
TEST_F(SeedTools, DecisionGraphsHaveTheirDefaults) {
  for (const char* key : {"d1", "d2", "d3"})
    (void)Ask("remember", R"({"kind":"decision","key":")" + std::string(key) + R"(","text":"A )" +
                              key + R"(."})");
  (void)Ask("relate", R"({"source":"d2","kind":"depends_on","target":"d1","weight":0.5})");
  (void)Ask("relate", R"({"source":"d2","kind":"depends_on","target":"d3","weight":1})");
  const auto keys = [](const json::value& nodes) {
    std::string all;
    for (const json::value& node : nodes.get_array())
      all += std::string(TextMember(node.get_object(), "key")) + " ";
    return all;
  };
  EXPECT_EQ(keys(Ask("getGraph", R"({"nodeId":"d1"})").at("nodes")), "d1 d2 ");
  EXPECT_EQ(keys(Ask("getGraph", R"({"nodeId":"d1","depth":2})").at("nodes")), "d1 d2 d3 ");
  const json::object path = Ask("findPath", R"({"fromId":"d1","toId":"d3"})");
  EXPECT_EQ(path.at("paths").get_array().size(), 1u) << json::serialize(path);
}

TEST_F(SeedTools, RagSearchRanksWithTheGraphAndWithout) {
  for (const char* memory : {R"({"key":"m1","text":"Gateway keys rotate weekly."})",
                             R"({"key":"m2","text":"Deploys stop on Fridays."})",
                             R"({"key":"m3","text":"The gateway restarts after key rotation."})"})
    (void)Ask("remember", memory);
  (void)Ask("relate", R"({"source":"m3","kind":"supports","target":"m1"})");
  OperationBackend all(*service_, *ChooseTools({"all"}));
  static const json::object none;
  server::Call call{.params = none};
  ASSERT_TRUE(all.CallTool("embed", none, call));
  for (const char* rerank : {"true", "false"}) {
    const json::object found =
        Ask("rag_search",
            R"({"query":"gateway keys","max_hops":1,"graph_rerank":)" + std::string(rerank) + "}");
    const json::value& first = found.at("results").get_array().at(0);
    for (const char* member : {"id", "content", "similarity", "final_score"})
      EXPECT_TRUE(first.get_object().contains(member)) << member;
    EXPECT_EQ(first.at("id"), "m1");
    const double similarity = first.at("similarity").as_double();
    const double final_score = first.at("final_score").as_double();
    EXPECT_EQ(final_score > similarity, std::string_view(rerank) == "true")
        << json::serialize(first);
  }
}

// The pages of a list together are the list, whatever ends them.
TEST_F(SeedTools, PagesTogetherAreTheList) {
  for (int i = 0; i < 23; ++i)
    (void)Ask("remember", R"({"key":"m)" + std::to_string(i) + R"(","text":"Gateway note )" +
                              std::to_string(i) + R"("})");
  const json::object whole = Ask("recall", R"({"words":"gateway","limit":23,"hops":0})");
  EXPECT_FALSE(whole.contains("next_cursor"));
  ASSERT_EQ(whole.at("hits").get_array().size(), 23u);
  for (const char* how : {R"("limit":5)", R"("limit":22)", R"("limit":23,"max_chars":1500)"}) {
    json::array all;
    std::string cursor;
    int pages = 0;
    do {
      const json::object page =
          Ask("recall", R"({"words":"gateway","hops":0,)" + std::string(how) +
                            (cursor.empty() ? "" : ",\"cursor\":\"" + cursor + "\"") + "}");
      for (const json::value& hit : page.at("hits").get_array()) all.push_back(hit.at("key"));
      cursor = TextMember(page, "next_cursor");
    } while (!cursor.empty() && ++pages < 30);
    EXPECT_GT(pages, 0) << how;
    json::array keys;
    for (const json::value& hit : whole.at("hits").get_array()) keys.push_back(hit.at("key"));
    EXPECT_EQ(all, keys) << how;
  }
}

}  // namespace
}  // namespace plexus::tools::server
