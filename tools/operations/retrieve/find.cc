// find: from words to keys, where keys are no words (WordNet's are offsets).
//
// Looks at every node's key and text, so it takes O(nodes); `search` looks up whole
// words instead. Best first: the whole name, a whole part of a comma-separated name, a part
// of the name, a part of the text; then the node with more edges.
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/scan.h"
#include "algorithms/retrieval/terms.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/reply/text_field.h"

namespace plexus::tools {
namespace {

struct Match {
  int rank;  // 0 is best
  std::uint64_t degree;
  NodeId node;
  bool operator<(const Match& o) const {
    return rank != o.rank ? rank < o.rank : degree != o.degree ? degree > o.degree : node < o.node;
  }
};

// What is looked for; of only invisible characters as it is typed.
std::string Sought(const Request& request) {
  const std::string& typed = request.Text("words");
  std::string folded = retrieval::FoldText(typed);
  return folded.empty() ? typed : folded;
}

// 0: the first part of the name; 1: another part; 2: inside the name; 3: inside the
// text; nullopt: nowhere. `words` is folded.
std::optional<int> Rank(std::string_view key, std::string_view text, std::string_view words) {
  const std::string folded_key = retrieval::FoldText(key);
  if (folded_key == words) return 0;
  const std::string lower = retrieval::FoldText(text);
  const std::string_view name = std::string_view(lower).substr(0, lower.find('\n'));
  std::string_view rest = name;
  for (int rank = 0; !rest.empty(); rank = 1) {
    const std::size_t comma = rest.find(", ");
    if (rest.substr(0, comma) == words) return rank;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  if (name.find(words) != std::string_view::npos || folded_key.find(words) != std::string::npos)
    return 2;
  if (lower.find(words) != std::string::npos) return 3;
  return std::nullopt;
}

constexpr std::size_t kGrain = 4096;  // nodes per block

// `truncated`: is set when the budget ran out; then some blocks of nodes were not looked at.
Result<std::vector<Match>> FindAll(const Workspace& workspace, const Request& request,
                                   std::atomic<bool>& truncated) {
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  const Snapshot& snapshot = workspace.snapshot();
  const std::string words = Sought(request);
  const bool any_kind = !request.Given("kinds"), facts_only = !request.Given("node_kinds");
  std::optional<NodeSubset> of_kinds;
  if (!any_kind) {
    PLEXUS_ASSIGN(const std::vector<NodeKindId> kinds,
                  FindNodeKinds(snapshot.schema(), request.List("kinds")));
    of_kinds = NodeSubset::OfKinds(snapshot, kinds, workspace.keeps_orders());
  }
  const ArcFilter facts = ArcFilter::Kinds(snapshot.schema(), {});
  const auto is_asked = [&](NodeId node) {
    if (!snapshot.alive(node)) return false;
    if (of_kinds ? !of_kinds->contains(node) : facts_only && !snapshot.is_fact(node)) return false;
    return !workspace.scope() || workspace.scope()->contains(node);
  };
  std::mutex mutex;
  Status failed;
  std::vector<Match> all = ParallelReduce<std::vector<Match>>(
      workspace.executor(), snapshot.node_count(), kGrain, {},
      [&](std::size_t begin, std::size_t end) {
        std::vector<Match> matches;
        if (truncated || budget.Interrupted()) {
          truncated = true;
          return matches;
        }
        std::vector<NodeId> with_text;
        const auto look = [&](NodeId node, std::string_view text) {
          if (const auto rank = Rank(snapshot.key(node), text, words))
            matches.push_back({*rank, snapshot.Degree(Direction::kBoth, node, facts), node});
        };
        for (auto node = static_cast<NodeId>(begin); node < end; ++node) {
          if (!is_asked(node)) continue;
          if (snapshot.payload_ref(node, NodeField::kText))
            with_text.push_back(node);
          else
            look(node, "");
        }
        std::size_t read = 0;
        const auto take = [&](NodeId node, Result<std::string_view> text) {
          if (++read % 256 == 0 && budget.Interrupted()) truncated = true;
          if (!truncated) look(node, text.value_or(""));
        };
        if (Status walked = retrieval::ForEachPayload(snapshot, with_text, NodeField::kText, take);
            !walked) {
          const std::lock_guard lock(mutex);
          failed = std::move(walked);
        }
        return matches;
      },
      [](std::vector<Match> left, std::vector<Match> right) {
        left.insert(left.end(), right.begin(), right.end());
        return left;
      });
  PLEXUS_TRY(std::move(failed));
  return all;
}

Result<Reply> RunFind(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  std::atomic<bool> stopped = false;
  PLEXUS_ASSIGN(auto matches, FindAll(workspace, request, stopped));
  std::sort(matches.begin(), matches.end());
  const std::size_t total = matches.size();
  const std::uint64_t top = request.Count("top");
  if (top > 0 && matches.size() > top) matches.resize(top);
  const bool truncated = stopped, more = matches.size() < total;
  std::string keys;
  if (request.Flag("keys"))
    for (const Match& match : matches) keys += ShownKey(snapshot, match.node) + "\n";
  Reply reply([snapshot, truncated, total, matches = std::move(matches), words = Sought(request),
               max_chars = request.MaybeCount("max_chars")](ReplyWriter& json) {
    static constexpr std::array kWhere = {"name", "name", "part of the name", "text"};
    json.Field("truncated", truncated);
    json.Field("total", total);
    json.Objects("results", matches, [&](const Match& match) {
      json.Node("key", snapshot, match.node);
      json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(match.node)).name);
      const std::string text = WholeText(snapshot, match.node);
      WriteText(json, text, max_chars);
      WriteLine(json, text, [&](std::string_view line) {
        return retrieval::FoldText(line).find(words) != std::string::npos;
      });
      json.Field("where", kWhere[static_cast<std::size_t>(match.rank)]);
      json.Field("edges", match.degree);
    });
  });
  reply.page = std::move(keys);
  if (!request.Flag("keys")) {
    if (more) reply.closing = "... of " + std::to_string(total) + "\n";
    reply.closing += Truncated(truncated, "not all nodes were looked at");
  }
  if (total == 0 && !truncated)
    reply.failure = Error{ErrorCode::kNotFound,
                          "nothing has " + Quoted(request.Text("words")) + " in its key or text"};
  return reply;
}

}  // namespace

void AddFind(Rows& rows) {
  rows.push_back(
      {.name = "find",
       .group = "Look",
       .title = "Nodes by a word",
       .summary = "Find nodes by a word of their key or text",
       .parameters =
           Parameters{Text("words", "WORDS", "words to find; case does not matter").Positional(),
                      List("kinds", "A,B", "only these node kinds (default: all facts)")
                          .Named(Means::kNodeKind),
                      Top(20, "at most K nodes; 0 = all"),
                      Flag("keys", "show keys only, one a line"), MaxCharsParameter()},
       .reply = "truncated:b, total:n, results:[{key:k, kind:s, text:s, text_cut?:b, line?:s, "
                "where:s, edges:n}]",
       .tables = "results: edges, key",
       .examples = {{"plexus find --db wordnet dog", "the concepts that are called dog come first"},
                    {"plexus find --db wordnet --keys --top 1 dog",
                     "a word's key, for another command: --from $(plexus find ... dog)"}},
       .run = RunFind});
}

}  // namespace plexus::tools
