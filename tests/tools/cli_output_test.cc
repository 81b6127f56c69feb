// How replies come out: JSON, tables, CSV, errors.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

class Output : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string lines = R"({"node":"a","text":"first, \"one\""})"
                              "\n"
                              R"({"edge":["a","b"],"kind":"knows","weight":0.5})"
                              "\n";
    ASSERT_EQ(Plexus({"import", "--db", db_, "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  }
  const TempDir dir_;
  const std::string db_ = dir_ / "g";
};

TEST_F(Output, CsvHasTheRowsOfTheReply) {
  const Finished run = Plexus({"neighbors", "a", "--db", db_, "--format", "csv"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("key,direction,kind,weight,label,created_at,")) << run.out;
  EXPECT_NE(run.out.find("\nb,out,knows,0.5,,"), std::string::npos) << run.out;
}

TEST_F(Output, KindAndTextStandBesideAKeyWhereTheyAreAskedFor) {
  const auto nodes =
      Plexus({"pagerank", "--db", db_, "--json", "--details", "kind,line", "--details", "text"})
          .Json()
          .at("nodes")
          .as_array();
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].at("key"), "a");
  EXPECT_EQ(nodes[1].at("node_kind"), "node");
  EXPECT_EQ(nodes[1].at("node_line"), "first, \"one\"");
  EXPECT_EQ(nodes[1].at("node_text"), "first, \"one\"");
  EXPECT_FALSE(nodes[0].as_object().contains("node_text"));
  const Finished csv =
      Plexus({"pagerank", "--db", db_, "--format", "csv", "--details", "kind,line"});
  EXPECT_TRUE(csv.out.starts_with("key,score,scaled,percentile,node_kind,node_line\n")) << csv.out;
  EXPECT_NE(csv.out.find(",node,\"first, \"\"one\"\"\"\n"), std::string::npos) << csv.out;
  EXPECT_EQ(Plexus({"pagerank", "--db", db_, "--details", "txet"}).code, 2);
}

TEST_F(Output, FormatJsonIsJson) {
  const Finished short_form = Plexus({"kinds", "--db", db_, "--json"});
  const Finished long_form = Plexus({"kinds", "--db", db_, "--format", "json"});
  EXPECT_EQ(short_form.out, long_form.out);
}

TEST_F(Output, AFailureIsJsonTooWhereJsonIsAskedFor) {
  const Finished run = Plexus({"get", "nobody", "--db", db_, "--json"});
  EXPECT_EQ(run.code, 3);
  const auto error = run.Json().at("error").as_object();
  EXPECT_EQ(error.at("code"), "not_found");
  EXPECT_EQ(error.at("message"), "no node 'nobody'");
  EXPECT_TRUE(run.err.starts_with("plexus: error: no node 'nobody'")) << run.err;
  EXPECT_EQ(Plexus({"get", "nobody", "--db", db_}).out, "");
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

}  // namespace
}  // namespace plexus::testing
