// import: packed files, columns of other names, and what it would do without doing it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

TEST(Import, RecordsThatAreNeverValidAreTold) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string file = dir.File(
      "a.jsonl", "{\"node\":\"a\",\"valid_from\":\"2026-01-02\",\"valid_until\":\"2026-01-02\"}\n");
  const std::string why = "a.jsonl:1: \"valid_from\" 2026-01-02T00:00:00.000Z is not before";
  const Finished strict = Plexus({"import", "--db", db, "--strict", file});
  EXPECT_EQ(strict.code, 1);
  EXPECT_NE(strict.err.find(why), std::string::npos) << strict.err;
  EXPECT_FALSE(std::filesystem::exists(db));
  const Finished taken = Plexus({"import", "--db", db, file, "--json"});
  EXPECT_EQ(taken.code, 0);
  EXPECT_NE(taken.err.find("warning: "), std::string::npos) << taken.err;
  EXPECT_NE(taken.err.find(why), std::string::npos) << taken.err;
  EXPECT_EQ(taken.Json().at("never_valid").to_number<int>(), 1);
  EXPECT_NE(std::string(taken.Json().at("warnings").as_array()[0].as_string()).find(why),
            std::string::npos);
  const Finished table = Plexus({"import", "--db", db, file});
  EXPECT_NE(table.out.find("1 records never valid"), std::string::npos) << table.out;
  // In a shell that writes already, too.
  const Finished shell = Plexus({"shell", "--db", db}, {.input = "put b --text x\n"
                                                                 "import --strict " +
                                                                 file + "\n"});
  EXPECT_NE(shell.err.find(why), std::string::npos) << shell.err;
  EXPECT_EQ(shell.code, 1);
}

TEST(Import, DryRunTellsAndWritesNothing) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string first = dir.File("a.csv", "source,target\na,b\nb,c\n");
  const std::string second = dir.File("b.jsonl",
                                      "{\"edge\":[\"a\",\"b\"],\"kind\":\"link\",\"weight\":2}\n"
                                      "{\"node\":\"d\",\"text\":\"new\",\"props\":{\"x\":1}}\n"
                                      "{\"node\":\"d\",\"props\":{\"x\":2}}\n");
  auto dry = Plexus({"import", "--db", db, "--dry-run", "--json", first}).Json();
  EXPECT_TRUE(dry.at("dry_run").as_bool());
  EXPECT_EQ(dry.at("edges").at("new").to_number<int>(), 2);
  EXPECT_FALSE(std::filesystem::exists(db));

  ASSERT_EQ(Plexus({"import", "--db", db, "--quiet", first}).code, 0);
  const auto stats = Plexus({"stats", "--db", db, "--json"}).Json();
  dry = Plexus({"import", "--db", db, "--dry-run", "--json", second}).Json();
  EXPECT_EQ(dry.at("edges").at("changed").to_number<int>(), 1);
  EXPECT_EQ(dry.at("nodes").at("new").to_number<int>(), 1);
  EXPECT_EQ(dry.at("sequence"), stats.at("sequence"));
  EXPECT_EQ(Plexus({"stats", "--db", db, "--json"}).Json().at("nodes"), stats.at("nodes"));
  auto real = Plexus({"import", "--db", db, "--json", second}).Json();
  for (const char* same : {"nodes", "edges", "records", "errors", "batches"})
    EXPECT_EQ(real.at(same), dry.at(same)) << same;

  const Finished bad = Plexus({"import", "--db", db, "--dry-run", dir.File("c.csv", "x,y\n1,2\n")});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("c.csv:1: header"), std::string::npos) << bad.err;
}

TEST(Import, ColumnsOfOtherNamesAndPackedFiles) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string roads = dir.File("roads.csv", "from,to,km\nx,y,2.5\n");
  const std::string columns = "source=from,target=to,weight=km";
  ASSERT_EQ(std::system(("gzip -k " + roads).c_str()), 0);
  const auto packed =
      Plexus({"import", "--db", db, "--json", "--columns", columns, roads + ".gz"}).Json();
  EXPECT_EQ(packed.at("edges").at("new").to_number<int>(), 1);
  const auto plain = Plexus({"import", "--db", db, "--json", "--columns", columns, roads}).Json();
  EXPECT_EQ(plain.at("edges").at("same").to_number<int>(), 1);
  const Finished piped = Plexus({"import", "--db", db, "--json", "--format", "csv", "--columns",
                                 "source=von,target=nach", "-"},
                                {.input = "von,nach\ny,z\n"});
  EXPECT_EQ(piped.Json().at("edges").at("new").to_number<int>(), 1);
  EXPECT_EQ(Plexus({"import", "--db", db, "--columns", "source", roads}).code, 2);
  EXPECT_EQ(Plexus({"import", "--db", db, "--columns", "a=x,a=y", roads}).code, 2);
  const Finished missing = Plexus({"import", "--db", db, "--columns", "source=von", roads});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("'von'"), std::string::npos) << missing.err;
}

TEST(Import, RowsOfOtherSystems) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string edges =
      dir.File("edges.jsonl",
               "{\"from_id\":\"old\",\"to_id\":\"new\",\"kind\":\"supersedes\"}\n"
               "{\"from_id\":\"old\",\"to_id\":\"new\",\"kind\":\"echoes\"}\n");
  const Finished strict = Plexus({"import", "--db", db, "--strict", edges});
  EXPECT_EQ(strict.code, 1);
  EXPECT_NE(strict.err.find("edges.jsonl:1: 'new', 'old': named here"), std::string::npos)
      << strict.err;
  const Finished written = Plexus({"import", "--db", db, "--dry-run", "--json", edges});
  EXPECT_NE(written.err.find("--reversed-kinds"), std::string::npos) << written.err;
  EXPECT_EQ(written.Json().at("warnings").as_array().size(), 1u);
  const std::string turn = "supersedes,supports,promoted_from";
  const auto turned =
      Plexus({"import", "--db", db, "--json", "--reversed-kinds", turn, edges}).Json();
  EXPECT_EQ(turned.at("stubs").to_number<int>(), 2);
  EXPECT_EQ(turned.at("turned").to_number<int>(), 1);
  EXPECT_EQ(turned.at("new_edge_kinds").as_array().at(0).as_string(), "echoes");
  EXPECT_TRUE(turned.at("warnings").as_array().empty());
  const auto again =
      Plexus({"import", "--db", db, "--json", "--reversed-kinds", turn, edges}).Json();
  EXPECT_EQ(again.at("sequence"), turned.at("sequence"));
  EXPECT_EQ(again.at("edges").at("same").to_number<int>(), 2);
  const auto history = Plexus({"neighbors", "--db", db, "--json", "new", "--kinds", "supersedes"});
  EXPECT_EQ(history.Json().at("neighbors").as_array().at(0).at("direction").as_string(), "out");
  EXPECT_EQ(Plexus({"import", "--db", db, "--strict", "--on-error", "skip", edges}).code, 2);
  EXPECT_EQ(Plexus({"import", "--db", db, "--strict", edges}).code, 0);  // they are there by now
}

// With a megabyte most of the edges wait in a scratch file, of which nothing stays.
TEST(Import, AGraphDoesNotDependOnTheMemoryOfItsImport) {
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
