// What the program promises in passing: first imports, times, trims, paths.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class Promises : public ProgramTest {};

TEST_F(Promises, AFailedFirstImportLeavesNothing) {
  const TempDir dir;
  const std::string db = dir / "g", bad = dir.File("bad.csv", "source,target,weight\na,b,x\n");
  EXPECT_EQ(Plexus({"import", "--db", db, bad}).code, 1);
  EXPECT_FALSE(std::filesystem::exists(db));
  EXPECT_EQ(Plexus({"link", "--db", db, "a", "supersedes", "a"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(db));
  // What was there before stays.
  std::filesystem::create_directory(db);
  dir.File("g/mine.txt", "mine");
  EXPECT_EQ(Plexus({"import", "--db", db, bad}).code, 1);
  EXPECT_TRUE(std::filesystem::exists(db + "/mine.txt"));
  EXPECT_FALSE(std::filesystem::exists(db + "/anchor"));
  EXPECT_EQ(Plexus({"link", "--db", db, "a", "knows", "b"}).code, 0);
  EXPECT_EQ(Plexus({"import", "--db", db, bad}).code, 1);
  EXPECT_EQ(Plexus({"stats", "--db", db, "--json"}).Json().at("edges"), 1);
}

TEST_F(Promises, SecondsAreReported) {
  const TempDir dir;
  const std::string db = dir / "g";
  const Finished link =
      Plexus({"link", "--db", db, "a", "knows", "b", "--valid-until", "1700000000"});
  EXPECT_EQ(link.code, 0);
  EXPECT_TRUE(
      Says(link.err, "--valid-until: 1700000000 is read as milliseconds since 1970: 1970-01-20"))
      << link.err;
  const Finished import = Plexus({"import", "--db", db, "--format", "jsonl", "--json", "-"},
                                 {.input = R"({"node":"a","created_at":1700000000})"
                                           "\n"});
  EXPECT_EQ(import.code, 0);
  EXPECT_TRUE(Says(import.err, "standard input:1: \"created_at\" 1700000000"));
  EXPECT_EQ(import.Json().at("warnings").as_array().size(), 1u);
  EXPECT_EQ(
      Plexus({"link", "--db", db, "a", "knows", "c", "--valid-until", "2030-01-01T00:00:00+02:00"})
          .err,
      "");
}

// A graph's time never goes back: whatever writes says so in its reply.
TEST_F(Promises, AMovedTimeIsTold) {
  const TempDir dir;
  const std::string db = dir / "g";
  const auto run = [&](Words words, const std::string& now, bool json = true) {
    words.insert(words.end(), {"--db", db, "--now", now});
    if (json) words.push_back("--json");
    const Finished finished = Plexus(words);
    EXPECT_EQ(finished.code, 0) << words[0] << finished.err;
    return finished;
  };
  const auto moved = [&](const Words& words, const std::string& now) {
    const boost::json::object reply = run(words, now).Json();
    const auto* member = reply.if_contains("time_moved");
    EXPECT_TRUE(!member || member->as_bool());
    return member != nullptr;
  };
  const std::string then = "1700000000000", before = "1690000000000", after = "1700000000001";
  const std::string lines = dir.File("a.jsonl", R"({"node":"m5"}
)");
  EXPECT_FALSE(moved({"put", "m1", "--text", "one"}, then));
  const std::vector<Words> writes = {
      {"put", "m2", "--text", "two", "--dry-run"},
      {"put", "m2", "--text", "two"},
      {"link", "m1", "knows", "m2"},
      {"link", "m1", "knows", "m3"},
      {"unlink", "m1", "knows", "m3"},
      {"ledger", "record", "--member", "m1", "--id", "c1"},
      {"ledger", "label", "c1", "helpful"},
      {"concept", "upsert", "apple"},
      {"import", lines, "--dry-run"},
      {"import", lines},
      {"terms", "--stem", "none"},
      {"recall", "one", "--commit"},
      {"remove", "m3"},
      {"purge", "m5"},
  };
  for (const auto& words : writes) EXPECT_TRUE(moved(words, before)) << words[0] << words.back();
  // Not what wrote nothing, what asks, or what comes later.
  EXPECT_FALSE(moved({"link", "m1", "knows", "m2"}, before));
  EXPECT_FALSE(moved({"recall", "one"}, before));
  EXPECT_FALSE(moved({"stats"}, before));
  EXPECT_FALSE(moved({"compact"}, before));
  EXPECT_FALSE(moved({"link", "m1", "knows", "m4"}, after));
  // For people, a note.
  const Finished told = run({"put", "m6"}, before, false);
  EXPECT_TRUE(Says(told.err, "now lies before 2023-11-14T22:13:20.001Z, the graph's time"))
      << told.err;
  EXPECT_FALSE(Says(run({"put", "m7"}, after, false).err, "the graph's time"));
}

TEST_F(Promises, TrimForgetsKeysWhenAsked) {
  const TempDir dir;
  const std::string db = dir / "g";
  const auto run = [&](Words words) {
    words.insert(words.end(), {"--db", db, "--json"});
    const Finished finished = Plexus(words);
    EXPECT_EQ(finished.code, 0) << words[0] << finished.err;
    return finished.Json();
  };
  run({"put", "m1"});
  run({"remove", "m1"});
  const std::int64_t last = run({"put", "m2"}).at("sequence").as_int64();
  run({"trim", "--before", std::to_string(last - 1)});
  EXPECT_EQ(run({"stats"}).at("sequence"), last);
  run({"trim", "--before", std::to_string(last), "--forget-keys"});
  EXPECT_EQ(run({"stats"}).at("sequence"), last + 1);
  EXPECT_EQ(Plexus({"history", "m1", "--db", db}).code, 3) << "no node of that key is known";
  run({"put", "m1"});
  EXPECT_TRUE(run({"verify"}).at("ok").as_bool());
}

TEST_F(Promises, APathOverWeightZeroDiffersFromNone) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"link", "--db", db, "a", "knows", "b", "--weight", "0"}).code, 0);
  ASSERT_EQ(Plexus({"link", "--db", db, "b", "knows", "c", "--weight", "0.5"}).code, 0);
  const Words asked = {"path", "--db", db, "--from", "a", "--to", "c", "--weighted"};
  const Finished run = Plexus(asked);
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(Says(run.out, "over an edge of weight 0, whose cost -ln 0 is infinite: a knows b"))
      << run.out;
  EXPECT_TRUE(Says(Plexus({"path", "--db", db, "--from", "c", "--to", "a", "--weighted"}).out,
                   "no path from c to a; --direction both"));
}

TEST_F(Promises, TrimSaysWhereHistoryBegins) {
  const TempDir dir;
  const std::string db = dir / "g";
  for (const char* to : {"b", "c", "d", "e"})
    ASSERT_EQ(Plexus({"link", "--db", db, "a", "knows", to}).code, 0);
  const Finished run = Plexus({"trim", "--db", db, "--before", "2"});
  EXPECT_EQ(run.out, "history trimmed: --as-of reaches back to sequence 2; the last is 4\n")
      << run.err;
}

TEST_F(Promises, TheMemoryServersFileComesBack) {
  const TempDir dir;
  const std::string file =
      R"({"type":"entity","name":"B","entityType":"person","observations":["x"]}
{"type":"relation","from":"B","to":"A","relationType":"relates_to"}
{"type":"relation","from":"A","to":"A","relationType":"relates_to"}
{"type":"relation","from":"A","to":"B","relationType":"caused_by"}
)";
  ASSERT_EQ(Plexus({"import", "--db", dir / "g", dir.File("memory.json", file)}).code, 0);
  EXPECT_EQ(Plexus({"export", "--db", dir / "g", "--format", "mcp-memory"}).out, file);
}

}  // namespace
}  // namespace plexus::testing
