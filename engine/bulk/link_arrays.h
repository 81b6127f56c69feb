// LinkArrays: batches that only link, as the arrays of one load. Internal to the library.
//
// A load of them comes to the same as applying them in this order (edge_load.h). Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus {

class LinkArrays {
 public:
  // Whether a batch for `start` holds nothing but links of that plane, of kinds that `start` knows:
  // in the index plane each with a weight, in the fact plane with weights, labels and created_at at
  // most. None brings back what was removed. Whether the graph takes an edge does not depend on
  // edges before it then. O(batch).
  static bool Takes(const Snapshot& start, Plane plane, const WriteBatch& batch);

  LinkArrays(Snapshot start, Plane plane);
  // REQUIRES Takes(start, plane, batch), and one time for all.
  void Take(const WriteBatch& batch);
  // What was taken.
  std::vector<LoadBatch>& batches() { return load_.batches; }
  EdgeLoad Finish();

 private:
  KindId KindOfKey(std::string_view key);
  NodeId IdOf(NodeRef ref) const { return ref.local() ? ids_[ref.index()] : ref.index(); }

  const Snapshot start_;
  EdgeLoad load_;
  std::vector<KindId> node_kinds_;  // of new index nodes
  std::vector<NodeId> ids_;         // of the batch at hand
  std::string last_name_;           // a kind of index nodes
  KindId last_kind_;
};

}  // namespace plexus
