// ForgottenNodes: the nodes and the interned strings that a rewrite of the log leaves out, and
// states without them.
//
// Node ids are permanent, so a forgotten node stays as a dead, purged one under a placeholder
// key, of the kind that it was born with: what a replay of the rewritten log makes of it. So are
// ids of strings: another text has the place of a forgotten one. Not thread-safe while births are
// noted. Internal.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/state.h"

namespace plexus::storage_internal {

// Nothing of the node is left but its id: a purge of words or a hard purge has rewritten the log,
// or its key was forgotten besides. A purged node without edges that a user gave such a key
// counts, too: there is nothing more to take from it.
bool IsForgotten(const Snapshot& now, NodeId node);

// What has the place of a forgotten string. It ends in a NUL, which no writer's text has, so that
// it equals no string that comes later, in a replica that is behind neither.
std::string StringPlaceholder(StringId id);
// fn(id) of each forgotten string, ascending. O(strings).
template <class Fn>
void ForEachForgottenString(const StringTable::View& strings, Fn&& fn) {
  StringTable::Cursor texts(strings);
  for (StringId id = 0; id < strings.size(); ++id)
    if (const std::string_view text = texts[id];
        text.ends_with('\0') && text == StringPlaceholder(id))
      fn(id);
}

class ForgottenNodes {
 public:
  // Placeholder keys are none of `now`, which must outlive this.
  ForgottenNodes(const std::set<NodeId>& nodes, const Snapshot& now);

  // By id; none are forgotten before.
  void TakeStrings(std::vector<bool> strings);
  bool empty() const { return list_.empty() && strings_.empty(); }
  bool contains(NodeId node) const { return node < marks_.size() && marks_[node]; }
  const std::vector<NodeId>& list() const { return list_; }  // ascending
  // Of a forgotten node, as the log or the history floor has it: before Without is called.
  void NoteBirth(NodeId node, KindId kind) { births_[node] = kind; }
  std::string Placeholder(NodeId node, KindId kind) const;
  bool has_string(StringId id) const { return id < strings_.size() && strings_[id]; }

  // `state` with nothing of the nodes and strings left but their ids, compacted: equal to the state
  // that a replay without them makes. Shares what does not change with `state`. O(nodes) for
  // the keys, O(strings), and O(arcs) when there are runs or arcs to drop.
  Result<GraphState> Without(const GraphState& state, Executor& executor) const;

 private:
  Status DropEdges(GraphState& state, Executor& executor) const;
  StringTable::View Blanked(const StringTable::View& strings) const;

  const Snapshot& now_;
  std::vector<NodeId> list_;
  std::vector<bool> marks_, strings_;  // by id
  std::map<NodeId, KindId> births_;
};

}  // namespace plexus::storage_internal
