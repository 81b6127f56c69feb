// ledger recent, get, memory, neighbors: what was used together, and what came of it.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/ledger/ledger_reply.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

Parameters FilterParameters() {
  return {Text("tool", "NAME", "only events of this tool"),
          Text("mode", "NAME", "only events of this mode"),
          Text("outcome", "TYPE", "only events with an outcome of this type"),
          List("tags", "A,B",
               "only events with a member that has, or had then, one of these tags, or one that "
               "begins with it and ':'"),
          Text("since", "TIME", "only events from then on").Named(Means::kTime),
          Text("until", "TIME", "only events before then").Named(Means::kTime),
          LimitParameter(),
          CursorParameter()};
}

Result<memory::EventListOptions> ListOptions(Workspace& workspace, const Request& request,
                                             const PageState& state) {
  memory::EventListOptions options;
  options.filter.tool = request.Text("tool");
  options.filter.mode = request.Text("mode");
  options.filter.outcome = request.Text("outcome");
  options.filter.tags = request.List("tags");
  if (request.Given("since"))
    PLEXUS_SET(options.filter.since, ParseTime(request.Text("since"), workspace.now_ms()));
  if (request.Given("until")) {
    PLEXUS_ASSIGN(options.filter.until, ParseTime(request.Text("until"), workspace.now_ms()));
    if (request.Given("since") && options.filter.since >= options.filter.until)
      return Invalid(request.Name("since"), " is not before ", request.Name("until"),
                     ": no event is both");
  }
  options.limit = static_cast<std::size_t>(request.Count("limit"));
  options.cursor = state.cursor;
  options.state = state.state;
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.run.executor = &workspace.executor();
  return options;
}

std::string MoreLine(const Request& request, const std::string& next) {
  return next.empty() ? "" : "... and more: " + request.Name("cursor", next) + "\n";
}

// Nothing was found: a misspelt name may be why.
void NoteUnknownNames(Workspace& workspace, const Request& request, const Snapshot& snapshot) {
  if (const std::string unknown = UnknownTag(snapshot, request.List("tags")); !unknown.empty())
    workspace.notes().push_back({request.Name("tags") + ": " + unknown});
  const std::string& outcome = request.Text("outcome");
  const auto known = BuiltinOutcomeTypes();
  if (outcome.empty() || std::ranges::find(known, outcome) != known.end()) return;
  const std::vector<std::string> names(known.begin(), known.end());
  workspace.notes().push_back({request.Name("outcome") + ": " + Quoted(outcome) +
                               " is no built-in type of outcome" + DidYouMean(outcome, names)});
}

// Behind a page that was cut, "next" would pass over what was left out: a smaller limit shows it.
void WriteNext(ReplyWriter& json, const std::string& next) {
  if (!next.empty() && !json.cut()) json.Field("next", next);
}

Reply ReplyOf(const Request& request, const Snapshot& snapshot, memory::EventPage page,
              NodeId member) {
  std::string closing = page.events.empty() ? "no events\n" : MoreLine(request, page.next);
  closing += Truncated(page.truncated, "the cursor goes on");
  Reply reply([snapshot, member, page = std::move(page)](ReplyWriter& json) {
    if (member != kNoNode) json.Node("key", snapshot, member);
    json.Field("sequence", snapshot.sequence());
    json.Field("truncated", page.truncated);
    json.Objects("events", page.events, [&](const memory::LedgerEvent& event) {
      WriteEventFields(json, snapshot, event);
    });
    WriteNext(json, page.next);
  });
  reply.closing = std::move(closing);
  return reply;
}

// The events of a memory, or all of them.
Result<Reply> RunEvents(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const PageState state, StateOfPage(workspace, request));
  const Snapshot& snapshot = state.snapshot;
  PLEXUS_ASSIGN(const memory::EventListOptions options, ListOptions(workspace, request, state));
  NodeId member = kNoNode;
  if (request.operation().Find("key")) PLEXUS_SET(member, FindNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(memory::EventPage page, member == kNoNode
                                            ? memory::RecentEvents(snapshot, options)
                                            : memory::EventsOf(snapshot, member, options));
  page.next = state.Next(page.next);
  if (page.events.empty()) NoteUnknownNames(workspace, request, snapshot);
  return ReplyOf(request, snapshot, std::move(page), member);
}

Result<Reply> RunGet(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId event, EventNamed(snapshot, request.Text("event")));
  PLEXUS_ASSIGN(memory::EventDetails details, memory::GetEvent(snapshot, event));
  Reply reply([snapshot, details = std::move(details)](ReplyWriter& json) {
    json.BeginObject("event");
    WriteEventFields(json, snapshot, details.event);
    json.EndObject();
    WriteMembers(json, snapshot, details);
    WriteOutcomes(json, snapshot, details);
  });
  return reply;
}

Result<Reply> RunNeighbors(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const PageState state, StateOfPage(workspace, request));
  const Snapshot& snapshot = state.snapshot;
  PLEXUS_ASSIGN(const NodeId member, FindNode(snapshot, request.Text("key")));
  PLEXUS_ASSIGN(
      memory::ComposedPage page,
      memory::ComposedWith(snapshot, member, static_cast<std::size_t>(request.Count("limit")),
                           state.cursor, state.state));
  page.next = state.Next(page.next);
  std::string closing =
      page.neighbors.empty() ? "in no event with another memory\n" : MoreLine(request, page.next);
  Reply reply([snapshot, member, page = std::move(page)](ReplyWriter& json) {
    json.Node("key", snapshot, member);
    json.Field("sequence", snapshot.sequence());
    json.Field("total", page.total);
    json.Objects("neighbors", page.neighbors, [&](const memory::ComposedNeighbor& neighbor) {
      json.Node("key", snapshot, neighbor.node);
      json.Field("composedCount", neighbor.composed);
      if (neighbor.latest) json.Time("latestEventAt", *neighbor.latest);
    });
    WriteNext(json, page.next);
  });
  reply.closing = std::move(closing);
  return reply;
}

const char* const kEventsTable =
    "events: created_at = time, event_id = event, tool, outcomes, query";

Parameter MemoryKey() {
  return Text("key", "KEY", "the memory's key; one that was removed keeps its events")
      .Named(Means::kKey)
      .Positional();
}

}  // namespace

void AddLedger(Rows& rows) {
  rows.push_back(
      {.name = "ledger_recent",
       .group = "Look",
       .title = "Newest events",
       .summary = "List events of the ledger, newest first",
       .parameters = FilterParameters(),
       .reply = "sequence:n, truncated:b, events:" + EventsShape() + ", next?:s",
       .tables = kEventsTable,
       .examples = {{"plexus ledger recent --db g", "the ten newest events"},
                    {"plexus ledger recent --db g --tool recall --outcome helpful --json",
                     "what recall found and was useful"}},
       .run = RunEvents});
  rows.push_back(
      {.name = "ledger_get",
       .group = "Look",
       .title = "One event",
       .summary = "Show one event with its members and outcomes",
       .parameters = {Text("event", "EVENT", "the event's id").Positional()},
       .reply = "event:" + EventShape() + ", members:" + MembersShape() +
                ", outcomes:" + OutcomesShape(),
       .tables = "members: rank, role, trust.4, score.4, key; "
                 "outcomes: labeled_at = time, type = outcome, source, notes",
       .examples = {{"plexus ledger get --db g c1", "its members, and its outcomes"},
                    {"plexus ledger get --db g c1 --json", "with previews and tags of that time"}},
       .run = RunGet});
  rows.push_back({.name = "ledger_memory",
                  .group = "Look",
                  .title = "Events of a memory",
                  .summary = "List the events that a memory was used in, newest first",
                  .parameters = Parameters{MemoryKey()} + FilterParameters(),
                  .reply = "key:k, sequence:n, truncated:b, events:" + EventsShape() + ", next?:s",
                  .tables = kEventsTable,
                  .examples = {{"plexus ledger memory --db g m4", "what m4 was used for"},
                               {"plexus ledger memory --db g m4 --outcome dead_end --json",
                                "where that led nowhere"}},
                  .run = RunEvents});
  rows.push_back(
      {.name = "ledger_neighbors",
       .group = "Look",
       .title = "Composed with a memory",
       .summary = "List the memories that were used together with one, the most often first",
       .parameters = {MemoryKey(), LimitParameter(), CursorParameter()},
       .reply = "key:k, sequence:n, total:n, "
                "neighbors:[{key:k, composedCount:n, latestEventAt?:t}], next?:s",
       .tables = "neighbors: composedCount = events, latestEventAt = last, key",
       .examples = {{"plexus ledger neighbors --db g m4", "who m4 was used with, and how often"},
                    {"plexus ledger neighbors --db g m4 --limit 100 --json",
                     "a hundred of them; 'next' continues"}},
       .run = RunNeighbors});
}

}  // namespace plexus::tools
