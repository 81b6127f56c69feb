// How replies come out: JSON, tables, CSV, errors.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class Output : public ProgramTest {
 protected:
  void SetUp() override {
    Import(R"({"node":"a","text":"first, \"one\""}
{"edge":["a","b"],"kind":"knows","weight":0.5}
)");
  }
};

TEST_F(Output, CsvHasTheRowsOfTheReply) {
  const Finished run = Run({"neighbors", "a", "--format", "csv"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("key,direction,kind,weight,label,created_at,")) << run.out;
  EXPECT_TRUE(Says(run.out, "\nb,out,knows,0.5,,"));
}

TEST_F(Output, KindAndTextStandBesideAKeyWhereTheyAreAskedFor) {
  const auto nodes =
      Json({"pagerank", "--details", "kind,line", "--details", "text"}).at("nodes").as_array();
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].at("key"), "a");
  EXPECT_EQ(nodes[1].at("node_kind"), "node");
  EXPECT_EQ(nodes[1].at("node_line"), "first, \"one\"");
  EXPECT_EQ(nodes[1].at("node_text"), "first, \"one\"");
  EXPECT_FALSE(nodes[0].as_object().contains("node_text"));
  const Finished csv = Run({"pagerank", "--format", "csv", "--details", "kind,line"});
  EXPECT_TRUE(csv.out.starts_with("key,score,scaled,percentile,node_kind,node_line\n")) << csv.out;
  EXPECT_TRUE(Says(csv.out, ",node,\"first, \"\"one\"\"\"\n"));
  EXPECT_EQ(Run({"pagerank", "--details", "txet"}).code, 2);
}

TEST_F(Output, FormatJsonIsJson) {
  const Finished short_form = Run({"kinds", "--json"});
  const Finished long_form = Run({"kinds", "--format", "json"});
  EXPECT_EQ(short_form.out, long_form.out);
}

TEST_F(Output, AFailureIsJsonTooWhereJsonIsAskedFor) {
  const Finished run = Run({"get", "nobody", "--json"});
  EXPECT_EQ(run.code, 3);
  const auto error = run.Json().at("error").as_object();
  EXPECT_EQ(error.at("code"), "not_found");
  EXPECT_EQ(error.at("message"), "no node 'nobody'");
  EXPECT_TRUE(run.err.starts_with("plexus: error: no node 'nobody'")) << run.err;
  EXPECT_EQ(Run({"get", "nobody"}).out, "");
}

TEST_F(Output, SchemasArePrinted) {
  const Finished run = Plexus({"schema", "kcore", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  const auto reply = run.Json();
  EXPECT_EQ(reply.at("operation"), "kcore");
  EXPECT_EQ(reply.at("effect"), "read");
  EXPECT_EQ(reply.at("request").at("properties").at("least").at("type"), "integer");
  EXPECT_TRUE(reply.at("reply").at("properties").as_object().contains("degeneracy"));
  EXPECT_EQ(Plexus({"schema", "kcoer"}).code, 2);
}

class Listed : public ProgramTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run({"link", "alice", "knows", "bob", "--weight", "0.5"}).code, 0);
    ASSERT_EQ(Run({"put", "alice", "--text", "The large cat of Asia", "--props",
                   R"({"map":{"a":[1,2]},"list":["x",null],"n":2})"})
                  .code,
              0);
  }
};

TEST_F(Listed, MapsAndListsOfPropertiesAreShown) {
  const Finished run =
      Run({"list", "--json", "--columns", "key,props.map,props.list,props.map.a", "--top", "1"});
  const object reply = run.Json();
  const object& node = reply.at("results").at(0).as_object();
  EXPECT_EQ(node.at("props.map"), (object{{"a", array{1, 2}}}));
  EXPECT_EQ(node.at("props.list"), (array{"x", nullptr}));
  EXPECT_EQ(node.at("props.map.a"), (array{1, 2}));
}

TEST_F(Listed, DetailsFollowTheKeysOfList) {
  const Finished run =
      Run({"list", "--json", "--columns", "key", "--top", "1", "--details", "kind,line"});
  const object reply = run.Json();
  const object& node = reply.at("results").at(0).as_object();
  EXPECT_EQ(node.at("node_kind"), "node");
  EXPECT_EQ(node.at("node_line"), "The large cat of Asia");
}

TEST_F(Listed, CsvHasItsHeaderAndEmptyCells) {
  EXPECT_EQ(
      Run({"list", "--where", "key = 'nobody'", "--format", "csv", "--columns", "key,trust"}).out,
      "key,trust\n");
  EXPECT_EQ(
      Run({"list", "--top", "1", "--format", "csv", "--columns", "key,trust", "--details", "kind"})
          .out,
      "key,node_kind,trust\nalice,node,\n");
}

}  // namespace
}  // namespace plexus::testing
