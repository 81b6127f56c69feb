// LinkWriter: batches one by one, loaded at once where they only link and are many.
//
// An index that is made of all texts is a hundred batches and more that add nothing but edges to
// index nodes. Applied, each becomes a run, and runs are compacted into an ever larger base. Here
// they become arrays, and one Graph::Load (edge_load.h) comes to the same, to the bit: ids,
// records, history, answers. A batch that says more (other operations, unlinked edges, ends that
// were removed) is applied in its turn. Few links are applied as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/monitoring/progress.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus {

struct LinkWriterOptions {
  bool loads = true;  // false: every batch is applied
  // Loaded are so many links and more, from a tenth of the graph on.
  std::uint64_t least = 1 << 18;
  // Called before and after a load, as Database::BeginBulk and EndBulk are; may be empty.
  std::function<Status()> before = {}, after = {};
  Progress* progress = nullptr;  // of loads
  // As of an EdgeLoad.
  std::uint64_t memory = ~std::uint64_t{0};
  std::shared_ptr<LoadScratch> scratch = {};
};

// Not thread-safe. Other writers may come in between: what was made for the graph without them is
// kConflict, as the expectations of its batches say.
class LinkWriter {
 public:
  // For batches that are made for the graph as it is in `start`, in this order.
  LinkWriter(Graph& graph, const Snapshot& start, LinkWriterOptions options);
  ~LinkWriter();
  LinkWriter(const LinkWriter&) = delete;
  LinkWriter& operator=(const LinkWriter&) = delete;

  // Applies the batch, or keeps it. Errors: those of Graph::Apply and Graph::Load, of a batch that
  // was kept too: then what was kept is not in the graph, or whole batches of it are.
  Status Write(const WriteBatch& batch);
  // Brings what was kept into the graph. Errors: as Write.
  Status Finish();
  // What was kept cannot be loaded; applied it may go in. The graph is without it.
  bool refused() const { return refused_; }
  std::uint64_t loads() const { return loads_; }

 private:
  class Kept;
  bool Keeps(const WriteBatch& batch) const;
  Status Keep(const WriteBatch& batch);
  void Rebase();
  void Follow(Sequence sequence, Sequence most);
  Status Apply(const WriteBatch& batch);
  Status Load();
  Status Flush();

  Graph& graph_;
  LinkWriterOptions options_;
  Snapshot start_;                   // the graph as kept links find it
  Sequence at_;                      // the graph's, as long as no other writer comes in between
  std::uint64_t many_;               // from so many links on they are loaded
  std::vector<WriteBatch> waiting_;  // while they are few
  std::uint64_t waiting_links_ = 0;
  std::int64_t time_ms_ = kNoTime;  // of what is kept
  std::unique_ptr<Kept> kept_;
  bool refused_ = false;
  std::uint64_t loads_ = 0;
};

}  // namespace plexus
