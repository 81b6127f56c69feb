// bounty: what was tried with its outcomes, and what was never tried.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/ledger/ledger.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/ledger/ledger_reply.h"
#include "tools/operations/reply/candidate_reply.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

constexpr std::array<const char*, 3> kGuardrails = {
    "A never-composed lane is not a finding.", "A composition score is not severity.",
    "Reportable still needs source references, scope fit and proof."};
constexpr std::size_t kWeird = 3;

struct Lane {
  const char* name;
  std::vector<memory::EventDetails> events;
};

Result<Lane> ReadLane(const Snapshot& snapshot, const char* name,
                      const std::vector<NodeId>& events) {
  Lane lane{name, {}};
  for (const NodeId event : events) {
    PLEXUS_ASSIGN(memory::EventDetails details, memory::GetEvent(snapshot, event));
    lane.events.push_back(std::move(details));
  }
  return lane;
}

void WriteLane(ReplyWriter& json, const Snapshot& snapshot, const Lane& lane) {
  json.Objects(lane.name, lane.events, [&](const memory::EventDetails& details) {
    json.BeginObject("event");
    WriteEventFields(json, snapshot, details.event);
    json.EndObject();
    WriteMembers(json, snapshot, details);
    WriteOutcomes(json, snapshot, details);
  });
}

Result<Reply> RunBounty(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  memory::BountyOptions options;
  options.tags = request.List("tags");
  if (const std::string unknown = UnknownTag(snapshot, options.tags); !unknown.empty())
    workspace.notes().push_back({request.Name("tags") + ": " + unknown});
  options.limit = static_cast<std::size_t>(request.Count("limit"));
  options.subset = workspace.scope();
  PLEXUS_ASSIGN(const memory::BountyLaneLists lists, memory::BountyLanes(snapshot, options));
  std::vector<Lane> lanes;
  for (const auto& [name, events] : {std::pair("alreadyComposedLanes", &lists.composed),
                                     std::pair("closedDoors", &lists.closed_doors),
                                     std::pair("duplicateRiskLanes", &lists.duplicate_risk),
                                     std::pair("needsPocLanes", &lists.needs_poc)}) {
    PLEXUS_ASSIGN(Lane lane, ReadLane(snapshot, name, *events));
    lanes.push_back(std::move(lane));
  }

  memory::NeverComposedOptions never;
  never.lens = memory::LensNamed(request.Text("lens")).value();
  never.top = std::clamp<std::size_t>(options.limit, 1, memory::kMaxLedgerLimit);
  never.now_ms = workspace.now_ms();
  never.include_superseded = request.Flag("include_superseded");
  never.tags = options.tags;
  NodeSubset pool;
  if (workspace.scope()) {
    PLEXUS_ASSIGN(pool, MemoriesInScope(workspace, request));
    never.pool = &pool;
    never.inside = workspace.scope();
  }
  PLEXUS_ASSIGN(never.run.budget, MakeBudget(request));
  never.run.executor = &workspace.executor();
  PLEXUS_ASSIGN(memory::NeverComposedPage page, memory::NeverComposed(snapshot, never));
  std::string closing = Truncated(page.truncated, "the best of what was compared");
  for (const char* sentence : kGuardrails) closing += std::string(sentence) + "\n";
  Reply reply([snapshot, scanned = lists.scanned, lanes = std::move(lanes),
               page = std::move(page)](ReplyWriter& json) {
    const auto write = [&](const memory::NeverComposedSet& set) {
      WriteCandidate(json, snapshot, set);
    };
    json.Field("truncated", page.truncated);
    json.Field("scanned", scanned);
    json.Field("lens", memory::LensName(page.lens));
    json.Objects("neverComposedLanes", page.sets, write);
    json.Objects("topWeirdCombinations",
                 std::span(page.sets).first(std::min(kWeird, page.sets.size())), write);
    for (const Lane& lane : lanes) WriteLane(json, snapshot, lane);
    json.Values("guardrails", kGuardrails);
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddBounty(Rows& rows) {
  const std::string lane = "[{event:" + EventShape() + ", members:" + MembersShape() +
                           ", outcomes:" + OutcomesShape() + "}]";
  const std::string candidates = "[" + CandidateShape() + "]";
  const auto table = [](const char* list, const char* heading) {
    return std::string("; ") + list + ": event/created_at = " + heading +
           ", event/event_id = event, event/outcomes, event/query, members";
  };
  rows.push_back(
      {.name = "bounty",
       .group = "Ask",
       .title = "Lanes to try",
       .summary = "List what was tried with its outcomes, and what was never tried",
       .parameters =
           {List("tags", "A,B",
                 "only of events, and sets, with a member that has one of these tags, or "
                 "one that begins with it and ':'"),
            Count("limit", "N", "at most N a lane, from 1 to 100").Default(std::uint64_t{10}),
            Choice("lens", {"auto", "likely", "surface"},
                   "of what was never tried, as of frontier; auto: likely of a ledger of 50 events "
                   "and more, else surface"),
            IncludeSuperseded()},
       .reply = "truncated:b, scanned:n, lens:s, neverComposedLanes:" + candidates +
                ", topWeirdCombinations:" + candidates + ", alreadyComposedLanes:" + lane +
                ", closedDoors:" + lane + ", duplicateRiskLanes:" + lane +
                ", needsPocLanes:" + lane + ", guardrails:[s]",
       .tables = "neverComposedLanes: score.4, ids nodes, outcomeSignal = outcomes, reason = why" +
                 table("closedDoors", "closed door") +
                 table("duplicateRiskLanes", "duplicate risk") +
                 table("needsPocLanes", "needs proof") + table("alreadyComposedLanes", "tried"),
       .examples = {{"plexus bounty --db g", "untried pairs, with cautions"},
                    {"plexus bounty --db g --tags project --json",
                     "all lanes of one project: tried, closed, at risk, in need of proof"}},
       .run = RunBounty});
}

}  // namespace plexus::tools
