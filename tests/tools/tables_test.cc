// Tables and CSV are made from a reply as its row declares.
#include "tools/cli/tables.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "engine/graph.h"
#include "tools/operations/framework/layout.h"

namespace plexus::tools {
namespace {

class Tables : public ::testing::Test {
 protected:
  Tables() {
    WriteBatch batch(1);
    const NodeRef a = batch.Node("a,\"1\""), b = batch.Node("b");
    batch.SetPayload(a, NodeField::kText, "the first of two nodes, with a text that is long");
    batch.Link(a, batch.EdgeKindNamed("knows"), b, 0.5f);
    EXPECT_TRUE(graph_->Apply(batch));
    snapshot_ = graph_->snapshot();
    row_ = {.name = "ask",
            .reply = "truncated:b, nodes:[{key:k, score:x, of?:[k]}]",
            .tables = "nodes: score.4, key"};
    writer_.BeginObject();
    writer_.Field("truncated", false);
    writer_.BeginArray("nodes");
    for (const NodeId node : {*snapshot_.Find("a,\"1\""), *snapshot_.Find("b")}) {
      writer_.BeginObject();
      writer_.Node("key", snapshot_, node);
      writer_.Field("score", node == 0 ? 0.123456789 : 12.0);
      writer_.EndObject();
    }
    writer_.EndArray();
    writer_.EndObject();
  }

  std::string Table(const TableOptions& options) {
    std::ostringstream out;
    PrintTables(Request(row_), writer_, options, out);
    return std::move(out).str();
  }

  std::unique_ptr<Graph> graph_ = Graph::InMemory();
  Snapshot snapshot_;
  Operation row_;
  TreeWriter writer_;
};

TEST_F(Tables, AreWholeWithoutATerminal) {
  EXPECT_EQ(Table({}),
            " score  key    text\n"
            "0.1235  a,\"1\"  the first of two nodes, with a text that is long\n"
            "    12  b\n");
}

TEST_F(Tables, LeaveOutAColumnWithoutAValue) {
  row_.tables = "nodes: of, score.4, key";
  EXPECT_TRUE(Table({}).starts_with(" score  key    text\n")) << Table({});
}

TEST(Layouts, TakeTypesFromTheShape) {
  const Operation row = {
      .reply = "sets:[{seeds:[k], nodes:[{key:k, by:k, score:x, one:n, b?:b, at:{time:t}}]}]",
      .tables =
          "sets: seeds nodes; sets/nodes: seeds, # = no, key, by, one|score.3 percent ?all, "
          "b = is b, at/time, score plain = a score"};
  const std::vector<Layout> layouts = LayoutsOf(row);
  ASSERT_EQ(layouts.size(), 2u);
  EXPECT_EQ(layouts[0].columns[0].as, As::kNodes);
  EXPECT_EQ(layouts[1].list, "sets/nodes");
  std::string all;
  for (const TableColumn& c : layouts[1].columns)
    all += c.field + "," + c.heading + "," + std::to_string(static_cast<int>(c.as)) + "," +
           std::to_string(c.digits) + "," + c.flag + "\n";
  EXPECT_EQ(all,
            "seeds,seeds,5,6,\n,no,9,6,\nkey,key,6,6,\nby,by,7,6,\none|score,one,2,3,all\n"
            "b,is b,4,6,\nat/time,time,3,6,\nscore,a score,0,6,\n");
}

TEST_F(Tables, FitTheTerminalAndKeepKeys) {
  std::istringstream table(Table({.width = 40}));
  std::string line;
  std::getline(table, line);
  std::getline(table, line);
  EXPECT_NE(line.find("a,\"1\"  the first"), std::string::npos) << line;
  EXPECT_EQ(line.find("long"), std::string::npos) << line;
}

TEST_F(Tables, ShowTextsInsteadOfKeys) {
  EXPECT_EQ(Table({.names = true}),
            " score  node\n"
            "0.1235  the first of two nodes, with a text that is long\n"
            "    12  b\n");
}

TEST_F(Tables, CsvIsQuotedAndReadsBack) {
  std::ostringstream out;
  PrintCsv(Request(row_), writer_, out);
  EXPECT_EQ(out.str(),
            "key,score,of\n"
            "\"a,\"\"1\"\"\",0.123456789,\n"
            "b,12,\n");
}

}  // namespace
}  // namespace plexus::tools
