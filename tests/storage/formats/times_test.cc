// Times in files: ISO 8601 beside milliseconds, and a word when a number looks like seconds.
#include "engine/times.h"

#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
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

// One that ends before it begins is refused; one that ends when it begins is taken, and warned of.
TEST(Times, RecordsThatAreNeverValidAreReportedOrRefused) {
  const auto why = [](const std::string& until) {
    return "\"valid_from\" 2026-01-02T00:00:00.000Z is not before \"valid_until\" " + until +
           "T00:00:00.000Z: it would never be valid";
  };
  struct Case {
    std::string name, until;
    std::uint64_t line, count;
  };
  const auto text = [](const Case& c) {
    const std::string times = R"("valid_from":"2026-01-02","valid_until":")" + c.until + "\"}";
    if (c.name == "b.csv") return "key,valid_from,valid_until\nd,2026-01-02," + c.until + "\n";
    if (c.name == "c.csv")
      return "source,target,valid_from,valid_until\na,d,2026-01-02," + c.until + "\n";
    return R"({"node":"a","valid_from":"2026-01-01","valid_until":"2026-01-02"})"
           "\n"
           R"({"node":"b",)" +
           times + "\n" + R"({"edge":["a","b"],"kind":"knows",)" + times + "\n" +
           R"({"event":"e",)" + times + "\n" +
           R"({"node":"c","valid_from":"2026-01-02","valid_until":null})" + "\n";
  };
  for (const std::string until : {"2026-01-01", "2026-01-02"})
    for (const Case& c :
         {Case{"a.jsonl", until, 2, 3}, {"b.csv", until, 2, 1}, {"c.csv", until, 2, 1}}) {
      for (const bool strict : {false, true}) {
        if (until == "2026-01-02" && !strict) continue;
        auto empty = Graph::InMemory();
        ImportOptions options;
        options.strict = strict;
        options.now_ms = 1;
        auto refused = ImportBytes(*empty, c.name, text(c), options);
        ASSERT_TRUE(refused);
        EXPECT_TRUE(refused->stopped);
        ASSERT_EQ(refused->kept_errors.size(), 1u);
        EXPECT_EQ(refused->kept_errors[0].ToString(),
                  c.name + ":" + std::to_string(c.line) + ": " + why(until));
        EXPECT_EQ(empty->snapshot().sequence(), 0u);
      }
      if (until == "2026-01-01") continue;
      auto graph = Graph::InMemory();
      const ImportReport taken = LoadClean(*graph, c.name, text(c));
      ASSERT_EQ(taken.warnings.size(), 1u);
      EXPECT_EQ(taken.warnings[0].ToString(),
                c.name + ":" + std::to_string(c.line) + ": " + why(until) +
                    (c.count > 1 ? " (" + std::to_string(c.count) + " such records)" : ""));
      EXPECT_TRUE(taken.warnings[0].until);
    }
}

}  // namespace
}  // namespace plexus::formats::internal
