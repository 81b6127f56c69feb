// The replica begins with the log, or above a history floor with a view's state.
#include "bench/soak/replica.h"

#include "bench/soak/board.h"
#include "engine/state.h"

namespace plexus::bench::soak {

GraphOptions BusyGraph() {
  GraphOptions options;
  options.maintenance = Maintenance::kBackground;
  options.delta_soft_arcs = 1 << 16;
  return options;
}

bool Replica::Begin(Database& source) {
  ++TheBoard().feed_restarts;
  graph_.reset();
  view_.reset();
  no_texts_ = false;
  if (const auto all = source.ChangesSince(0, {.max_records = 1})) {
    generation_ = all->generation;
    graph_ = Graph::InMemory(BusyGraph());
    return true;
  } else if (all.error().code != ErrorCode::kFailedPrecondition) {
    return Wrong(who_ + ": " + all.error().ToString());
  }
  OpenOptions options;
  options.read_only = true;
  auto view = Database::Open(settings_.database(), options);
  if (!view) return Wrong(who_ + ", beginning with a view: " + view.error().ToString());
  const Snapshot snapshot = (*view)->snapshot();
  const auto none = (*view)->ChangesSince(snapshot.sequence());
  if (!none) return Wrong(who_ + ": " + none.error().ToString());
  generation_ = none->generation;
  view_ = *std::move(view);
  graph_ = Graph::Open(snapshot, nullptr, BusyGraph());
  no_texts_ = true;  // nobody keeps those of the records to come
  return true;
}

void Replica::Pull(Database& source) {
  for (bool more = true; more;) {
    if (!graph_ && !Begin(source)) return;
    const Sequence known = source.snapshot().sequence();
    const auto changes = Time(Timed::kPull, [&] {
      return source.ChangesSince(graph_->snapshot().sequence(), {.max_records = 256});
    });
    if (!changes && changes.error().code == ErrorCode::kFailedPrecondition) {  // trimmed
      graph_.reset();
      continue;
    }
    // It may have begun with a newer view than `source` is, or with what its writer just syncs.
    if (!changes && changes.error().code == ErrorCode::kNotFound && view_ &&
        graph_->snapshot().sequence() > known)
      return;
    if (!changes) {
      Wrong(who_ + ": " + changes.error().ToString());
      return;
    }
    if (changes->generation != generation_) {  // the log was rewritten
      graph_.reset();
      continue;
    }
    if (const Status replayed = graph_->Replay(changes->records); !replayed) {
      Wrong(who_ + ": " + replayed.error().ToString());
      graph_.reset();
      return;
    }
    TheBoard().feed_records += changes->records.size();
    more = changes->has_more;
  }
}

void Replica::Check() {
  if (!graph_) return;
  const Snapshot snapshot = graph_->snapshot();
  Allowed allowed;
  allowed.no_texts = no_texts_;
  if (!checker_.Look(snapshot, allowed)) return;
  // A feed may leave out what a purge that comes next has erased already.
  if (!checker_.model().purged()) return;
  if (++rounds_ % 25 == 0)
    checker_.Full(snapshot, allowed);
  else
    checker_.Ask(snapshot, allowed);
}

}  // namespace plexus::bench::soak
