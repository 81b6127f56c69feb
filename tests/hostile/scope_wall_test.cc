// A wall holds for every row: nothing of another scope is shown or counted, and nothing of it
// changes.
//
// The same requests go to the first scope of a graph that has others, and to one that has none.
// Behind the wall the replies, notes and errors are the same bytes: so no key, score, document
// frequency, count or sequence depends on what the others have. And no reply holds their secret.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "tests/hostile/random_request.h"
#include "tests/hostile/two_scopes.h"
#include "tests/support/dump.h"
#include "tests/support/run_plexus.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/operations/scope/scope_sight.h"
#include "tools/operations/scope/scoped_graph.h"

namespace plexus::testing {
using namespace builtin;
namespace {

using tools::FindOperation;
using tools::Operation;
using tools::Reach;
using tools::Workspace;

// All that one who asks hears: the reply, what a stream writes, pages, notes, errors.
std::string Heard(Workspace& workspace, const Operation& row, const std::string& members) {
  auto request = tools::RequestFromJson(row, members);
  if (!request) return "refused: " + request.error().message;
  if (row.name != "decisions_check") {  // which judges the present
    EXPECT_TRUE(request->Set("now", std::to_string(kScopesNow)));
  }
  auto reply = tools::Answer(workspace, *request);
  std::ostringstream heard;
  for (const auto& note : workspace.notes()) heard << "note: " << note.text << '\n';
  for (const std::string& warning : workspace.warnings()) heard << "warning: " << warning << '\n';
  if (!reply) {
    heard << "error: " << reply.error().ToString();
    return std::move(heard).str();
  }
  heard << reply->headline << reply->page << reply->closing;
  if (reply->failure) heard << "failure: " << reply->failure->message;
  if (reply->members) {
    tools::JsonWriter json(heard);
    tools::WriteReply(*reply, workspace.warnings(), json);
  }
  if (reply->stream) {
    const Status streamed = reply->stream(heard);  // it may be told to take no time
    if (!streamed) heard << "error: " << streamed.error().ToString();
  }
  // What took how long is told in milliseconds. How large arrays are depends on how they grew, and
  // is no count of what is in them.
  static const std::regex sizes(
      R"re("stage_ms":\[[^\]]*\]|"bytes":\{[^}]*\}|[0-9.,]+ (bytes|[KM]iB)[^\n"]{0,200})re");
  std::string text = std::move(heard).str();
  for (const char* part : {"stage_ms", "\"bytes\"", " bytes", "KiB", "MiB"})
    if (text.find(part) != text.npos) return std::regex_replace(text, sizes, "");
  return text;
}

// What stands around the first byte that differs.
::testing::AssertionResult SameReplies(const std::string& a, const std::string& b) {
  if (a == b) return ::testing::AssertionSuccess();
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::size_t from = at < 200 ? 0 : at - 200;
  return ::testing::AssertionFailure() << "with others:    " << a.substr(from, 400)
                                       << "\nwithout others: " << b.substr(from, 400);
}

struct Walled {
  explicit Walled(bool others, std::vector<std::string> scopes = {kMine})
      : graph(TwoScopes(others)) {
    if (!graph) return;
    auto opened = Workspace::Over(
        *graph,
        {.access = tools::Access::kWrite, .clock_ms = kScopesNow, .wall = std::move(scopes)});
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) workspace = *std::move(opened);
  }
  std::string Ask(const std::string& row, const std::string& members) {
    return Heard(*workspace, *FindOperation(row), members);
  }
  std::unique_ptr<Graph> graph;
  std::unique_ptr<Workspace> workspace;
};

bool HasSecret(const std::string& text) {
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.find(kSecret) != std::string::npos;
}

// What both hear of one request, which is the same and holds no secret.
std::string HeardByBoth(const Walled& with, const Walled& without, const Operation& row,
                        const std::string& members) {
  std::string a = Heard(*with.workspace, row, members);
  const std::string b = Heard(*without.workspace, row, members);
  EXPECT_FALSE(HasSecret(a)) << row.name << " " << members << "\n" << a;
  EXPECT_TRUE(SameReplies(a, b)) << row.name << " " << members;
  return a;
}

TEST(ScopeWall, EveryRowSeesTheScopeAlone) {
  Walled with(true), without(false);
  ASSERT_TRUE(with.workspace && without.workspace);
  std::set<std::string> answered;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    RandomRequests requests(seed, WordsOfMine());
    for (const Operation& row : tools::AllOperations()) {
      if (row.effect != tools::Effect::kRead) continue;
      for (int i = 0; i < 3; ++i) {
        const std::string members = requests.Friendly(row);
        const std::string a = HeardByBoth(with, without, row, members);
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
        const bool refused = a.starts_with("refused: ");
        if (a.find("error: ") == std::string::npos && !refused) answered.insert(row.name);
      }
    }
  }
  for (const Operation& row : tools::AllOperations()) {
    if (row.effect != tools::Effect::kRead) continue;
    EXPECT_EQ(answered.contains(row.name), row.reach == Reach::kScope) << row.name;
  }
}

// What requests write is of the scope; others have what they had, bit by bit.
TEST(ScopeWall, EveryRowWritesIntoTheScopeAlone) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Walled with(true), without(false);
    ASSERT_TRUE(with.workspace && without.workspace);
    const std::vector<std::string> theirs = {std::string(kSecret) + "scope",
                                             std::string(kSecret) + "first"};
    const auto others = *tools::ScopedGraph::Make(*with.graph, theirs, DefaultExecutor());
    const std::string before = Dump(others->graph().snapshot());
    RandomRequests requests(seed, WordsOfMine());
    for (int i = 0; i < 150; ++i) {
      const Operation& row = requests.Pick(tools::AllOperations());
      const std::string members = requests.Friendly(row);
      HeardByBoth(with, without, row, members);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
    ASSERT_TRUE(others->Refresh());
    const auto again = *tools::ScopedGraph::Make(*with.graph, theirs, DefaultExecutor());
    EXPECT_TRUE(SameText(Dump(again->graph().snapshot()), before));
  }
}

// Whoever knows a name of the others learns no more than that it cannot be used.
TEST(ScopeWall, AKeyOfOthersIsNoWayIn) {
  Walled with(true);
  ASSERT_TRUE(with.workspace);
  const Sequence before = with.graph->snapshot().sequence();
  for (const auto& [row, members] : std::vector<std::pair<std::string, std::string>>{
           {"put", R"({"key":"zq7m1","text":"x"})"},
           {"link", R"({"source":"m1","kind":"supports","target":"zq7m1"})"},
           {"put", R"({"key":"zq7m1","set":["trust=1"]})"}}) {
    const std::string heard = with.Ask(row, members);
    EXPECT_EQ(heard.find("word"), std::string::npos) << heard;
    EXPECT_EQ(with.graph->snapshot().sequence(), before) << heard;
  }
  for (const auto& [row, members] :
       std::vector<std::pair<std::string, std::string>>{{"get", R"({"key":"zq7m1"})"},
                                                        {"neighbors", R"({"key":"zq7m1"})"},
                                                        {"remove", R"({"key":"zq7m1"})"},
                                                        {"ledger_get", R"({"event":"zq7e0"})"},
                                                        {"rerank", R"({"like":"zq7m1"})"}}) {
    const std::string heard = with.Ask(row, members);
    EXPECT_NE(heard.find("error: "), std::string::npos) << row << heard;
    EXPECT_EQ(heard.find("zq7word"), std::string::npos) << row << heard;
  }
  EXPECT_EQ(with.graph->snapshot().sequence(), before);
}

// No request widens it.
TEST(ScopeWall, ARequestsScopeIsAFilterInside) {
  Walled with(true);
  ASSERT_TRUE(with.workspace);
  EXPECT_NE(with.Ask("list", R"({"scope":["zq7scope"],"top":0})").find("\"total\":0"),
            std::string::npos);
  EXPECT_NE(with.Ask("put", R"({"key":"n","set":["scope=zq7scope"]})").find("rror"),
            std::string::npos);
}

// What is written there is seen by the whole graph, with the scope; and what others write to the
// scope is seen behind the wall.
TEST(ScopeWall, WritesGoBothWays) {
  Walled with(true);
  ASSERT_TRUE(with.workspace);
  ASSERT_EQ(with.Ask("put", R"({"key":"new","text":"gateway"})").find("rror"), std::string::npos);
  const Snapshot whole = with.graph->snapshot();
  const auto made = whole.FindAlive("new");
  ASSERT_TRUE(made);
  EXPECT_EQ(whole.scope(*made), kMine);
  EXPECT_EQ(*whole.Payload(*made, NodeField::kText), "gateway");
  WriteBatch batch(kScopesNow);
  const NodeRef node = batch.UpsertNode("later", kMemory);
  batch.SetString(node, kScope, kMine);
  batch.Link(node, kSupports, batch.Node("new"));
  ASSERT_TRUE(with.graph->Apply(batch));
  EXPECT_NE(with.Ask("get", R"({"key":"later"})").find("\"later\""), std::string::npos);
  const std::string removed = with.Ask("remove", R"({"key":"later"})");
  ASSERT_EQ(removed.find("rror"), std::string::npos) << removed;
  EXPECT_FALSE(with.graph->snapshot().FindAlive("later"));
  // What comes back is of the scope, too, also while the copy does not know that it went.
  WriteBatch gone(kScopesNow);
  gone.RemoveNode(gone.Node("new"));
  ASSERT_TRUE(with.graph->Apply(gone));
  const std::string again = with.Ask("put", R"({"key":"new","kind":"memory","text":"ledger"})");
  ASSERT_EQ(again.find("rror"), std::string::npos) << again;
  const auto back = with.graph->snapshot().FindAlive("new");
  ASSERT_TRUE(back);
  EXPECT_EQ(with.graph->snapshot().scope(*back), kMine);
  // Of the kind that is said, also where it had it before.
  for (const auto& [members, kind] : std::vector<std::pair<std::string, NodeKindId>>{
           {R"({"key":"new","kind":"memory","text":"x"})", kMemory}, {R"({"key":"new"})", kNode}}) {
    ASSERT_EQ(with.Ask("remove", R"({"key":"new"})").find("rror"), std::string::npos);
    ASSERT_EQ(with.Ask("put", members).find("rror"), std::string::npos);
    EXPECT_EQ(with.graph->snapshot().node_kind(*back), kind);
  }
  EXPECT_NE(with.Ask("put", R"({"key":"new","text":"x","expect_sequence":1})").find("rror"),
            std::string::npos);
}

// Through a door of strangers no path of this machine is read or written, and no file is quoted.
TEST(StrangersDoor, PathsAreRefused) {
  const TempDir dir;
  const std::string file = dir.File("file", "hidden line\n");
  tools::WorkspaceOptions options;
  options.directory = dir / "graph";
  options.access = tools::Access::kCreate;
  options.clock_ms = kScopesNow;
  options.paths = false;
  auto opened = Workspace::Open(options);
  ASSERT_TRUE(opened) << opened.error().message;
  int asked = 0;
  for (const Operation& row : tools::AllOperations())
    for (const tools::Parameter& given : row.parameters) {
      if (given.means != tools::Means::kFile && given.means != tools::Means::kPath) continue;
      SCOPED_TRACE(row.name + " " + given.name);
      tools::Request request(row);
      for (const tools::Parameter& parameter : row.parameters)
        if (parameter.required || parameter.name == given.name) {
          ASSERT_TRUE(parameter.type == tools::Type::kList
                          ? request.Set(parameter.name, std::vector<std::string>{file})
                          : request.Set(parameter.name, file));
        }
      const auto reply = tools::Answer(**opened, request);
      ASSERT_FALSE(reply);
      EXPECT_NE(reply.error().message.find("is a path of the server"), std::string::npos)
          << reply.error().message;
      ++asked;
    }
  EXPECT_GE(asked, 4);
  ASSERT_TRUE((*opened)->Close());
}

// What a dry run cannot know it says.
TEST(ScopeWall, ADryRunSaysWhatItKnows) {
  for (const bool others : {true, false}) {
    Walled walled(others);
    ASSERT_TRUE(walled.workspace);
    const std::string heard = walled.Ask("put", R"({"key":"zq7m1","text":"x","dry_run":true})");
    EXPECT_NE(heard.find("note: a dry run in a session of a scope knows what the scope sees"),
              std::string::npos)
        << heard;
  }
}

// A word that no fact of the scope has is a word of its event.
TEST(ScopeWall, WordsOfEventsAreFound) {
  for (const bool others : {true, false}) {
    Walled walled(others);
    ASSERT_TRUE(walled.workspace);
    const std::string heard = walled.Ask("search", R"({"query":"answered","events":true})");
    EXPECT_NE(heard.find("e0"), std::string::npos) << heard;
    EXPECT_NE(heard.find("\"df\":1"), std::string::npos) << heard;
  }
  const auto graph = TwoScopes(true);
  const std::vector<std::string> mine = {kMine};
  const tools::ScopeSight sight(graph->snapshot(), mine);
  const std::vector<tools::Seen> all = sight.All();
  for (NodeId node = 0; node < all.size(); ++node)
    EXPECT_EQ(all[node], sight.Of(node)) << graph->snapshot().key(node);
}

// A batch of another scope moves no sequence here.
TEST(ScopeWall, SequencesCountTheScope) {
  Walled with(true);
  ASSERT_TRUE(with.workspace);
  const std::string before = with.Ask("stats", "{}");
  WriteBatch batch(kScopesNow);
  batch.SetString(batch.UpsertNode("zq7more", kMemory), kScope, "zq7scope");
  ASSERT_TRUE(with.graph->Apply(batch));
  EXPECT_EQ(with.Ask("stats", "{}"), before);
}

}  // namespace
}  // namespace plexus::testing
