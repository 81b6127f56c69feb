// What was read stays until another request has changed the graph; a change of its own is taken
// into it.
#include "tools/server/knowledge/knowledge_tools.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "tools/operations/framework/registry.h"
#include "tools/server/knowledge/knowledge_batch.h"

namespace plexus::tools::server {
namespace {

// Clients of standard input close the connection at a line of 10 MiB.
constexpr std::size_t kMostBytes = std::size_t{8} << 20;

// The text and the structured content of a reply are the same JSON: each has half.
Outcome BoundedReply(const KnowledgePart& part) {
  if (const std::optional<std::string> json = JsonOfPart(part, kMostBytes / 2))
    if (std::string members = KnowledgeReply(*json, *json); members.size() <= kMostBytes)
      return members;
  return ToolError(
      "The reply is above 8 MiB, and clients take no such line: ask search_nodes or open_nodes");
}

}  // namespace

// Of one wall. A sequence is that of the whole graph.
struct KnowledgeTools::Kept {
  std::shared_mutex mutex;
  KnowledgeGraph graph;
  std::optional<Sequence> sequence;  // that it was read at; none: it is to be read
  std::uint64_t opening = 0;         // and in which opening of the graph
  bool writing = false;              // the state before a change that is not acknowledged yet
  std::uint64_t used = 0;
  std::mutex reply_mutex;
  std::shared_ptr<const std::string> reply;  // of read_graph; null: the graph has changed since

  // Whether it is as new as `seen`.
  bool Holds(Sequence seen, std::uint64_t now) const {
    return sequence && opening == now && (*sequence >= seen || writing);
  }
};

// While a batch is applied; without Done the graph is read again.
struct KnowledgeTools::Writing {
  explicit Writing(Kept& one) : kept(one) {
    const std::unique_lock lock(kept.mutex);
    kept.writing = true;
  }
  ~Writing() {
    const std::unique_lock lock(kept.mutex);
    kept.writing = false;
    if (!done) kept.sequence.reset();
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  Kept& kept;
  bool done = false;
};

std::shared_ptr<KnowledgeTools::Kept> KnowledgeTools::KeptFor(
    const std::vector<std::string>& wall) {
  constexpr std::size_t kMostWalls = 16;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Kept>& kept = kept_[wall];
  if (!kept) kept = std::make_shared<Kept>();
  kept->used = ++uses_;
  const std::shared_ptr<Kept> mine = kept;
  if (kept_.size() > kMostWalls)
    kept_.erase(
        std::ranges::min_element(kept_, {}, [](const auto& one) { return one.second->used; }));
  return mine;
}

TimeLimit KnowledgeTools::LimitOf(const Caller& caller) const {
  using namespace std::chrono;
  Budget budget;
  budget.cancel = caller.cancel;
  if (const double most = service_.max_seconds(); most > 0)
    budget.deadline =
        steady_clock::now() + duration_cast<steady_clock::duration>(duration<double>(most));
  return TimeLimit(budget);
}

// REQUIRES the lock of `kept`, or the turn to write.
Status KnowledgeTools::Fill(Kept& kept, Workspace& workspace, const Graph& whole,
                            TimeLimit& limit) {
  const Sequence seen = whole.snapshot().sequence();
  const std::uint64_t opening = service_.openings();
  if (kept.Holds(seen, opening)) return {};
  kept.sequence.reset();
  kept.reply.reset();
  PLEXUS_TRY(workspace.Look(Request(*FindOperation("stats"))));
  PLEXUS_TRY(kept.graph.Read(workspace.snapshot(), limit));
  kept.sequence = seen;
  kept.opening = opening;
  return {};
}

Outcome KnowledgeTools::Read(Call& call, const Show& show) {
  const std::shared_ptr<Kept> kept = KeptFor(call.caller.wall);
  Outcome outcome;
  const Status read =
      service_.Use(false, call.caller, [&](Workspace& workspace, const Graph& whole) -> Status {
        TimeLimit limit = LimitOf(call.caller);
        const auto shown = [&]() -> Status {
          PLEXUS_ASSIGN(outcome, show(*kept, limit));
          return {};
        };
        {
          const std::shared_lock lock(kept->mutex);
          if (kept->Holds(whole.snapshot().sequence(), service_.openings())) return shown();
        }
        const std::unique_lock lock(kept->mutex);
        PLEXUS_TRY(Fill(*kept, workspace, whole, limit));
        return shown();
      });
  if (!read) return ToolError(read.error().message);
  return outcome;
}

Outcome KnowledgeTools::Write(Call& call, std::string_view name, const json::object& arguments) {
  const std::shared_ptr<Kept> kept = KeptFor(call.caller.wall);
  Outcome outcome;
  call.caller.keeps_terms = true;
  const Status written =
      service_.Use(true, call.caller, [&](Workspace& workspace, const Graph& whole) -> Status {
        TimeLimit limit = LimitOf(call.caller);
        {
          const std::unique_lock lock(kept->mutex);
          PLEXUS_TRY(Fill(*kept, workspace, whole, limit));
        }
        PLEXUS_TRY(workspace.Look(Request(*FindOperation("stats"))));
        // Nothing else changes it: this request has the turn.
        PLEXUS_ASSIGN(const KnowledgeChange change,
                      MakeKnowledgeChange(name, arguments, kept->graph, workspace,
                                          (whole.snapshot().sequence() + 1) << 20, limit));
        Writing writing(*kept);
        if (!change.batch.empty()) PLEXUS_TRY(workspace.graph().Apply(change.batch));
        const Snapshot after = workspace.graph().snapshot();
        const std::unique_lock lock(kept->mutex);
        kept->reply.reset();
        for (const std::string& node : change.nodes)
          PLEXUS_TRY(kept->graph.UpdateNode(after, node));
        const ArcFilter facts = FactArcs(after);
        for (const auto& [from, to, type] : change.relations)
          PLEXUS_TRY(kept->graph.UpdateRelation(after, facts, from, to, type));
        kept->sequence = whole.snapshot().sequence();
        writing.done = true;
        outcome = change.reply;
        return {};
      });
  if (!written) return ToolError(written.error().message);
  return outcome;
}

Outcome KnowledgeTools::CallTool(std::string_view name, const json::object& arguments, Call& call) {
  if (std::string error = KnowledgeArgumentsError(name, arguments); !error.empty())
    return ToolError(error);
  if (!OnlyReads(name)) return Write(call, name, arguments);
  return Read(call, [&](Kept& kept, TimeLimit& limit) -> Shown {
    const KnowledgeGraph& graph = kept.graph;
    KnowledgePart part;
    if (name == "read_graph") {
      // Large, and asked for again and again: most of the time would go into its text.
      const std::lock_guard lock(kept.reply_mutex);
      if (!kept.reply) {
        Outcome all = BoundedReply(graph.All());
        if (!all) return all;
        kept.reply = std::make_shared<const std::string>(*std::move(all));
      }
      return *kept.reply;
    } else if (name == "search_nodes") {
      PLEXUS_ASSIGN(part, graph.Search(TextMember(arguments, "query"), limit));
    } else {
      std::vector<std::string_view> names;
      for (const json::value& one : Member(arguments, "names")->get_array())
        names.push_back(View(one.get_string()));
      part = graph.Open(names);
    }
    return BoundedReply(part);
  });
}

Outcome KnowledgeTools::ReadResource(Call& call) {
  return Read(call, [&](Kept& kept, TimeLimit&) -> Shown {
    const KnowledgeGraph& graph = kept.graph;
    const Outcome too_large =
        Refused(kInternalError, "the graph is larger than 8 MiB: call search_nodes");
    const std::optional<std::string> json = JsonOfPart(graph.All(), kMostBytes);
    if (!json) return too_large;
    std::string text;
    AppendQuotedIndented(text, *json);
    const std::string contents = ObjectText()
                                     .Text("uri", kUri)
                                     .Text("mimeType", "application/json")
                                     .Raw("text", text)
                                     .object();
    if (contents.size() > kMostBytes) return too_large;
    return "\"contents\":[" + contents + "]";
  });
}

std::size_t KnowledgeTools::ResourceState(Call& call) {
  std::size_t state = 0;
  (void)Read(call, [&](Kept& kept, TimeLimit&) -> Shown {
    state = kept.graph.state();
    return "";
  });
  return state;
}

}  // namespace plexus::tools::server
