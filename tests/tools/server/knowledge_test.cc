// The tools of MCP's memory server: a script with the replies that server has, random calls
// against a model that does what its source does.
// Source: modelcontextprotocol/servers, src/memory (2026.8.31).
#include "tools/server/knowledge/knowledge_tools.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <random>
#include <set>
#include <utility>

#include "tests/tools/server/knowledge_fixture.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/server/knowledge/knowledge_batch.h"
#include "tools/server/operation_backend.h"

namespace plexus::tools::server {
namespace {

struct Step {
  const char *tool, *arguments, *text;
};

// What that server answered to the same calls.
constexpr Step kScript[] = {
    {"read_graph", "{}", "{\n  \"entities\": [],\n  \"relations\": []\n}"},
    {"create_entities",
     R"({"entities":[{"name":"Ada","entityType":"person","observations":["wrote \"notes\""]},)"
     R"({"name":"Engine","entityType":"file","observations":[]}]})",
     R"([
  {
    "name": "Ada",
    "entityType": "person",
    "observations": [
      "wrote \"notes\""
    ]
  },
  {
    "name": "Engine",
    "entityType": "file",
    "observations": []
  }
])"},
    {"create_entities",
     R"({"entities":[{"name":"Ada","entityType":"robot","observations":["no"]}]})", "[]"},
    {"create_relations",
     R"({"relations":[{"from":"Ada","to":"Engine","relationType":"wrote"},)"
     R"({"from":"Ada","to":"Nobody","relationType":"caused_by"}]})",
     R"([
  {
    "from": "Ada",
    "to": "Engine",
    "relationType": "wrote"
  },
  {
    "from": "Ada",
    "to": "Nobody",
    "relationType": "caused_by"
  }
])"},
    {"create_relations", R"({"relations":[{"from":"Ada","to":"Engine","relationType":"wrote"}]})",
     "[]"},
    {"add_observations",
     R"({"observations":[{"entityName":"Ada","contents":["wrote \"notes\"","two\nlines"]}]})",
     R"([
  {
    "entityName": "Ada",
    "addedObservations": [
      "two\nlines"
    ]
  }
])"},
    {"add_observations", R"({"observations":[{"entityName":"Nobody","contents":["x"]}]})",
     "Entity with name Nobody not found"},
    {"open_nodes", R"({"names":["Nobody","Engine"]})", R"({
  "entities": [
    {
      "name": "Engine",
      "entityType": "file",
      "observations": []
    }
  ],
  "relations": [
    {
      "from": "Ada",
      "to": "Engine",
      "relationType": "wrote"
    }
  ]
})"},
    {"search_nodes", R"({"query":"TWO\nl"})", R"({
  "entities": [
    {
      "name": "Ada",
      "entityType": "person",
      "observations": [
        "wrote \"notes\"",
        "two\nlines"
      ]
    }
  ],
  "relations": [
    {
      "from": "Ada",
      "to": "Engine",
      "relationType": "wrote"
    },
    {
      "from": "Ada",
      "to": "Nobody",
      "relationType": "caused_by"
    }
  ]
})"},
    {"delete_observations",
     R"({"deletions":[{"entityName":"Ada","observations":["two\nlines","none"]},)"
     R"({"entityName":"Nobody","observations":["x"]}]})",
     "Observations deleted successfully"},
    {"delete_relations",
     R"({"relations":[{"from":"Ada","to":"Nobody","relationType":"caused_by"}]})",
     "Relations deleted successfully"},
    {"delete_entities", R"({"entityNames":["Engine","none"]})", "Entities deleted successfully"},
    {"read_graph", "{}", R"({
  "entities": [
    {
      "name": "Ada",
      "entityType": "person",
      "observations": [
        "wrote \"notes\""
      ]
    }
  ],
  "relations": []
})"},
    {"create_entities", "{}",
     "MCP error -32602: Input validation error: Invalid arguments for tool create_entities: "
     "Invalid input: expected array, received undefined at entities"},
    {"create_entities", R"({"entities":[{"name":1}]})",
     "MCP error -32602: Input validation error: Invalid arguments for tool create_entities: "
     "Invalid input: expected string, received number at entities[0].name\n"
     "Invalid input: expected string, received undefined at entities[0].entityType\n"
     "Invalid input: expected array, received undefined at entities[0].observations"}};

TEST_F(KnowledgeTest, AScriptHasTheRepliesOfThatServer) {
  for (const Step& step : kScript)
    EXPECT_EQ(Text(step.tool, step.arguments), step.text) << step.tool << " " << step.arguments;
  const json::object wrong =
      Result("add_observations", R"({"observations":[{"entityName":"x","contents":[]}]})");
  EXPECT_EQ(wrong.at("isError"), json::value(true));
  const json::object done = Result("delete_entities", R"({"entityNames":[]})");
  EXPECT_EQ(done.at("structuredContent"),
            *ParseJson(R"({"success":true,"message":"Entities deleted successfully"})"));
}

TEST_F(KnowledgeTest, ToolsAreThoseOfThatServer) {
  std::vector<std::string> names;
  for (const std::string& tool : KnowledgeTools::Tools()) {
    const json::value value = *ParseJson(tool);
    names.emplace_back(TextMember(value.get_object(), "name"));
    EXPECT_EQ(value.get_object().size(), 6u);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"create_entities", "create_relations", "add_observations",
                                      "delete_entities", "delete_observations", "delete_relations",
                                      "read_graph", "search_nodes", "open_nodes"}));
  const ChosenTools chosen = *ChooseTools({"server-memory"});
  OperationBackend backend(*service_, chosen);
  EXPECT_EQ(backend.Tools(Era::kHandshake).size(), 9u);
  EXPECT_TRUE(backend.HasTool("open_nodes"));
  EXPECT_TRUE(backend.OnlyReads("open_nodes"));
  EXPECT_FALSE(backend.OnlyReads("create_entities"));
  EXPECT_TRUE(backend.MaySubscribe("memory://knowledge-graph"));
  EXPECT_NE(backend.Resources().front().find("memory://knowledge-graph"), std::string::npos);
  OperationBackend others(*service_, *ChooseTools({"memory"}));
  EXPECT_FALSE(others.HasTool("open_nodes"));
  EXPECT_FALSE(others.MaySubscribe("memory://knowledge-graph"));
}

// Arrays, and every call a pass over them.
struct Model {
  json::array entities, relations;

  static bool Holds(const json::array& list, const json::value& value) {
    return std::ranges::find(list, value) != list.end();
  }
  json::value* Entity(const json::value& name) {
    const auto at = std::ranges::find_if(
        entities, [&](const json::value& one) { return one.at("name") == name; });
    return at == entities.end() ? nullptr : &*at;
  }
  template <class Gone>
  static void Erase(json::array& list, Gone gone) {
    json::array kept;
    for (json::value& one : list)
      if (!gone(one)) kept.push_back(std::move(one));
    list = std::move(kept);
  }
  void Run(std::string_view tool, const json::object& arguments) {
    if (tool == "create_entities") {
      for (const json::value& one : arguments.at("entities").get_array())
        if (!Entity(one.at("name"))) entities.push_back(one);
    } else if (tool == "create_relations") {
      for (const json::value& one : arguments.at("relations").get_array())
        if (!Holds(relations, one)) relations.push_back(one);
    } else if (tool == "add_observations") {
      for (const json::value& one : arguments.at("observations").get_array())
        if (!Entity(one.at("entityName"))) return;
      for (const json::value& one : arguments.at("observations").get_array()) {
        json::array& held = Entity(one.at("entityName"))->at("observations").get_array();
        json::array added;
        for (const json::value& text : one.at("contents").get_array())
          if (!Holds(held, text)) added.push_back(text);
        held.insert(held.end(), added.begin(), added.end());
      }
    } else if (tool == "delete_entities") {
      const json::array& names = arguments.at("entityNames").get_array();
      Erase(entities, [&](const json::value& one) { return Holds(names, one.at("name")); });
      Erase(relations, [&](const json::value& one) {
        return Holds(names, one.at("from")) || Holds(names, one.at("to"));
      });
    } else if (tool == "delete_observations") {
      for (const json::value& one : arguments.at("deletions").get_array())
        if (json::value* entity = Entity(one.at("entityName")))
          Erase(entity->at("observations").get_array(), [&](const json::value& text) {
            return Holds(one.at("observations").get_array(), text);
          });
    } else if (tool == "delete_relations") {
      const json::array& gone = arguments.at("relations").get_array();
      Erase(relations, [&](const json::value& one) { return Holds(gone, one); });
    }
  }
  json::value Graph() const {
    return json::object{{"entities", entities}, {"relations", relations}};
  }
};

TEST_F(KnowledgeTest, RandomCallsLeaveWhatThatServerWouldHave) {
  std::mt19937 random(20260831);
  const auto below = [&](unsigned most) { return random() % most; };
  const auto pick = [&](std::initializer_list<const char*> words) {
    return json::value(*(words.begin() + below(static_cast<unsigned>(words.size()))));
  };
  const auto name = [&] { return json::value("n" + std::to_string(below(24))); };
  const auto text = [&] { return pick({"a", "b", "c", "", "two\nlines", "d \"q\"", "\t"}); };
  const auto several = [&](auto make) {
    json::array list;
    for (unsigned i = 0, n = 1 + below(3); i < n; ++i) list.push_back(make());
    return list;
  };
  const auto relation = [&]() -> json::value {
    return json::object{{"from", name()},
                        {"to", name()},
                        {"relationType", pick({"knows", "causes", "caused_by", "contradicts",
                                               "link", "", "has_tag", "is-a", "works at"})}};
  };
  const auto entity = [&]() -> json::value {
    return json::object{{"name", name()},
                        {"entityType", pick({"person", "memory", "tag", "node", "", "a b"})},
                        {"observations", several(text)}};
  };
  const auto observations = [&](const char* member) {
    return [&, member]() -> json::value {
      return json::object{{"entityName", name()}, {member, several(text)}};
    };
  };
  Model model;
  for (int step = 0; step < 400; ++step) {
    std::string tool;
    json::object arguments;
    switch (below(9)) {
      case 0:
      case 1:
        tool = "create_entities";
        arguments["entities"] = several(entity);
        break;
      case 2:
      case 3:
        tool = "create_relations";
        arguments["relations"] = several(relation);
        break;
      case 4:
        tool = "add_observations";
        arguments["observations"] = several(observations("contents"));
        break;
      case 5:
        tool = "delete_observations";
        arguments["deletions"] = several(observations("observations"));
        break;
      case 6:
        tool = "delete_relations";
        arguments["relations"] = several(relation);
        break;
      case 7:
        tool = "delete_entities";
        arguments["entityNames"] = json::array{name()};
        break;
      default:
        Open();  // what was kept in RAM is read again
        continue;
    }
    model.Run(tool, arguments);
    (void)Result(tool, JsonOf(arguments));
    ASSERT_EQ(Shown("read_graph", "{}"), model.Graph())
        << "step " << step << ": " << tool << " " << JsonOf(arguments);
  }
}

TEST_F(KnowledgeTest, WhatOtherRequestsWriteIsSeen) {
  (void)Result("create_entities",
               R"({"entities":[{"name":"Ada","entityType":"person","observations":["a"]}]})");
  const auto ask = [&](const char* operation, const char* json) {
    return service_->Ask(*RequestFromJson(*FindOperation(operation), json), {}).has_value();
  };
  ASSERT_TRUE(ask("put", R"({"key":"m1","kind":"memory","text":"one\ntwo"})"));
  ASSERT_TRUE(ask("link", R"({"source":"m1","kind":"supports","target":"Ada"})"));
  EXPECT_EQ(Shown("open_nodes", R"({"names":["m1"]})"), *ParseJson(R"({
    "entities":[{"name":"m1","entityType":"memory","observations":["one","two"]}],
    "relations":[{"from":"m1","to":"Ada","relationType":"supports"}]})"));
  ASSERT_TRUE(ask("remove", R"({"key":"Ada"})"));
  EXPECT_EQ(Shown("search_nodes", R"({"query":"a"})").at("entities").get_array().size(), 0u);
  // Its texts are found by words.
  (void)Result("create_entities",
               R"({"entities":[{"name":"Bob","entityType":"person","observations":["violins"]}]})");
  const auto found =
      service_->Ask(*RequestFromJson(*FindOperation("search"), R"({"query":"violins"})"), {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NE(found->json.find("\"Bob\""), std::string::npos) << found->json;
}

TEST_F(KnowledgeTest, AWallHidesOtherScopesAndRightsHold) {
  Caller anna, bert, reader;
  anna.wall = {"anna"};
  bert.wall = {"bert"};
  reader.may_write = false;
  const char* made = R"({"entities":[{"name":"%","entityType":"person","observations":["x"]}]})";
  const auto create = [&](std::string name, const Caller& caller) {
    std::string json = made;
    json.replace(json.find('%'), 1, name);
    return Text("create_entities", json, caller);
  };
  (void)create("A", anna);
  (void)create("B", bert);
  (void)create("A2", anna);
  const auto names = [&](const Caller& caller) {
    std::string all;
    const json::value graph = Shown("read_graph", "{}", caller);
    for (const json::value& one : graph.at("entities").get_array())
      all += std::string(TextMember(one.get_object(), "name")) + " ";
    return all;
  };
  EXPECT_EQ(names(anna), "A A2 ");
  EXPECT_EQ(names(bert), "B ");
  EXPECT_EQ(names({}), "A B A2 ");
  EXPECT_NE(create("C", reader).find("right to write"), std::string::npos);
  EXPECT_EQ(names(reader), "A B A2 ");
}

TEST_F(KnowledgeTest, WordsAreInOneTextNotAcrossTwo) {
  (void)Result("create_entities",
               R"({"entities":[{"name":"Ada","entityType":"b","observations":["c","d\u0000e"]}]})");
  const auto hits = [&](const char* query) {
    const std::string json = R"({"query":")" + std::string(query) + "\"}";
    return Shown("search_nodes", json).at("entities").get_array().size();
  };
  for (const char* query : {"", "ADA", "b", "c", "d\\u0000e"}) EXPECT_EQ(hits(query), 1u) << query;
  for (const char* query : {"adab", "bc", "ada\\u0000b", "b\\u0000c", "c\\u0000d"})
    EXPECT_EQ(hits(query), 0u) << query;
}

// A name that no node can have is refused, and nothing of its call is kept.
TEST_F(KnowledgeTest, NamesThatNoNodeCanHave) {
  for (const std::string& name :
       {std::string(), std::string("a\\u001fb"), std::string(2000, 'x')}) {
    const json::object refused =
        Result("create_entities",
               R"({"entities":[{"name":"ok","entityType":"t","observations":[]},{"name":")" + name +
                   R"(","entityType":"t","observations":[]}]})");
    EXPECT_EQ(refused.at("isError"), json::value(true)) << name;
    EXPECT_FALSE(TextMember(refused.at("content").get_array()[0].get_object(), "text").empty());
  }
  EXPECT_EQ(Shown("read_graph", "{}").at("entities").get_array().size(), 0u);
}

TEST_F(KnowledgeTest, AGraphAboveTheLimitOfALineIsAnError) {
  const std::string large(900'000, 'x');
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const std::string json = R"({"entities":[{"name":")" + std::string(name) +
                             R"(","entityType":"t","observations":[")" + large + R"("]}]})";
    ASSERT_EQ(Shown("create_entities", json).get_array().size(), 1u);
  }
  EXPECT_NE(Text("read_graph", "{}").find("search_nodes"), std::string::npos);
  EXPECT_EQ(Shown("search_nodes", R"({"query":"none"})").at("entities").get_array().size(), 0u);
}

}  // namespace
}  // namespace plexus::tools::server
