// Keeps terms and their record in step with the texts.
#include "tools/operations/term_operations.h"

#include <optional>
#include <string_view>

#include "engine/bulk/load.h"
#include "engine/vocabulary.h"
#include "storage/formats/import.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {

namespace {

void TakeWorkspace(const Workspace& workspace, retrieval::IndexTermsOptions& options) {
  options.now_ms = workspace.now_ms();
  options.run.executor = &workspace.executor();
  options.progress = workspace.progress();
}

}  // namespace

Result<retrieval::IndexTermsReport> PreviewTerms(const Workspace& workspace,
                                                 retrieval::IndexTermsOptions options) {
  TakeWorkspace(workspace, options);
  return retrieval::IndexTerms(workspace.snapshot(), options,
                               [](const WriteBatch&) { return Status(); });
}

Result<retrieval::IndexTermsReport> UpdateTerms(Workspace& workspace,
                                                retrieval::IndexTermsOptions options,
                                                const TermsLoad& load) {
  Graph& graph = workspace.graph();
  TakeWorkspace(workspace, options);
  LinkWriterOptions links;
  links.loads = workspace.options().wall.empty() && load.memory > 0;
  links.progress = workspace.progress();
  if (load.in_bulk && workspace.has_database()) {
    links.before = [&] { return workspace.database().BeginBulk(); };
    links.after = [&] { return workspace.database().EndBulk(); };
  }
  constexpr int kTries = 100;
  for (int i = 0;; ++i) {
    const Snapshot now = graph.snapshot();
    formats::LoadMemory memory = formats::MakeLoadMemory(
        load.memory, workspace.has_database() ? workspace.database().directory() : "");
    links.memory = memory.bytes;
    links.scratch = std::move(memory.scratch);
    LinkWriter writer(graph, now, links);
    auto report = retrieval::IndexTerms(
        now, options, [&](const WriteBatch& batch) { return writer.Write(batch); });
    if (report)
      if (const Status rest = writer.Finish(); !rest) report = std::unexpected(rest.error());
    const bool conflict = !report && report.error().code == ErrorCode::kConflict;
    if (i == kTries || (!writer.refused() && !conflict)) return report;
    links.loads &= !writer.refused();  // else another thread wrote texts meanwhile
  }
}

namespace {

// A graph whose first text is yet to come. O(nodes) where it has none.
bool HasNoText(const Snapshot& snapshot) {
  for (NodeId node = 0; node < snapshot.node_count(); ++node)
    if (snapshot.payload_ref(node, NodeField::kText) && snapshot.alive(node) &&
        snapshot.is_fact(node))
      return false;
  return true;
}

bool ChangesTexts(const WriteBatch& batch) {
  bool texts = false;
  batch.ForEachTextChange(
      [&](NodeRef, WriteBatch::TextChange, std::string_view, std::size_t) { texts = true; });
  return texts;
}

// What the index has may change by it. Of an index of more than texts AddTerms looks.
bool MayConcern(const WriteBatch& batch, const retrieval::TermOptions& terms) {
  return terms.all_keys || !terms.properties.empty() || ChangesTexts(batch);
}

// As an export of another graph has them.
bool BringsTerms(const Snapshot& snapshot, const WriteBatch& batch) {
  bool brings = false;
  batch.ForEachEdge(
      0, [&](NodeRef, EdgeKindRef kind, NodeRef, std::optional<float>, std::string_view) {
        const std::string& has_term = snapshot.schema().edge_kind(builtin::kHasTerm).name;
        brings |=
            kind.local() ? batch.edge_kind_name(kind) == has_term : kind.id() == builtin::kHasTerm;
      });
  return brings;
}

}  // namespace

Result<TermKeeper> TermKeeper::Make(Workspace& workspace, bool asked) {
  const Snapshot& before = workspace.snapshot();
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(before));
  TermKeeper keeper(workspace, record.terms);
  // An index is the whole graph's: a session of a scope makes none, but keeps to its record.
  const bool walled = !workspace.options().wall.empty();
  const bool known = retrieval::HasTerms(before) || record.stored;
  const bool empty = record.covers() == 0 && !walled && HasNoText(before);
  keeper.on_ = asked || known || empty;
  keeper.first_ = keeper.on_ && !asked && !known;
  if (!keeper.on_) return keeper;
  if (record.covers() > 0) {
    PLEXUS_ASSIGN(const retrieval::NotIndexed missed,
                  retrieval::CountNotIndexed(before, record, nullptr));
    keeper.complete_ = missed.none();
  } else {
    keeper.complete_ = empty;
  }
  return keeper;
}

Status TermKeeper::Complete(const Snapshot& snapshot, WriteBatch& batch) {
  Settle(snapshot);
  if (first_ && BringsTerms(snapshot, batch)) on_ = false;
  if (!on_ || !MayConcern(batch, terms_)) return {};
  PLEXUS_ASSIGN(pending_, retrieval::AddTerms(snapshot, terms_, batch, &workspace_->executor()));
  completed_at_ = snapshot.sequence();
  if (!complete_ || pending_.texts + pending_.without == 0) return {};
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot));
  return retrieval::WriteTermRecord(batch, record, terms_);
}

void TermKeeper::Settle(const Snapshot& now) {
  if (now.sequence() > completed_at_) Add(pending_);
  pending_ = {};
}

void TermKeeper::Add(const retrieval::IndexTermsReport& more) {
  report_.texts += more.texts;
  report_.changed += more.changed;
  report_.linked += more.linked;
  report_.unlinked += more.unlinked;
}

Result<retrieval::IndexTermsReport> TermKeeper::IndexAll() {
  const Snapshot now = workspace_->graph().snapshot();
  if (retrieval::HasTerms(now) || HasNoText(now)) return retrieval::IndexTermsReport();
  retrieval::IndexTermsOptions options;
  options.terms = terms_;
  return UpdateTerms(*workspace_, options, load_);
}

Result<retrieval::IndexTermsReport> TermKeeper::Finish() {
  if (!on_) return report_;
  const Snapshot now = workspace_->graph().snapshot();
  Settle(now);
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(now));
  if (complete_ && !retrieval::HasTerms(now)) return report_;
  if (complete_ && retrieval::SameOptions(record.terms, terms_) &&
      retrieval::CountNewerTexts(now, record.covers(), nullptr, terms_) == 0) {
    // Files may bring terms that an index with these options does not have.
    PLEXUS_ASSIGN(const retrieval::NotIndexed missed,
                  retrieval::CountNotIndexed(now, record, nullptr));
    if (missed.none()) return report_;
  }
  retrieval::IndexTermsOptions options;
  options.terms = terms_;
  PLEXUS_ASSIGN(const retrieval::IndexTermsReport rest, UpdateTerms(*workspace_, options, load_));
  Add(rest);
  report_.truncated = rest.truncated;
  return report_;
}

Status KeepTerms(Workspace& workspace, WriteBatch& batch) {
  PLEXUS_ASSIGN(const retrieval::TermRecord record,
                retrieval::ReadTermRecord(workspace.snapshot()));
  if (!MayConcern(batch, record.terms)) return {};
  PLEXUS_ASSIGN(TermKeeper keeper, TermKeeper::Make(workspace, false));
  return keeper.on() ? keeper.Complete(workspace.snapshot(), batch) : Status();
}

void NoteNotIndexed(Workspace& workspace, const Request& request,
                    const retrieval::NotIndexed& count) {
  const auto have = [](std::uint64_t facts) {
    return Grouped(facts) + (facts == 1 ? " fact has" : " facts have");
  };
  const std::string command = request.Command("terms", workspace.directory());
  if (count.facts > 0)
    workspace.notes().push_back({have(count.facts) +
                                 " a text that is newer than the index of terms: " + command +
                                 " brings it up to date"});
  if (count.not_compared > 0)
    workspace.notes().push_back(
        {have(count.not_compared) +
         " terms that were not compared with a text or property newer than the index's record: " +
         command + " compares them, and remembers"});
}

std::string NoTermsYet(const Workspace& workspace, const Request& request) {
  const auto record = retrieval::ReadTermRecord(workspace.snapshot());
  if (record && record->stored)
    return "nothing that is indexed has a word yet: " +
           request.Command("put", workspace.directory(), "KEY") + " with a text writes one";
  return "the graph has no terms yet: run " + request.Command("terms", workspace.directory());
}

void WriteTermFields(ReplyWriter& json, const retrieval::IndexTermsReport& report) {
  json.Field("texts", report.texts);
  json.Field("changed", report.changed);
  json.Field("linked", report.linked);
  json.Field("unlinked", report.unlinked);
}

std::string ShownTerms(const retrieval::IndexTermsReport& report) {
  return Grouped(report.texts) + " texts read, " + Grouped(report.changed) +
         " nodes brought up to date: " + Grouped(report.linked) + " terms linked, " +
         Grouped(report.unlinked) + " unlinked\n";
}

}  // namespace plexus::tools
