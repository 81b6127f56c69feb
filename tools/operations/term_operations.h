// Keeping the index of terms, shared by `terms` and `import --terms`.
#pragma once

#include <string>
#include <utility>

#include "algorithms/retrieval/term_index.h"
#include "algorithms/retrieval/term_record.h"
#include "engine/error.h"
#include "tools/operations/reply/reply_writer.h"
#include "tools/operations/request.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {

// IndexTerms of the workspace's graph as it is now. REQUIRES a workspace that may write.
Result<IndexTermsReport> UpdateTerms(Workspace& workspace, IndexTermsOptions options);
// What UpdateTerms would do; writes nothing.
Result<IndexTermsReport> PreviewTerms(const Workspace& workspace, IndexTermsOptions options);

// Keeps the index in step with an import: terms go into the batches of their texts.
class TermKeeper {
 public:
  // `asked`: also where the graph has no terms yet.
  static Result<TermKeeper> Make(Workspace& workspace, bool asked);
  bool on() const { return on_; }
  // Completes a batch that is applied next to the graph as it is in `snapshot`.
  Status Complete(const Snapshot& snapshot, WriteBatch& batch);
  // After the last batch: indexes texts that were there before and had been missed. What all of it
  // did.
  Result<IndexTermsReport> Finish();

 private:
  TermKeeper(Workspace& workspace, TermOptions terms)
      : workspace_(&workspace), terms_(std::move(terms)) {}
  // Counts the batch completed last if it was applied: a refused one, which comes again in halves,
  // raised no sequence.
  void Settle(const Snapshot& now);
  void Add(const IndexTermsReport& more);

  Workspace* workspace_;
  TermOptions terms_;
  bool on_ = false;
  bool complete_ = false;     // all texts of the graph are indexed, and its record says so
  IndexTermsReport report_;   // of batches that were applied
  IndexTermsReport pending_;  // of the batch completed last
  Sequence completed_at_ = 0;
};

// Adds the terms of the texts that the batch changes, where the graph has terms.
Status KeepTerms(Workspace& workspace, WriteBatch& batch);

// Notes "12 facts have a text that is newer than the index ..." when there are any.
void NoteNotIndexed(Workspace& workspace, const Request& request, const NotIndexed& count);
// What to do where there are no terms.
std::string NoTermsYet(const Workspace& workspace, const Request& request);

// "texts", "changed", "linked", "unlinked", as members.
void WriteTermFields(ReplyWriter& json, const IndexTermsReport& report);
std::string ShownTerms(const IndexTermsReport& report);

}  // namespace plexus::tools
