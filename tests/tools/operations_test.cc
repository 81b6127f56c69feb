// Every row is whole: names, examples, schemas, shapes; and operations know no door.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <set>
#include <sstream>
#include <string>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"
#include "tests/support/json_schema.h"
#include "tools/operations/framework/layout.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/schema.h"
#include "tools/operations/framework/shape.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

bool IsSnakeCase(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

// The list that was asked for is "results", how many there are is "total". Where scripts and the
// memory systems have names of their own for it, these stay.
TEST(Operations, ListsAndCountsHaveOneName) {
  const std::set<std::string> nodes = {"pagerank",
                                       "traverse",
                                       "match",
                                       "neighborhood",
                                       "cuts",
                                       "decisions_salience",
                                       "decisions_compaction"};
  const std::set<std::string> uncounted = {"similar", "concept_search"};
  for (const Operation& row : AllOperations()) {
    SCOPED_TRACE(row.name);
    std::set<std::string> names;
    for (const ShapeMember& member : ParseShape(row.reply).members) {
      const bool list = member.shape.kind == Shape::Kind::kArray;
      EXPECT_TRUE(list || (member.name != "count" && member.name != "found")) << member.name;
      EXPECT_TRUE(!list || member.name != "nodes" || nodes.contains(row.name));
      names.insert(member.name);
    }
    if (names.contains("results") && !uncounted.contains(row.name)) {
      EXPECT_TRUE(names.contains("total"));
    }
  }
}

// Whatever a row is: a request that would write the past is refused, by a dry run as well.
TEST(Operations, ThePastIsReadOnly) {
  for (const Operation& row : AllOperations()) {
    if (row.group != "Change") continue;
    SCOPED_TRACE(row.name);
    Request request(row);
    ASSERT_TRUE(request.Set("as_of", std::string("1")));
    EXPECT_FALSE(CheckCommon(request));
    if (!request.Has("dry_run")) continue;
    ASSERT_TRUE(request.Set("dry_run", true));
    EXPECT_FALSE(CheckCommon(request));
  }
}

TEST(Operations, RowsAreWhole) {
  std::set<std::string> names;
  for (const Operation& row : AllOperations()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(IsSnakeCase(row.name));
    EXPECT_TRUE(names.insert(row.name).second) << "comes twice";
    EXPECT_FALSE(row.title.empty());
    EXPECT_FALSE(row.summary.empty() || row.summary.ends_with('.'));
    EXPECT_GE(row.examples.size(), 2u);
    EXPECT_TRUE(row.run);
    std::set<std::string> parameters;
    for (const Parameter& common : CommonParameters()) parameters.insert(common.name);
    for (const Parameter& parameter : row.parameters) {
      EXPECT_TRUE(IsSnakeCase(parameter.name)) << parameter.name;
      EXPECT_TRUE(parameters.insert(parameter.name).second) << parameter.name << " comes twice";
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
      EXPECT_EQ(parameter.help.find("(default: )"), std::string::npos);
      Request request(row);
      if (parameter.default_value.index() != 0) {
        EXPECT_TRUE(request.Set(parameter.name, parameter.default_value)) << parameter.name;
      }
    }
    EXPECT_EQ(FindOperation(row.name), &row);
  }
}

// A column that is no member of the reply ends the program.
TEST(Operations, TablesNameMembersOfTheReply) {
  for (const Operation& row : AllOperations())
    for (const Layout& table : LayoutsOf(row))
      for (const TableColumn& column : table.columns)
        EXPECT_TRUE(column.flag.empty() || row.Find(column.flag)) << row.name << column.flag;
}

TEST(Operations, SchemasAreJson) {
  for (const Operation& row : AllOperations()) {
    for (const auto write : {WriteRequestSchema, WriteReplySchema}) {
      std::ostringstream text;
      JsonWriter json(text);
      json.BeginObject();
      write(json, row);
      json.EndObject();
      const boost::json::value schema = boost::json::parse(text.str());
      EXPECT_EQ(schema.at("type"), "object") << row.name;
      EXPECT_EQ(schema.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
    }
  }
}

TEST(Operations, ADoorWithoutFlagsNamesParameters) {
  const auto graph = Graph::InMemory();
  const auto workspace =
      *Workspace::Over(*graph, {.access = Access::kWrite, .clock_ms = 1'700'000'000'000});
  const Operation* row = FindOperation("closeness");
  Request request(*row);
  ASSERT_TRUE(request.Set("of", std::vector<std::string>{"a"}));
  ASSERT_TRUE(request.Set("samples", std::uint64_t{3}));
  const Result<Reply> reply = Answer(*workspace, request);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "of cannot go with samples");
}

// A graph in RAM is asked as a directory is.
TEST(Operations, AnswerOnAGraphInMemory) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1'700'000'000'000);
  const NodeRef a = batch.Node("a"), b = batch.Node("b");
  batch.Link(a, batch.EdgeKindNamed("knows"), b, 0.5f);
  ASSERT_TRUE(graph->Apply(batch));
  const auto workspace =
      *Workspace::Over(*graph, {.access = Access::kWrite, .clock_ms = 1'700'000'000'000});
  Request request(*FindOperation("neighbors"));
  ASSERT_TRUE(request.Set("key", std::string("a")));
  Result<Reply> reply = Answer(*workspace, request);
  ASSERT_TRUE(reply);
  std::ostringstream text;
  JsonWriter json(text);
  WriteReply(*reply, {}, json);
  EXPECT_EQ(
      text.str(),
      R"({"key":"a","total":1,"index_edges":[],"neighbors":[{"key":"b",)"
      R"("direction":"out","kind":"knows","weight":0.5,"created_at":1700000000000}],)"
      R"("truncated":false})");
}

TEST(Shape, IsReadAsWritten) {
  const Shape shape = ParseShape("truncated:b, nodes?:[{key:k, path:[E]}], kinds:{*:n}");
  ASSERT_EQ(shape.members.size(), 3u);
  EXPECT_FALSE(shape.members[0].optional);
  EXPECT_TRUE(shape.members[1].optional);
  const Shape& node = shape.members[1].shape.element();
  ASSERT_EQ(node.members.size(), 2u);
  EXPECT_EQ(node.members[1].shape.element().members.size(), 10u);
  ASSERT_EQ(shape.members[2].shape.others.size(), 1u);
  EXPECT_EQ(shape.members[2].shape.others[0].kind, Shape::Kind::kCount);
}

TEST(JsonSchema, ProblemsAreNamed) {
  const boost::json::value schema =
      boost::json::parse(R"({"type":"object","properties":{"a":{"type":"integer","minimum":0},)"
                         R"("b":{"type":"array","items":{"type":"string"}}},"required":["a"],)"
                         R"("additionalProperties":false})");
  const auto problem = [&](const char* value) {
    return testing::SchemaProblem(schema, boost::json::parse(value));
  };
  EXPECT_EQ(problem(R"({"a":1,"b":["x"]})"), "");
  EXPECT_EQ(problem(R"({"b":[]})"), "$: 'a' is missing");
  EXPECT_EQ(problem(R"({"a":-1})"), "$.a: is below the minimum");
  EXPECT_EQ(problem(R"({"a":1,"c":2})"), "$.c: is not in the schema");
  EXPECT_EQ(problem(R"({"a":1,"b":[2]})"), R"($.b[0]: 2 is not of type "string")");
}

}  // namespace
}  // namespace plexus::tools
