// Documents through the program: formats told by name and content, refused whole,
// and a pipeline from one to the next that loses no edge.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

int Number(const boost::json::object& object, const char* name) {
  return object.at(name).to_number<int>();
}

TEST(Formats, FromMatrixToGraphMlToNodeLinkToMatrix) {
  const TempDir dir;
  const std::string matrix =
      "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 0.5\n2 3 2\n3 1 0.25\n";
  const auto report =
      Plexus({"import", "--db", dir / "a", "--json", dir.File("m.mtx", matrix)}).Json();
  EXPECT_EQ(Number(report.at("edges").as_object(), "new"), 3);
  EXPECT_EQ(Number(report.at("nodes").as_object(), "new"), 3);
  ASSERT_EQ(
      Plexus({"export", "--db", dir / "a", "--format", "graphml", "-o", dir / "g.graphml"}).code,
      0);
  ASSERT_EQ(Plexus({"import", "--db", dir / "b", dir / "g.graphml"}).code, 0);
  ASSERT_EQ(Plexus({"export", "--db", dir / "b", "--format", "node-link", "--edges-key", "edges",
                    "-o", dir / "g.json"})
                .code,
            0);
  ASSERT_EQ(Plexus({"import", "--db", dir / "c", dir / "g.json"}).code, 0);
  EXPECT_EQ(Plexus({"export", "--db", dir / "c", "--format", "mtx"}).out, matrix);
  EXPECT_TRUE(Plexus({"export", "--db", dir / "c", "--format", "gexf"}).out.starts_with("<?xml"));
}

TEST(Formats, ADocumentWithAnErrorChangesNothing) {
  const TempDir dir;
  ASSERT_EQ(Plexus({"link", "--db", dir / "g", "--quiet", "a", "knows", "b"}).code, 0);
  const std::string before = Plexus({"export", "--db", dir / "g"}).out;
  const std::string files[] = {
      dir.File("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 nan\n"),
      dir.File("g.graphml",
               "<graphml><graph edgedefault=\"directed\">\n<node id=\"x\"/>\n<edge "
               "source=\"x\"/></graph></graphml>"),
      dir.File(
          "g.json",
          "{\"nodes\":[{\"id\":1}],\n\"links\":[{\"source\":1,\"target\":2,\n\"weight\":-1}]}"),
      dir.File("memory.jsonl",
               "{\"type\":\"entity\",\"name\":\"x\",\"entityType\":\"t\",\"observations\":[]}\n{"
               "\"type\":\"entity\"}\n"),
      dir.File("g.sg", "not a graph")};
  for (const std::string& file : files) {
    const Finished run = Plexus({"import", "--db", dir / "g", file});
    EXPECT_EQ(run.code, 1) << file;
    EXPECT_NE(run.err.find(file), std::string::npos) << run.err;
    EXPECT_EQ(Plexus({"export", "--db", dir / "g"}).out, before) << file;
  }
  EXPECT_EQ(Plexus({"import", "--db", dir / "g", "--on-error", "skip", files[2]}).code, 0);
}

TEST(Formats, TheMemoryServersFileIsKnownByItsContent) {
  const TempDir dir;
  const std::string file = dir.File(
      "memory.json",
      "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"likes "
      "tea\"]}\n"
      "{\"type\":\"relation\",\"from\":\"Ada\",\"to\":\"Bob\",\"relationType\":\"knows\"}\n");
  ASSERT_EQ(Plexus({"import", "--db", dir / "g", file}).code, 0);
  const auto node = Plexus({"get", "--db", dir / "g", "--json", "Ada"}).Json();
  EXPECT_EQ(node.at("kind").as_string(), "person");
  EXPECT_EQ(node.at("text").as_string(), "likes tea");
}

TEST(Formats, AnUnknownFormatNamesThoseThereAre) {
  const TempDir dir;
  const Finished run = Plexus({"import", "--db", dir / "g", dir.File("x.bin", "???")});
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("mtx"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace plexus::testing
