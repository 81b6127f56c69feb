// The wall of a scope: the part of a graph that some scopes may see, as a graph in RAM of its own.
//
// Operations ask `graph()`, which holds what ScopeSight sees and nothing else: no key, count,
// document frequency, sequence or time of another scope is in it, so no operation can show one, and
// none needs to know of the wall. What is written to it goes to the whole graph first
// (scoped_journal.h), and is refused where it would touch what is not seen.
//
// Refresh copies what the whole graph has that is new to the scopes: O(the scopes' part), when the
// whole graph has moved. It makes a new copy when the records of the old one take more than twice
// what they began with, and 4 MiB. Sequence numbers count changes of the part. Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/parallel.h"
#include "tools/operations/scope/scope_sight.h"
#include "tools/operations/scope/scoped_journal.h"

namespace plexus::tools {

class ScopedGraph {
 public:
  // `whole` must outlive it. What is new gets the first of `scopes`. Errors: those of Refresh.
  static Result<std::unique_ptr<ScopedGraph>> Make(Graph& whole, std::vector<std::string> scopes,
                                                   Executor& executor);
  // As it was at the last Refresh, and what was written to it since.
  Graph& graph() { return *part_; }
  // kCorruption, kResourceExhausted: what the whole graph holds cannot be read.
  Status Refresh();

 private:
  ScopedGraph(Graph& whole, std::vector<std::string> scopes, Executor& executor);
  Status Begin(Sequence sequence);
  Status Define(const Snapshot& from, const std::vector<Seen>& seen);
  Status Copy(const Snapshot& from, const std::vector<Seen>& seen);
  Status CopyEdges(const Snapshot& from, const std::vector<Seen>& seen,
                   const std::vector<NodeRef>& refs, WriteBatch& batch);
  Status CopyRecord(const Snapshot& from, const Snapshot& part, std::string_view name,
                    WriteBatch& batch);
  void DropUnseen(const Snapshot& from, const std::vector<Seen>& seen, const Snapshot& part,
                  WriteBatch& batch);

  Graph& whole_;
  std::vector<std::string> scopes_;
  Executor& executor_;
  std::shared_ptr<ScopedJournal> journal_;
  std::unique_ptr<Graph> part_;
  std::optional<Sequence> copied_;                 // of the whole graph
  std::uint64_t begun_bytes_ = 0;                  // of the part when it was made
  std::vector<PayloadRef> refs_[kNodeFieldCount];  // by its nodes: what was copied of them
};

}  // namespace plexus::tools
