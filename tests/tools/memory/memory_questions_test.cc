// Every question about memories, of one random graph in all forms that a graph can have: clean,
// with a delta, in many runs, reopened with and without a checkpoint, on one and two threads, as of
// then. The replies are the same bytes. Where lines come in another order they are the same but for
// what goes by id where values tie, and for the last digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "storage/database.h"
#include "storage/formats/import.h"
#include "tests/support/run_plexus.h"
#include "tests/tools/memory/import_with_terms.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

using testing::TempDir;

constexpr std::int64_t kT = 1'700'000'000'000, kDay = 86'400'000, kNow = kT + 100 * kDay;
constexpr int kMemories = 9, kDecisions = 12, kConcepts = 8, kEpisodes = 3, kEvents = 6;

// Lines that make the graph: one may follow another of its group in any order.
using Groups = std::vector<std::vector<std::string>>;

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  Groups Make() {
    Groups groups(4);
    Nodes(groups[0]);
    for (int i = 0; i < 70; ++i) Edge(groups[1]);
    for (int e = 0; e < kEvents; ++e) Event(groups[2], e);
    for (int e = 0; e < kEvents; ++e)
      if (Below(2) == 0) {
        const char* const types[] = {"helpful", "dead_end", "needs_poc", "duplicate_risk"};
        groups[3].push_back(R"({"outcome":"e)" + std::to_string(e) + R"(","type":")" +
                            types[Below(4)] + R"(","source":"user","labeled_at":)" + Time() + "}");
      }
    return groups;
  }
  // What comes later: it changes what is asked about.
  std::string Later() {
    return R"({"node":"d0","kind":"decision","outcome":"failure"})"
           "\n"
           R"({"edge":["d1","d2"],"kind":"supersedes"})"
           "\n"
           R"({"edge":["m0","m1"],"kind":"contradicts"})"
           "\n"
           R"({"remove":"m3"})"
           "\n"
           R"({"edge":["c0","c1"],"kind":"is-a"})"
           "\n"
           R"({"event":"e9","tool":"t","query":"q","members":[{"id":"m0"},{"id":"m1"}]})"
           "\n";
  }

 private:
  std::size_t Below(std::size_t n) { return random_() % n; }
  // Each once, so that no two things are of one time.
  std::string Time() {
    std::int64_t time = 0;
    while (!times_.insert(time = kT + static_cast<std::int64_t>(random_() % (90 * kDay))).second) {
    }
    return std::to_string(time);
  }
  std::string Words() {
    const char* const words[] = {"gateway", "remembers", "keys",   "payout",  "oracle",
                                 "not",     "rounding",  "ledger", "rotation"};
    std::string text;
    for (std::size_t i = 3 + Below(4); i > 0; --i) text += std::string(words[Below(9)]) + " ";
    return text + std::to_string(Below(4));
  }
  void Nodes(std::vector<std::string>& lines) {
    const auto add = [&](const std::string& key, const char* kind, const std::string& more) {
      lines.push_back(R"({"node":")" + key + R"(","kind":")" + kind + R"(","created_at":)" +
                      Time() + more + "}");
    };
    const auto text = [&] { return R"(,"text":")" + Words() + '"'; };
    const auto tags = [&] {
      std::string list;
      for (std::size_t i = Below(4); i > 0; --i)
        list += (list.empty() ? "\"" : ",\"") + std::string("tag") + std::to_string(Below(5)) + '"';
      return R"(,"tags":[)" + list + "]";
    };
    const auto share = [&] { return std::to_string(static_cast<double>(Below(9)) / 8); };
    const auto until = [&] {
      return Below(6) == 0 ? R"(,"valid_until":)" + std::to_string(kNow - kDay) : std::string();
    };
    for (int i = 0; i < kMemories; ++i)
      add("m" + std::to_string(i), "memory",
          text() + tags() + R"(,"retention":)" + share() + until());
    for (int i = 0; i < kDecisions; ++i) {
      const char* const outcomes[] = {"success", "failure", "pending", "abandoned"};
      std::string more = text() + tags() + R"(,"category":"c)" + std::to_string(Below(2)) + '"';
      if (Below(2) == 0) more += std::string(R"(,"outcome":")") + outcomes[Below(4)] + '"';
      add("d" + std::to_string(i), "decision", more);
    }
    for (int i = 0; i < kConcepts; ++i)
      add("c" + std::to_string(i), "concept",
          R"(,"arousal_level":)" + share() + R"(,"valence":)" + share() + R"(,"accessed_at":)" +
              Time());
    for (int i = 0; i < kEpisodes; ++i)
      add("p" + std::to_string(i), "episode", text() + R"(,"valence":)" + share());
  }
  void Edge(std::vector<std::string>& lines) {
    std::string from, to, kind;
    const auto pick = [&](char letter, int count) {
      return letter + std::to_string(Below(static_cast<std::size_t>(count)));
    };
    switch (Below(4)) {
      case 0: {
        const char* const kinds[] = {"contradicts", "supports", "supersedes", "refines"};
        from = pick('m', kMemories), to = pick('m', kMemories), kind = kinds[Below(4)];
        break;
      }
      case 1:
        from = pick('c', kConcepts), kind = "evokes";
        to = Below(2) ? pick('p', kEpisodes) : pick('c', kConcepts);
        if (to[0] == 'c' && Below(2) == 0) kind = Below(2) ? "is-a" : "part-of";
        break;
      default: {
        const char* const kinds[] = {"depends_on", "depends_on", "blocks",      "refines",
                                     "causes",     "supports",   "contradicts", "supersedes"};
        from = pick('d', kDecisions), to = pick('d', kDecisions), kind = kinds[Below(8)];
      }
    }
    if (from == to || !edges_.insert(kind + std::min(from, to) + "/" + std::max(from, to)).second)
      return;
    std::string more;
    if (Below(6) == 0) more += R"(,"valid_until":)" + std::to_string(kNow - kDay);
    if (Below(8) == 0) more += R"(,"valid_from":)" + std::to_string(kNow - 2 * kDay);
    lines.push_back(R"({"edge":[")" + from + R"(",")" + to + R"("],"kind":")" + kind +
                    R"(","weight":)" + std::to_string(static_cast<double>(1 + Below(8)) / 8) +
                    R"(,"created_at":)" + Time() + more + "}");
  }
  void Event(std::vector<std::string>& lines, int number) {
    std::set<std::string> members;
    while (members.size() < 2 + Below(2))
      members.insert(Below(3) ? "m" + std::to_string(Below(kMemories))
                              : "d" + std::to_string(Below(kDecisions)));
    std::string list;
    for (const std::string& member : members)
      list += (list.empty() ? "" : ",") + std::string(R"({"id":")") + member +
              R"(","role":"supporting","rank":)" + std::to_string(list.size()) + "}";
    lines.push_back(R"({"event":"e)" + std::to_string(number) + R"(","tool":"t","query":")" +
                    Words() + R"(","created_at":)" + Time() + R"(,"members":[)" + list + "]}");
  }

  std::mt19937_64 random_;
  std::set<std::int64_t> times_;
  std::set<std::string> edges_;
};

// --- writing

void Import(Graph& graph, const std::string& lines, std::int64_t now) {
  if (!lines.empty()) plexus::testing::ImportWithTerms(graph, lines, now);
}

enum class Form { kClean, kDelta, kRuns };

// The same batches in each form.
void Write(Graph& graph, const Groups& groups, Form form) {
  std::vector<std::string> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  constexpr std::size_t kParts = 9;
  for (std::size_t part = 0; part < kParts; ++part) {
    std::string lines;
    for (std::size_t i = all.size() * part / kParts; i < all.size() * (part + 1) / kParts; ++i)
      lines += all[i] + "\n";
    Import(graph, lines, kT + 91 * kDay);
    if (form == Form::kDelta && part == kParts / 2) {
      ASSERT_TRUE(graph.Compact());
    }
  }
  if (form == Form::kClean) {
    ASSERT_TRUE(graph.Compact());
  }
}

// --- asking

std::vector<std::pair<std::string, std::string>> Questions() {
  std::vector<std::pair<std::string, std::string>> list = {
      {"recall", R"({"words":"gateway keys oracle","top":0})"},
      {"search", R"({"query":"ledger rounding","top":0})"},
      {"conflicts_list", "{}"},
      {"conflicts_duplicates", R"({"least":0.2,"top":0})"},
      {"decisions_status", "{}"},
      {"decisions_salience", R"({"top":0})"},
      {"decisions_blocked", R"({"top":0})"},
      {"decisions_contradictions", "{}"},
      {"decisions_compaction", "{}"},
      {"decisions_queue", R"({"top":0,"frontier":0,"period_days":20})"},
      {"decisions_check",
       R"({"rules":"[{\"name\":\"a\",\"edge\":[\"contradicts\",\"depends_on\"],)"
       R"(\"side\":\"either\",)"
       R"(\"target\":{\"salience_above\":0.3},\"message\":\"{target} {other}\"},)"
       R"({\"name\":\"b\",\"does\":\"removes\",\"target\":{\"active\":true},\"message\":\"m\"}]",)"
       R"("proposal":"{\"node\":\"new\",\"kind\":\"decision\"}\n)"
       R"({\"edge\":[\"new\",\"d3\"],\"kind\":\"contradicts\"}\n)"
       R"({\"edge\":[\"new\",\"d4\"],\"kind\":\"depends_on\"}\n{\"remove\":\"d5\"}"})"},
      {"concept_recall", R"({"seeds":["c0","c1","nobody"],"hops":3,"dry_run":true})"},
      {"concept_recall", R"({"seeds":["c5"],"hops":4,"weighted":true,"dry_run":true,"top":5})"},
      {"concept_activate", R"({"sources":["c2","c3"],"dry_run":true})"},
      {"concept_search", R"({"top":0})"},
      {"ledger_recent", R"({"limit":100})"},
      {"bounty", R"({"limit":100})"},
      {"frontier", R"({"lens":"surface","top":0})"},
      {"frontier", R"({"lens":"surface","arity":3,"top":0})"},
      {"frontier", R"({"lens":"rare","top":0})"},
      {"frontier", R"({"lens":"bridge","top":0})"},
      {"frontier", R"({"lens":"divergent","top":0})"}};
  const auto of_each = [&](char letter, int count, const char* operation, const char* more) {
    for (int i = 0; i < count; i += 2) {
      const std::string key = letter + std::to_string(i);
      list.emplace_back(operation, R"({"key":")" + key + '"' + more + "}");
    }
  };
  of_each('m', kMemories, "conflicts_candidates", R"(,"include_judged":true,"top":1000)");
  of_each('m', kMemories, "conflicts_chain", "");
  of_each('m', kMemories, "ledger_memory", R"(,"limit":100)");
  of_each('m', kMemories, "ledger_neighbors", R"(,"limit":100)");
  of_each('d', kDecisions, "conflicts_chain", "");
  of_each('d', kDecisions, "decisions_ancestors", "");
  of_each('d', kDecisions, "decisions_descendants", R"(,"kinds":["depends_on","refines"])");
  of_each('d', kDecisions, "decisions_suggest", R"(,"least":0.2)");
  for (int e = 0; e < kEvents; ++e)
    list.emplace_back("ledger_get", R"({"event":"e)" + std::to_string(e) + "\"}");
  return list;
}

using Replies = std::vector<std::string>;

Replies Ask(Workspace& workspace, const std::string& as_of = "") {
  Replies replies;
  for (const auto& [name, members] : Questions()) {
    SCOPED_TRACE(name + " " + members);
    const Operation* row = FindOperation(name);
    if (!row) {
      ADD_FAILURE();
      return replies;
    }
    Result<Request> request = RequestFromJson(*row, members);
    if (!request) {
      ADD_FAILURE() << request.error().message;
      return replies;
    }
    const bool present = name == "decisions_check";  // is for now and the present alone
    if (!present) {
      EXPECT_TRUE(request->Set("now", std::to_string(kNow)));
    }
    if (!as_of.empty()) {
      if (present) continue;
      EXPECT_TRUE(request->Set("as_of", as_of));
    }
    Result<Reply> reply = Answer(workspace, *request);
    EXPECT_TRUE(reply) << reply.error().message;
    if (!reply) return replies;
    std::ostringstream text;
    JsonWriter json(text);
    WriteReply(*reply, {}, json);
    boost::json::value value = boost::json::parse(text.str());
    for (const char* state : {"sequence", "committed"}) value.as_object().erase(state);
    replies.push_back(name + " " + members + ": " + boost::json::serialize(value));
  }
  return replies;
}

Replies Ask(Graph& graph) {
  return Ask(**Workspace::Over(graph, {.access = Access::kWrite, .clock_ms = kNow}));
}

Replies AskStored(const std::string& directory, int threads, const std::string& as_of = "") {
  WorkspaceOptions options;
  options.directory = directory;
  options.clock_ms = kNow;
  options.threads = threads;
  auto workspace = Workspace::Open(options);
  EXPECT_TRUE(workspace) << workspace.error().message;
  if (!workspace) return {};
  Replies replies = Ask(**workspace, as_of);
  EXPECT_TRUE((*workspace)->Close());
  return replies;
}

void ExpectSame(const Replies& got, const Replies& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], want[i]);
}

std::string Ordered(const boost::json::value& value);

// The members of an object without what ids decide: paths, the nearest of several roots, which of
// two sides comes first.
std::vector<std::string> Members(const boost::json::object& object) {
  static const std::set<std::string> kByIds = {"root", "chain", "holds", "via",
                                               "path", "proof", "newer"};
  static const std::set<std::string> kSides = {"a", "b", "text_a", "text_b"};
  const auto* work = object.if_contains("work");
  const bool root = work && *work == "blocked_root", pair = work && object.contains("other");
  std::vector<std::string> parts;
  for (const auto& [key, member] : object) {
    std::string name = key;
    if (kByIds.contains(name)) continue;
    if (root && (name == "score" || name == "value")) continue;
    if ((root || pair) && name == "reason") continue;
    if (kSides.contains(name) || (pair && (name == "key" || name == "other"))) name = "side";
    parts.push_back(name + ":" + Ordered(member));
  }
  return parts;
}

// In one order, to nine digits.
std::string Ordered(const boost::json::value& value) {
  if (value.is_double()) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.9g", value.get_double());
    return digits;
  }
  std::vector<std::string> parts;
  if (value.is_object())
    parts = Members(value.get_object());
  else if (value.is_array())
    for (const auto& element : value.get_array()) parts.push_back(Ordered(element));
  else
    return boost::json::serialize(value);
  std::ranges::sort(parts);
  std::string text = value.is_object() ? "{" : "[";
  for (const std::string& part : parts) text += part + ",\n ";
  return text + (value.is_object() ? "}" : "]");
}

// Pairs of the frontier are told from the smaller id on, in sentences: they have tests of their
// own.
Replies Ordered(const Replies& replies) {
  Replies ordered;
  for (const std::string& reply : replies) {
    if (reply.starts_with("frontier") || reply.starts_with("bounty")) continue;
    const std::size_t at = reply.find(": {");
    boost::json::value value = boost::json::parse(reply.substr(at + 2));
    ordered.push_back(reply.substr(0, at + 2) + Ordered(value));
  }
  return ordered;
}

class MemoryQuestions : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MemoryQuestions, AnyFormGivesTheSameReply) {
  const Groups groups = World(GetParam()).Make();
  const auto clean = Graph::InMemory();
  Write(*clean, groups, Form::kClean);
  const Replies want = Ask(*clean);
  ASSERT_EQ(want.size(), Questions().size());
  for (const Form form : {Form::kDelta, Form::kRuns}) {
    SCOPED_TRACE(form == Form::kDelta ? "delta" : "runs");
    const auto graph = Graph::InMemory();
    Write(*graph, groups, form);
    ExpectSame(Ask(*graph), want);
    ExpectSame(Ask(*graph), want);  // from what is kept
  }
}

TEST_P(MemoryQuestions, ReopenedAndAsOf) {
  World world(GetParam());
  const Groups groups = world.Make();
  const auto clean = Graph::InMemory();
  Write(*clean, groups, Form::kClean);
  const Replies want = Ask(*clean);
  const TempDir dir;
  for (const auto on_close : {CheckpointOnClose::kNever, CheckpointOnClose::kAlways}) {
    const std::string path = dir / (on_close == CheckpointOnClose::kNever ? "log" : "checkpoint");
    OpenOptions options;
    options.create = true;
    options.checkpoint_on_close = on_close;
    auto database = Database::Open(path, options);
    ASSERT_TRUE(database) << database.error().ToString();
    Write((*database)->graph(), groups, Form::kDelta);
    const Sequence then = (*database)->snapshot().sequence();
    ASSERT_TRUE((*database)->Close());
    for (const int threads : {1, 2}) ExpectSame(AskStored(path, threads), want);
    database = Database::Open(path, options);
    ASSERT_TRUE(database) << database.error().ToString();
    Import((*database)->graph(), world.Later(), kT + 95 * kDay);
    ASSERT_TRUE((*database)->Close());
    EXPECT_NE(AskStored(path, 1), want);
    Replies past = want;
    std::erase_if(past,
                  [](const std::string& reply) { return reply.starts_with("decisions_check"); });
    for (const int threads : {1, 2})
      ExpectSame(AskStored(path, threads, std::to_string(then)), past);
  }
}

TEST_P(MemoryQuestions, AnyOrderOfLinesGivesTheSame) {
  Groups groups = World(GetParam()).Make();
  const auto clean = Graph::InMemory();
  Write(*clean, groups, Form::kClean);
  const Replies want = Ordered(Ask(*clean));
  std::mt19937_64 random(GetParam());
  for (int round = 0; round < 3; ++round) {
    for (auto& group : groups) std::ranges::shuffle(group, random);
    const auto graph = Graph::InMemory();
    Write(*graph, groups, Form::kRuns);
    ExpectSame(Ordered(Ask(*graph)), want);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemoryQuestions, ::testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace plexus::tools
