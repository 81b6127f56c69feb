// import: packed files, columns of other names, and what it would do without doing it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class Import : public ProgramTest {};

TEST_F(Import, RecordsThatAreNeverValidAreTold) {
  const std::string file = dir_.File(
      "a.jsonl", "{\"node\":\"a\",\"valid_from\":\"2026-01-02\",\"valid_until\":\"2026-01-02\"}\n");
  const std::string why = "a.jsonl:1: \"valid_from\" 2026-01-02T00:00:00.000Z is not before";
  const Finished strict = Run({"import", "--strict", file});
  EXPECT_EQ(strict.code, 1);
  EXPECT_TRUE(Says(strict.err, why));
  EXPECT_FALSE(std::filesystem::exists(db_));
  const Finished taken = Run({"import", file, "--json"});
  EXPECT_EQ(taken.code, 0);
  EXPECT_TRUE(Says(taken.err, "warning: "));
  EXPECT_TRUE(Says(taken.err, why));
  EXPECT_EQ(taken.Json().at("never_valid"), 1);
  EXPECT_TRUE(Says(std::string(taken.Json().at("warnings").at(0).as_string()), why));
  const Finished table = Run({"import", file});
  EXPECT_TRUE(Says(table.out, "1 records never valid"));
  // In a shell that writes already, too.
  const Finished shell = Run({"shell"}, {.input = "put b --text x\n"
                                                  "import --strict " +
                                                  file + "\n"});
  EXPECT_TRUE(Says(shell.err, why));
  EXPECT_EQ(shell.code, 1);
}

TEST_F(Import, DryRunTellsAndWritesNothing) {
  const std::string first = dir_.File("a.csv", "source,target\na,b\nb,c\n");
  const std::string second = dir_.File("b.jsonl",
                                       "{\"edge\":[\"a\",\"b\"],\"kind\":\"link\",\"weight\":2}\n"
                                       "{\"node\":\"d\",\"text\":\"new\",\"props\":{\"x\":1}}\n"
                                       "{\"node\":\"d\",\"props\":{\"x\":2}}\n");
  auto dry = Json({"import", "--dry-run", first});
  EXPECT_TRUE(dry.at("dry_run").as_bool());
  EXPECT_EQ(dry.at("edges").at("new"), 2);
  EXPECT_FALSE(std::filesystem::exists(db_));

  ASSERT_EQ(Run({"import", "--quiet", first}).code, 0);
  const auto stats = Json({"stats"});
  dry = Json({"import", "--dry-run", second});
  EXPECT_EQ(dry.at("edges").at("changed"), 1);
  EXPECT_EQ(dry.at("nodes").at("new"), 1);
  EXPECT_EQ(dry.at("sequence"), stats.at("sequence"));
  EXPECT_EQ(Json({"stats"}).at("nodes"), stats.at("nodes"));
  auto real = Json({"import", second});
  for (const char* same : {"nodes", "edges", "records", "errors", "batches"})
    EXPECT_EQ(real.at(same), dry.at(same)) << same;

  EXPECT_TRUE(
      Ends(Run({"import", "--dry-run", dir_.File("c.csv", "x,y\n1,2\n")}), 1, "c.csv:1: header"));
}

TEST_F(Import, ColumnsOfOtherNamesAndPackedFiles) {
  const std::string roads = dir_.File("roads.csv", "from,to,km\nx,y,2.5\n");
  const std::string columns = "source=from,target=to,weight=km";
  ASSERT_EQ(std::system(("gzip -k " + roads).c_str()), 0);
  const auto packed = Json({"import", "--columns", columns, roads + ".gz"});
  EXPECT_EQ(packed.at("edges").at("new"), 1);
  const auto plain = Json({"import", "--columns", columns, roads});
  EXPECT_EQ(plain.at("edges").at("same"), 1);
  const Finished piped =
      Run({"import", "--json", "--format", "csv", "--columns", "source=von,target=nach", "-"},
          {.input = "von,nach\ny,z\n"});
  EXPECT_EQ(piped.Json().at("edges").at("new"), 1);
  EXPECT_EQ(Run({"import", "--columns", "source", roads}).code, 2);
  EXPECT_EQ(Run({"import", "--columns", "a=x,a=y", roads}).code, 2);
  EXPECT_TRUE(Ends(Run({"import", "--columns", "source=von", roads}), 2, "'von'"));
}

TEST_F(Import, RowsOfOtherSystems) {
  const std::string edges =
      dir_.File("edges.jsonl",
                "{\"from_id\":\"old\",\"to_id\":\"new\",\"kind\":\"supersedes\"}\n"
                "{\"from_id\":\"old\",\"to_id\":\"new\",\"kind\":\"echoes\"}\n");
  const Finished strict = Run({"import", "--strict", edges});
  EXPECT_EQ(strict.code, 1);
  EXPECT_TRUE(Says(strict.err, "edges.jsonl:1: 'new', 'old': named here"));
  const Finished written = Run({"import", "--dry-run", "--json", edges});
  EXPECT_TRUE(Says(written.err, "--reversed-kinds"));
  EXPECT_EQ(written.Json().at("warnings").as_array().size(), 1u);
  const std::string turn = "supersedes,supports,promoted_from";
  const auto turned = Json({"import", "--reversed-kinds", turn, edges});
  EXPECT_EQ(turned.at("stubs"), 2);
  EXPECT_EQ(turned.at("turned"), 1);
  EXPECT_EQ(turned.at("new_edge_kinds").at(0), "echoes");
  EXPECT_TRUE(turned.at("warnings").as_array().empty());
  const auto again = Json({"import", "--reversed-kinds", turn, edges});
  EXPECT_EQ(again.at("sequence"), turned.at("sequence"));
  EXPECT_EQ(again.at("edges").at("same"), 2);
  const auto history = Run({"neighbors", "--json", "new", "--kinds", "supersedes"});
  EXPECT_EQ(history.Json().at("neighbors").at(0).at("direction"), "out");
  EXPECT_EQ(Run({"import", "--strict", "--on-error", "skip", edges}).code, 2);
  EXPECT_EQ(Run({"import", "--strict", edges}).code, 0);  // they are there by now
}

// With a megabyte most of the edges wait in a scratch file, of which nothing stays.
TEST_F(Import, AGraphDoesNotDependOnTheMemoryOfItsImport) {
  const TempDir dir;
  std::string rows = "source,target,kind,weight\n";
  for (std::uint64_t i = 0; i < 100'000; ++i)
    rows += "n" + std::to_string(i * 7919 % 5003) + ",n" + std::to_string(i * 104'729 % 4999) +
            (i % 3 ? ",knows,0." : ",near,") + std::to_string(i % 7) + "\n";
  const std::string file = dir.File("a.csv", rows), a = dir / "a", b = dir / "b";
  ASSERT_EQ(Plexus({"import", "--db", a, "--now", "1000", "--quiet", file}).code, 0);
  const Finished small = Plexus({"import", "--db", b, "--now", "1000", "--memory", "1", file});
  ASSERT_EQ(small.code, 0) << small.err;
  EXPECT_EQ(Plexus({"export", "--db", a}).out, Plexus({"export", "--db", b}).out);
  const auto names = [](const std::string& db) {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(db))
      all.insert(entry.path().filename());
    return all;
  };
  EXPECT_EQ(names(a), names(b));
  EXPECT_EQ(Plexus({"import", "--db", b, "--memory", "0", file}).code, 2);
}

}  // namespace
}  // namespace plexus::testing
