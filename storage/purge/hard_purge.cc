// Hard purge: the log rewritten into a new generation, as if some nodes had never had any content.
// A soft purge does so with the terms and tags that only purged nodes had.
//
// Node ids are permanent, so a hard-purged node stays as a dead node under a
// placeholder key; its edges, columns, payloads and vectors, and those of the events
// it was a member of and of their outcomes, and the terms that no other node is known to have had,
// are left out of every record (log_rewriter.h). Interned strings that nothing else refers to are
// placeholders, too. The new generation is complete and synced before
// the anchor switches to it; a crash before that leaves the old one, after it the old one is
// deleted at the next open. The graph continues from the state that the new generation's checkpoint
// was written from.
#include <optional>
#include <set>
#include <utility>

#include <rocksdb/convenience.h>

#include "engine/arrays/freed_memory.h"
#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/purge/log_rewriter.h"
#include "storage/purge/orphan_terms.h"

namespace plexus {

using namespace storage_internal;

Status Database::HardPurge(std::span<const NodeId> nodes, Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Writable());
  const ReturnFreedMemoryAtEnd freed(d.options.graph.return_freed_memory);
  LogScope log(d.options.graph.on_log, "hard_purge");
  const Snapshot now = snapshot();
  for (NodeId node : nodes)
    if (node >= now.node_count()) return NotFound("there is no node ", node);
  // The soft purge first: it removes the nodes from the live graph with all checks,
  // and erases what payloads they still have.
  WriteBatch batch(now.time_ms());
  for (NodeId node : nodes)
    if (now.alive(node)) batch.PurgeNode(NodeRef::Id(node));
  for (const NodeId term : OrphanTerms(now, std::set<NodeId>(nodes.begin(), nodes.end())))
    batch.RemoveNode(NodeRef::Id(term));
  if (!batch.empty()) PLEXUS_TRY(graph().Apply(batch));
  const MutexLock guard(d.maintenance);
  PLEXUS_TRY(d.Writable());
  PLEXUS_TRY(d.journal->FlushBulk());
  PLEXUS_TRY(d.ScrubNow(progress));  // writers do not wait for this yet
  PLEXUS_TRY(d.RewriteWithout(std::set<NodeId>(nodes.begin(), nodes.end()), progress));
  return log.Done(d.CheckpointNow(progress));
}
PLEXUS_CATCH_NO_MEMORY

// The new generation, in force; nothing when there is nothing to leave out. `switched`: the old one
// is history, also where an error comes after.
Result<std::optional<Graph::Renewal>> Database::Impl::MakeGeneration(const std::set<NodeId>& nodes,
                                                                     Rewrite rewrite,
                                                                     Progress* progress,
                                                                     bool& switched) {
  PLEXUS_TRY(journal->FlushBulk());
  PLEXUS_TRY(journal->WaitDurable(journal->position().sequence));
  PLEXUS_TRY(ScrubNow(progress));  // of purges that came since
  const Snapshot now = graph->snapshot();
  for (const NodeId node : nodes)
    if (now.alive(node) && rewrite == Rewrite::kWithWhatRefers)
      return Fail(ErrorCode::kConflict,
                  "node '" + std::string(now.key(node)) + "' was made again while it was purged");
  std::set<NodeId> words;
  if (words_wait) PLEXUS_SET(words, FindPurgedWords());
  LogRewriter rewriter(*this, now);
  if (rewrite == Rewrite::kToForget)
    rewriter.ChooseOnly(to_forget.nodes, to_forget.strings);
  else
    PLEXUS_TRY(rewriter.Choose(nodes, words));
  if (rewriter.empty()) {
    words_wait = false;
    PLEXUS_TRY(DropScrubMarks());
    return std::nullopt;
  }
  Anchor next = anchor;
  ++next.generation;
  PLEXUS_ASSIGN(const LogRewriter::Written written,
                rewriter.Write(GenerationPath(directory, next.generation), progress));
  next.sequence = written.end.sequence;
  next.log_hash = written.end.hash;
  next.checkpoint_id = written.checkpoint.id;
  next.checkpoint_sequence = written.checkpoint.sequence;
  next.checkpoint_digest = written.checkpoint.digest;
  FailPoint(options.hooks, "hard_purge.before_switch");
  const MutexLock erasing(erase_mutex);
  const MutexLock renewing(renewal);
  switched = true;
  // Payloads are read from the old files until the new ones are open.
  const auto old = std::exchange(rocks, nullptr);
  const auto finish = [&]() -> Status {
    maintenance.AssertHeld();
    PLEXUS_TRY(journal->Close());
    store->NoteTrim(floor().sequence);  // the new generation has what the present needs
    rocksdb::CancelAllBackgroundWork(old->db(), true);  // it does not write where files are removed
    PLEXUS_TRY(WriteAnchor(directory, next, *files));
    anchor = next;
    NoteAnchor();
    FailPoint(options.hooks, "hard_purge.switched");
    Loaded loaded;
    loaded.state = written.state;
    loaded.point = written.end;
    loaded.checkpoint_sequence = written.checkpoint.sequence;
    loaded.checkpoint_bytes = written.checkpoint.total_bytes();
    {
      MutexLock purge_guard(purge_mutex);
      std::erase_if(purged, [&](const auto& purge) { return rewriter.Gone(purge.first); });
      to_scrub.clear();
    }
    PLEXUS_TRY(AttachWriter(loaded));
    store->ForgetCache();
    MutexLock past_guard(past_mutex);
    past.clear();
    words_wait = false;
    words_found_at = kNever;
    return {};
  };
  const Status finished = OrNoMemory(finish);
  if (!finished) GiveUp();
  (void)old->Close();  // what it could not write any more is history
  PLEXUS_TRY(finished);
  return Graph::Renewal{Snapshot(written.state), journal};
}

// Nothing more can be done with this object: closing would mark the new generation with the old
// one's end.
void Database::Impl::GiveUp() {
  closed = true;
  (void)journal->Close();
  store->Attach(nullptr);
  if (rocks) (void)rocks->Close();
  rocks.reset();
  lock.Release();
}

Status Database::Impl::RewriteWithout(const std::set<NodeId>& nodes, Progress* progress,
                                      Rewrite rewrite) {
  bool switched = false;
  Status status = OrNoMemory([&] {
    return graph->Renew([&] {
      maintenance.AssertHeld();
      return MakeGeneration(nodes, rewrite, progress, switched);
    });
  });
  if (status) shown_generation = anchor.generation;
  if (!status && switched && rocks) {  // no memory to install the state
    const MutexLock erasing(erase_mutex);
    const MutexLock renewing(renewal);
    GiveUp();
  }
  return status;
}

}  // namespace plexus
