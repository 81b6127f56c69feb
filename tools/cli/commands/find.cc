// find: from words to keys, where keys are no words (WordNet's are offsets).
//
// Looks at every node's key and text, so it takes O(nodes); `search` looks up whole
// words instead. Best first: the whole name, a whole part of a comma-separated name, a part
// of the name, a part of the text; then the node with more edges.
#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

struct FindArguments : BudgetOption {
  std::string words;
  std::vector<std::string> kinds;
  std::optional<std::uint64_t> top;
  bool keys = false;
};

struct Match {
  int rank;  // 0 is best
  std::uint64_t degree;
  NodeId node;
  bool operator<(const Match& o) const {
    return rank != o.rank ? rank < o.rank : degree != o.degree ? degree > o.degree : node < o.node;
  }
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// 0: the first part of the name; 1: another part; 2: inside the name; 3: inside the
// text; nullopt: nowhere. `words` is in lower case.
std::optional<int> Rank(std::string_view key, std::string_view text, std::string_view words) {
  if (Lower(key) == words) return 0;
  const std::string lower = Lower(text);
  const std::string_view name = std::string_view(lower).substr(0, lower.find('\n'));
  std::string_view rest = name;
  for (int rank = 0; !rest.empty(); rank = 1) {
    const std::size_t comma = rest.find(", ");
    if (rest.substr(0, comma) == words) return rank;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  if (name.find(words) != std::string_view::npos || Lower(key).find(words) != std::string::npos)
    return 2;
  if (lower.find(words) != std::string::npos) return 3;
  return std::nullopt;
}

constexpr std::size_t kGrain = 1024;  // nodes per block

// `truncated`: is set when the budget ran out; then some blocks of nodes were not looked at.
Result<std::vector<Match>> FindAll(Session& session, const FindArguments& given,
                                   std::atomic<bool>& truncated) {
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(given));
  const Snapshot& snapshot = session.snapshot();
  const std::string words = Lower(given.words);
  std::vector<std::uint8_t> kinds(snapshot.schema().node_kinds().size(), given.kinds.empty());
  for (const std::string& name : given.kinds) {
    const auto kind = snapshot.schema().FindNodeKind(name);
    if (!kind) return Fail(ErrorCode::kInvalidArgument, "no node kind '" + name + "'");
    kinds[*kind] = 1;
  }
  const ArcFilter facts = ArcFilter::Kinds(snapshot.schema(), {});
  return ParallelReduce<std::vector<Match>>(
      session.executor(), snapshot.node_count(), kGrain, {},
      [&](std::size_t begin, std::size_t end) {
        std::vector<Match> matches;
        if (truncated || budget.Interrupted()) {
          truncated = true;
          return matches;
        }
        for (std::size_t i = begin; i < end; ++i) {
          const auto node = static_cast<NodeId>(i);
          if (!snapshot.alive(node) || !kinds[snapshot.node_kind(node)]) continue;
          if (given.kinds.empty() && !snapshot.is_fact(node)) continue;
          if (session.scope() && !session.scope()->contains(node)) continue;
          std::string text;
          if (snapshot.payload_ref(node, NodeField::kText))
            text = snapshot.Payload(node, NodeField::kText).value_or("");
          if (const auto rank = Rank(snapshot.key(node), text, words))
            matches.push_back({*rank, snapshot.Degree(Direction::kBoth, node, facts), node});
        }
        return matches;
      },
      [](std::vector<Match> left, std::vector<Match> right) {
        left.insert(left.end(), right.begin(), right.end());
        return left;
      });
}

Result<int> RunFind(const Globals& globals, const FindArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  std::atomic<bool> truncated = false;
  PLEXUS_ASSIGN(auto matches, FindAll(*session, given, truncated));
  std::sort(matches.begin(), matches.end());
  const std::size_t total = matches.size();
  const std::uint64_t top = given.top.value_or(20);
  if (top > 0 && matches.size() > top) matches.resize(top);

  static constexpr std::array kWhere = {"name", "name", "part of the name", "text"};
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", truncated.load());
    json.Field("found", total);
    json.BeginArray("nodes");
    for (const Match& match : matches) {
      json.BeginObject();
      json.Field("key", snapshot.key(match.node));
      json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(match.node)).name);
      json.Field("text", TextHead(snapshot, match.node));
      json.Field("where", kWhere[match.rank]);
      json.Field("edges", match.degree);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
  } else if (given.keys) {
    for (const Match& match : matches) Out() << snapshot.key(match.node) << '\n';
  } else {
    Table table;
    table.Column("key", Table::Align::kLeft, 40).Column("edges", Table::Align::kRight);
    table.Column("text", Table::Align::kLeft, 70);
    for (const Match& match : matches)
      table.Row({ShownKey(snapshot, match.node), std::to_string(match.degree),
                 TextHead(snapshot, match.node)});
    table.Print(Out());
    if (matches.size() < total) Out() << "... of " << total << '\n';
    PrintTruncated(truncated, "not all nodes were looked at");
  }
  if (total > 0 || truncated) return kDone;
  return Fail(ErrorCode::kNotFound, "nothing has '" + given.words + "' in its key or text");
}

}  // namespace

void AddFind(Cli& cli) {
  static FindArguments given;
  AddMaxSeconds(cli.Add("Look", "find", "Find nodes by a word of their key or text",
                        [](const Globals& globals) { return RunFind(globals, given); }),
                given)
      .Positional("WORDS", given.words, "looked for without regard to case")
      .List("--kinds", "A,B", given.kinds, "only these node kinds (default: all facts)")
      .Option("--top", "K", given.top, "at most K nodes; 0 = all (default 20)")
      .Flag("--keys", given.keys, "print keys only, one a line")
      .Example("plexus find --db wordnet dog", "the concepts that are called dog come first")
      .Example("plexus find --db wordnet --keys --top 1 dog",
               "a word's key, for another command: --from $(plexus find ... dog)");
}

}  // namespace plexus::tools
