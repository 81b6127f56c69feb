// Rows of the ledger, of what is kept of it, of turns; and Kernels().
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/memory/turns/turns.h"
#include "engine/out_of_memory.h"
#include "tests/support/kernels/kernel.h"
#include "tests/support/kernels/kernel_graph.h"
#include "tests/support/kernels/proposed.h"

namespace plexus::testing {
using namespace builtin;

namespace {

NodeId FirstOf(const Snapshot& s, NodeKindId kind) {
  NodeId v = 0;
  while (v + 1 < s.node_count() && (!s.alive(v) || s.node_kind(v) != kind)) ++v;
  return v;
}

void AddEventLists(KernelRows& rows) {
  rows.Add("RecentEvents", ASK { return memory::RecentEvents(s, {.limit = 2, .run = run}); });
  static const memory::EventFilter filter = {.tool = "recall",
                                             .tags = {"queue", "oracle", "project", "pause"}};
  rows.Add(
      "RecentEvents under a filter", ASK->Result<memory::EventPage> {
        PLEXUS_ASSIGN(
            const memory::EventListOptions options, OrNoMemory([&] {
              return Result<memory::EventListOptions>({.filter = filter, .limit = 3, .run = run});
            }));
        return memory::RecentEvents(s, options);
      });
  rows.Add("EventsOf", ASK { return memory::EventsOf(s, 8, {.run = run}); });
  static const std::string id = "e0", nobody = "an event of which nobody has ever heard";
  rows.Add(
      "FindEvent", ASK->Result<NodeId> {
        const auto missing = memory::FindEvent(s, nobody);
        if (missing || missing.error().code != ErrorCode::kNotFound)
          return missing ? Fail(ErrorCode::kInternal, "found") : std::unexpected(missing.error());
        return memory::FindEvent(s, id);
      });
  rows.Add("GetEvent", ASK { return memory::GetEvent(s, FirstOf(s, kEvent)); });
  rows.Add("ComposedWith", ASK { return memory::ComposedWith(s, 8, 1); });
  static const std::string cursor = "12345678.12345678.a cursor that is long enough";
  static const std::string no_cursor = "what is written here is no cursor";
  rows.Add(
      "LedgerCursorSequence", ASK->Result<Sequence> {
        const auto refused = memory::LedgerCursorSequence(no_cursor);
        if (refused || refused.error().code != ErrorCode::kInvalidArgument) return refused;
        return memory::LedgerCursorSequence(cursor);
      });
  rows.Add("BountyLanes", ASK { return memory::BountyLanes(s); });
  rows.Add(
      "LedgerIndex", ASK { return memory::LedgerIndex::Of(s, run.executor); },
      [](const std::shared_ptr<const memory::LedgerIndex>& index) {
        const auto newest = index->newest();
        return std::pair(std::vector<NodeId>(newest.begin(), newest.end()),
                         index->member_outcomes(8));
      });
  rows.Add("OutcomeValues", ASK { return memory::OutcomeValues(s, run.executor); });
}

void AddWriting(KernelRows& rows) {
  static const memory::NewEvent event = {
      .tool = "recall",
      .query = "a question that fits no string inside",
      .created_at = kKernelNow,
      .members = {{.key = "m3", .rank = 1.0, .preview = "what it says"}, {.key = "m8"}}};
  AddProposal(rows, "RecordEvent", ASK { return memory::RecordEvent(s, event); });
  static const memory::NewLabel label = {.type = "dead_end",
                                         .notes = "some notes that fit no string inside",
                                         .labeled_at = kKernelNow,
                                         .confidence_delta = 0.25};
  AddProposal(rows, "LabelEvent", ASK { return memory::LabelEvent(s, FirstOf(s, kEvent), label); });
}

void AddTurns(KernelRows& rows) {
  rows.Add("Session", ASK { return memory::Session(s, FirstOf(s, kTurn), 2, 4); });
  rows.Add("Session by a walk", ASK { return memory::Session(s, 8, 4, 4); });
  for (const char* recipe : {"similar", "temporal", "referential", "co-retrieval"})
    rows.Add(
        "BuildEdges " + std::string(recipe), ASK->Result<memory::BuildReport> {
          PLEXUS_ASSIGN(const NodeSubset facts, NodeSubset::Of(s, kFew));
          const std::optional<SpaceId> space = s.schema().FindSpace("default");
          return memory::BuildEdges(
              s, *memory::FindRecipe(recipe),
              {.space = space.value_or(SpaceId{0}), .turns = &facts, .run = run}, {});
        });
}

void AddKeeper(KernelRows& rows) {
  static const WriteBatch tagged = [] {
    WriteBatch batch(kKernelNow);
    batch.Link(batch.UpsertNode("m8"), kHasTag, batch.IndexNode(kTag, "queue"));
    return batch;
  }();
  rows.Add(
      "FrontierKeeper",
      ASK->Result<memory::NeverComposedPage> {
        memory::NeverComposedOptions options{.top = 5, .now_ms = kKernelNow};
        options.run = run;
        PLEXUS_ASSIGN(memory::FrontierKeeper keeper, memory::FrontierKeeper::Make(s, options));
        PLEXUS_ASSIGN(const PreviewResult next, Preview(s, tagged, {.executor = run.executor}));
        PLEXUS_TRY(keeper.Update(next.snapshot));
        return OrNoMemory([&] { return Result<memory::NeverComposedPage>(keeper.page()); });
      },
      [](const memory::NeverComposedPage& page) { return page.sets; });
}

}  // namespace

void AddLedgerKernels(KernelRows& rows) {
  AddEventLists(rows);
  AddWriting(rows);
  AddTurns(rows);
  AddKeeper(rows);
}

const std::vector<Kernel>& Kernels() {
  static const std::vector<Kernel> all = [] {
    KernelRows rows;
    AddGraphKernels(rows);
    AddRetrievalKernels(rows);
    AddMemoryKernels(rows);
    AddLedgerKernels(rows);
    return rows.Take();
  }();
  return all;
}

}  // namespace plexus::testing
