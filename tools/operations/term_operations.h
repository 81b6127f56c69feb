// Keeping the index of terms, shared by `terms` and `import --terms`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "storage/formats/import.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// Many terms are loaded at once (engine/bulk/load.h).
struct TermsLoad {
  bool in_bulk = false;  // in Database's bulk mode: no other call may overlap
  std::uint64_t memory =
      formats::ImportLimits::kHalfOfFree;  // as ImportLimits::load_bytes; 0: no load
};

// IndexTerms of the workspace's graph as it is now. REQUIRES a workspace that may write.
Result<retrieval::IndexTermsReport> UpdateTerms(Workspace& workspace,
                                                retrieval::IndexTermsOptions options,
                                                const TermsLoad& load);
// What UpdateTerms would do; writes nothing.
Result<retrieval::IndexTermsReport> PreviewTerms(const Workspace& workspace,
                                                 retrieval::IndexTermsOptions options);

// Keeps the index in step with an import: terms go into the batches of their texts.
class TermKeeper {
 public:
  // On where the graph has terms or their record, or no text yet; `asked`: anywhere.
  static Result<TermKeeper> Make(Workspace& workspace, bool asked);
  bool on() const { return on_; }
  // Whether a first index is made along the way: files that bring their own could come later.
  bool first() const { return on_ && first_; }
  // How Finish and IndexAll load.
  void SetLoad(const TermsLoad& load) { load_ = load; }
  // Completes a batch that is applied next to the graph as it is in `snapshot`. Of a graph without
  // an index one that brings its own is left as it is, and so are all behind it.
  Status Complete(const Snapshot& snapshot, WriteBatch& batch);
  // After the last batch: indexes texts that were there before and had been missed. What all of it
  // did.
  Result<retrieval::IndexTermsReport> Finish();
  // In place of Complete and Finish, for a first index: all texts, unless the files brought terms.
  Result<retrieval::IndexTermsReport> IndexAll();

 private:
  TermKeeper(Workspace& workspace, retrieval::TermOptions terms)
      : workspace_(&workspace), terms_(std::move(terms)) {}
  // Counts the batch completed last if it was applied: a refused one, which comes again in halves,
  // raised no sequence.
  void Settle(const Snapshot& now);
  void Add(const retrieval::IndexTermsReport& more);

  Workspace* workspace_;
  retrieval::TermOptions terms_;
  TermsLoad load_;
  bool on_ = false;
  bool first_ = false;        // of a graph that had none, unasked
  bool complete_ = false;     // all texts of the graph are indexed, and its record says so
  retrieval::IndexTermsReport report_;   // of batches that were applied
  retrieval::IndexTermsReport pending_;  // of the batch completed last
  Sequence completed_at_ = 0;
};

// Adds the terms of the texts that the batch changes, where the graph has terms or no text yet.
Status KeepTerms(Workspace& workspace, WriteBatch& batch);

// Notes "12 facts have a text that is newer than the index ..." when there are any.
void NoteNotIndexed(Workspace& workspace, const Request& request,
                    const retrieval::NotIndexed& count);
// What to do where there are no terms.
std::string NoTermsYet(const Workspace& workspace, const Request& request);

// "texts", "changed", "linked", "unlinked", as members.
void WriteTermFields(ReplyWriter& json, const retrieval::IndexTermsReport& report);
std::string ShownTerms(const retrieval::IndexTermsReport& report);

}  // namespace plexus::tools
