// Times in files: ISO 8601 beside milliseconds, and a word when a number looks like seconds.
#include "engine/times.h"

#include "tests/support/text_support.h"

namespace plexus::formats_internal {
namespace {

TEST(Times, Iso8601) {
  EXPECT_EQ(ParseIsoTime("1970-01-01"), 0);
  EXPECT_EQ(ParseIsoTime("2026-11-21T22:05:01.123Z"), 1795298701123);
  EXPECT_EQ(ParseIsoTime("2026-11-21 22:05:01.123456"), 1795298701123);
  EXPECT_EQ(ParseIsoTime("2026-11-22T00:05:01.123+02:00"), 1795298701123);
  EXPECT_EQ(ParseIsoTime("2026-11-22T00:05:01,123+02"), 1795298701123);
  EXPECT_EQ(ParseIsoTime("2026-11-21T16:35:01.123-0530"), 1795298701123);
  EXPECT_EQ(ParseIsoTime("2026-11-21T22:05"), 1795298700000);
  for (const char* none :
       {"", "2026", "2026-13-01", "2026-02-29", "2026-11-21T", "2026-11-21T25:00",
        "2026-11-21T22:05:61", "2026-11-21T22:05:01.", "2026-11-21T22:05+",
        "2026-11-21T22:05+24:00", "2026-11-21T22:05+02:", "2026-11-21T22:05+02:60",
        "2026-11-21T22:05Zx", "1700000000000", "26-11-21"})
    EXPECT_EQ(ParseIsoTime(none), std::nullopt) << none;
}

TEST(Times, EveryFormatTakesIsoAndMilliseconds) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "a.jsonl",
            R"({"column":"due","type":"i64"})"
            "\n"
            R"({"node":"a","created_at":"2026-11-21T22:05:01.123Z","valid_until":"2027-01-01",)"
            R"("due":"2026-12-24"})"
            "\n"
            R"({"edge":["a","b"],"kind":"knows","created_at":"2026-11-21T22:05:01.123Z",)"
            R"("valid_from":1795298701123})"
            "\n"
            R"({"outcome":"e","type":"helpful","labeled_at":"2026-11-21T22:05:01.123Z"})"
            "\n");
  LoadClean(
      *graph, "b.csv",
      "source,target,kind,created_at,valid_until\na,c,knows,2026-11-22T00:05:01.123+02:00,\n");
  LoadClean(*graph, "c.csv", "key,created_at,due\nd,2026-11-21,2026-12-24\n");
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(s.i64(kCreatedAt, Id(s, "a")), 1795298701123);
  EXPECT_EQ(s.i64(kValidUntil, Id(s, "a")), ParseIsoTime("2027-01-01"));
  EXPECT_EQ(s.i64(*s.schema().FindColumn("due"), Id(s, "a")), ParseIsoTime("2026-12-24"));
  EXPECT_EQ(s.i64(*s.schema().FindColumn("due"), Id(s, "d")), ParseIsoTime("2026-12-24"));
  const EdgeKindId knows = s.schema().FindEdgeKind("knows")->kind;
  EXPECT_EQ(s.FindEdge(Id(s, "a"), knows, Id(s, "b"))->created_at, 1795298701123);
  EXPECT_EQ(s.FindEdge(Id(s, "a"), knows, Id(s, "c"))->created_at, 1795298701123);
}

TEST(Times, SecondsAreReadAsSuchAndReported) {
  auto graph = Graph::InMemory();
  const std::string lines =
      "\n"
      R"({"node":"a","created_at":1700000000})"
      "\n"
      R"({"node":"b","created_at":1700000001,"valid_until":1800000000})"
      "\n"
      R"({"node":"c","created_at":1700000000000})"
      "\n";
  for (const int repeat : {0, 1}) {
    const ImportReport r = LoadClean(*graph, "a.jsonl", lines);
    ASSERT_EQ(r.warnings.size(), 2u) << repeat;
    EXPECT_EQ(r.warnings[0].ToString(),
              "a.jsonl:2: \"created_at\" 1700000000 is read as milliseconds since 1970: "
              "1970-01-20T16:13:20.000Z; a time "
              "in seconds is written 2023-11-14T22:13:20.000Z or 1700000000000 (2 such values of "
              "this field)");
    EXPECT_EQ(r.warnings[1].line, 3u);
    EXPECT_EQ(r.warnings[1].field, "valid_until");
  }
  const ImportReport csv =
      LoadClean(*graph, "b.csv", "source,target,kind,created_at\na,b,k,1700000000\na,c,k,0\n");
  ASSERT_EQ(csv.warnings.size(), 1u);
  EXPECT_EQ(csv.warnings[0].line, 2u);
  EXPECT_EQ(graph->snapshot().i64(kCreatedAt, Id(graph->snapshot(), "a")), 1700000000);
}

TEST(Times, RecordsThatAreNeverValidAreReportedOrRefused) {
  const std::string why =
      "\"valid_from\" 2026-01-02T00:00:00.000Z is not before \"valid_until\" "
      "2026-01-01T00:00:00.000Z: it would never be valid";
  const std::string times = R"("valid_from":"2026-01-02","valid_until":"2026-01-01"})";
  const std::string json = R"({"node":"a","valid_from":"2026-01-01","valid_until":"2026-01-02"})"
                           "\n"
                           R"({"node":"b",)" +
                           times + "\n" + R"({"edge":["a","b"],"kind":"knows",)" + times + "\n" +
                           R"({"event":"e",)" + times + "\n" +
                           R"({"node":"c","valid_from":"2026-01-02","valid_until":null})" + "\n";
  const std::string table = "key,valid_from,valid_until\nd,2026-01-02,2026-01-01\n";
  const std::string edges = "source,target,valid_from,valid_until\na,d,2026-01-02,2026-01-01\n";
  const std::string same = R"({"node":"b","valid_from":7000000000000,"valid_until":7000000000000})";
  struct Case {
    std::string name, text;
    std::uint64_t line, count;
  };
  for (const Case& c :
       {Case{"a.jsonl", json, 2, 3}, {"b.csv", table, 2, 1}, {"c.csv", edges, 2, 1}}) {
    auto graph = Graph::InMemory();
    const ImportReport taken = LoadClean(*graph, c.name, c.text);
    ASSERT_EQ(taken.warnings.size(), 1u);
    EXPECT_EQ(taken.warnings[0].ToString(),
              c.name + ":" + std::to_string(c.line) + ": " + why +
                  (c.count > 1 ? " (" + std::to_string(c.count) + " such records)" : ""));
    EXPECT_TRUE(taken.warnings[0].until);

    auto empty = Graph::InMemory();
    ImportOptions strict;
    strict.strict = true;
    strict.now_ms = 1;
    auto refused = ImportBytes(*empty, c.name, c.text, strict);
    ASSERT_TRUE(refused);
    EXPECT_TRUE(refused->stopped);
    ASSERT_EQ(refused->kept_errors.size(), 1u);
    EXPECT_EQ(refused->kept_errors[0].ToString(),
              c.name + ":" + std::to_string(c.line) + ": " + why);
    EXPECT_EQ(empty->snapshot().sequence(), 0u);
  }
  auto graph = Graph::InMemory();
  EXPECT_EQ(LoadClean(*graph, "d.jsonl", same).warnings.size(), 1u);
}

}  // namespace
}  // namespace plexus::formats_internal
