// --event-time against brute force: the whole of a random ledger, imported at once, answers at each
// of its times as a graph does into which only what had happened by then was imported.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "storage/formats/import.h"
#include "tests/tools/memory/import_with_terms.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

constexpr std::int64_t kT = 1'700'000'000'000, kDay = 86'400'000, kNow = kT + 1000 * kDay;
constexpr int kFacts = 24, kEvents = 16;

struct Line {
  std::string text;
  std::int64_t at;                        // its own time
  std::string key = {};                   // of a fact
  std::vector<std::string> members = {};  // of an event
};

std::vector<Line> RandomLedger(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return random() % n; };
  std::set<std::int64_t> times;
  const auto time = [&] {
    for (;;)
      if (const std::int64_t at = kT + static_cast<std::int64_t>(below(90 * kDay));
          times.insert(at).second)
        return at;
  };
  const auto key = [](std::size_t i) { return (i % 3 == 0 ? "d" : "m") + std::to_string(i); };
  const auto words = [&] {
    const char* const known[] = {"gateway", "remembers", "keys", "payout", "oracle", "rounding"};
    std::string text;
    for (std::size_t i = 3 + below(4); i > 0; --i) text += std::string(known[below(6)]) + " ";
    return text;
  };
  // The oldest has all tags and words, so that their ids, which order what ties, are the same.
  std::vector<Line> lines = {
      {R"({"node":"first","kind":"memory","text":"gateway remembers keys payout oracle rounding",)"
       R"("tags":["t0","t1","t2","t3","t4","t5"],"created_at":)" +
           std::to_string(kT - 1) + "}",
       kT - 1, "first"}};
  for (std::size_t i = 0; i < kFacts; ++i) {
    const std::int64_t at = time();
    std::string tags;
    for (std::size_t t = 1 + below(3); t > 0; --t)
      tags += (tags.empty() ? "\"t" : ",\"t") + std::to_string(below(6)) + '"';
    lines.push_back({R"({"node":")" + key(i) + R"(","kind":")" +
                         (i % 3 == 0 ? "decision" : "memory") + R"(","text":")" + words() +
                         R"(","tags":[)" + tags + R"(],"retention":)" +
                         std::to_string(static_cast<double>(below(9)) / 8) + R"(,"created_at":)" +
                         std::to_string(at) + "}",
                     at, key(i)});
  }
  std::set<std::string> edges;
  for (int i = 0; i < 40; ++i) {
    const char* const kinds[] = {"supports", "depends_on", "supersedes", "contradicts", "refines"};
    const std::size_t a = below(kFacts), b = below(kFacts);
    const std::string kind = kinds[below(5)];
    if (a == b || !edges.insert(kind + key(std::min(a, b)) + key(std::max(a, b))).second) continue;
    const std::int64_t at = time();
    lines.push_back({R"({"edge":[")" + key(a) + R"(",")" + key(b) + R"("],"kind":")" + kind +
                         R"(","created_at":)" + std::to_string(at) + "}",
                     at});
  }
  for (int e = 0; e < kEvents; ++e) {
    const std::int64_t at = time();
    std::set<std::string> members;
    while (members.size() < 2 + below(2)) members.insert(key(below(kFacts)));
    std::string list;
    for (const std::string& member : members)
      list += (list.empty() ? "" : ",") + std::string(R"({"id":")") + member + R"("})";
    const std::string id = "e" + std::to_string(e);
    lines.push_back({R"({"event":")" + id + R"(","tool":"t","query":")" + words() +
                         R"(","created_at":)" + std::to_string(at) + R"(,"members":[)" + list +
                         "]}",
                     at,
                     "",
                     {members.begin(), members.end()}});
    const char* const types[] = {"helpful", "dead_end", "needs_poc", "duplicate_risk"};
    if (below(2) == 0) {
      const std::int64_t labeled = at + static_cast<std::int64_t>(below(20 * kDay));
      lines.push_back({R"({"outcome":")" + id + R"(","type":")" + types[below(4)] +
                           R"(","source":"user","labeled_at":)" + std::to_string(labeled) + "}",
                       labeled});
    }
  }
  return lines;
}

// An edge needs both ends, a fact counts from the first event that has it.
std::string LinesAt(const std::vector<Line>& lines, std::int64_t time) {
  std::set<std::string> facts;
  for (const Line& line : lines)
    if (line.at <= time) {
      if (!line.key.empty()) facts.insert(line.key);
      facts.insert(line.members.begin(), line.members.end());
    }
  std::string kept;
  for (const Line& line : lines) {
    bool keep = line.at <= time || facts.contains(line.key);
    if (line.text.starts_with(R"({"edge")")) {
      const boost::json::value edge = boost::json::parse(line.text);
      for (const auto& end : edge.at("edge").as_array())
        keep = keep && facts.contains(std::string(end.as_string()));
    }
    if (keep) kept += line.text + "\n";
  }
  return kept;
}

std::unique_ptr<Graph> Imported(const std::string& lines) {
  auto graph = Graph::InMemory();
  plexus::testing::ImportWithTerms(*graph, lines, kNow);
  return graph;
}

std::vector<std::pair<std::string, std::string>> Questions() {
  std::vector<std::pair<std::string, std::string>> list = {
      {"ledger_recent", R"({"limit":100})"},
      {"bounty", R"({"limit":100})"},
      {"frontier", R"({"lens":"surface","top":0})"},
      {"frontier", R"({"lens":"surface","arity":3,"top":0})"},
      {"frontier", R"({"lens":"rare","top":0})"},
      {"frontier", R"({"lens":"bridge","top":0})"},
      {"frontier", R"({"lens":"divergent","top":0})"},
      {"recall", R"({"words":"gateway keys oracle","top":0})"},
      {"search", R"({"query":"payout rounding","top":0})"},
      {"conflicts_list", "{}"},
      {"decisions_blocked", R"({"top":0})"},
      {"decisions_salience", R"({"top":0})"},
      {"pagerank", R"({"top":0})"},
      {"list", R"({"top":0,"columns":["key","tags","in_degree","superseded_by"]})"},
      {"list", R"({"top":0,"edges":true,"where":"weight > 0.5 and created_at > 0"})"}};
  for (int i = 0; i < kFacts; i += 5) {
    const std::string key = R"({"key":")" + std::string(i % 3 == 0 ? "d" : "m") +
                            std::to_string(i) + R"(","limit":100})";
    list.emplace_back("ledger_memory", key);
    list.emplace_back("ledger_neighbors", key);
  }
  for (int e = 0; e < kEvents; e += 3)
    list.emplace_back("ledger_get", R"({"event":"e)" + std::to_string(e) + "\"}");
  return list;
}

Result<std::string> Ask(Graph& graph, const std::string& name, const std::string& members,
                        const char* parameter, std::int64_t time) {
  const auto workspace = *Workspace::Over(graph, {.access = Access::kWrite, .clock_ms = kNow});
  PLEXUS_ASSIGN(Request request, RequestFromJson(*FindOperation(name), members));
  PLEXUS_TRY(request.Set(parameter, std::to_string(time)));
  PLEXUS_ASSIGN(Reply reply, Answer(*workspace, request));
  std::ostringstream text;
  JsonWriter json(text);
  WriteReply(reply, {}, json);
  return std::move(text).str();
}

// The same but for the sequence, the last digits, and how much was looked at, which goes by the
// order of tags.
void ExpectSame(const boost::json::value& got, const boost::json::value& want) {
  if (got.is_number() && want.is_number()) {
    const double a = got.to_number<double>(), b = want.to_number<double>();
    EXPECT_LE(std::abs(a - b), 1e-9 * std::max(1.0, std::abs(b)));
  } else if (got.is_array() && want.is_array()) {
    ASSERT_EQ(got.as_array().size(), want.as_array().size());
    for (std::size_t i = 0; i < got.as_array().size(); ++i)
      ExpectSame(got.as_array()[i], want.as_array()[i]);
  } else if (got.is_object() && want.is_object()) {
    ASSERT_EQ(got.as_object().size(), want.as_object().size());
    for (const auto& [name, member] : got.as_object()) {
      SCOPED_TRACE(std::string(name));
      ASSERT_TRUE(want.as_object().contains(name));
      const std::set<std::string> effort = {"sequence", "compared", "scored", "pruned"};
      if (!effort.contains(std::string(name))) ExpectSame(member, want.at(name));
    }
  } else {
    EXPECT_EQ(got, want);
  }
}

TEST(EventTime, AnswersAsIfOnlyThatHadHappened) {
  std::map<std::string, std::set<std::string>> different;  // replies by question: they do change
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<Line> lines = RandomLedger(seed);
    const auto whole = Imported(LinesAt(lines, kNow));
    for (const std::int64_t day : {4, 15, 30, 55, 80, 120}) {
      const std::int64_t time = kT + day * kDay;
      const auto then = Imported(LinesAt(lines, time));
      for (const auto& [name, members] : Questions()) {
        SCOPED_TRACE(name + " " + members + " seed " + std::to_string(seed) + " day " +
                     std::to_string(day));
        const auto got = Ask(*whole, name, members, "event_time", time);
        const auto want = Ask(*then, name, members, "now", time);
        if (!want) {  // a key that is not there yet is as one that was removed
          ASSERT_EQ(want.error().code, ErrorCode::kNotFound) << want.error().message;
          if (!got) continue;
          const boost::json::value none = boost::json::parse(*got);
          for (const char* list : {"events", "neighbors"})
            if (const auto* rows = none.as_object().if_contains(list)) {
              EXPECT_TRUE(rows->as_array().empty()) << *got;
            }
          continue;
        }
        ASSERT_TRUE(got) << got.error().message;
        different[name].insert(*got);
        const boost::json::value a = boost::json::parse(*got), b = boost::json::parse(*want);
        ExpectSame(a, b);
        if (::testing::Test::HasFailure()) FAIL() << *got << "\n" << *want;
      }
    }
  }
  for (const auto& [name, replies] : different) EXPECT_GT(replies.size(), 1u) << name;
}

// The pages of a list at a time are the list.
TEST(EventTime, PagesAtATime) {
  const auto graph = Imported(LinesAt(RandomLedger(7), kNow));
  const auto ask = [&](const std::string& members) {
    const auto page = Ask(*graph, "ledger_recent", members, "event_time", kT + 60 * kDay);
    EXPECT_TRUE(page);
    return boost::json::parse(page.value_or("{}")).as_object();
  };
  boost::json::array paged;
  boost::json::object page = ask(R"({"limit":2})");
  for (;;) {
    for (const auto& event : page.at("events").as_array()) paged.push_back(event);
    if (!page.contains("next")) break;
    page = ask(R"({"limit":2,"cursor":")" + std::string(page.at("next").as_string()) + R"("})");
  }
  EXPECT_GT(paged.size(), 4u);
  EXPECT_EQ(paged, ask(R"({"limit":100})").at("events").as_array());
}

// What an import gave its own time has none: an edge is there with its ends, a node with what
// refers to it.
TEST(EventTime, TimesOfABatchAreNoOwnTimes) {
  const std::string early = R"(","kind":"decision","created_at":)" + std::to_string(kT) + "}\n";
  const std::string late =
      R"(","kind":"decision","created_at":)" + std::to_string(kT + 50 * kDay) + "}\n";
  const auto graph =
      Imported(R"({"node":"a)" + early + R"({"node":"b)" + early + R"({"node":"c)" + late +
               R"({"node":"p","kind":"decision"}
{"node":"q","kind":"decision"}
{"edge":["a","b"],"kind":"supersedes"}
{"edge":["a","c"],"kind":"refines"}
{"edge":["b","p"],"kind":"refines","created_at":)" +
               std::to_string(kT) + R"(}
{"edge":["b","q"],"kind":"refines"}
{"edge":["b","a"],"kind":"supports","created_at":)" +
               std::to_string(kT + 50 * kDay) + "}\n");
  const auto list = [&](const char* members) {
    return Ask(*graph, "list", members, "event_time", kT + kDay).value();
  };
  std::string keys, edges;
  const auto nodes = boost::json::parse(list(R"({"top":0,"sort":"key"})"));
  for (const auto& row : nodes.at("results").as_array()) keys += row.at("key").as_string().c_str();
  EXPECT_EQ(keys, "abp");
  const auto found = boost::json::parse(list(R"({"top":0,"edges":true,"sort":"kind"})"));
  for (const auto& row : found.at("results").as_array())
    edges += std::string(row.at("source").as_string()) + row.at("kind").as_string().c_str() +
             row.at("target").as_string().c_str() + " ";
  EXPECT_EQ(edges, "brefinesp asupersedesb ");
  const auto get = Ask(*graph, "get", R"({"key":["c"]})", "event_time", kT + kDay);
  ASSERT_FALSE(get);
  EXPECT_NE(get.error().message.find("'c' is later than"), std::string::npos)
      << get.error().message;
}

// A cursor is of its event time: the same words go on where it was, others are refused.
TEST(EventTime, CursorsAreOfTheirTime) {
  const auto graph = Imported(LinesAt(RandomLedger(7), kNow));
  const auto ask = [&](const std::string& members, const std::string& time, std::int64_t clock) {
    const auto workspace = *Workspace::Over(*graph, {.access = Access::kWrite, .clock_ms = clock});
    Request request = RequestFromJson(*FindOperation("ledger_recent"), members).value();
    if (!time.empty()) {
      EXPECT_TRUE(request.Set("event_time", time));
    }
    Result<Reply> reply = Answer(*workspace, request);
    if (!reply) return std::string();
    std::ostringstream text;
    JsonWriter json(text);
    WriteReply(*reply, {}, json);
    return std::move(text).str();
  };
  const auto paged = [&](std::int64_t later) {
    boost::json::array events;
    std::string cursor;
    for (std::int64_t page = 0;; ++page) {
      const std::string members =
          cursor.empty() ? R"({"limit":2})" : R"({"limit":2,"cursor":")" + cursor + R"("})";
      const std::string got = ask(members, "940d", kNow + page * later);
      if (got.empty()) {
        ADD_FAILURE() << cursor;
        return events;
      }
      const boost::json::object reply = boost::json::parse(got).as_object();
      for (const auto& event : reply.at("events").as_array()) events.push_back(event);
      if (!reply.contains("next")) return events;
      cursor = reply.at("next").as_string();
      for (const char* other : {"", "939d", "2023-12-31"})
        EXPECT_EQ(ask(R"({"limit":2,"cursor":")" + cursor + R"("})", other, kNow), "") << other;
      const std::string moved = cursor.substr(0, cursor.find('@')) + "@" + std::to_string(kNow);
      EXPECT_EQ(ask(R"({"limit":2,"cursor":")" + moved + R"("})", "940d", kNow), "");
    }
  };
  const boost::json::array still = paged(0);
  EXPECT_GT(still.size(), 4u);
  EXPECT_EQ(paged(3 * kDay), still);  // the clock moves between the pages
}

// What writes, and what shows the log, says so instead of leaving it out.
TEST(EventTime, IsOfQuestionsAlone) {
  for (const Operation& row : AllOperations()) {
    Request request(row);
    ASSERT_TRUE(request.Set("event_time", std::string("2023-11-15")));
    const std::set<std::string> asks = {"frontier", "bounty", "ledger_recent", "get", "recall"};
    const bool not_of_a_state =
        row.group == "Change" || row.group == "Care" || row.name == "log" || row.name == "history";
    if (not_of_a_state || asks.contains(row.name)) {
      EXPECT_EQ(CheckCommon(request).has_value(), asks.contains(row.name)) << row.name;
    }
  }
}

}  // namespace
}  // namespace plexus::tools
