// LogRewriter: log, payloads and checkpoints of a new generation, without some nodes and strings.
//
// Nothing is held but one record at a time and the states in RAM. Payloads are not read: their
// sorted files become the new generation's as hard links, and what the forgotten nodes had is
// erased there. A record that says nothing of these is copied with a new running hash; the
// others are decoded, cleaned and encoded. The present state is not replayed but made from the
// one in RAM (forgotten_nodes.h), and written as a checkpoint. Internal.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "storage/checkpoint/checkpoint.h"
#include "storage/database_impl.h"
#include "storage/purge/forgotten_nodes.h"

namespace plexus::storage_internal {

class LogRewriter {
 public:
  // `now` is the state at the log's end. REQUIRES `maintenance` held, and no appends meanwhile.
  LogRewriter(Database::Impl& db, const Snapshot& now) : db_(db), now_(now) {}

  // `nodes`, events that ever had one of them as a member and outcomes of those, terms that no
  // other node is known to have had, and `words`. With `nodes`, strings that nothing else refers
  // to: not in a replica, whose next records may refer to them. O(log).
  Status Choose(const std::set<NodeId>& nodes, const std::set<NodeId>& words);
  // These and no others: those that the source of a replica has chosen.
  void ChooseOnly(const std::set<NodeId>& nodes, const std::vector<bool>& strings) {
    gone_.emplace(nodes, now_).TakeStrings(strings);
  }
  bool empty() const { return gone_->empty(); }
  bool Gone(NodeId node) const { return gone_->contains(node); }

  struct Written {
    LogPoint end;
    Manifest checkpoint;  // of the present
    std::shared_ptr<const FrozenState> state;
  };
  // Makes the generation at `path` (absent), closed and complete on disk on return.
  Result<Written> Write(const std::string& path, Progress* progress);

 private:
  template <class Fn>
  Status ForEachEdge(Fn&& fn);
  Result<const GraphState*> Floor();
  Status ChooseStrings();
  bool Touches(const Record& record) const;
  void Clean(DecodedRecord& decoded);
  Result<std::shared_ptr<Rocks>> Import(const std::string& path);
  Status WriteFloor(const std::shared_ptr<Rocks>& to, Progress* progress);
  Result<LogPoint> CopyLog(const std::shared_ptr<Rocks>& to, Progress* progress);
  Status Erase(const std::shared_ptr<Rocks>& to);
  Status CopyPurges(const std::shared_ptr<Rocks>& to);

  Database::Impl& db_;
  const Snapshot& now_;
  std::optional<ForgottenNodes> gone_;
  std::shared_ptr<const FrozenState> floor_;  // once it is needed
  std::vector<PayloadRef> dropped_;          // of forgotten nodes
};

}  // namespace plexus::storage_internal
