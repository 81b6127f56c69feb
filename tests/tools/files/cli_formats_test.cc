// Documents through the program: formats told by name and content, refused whole,
// and a pipeline from one to the next that loses no edge.
#include <gtest/gtest.h>

#include <string>

#include "storage/formats/array_file.h"
#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class Formats : public ProgramTest {};

TEST_F(Formats, FromMatrixToGraphMlToNodeLinkToMatrix) {
  const std::string matrix =
      "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 0.5\n2 3 2\n3 1 0.25\n";
  const auto report =
      Plexus({"import", "--db", dir_ / "a", "--json", dir_.File("m.mtx", matrix)}).Json();
  EXPECT_EQ(report.at("edges").at("new"), 3);
  EXPECT_EQ(report.at("nodes").at("new"), 3);
  ASSERT_EQ(
      Plexus({"export", "--db", dir_ / "a", "--format", "graphml", "-o", dir_ / "g.graphml"}).code,
      0);
  ASSERT_EQ(Plexus({"import", "--db", dir_ / "b", dir_ / "g.graphml"}).code, 0);
  ASSERT_EQ(Plexus({"export", "--db", dir_ / "b", "--format", "node-link", "--edges-key", "edges",
                    "-o", dir_ / "g.json"})
                .code,
            0);
  ASSERT_EQ(Plexus({"import", "--db", dir_ / "c", dir_ / "g.json"}).code, 0);
  EXPECT_EQ(Plexus({"export", "--db", dir_ / "c", "--format", "mtx"}).out, matrix);
  EXPECT_TRUE(Plexus({"export", "--db", dir_ / "c", "--format", "gexf"}).out.starts_with("<?xml"));
}

TEST_F(Formats, ADocumentWithAnErrorChangesNothing) {
  ASSERT_EQ(Run({"link", "--quiet", "a", "knows", "b"}).code, 0);
  const std::string before = Run({"export"}).out;
  const std::string files[] = {
      dir_.File("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 3 nan\n"),
      dir_.File("g.graphml",
                "<graphml><graph edgedefault=\"directed\">\n<node id=\"x\"/>\n<edge "
                "source=\"x\"/></graph></graphml>"),
      dir_.File(
          "g.json",
          "{\"nodes\":[{\"id\":1}],\n\"links\":[{\"source\":1,\"target\":2,\n\"weight\":-1}]}"),
      dir_.File("memory.jsonl",
                "{\"type\":\"entity\",\"name\":\"x\",\"entityType\":\"t\",\"observations\":[]}\n{"
                "\"type\":\"entity\"}\n"),
      dir_.File("g.sg", "not a graph")};
  for (const std::string& file : files) {
    EXPECT_TRUE(Ends(Run({"import", file}), 1, file)) << file;
    EXPECT_EQ(Run({"export"}).out, before) << file;
  }
  EXPECT_EQ(Run({"import", "--on-error", "skip", files[2]}).code, 0);
}

TEST_F(Formats, TheMemoryServersFileIsKnownByItsContent) {
  const std::string file = dir_.File(
      "memory.json",
      "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"likes "
      "tea\"]}\n"
      "{\"type\":\"relation\",\"from\":\"Ada\",\"to\":\"Bob\",\"relationType\":\"knows\"}\n");
  ASSERT_EQ(Run({"import", file}).code, 0);
  const auto node = Json({"get", "Ada"});
  EXPECT_EQ(node.at("kind"), "person");
  EXPECT_EQ(node.at("text"), "likes tea");
}

TEST_F(Formats, AnUnknownFormatNamesThoseThereAre) {
  EXPECT_TRUE(Ends(Run({"import", dir_.File("x.bin", "???")}), 1, "mtx"));
}

// Rows by id for jobs on many machines: of a moment, of a part, without a key or a text.
TEST_F(Formats, PartsAreOfAMomentAndSayNoKeyAndNoText) {
  ASSERT_EQ(Run({"put", "alice-key", "--text", "alice-text"}).code, 0);
  ASSERT_EQ(Run({"put", "bob-key", "--set", "scope=team-scope", "--tags", "bob-tag"}).code, 0);
  ASSERT_EQ(Run({"link", "alice-key", "knows", "bob-key", "--label", "their-label"}).code, 0);
  const auto parts = [&](const Words& more) {
    const Finished run = Run(With({"export", "--format", "csr-parts"}, more));
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  };
  const std::string then = parts({});
  for (const char* word : {"alice", "bob", "their-label", "team", "knows"})
    EXPECT_EQ(then.find(word), std::string::npos) << word;
  const std::string at = std::to_string(Json({"stats"}).at("sequence").to_number<std::int64_t>());
  ASSERT_EQ(Run({"link", "--quiet", "bob-key", "likes", "carol-key"}).code, 0);
  EXPECT_NE(parts({}), then);
  EXPECT_EQ(parts({"--as-of", at}), then);
  const auto selected = [&](const Words& more) {
    const std::string bytes = parts(more);
    return formats::ArrayFile::Of("parts", bytes).value().header().selected;
  };
  EXPECT_EQ(selected({}), 3u);
  EXPECT_EQ(selected({"--where", "scope = 'team-scope'"}), 1u);
  EXPECT_EQ(selected({"--scope", "team-scope"}), 1u);
}

}  // namespace
}  // namespace plexus::testing
