// A writer: the next step, again while the other was faster; the purge of its victims, beside all.
#include <algorithm>
#include <chrono>
#include <thread>

#include "algorithms/retrieval/terms.h"
#include "tests/service/service.h"

namespace plexus::service_test {

bool Service::Apply(int writer, Step step) {
  Board& board = TheBoard();
  const auto w = static_cast<std::size_t>(writer);
  const std::vector<Op> ops = OpsOf(settings_, writer, step);
  const std::string who = "writer " + std::to_string(writer) + ", step " + std::to_string(step);
  const auto entered = Enter();
  if (step % 9 == 0) {  // expects what is not so: refused whole
    WriteBatch wrong(TimeOf(writer, step));
    wrong.RemoveNode(wrong.Node(PinnedKey(0)));
    wrong.ExpectI64(wrong.Node(WriterKey(writer)), wrong.ColumnNamed(kStepColumn),
                    static_cast<std::int64_t>(step) + 7);
    const auto refused = database_->graph().Apply(wrong);
    if (refused) Wrong(settings_, who, "a batch whose expectation does not hold was applied");
    if (!refused && refused.error().code != ErrorCode::kConflict)
      return Expected(who, refused.error()) && false;
    ++board.conflicts;
  }
  const auto due = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto too_long = [&] { return std::chrono::steady_clock::now() > due; };
  while (!Ends()) {
    const Since since;
    const Snapshot snapshot = database_->snapshot();
    WriteBatch batch(TimeOf(writer, step));
    Status filled = Fill(snapshot, writer, step, ops, batch);
    if (filled) {
      const auto terms = retrieval::AddTerms(snapshot, retrieval::TermOptions(), batch);
      if (!terms) filled = std::unexpected(terms.error());
    }
    if (!filled) {
      // Texts cannot be read in the moment in which a purge renews the files.
      if (filled.error().code == ErrorCode::kFailedPrecondition && !closing_ && since.Purged() &&
          !too_long()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      return Expected(who, filled.error()) && false;
    }
    ApplyOptions options;
    options.durability = step % 8 == 3   ? Durability::kNone
                         : step % 8 == 5 ? Durability::kBuffered
                                         : Durability::kSync;
    const auto before = std::chrono::steady_clock::now();
    const auto applied = database_->graph().Apply(batch, options);
    const auto us =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                       std::chrono::steady_clock::now() - before)
                                       .count());
    for (std::uint64_t seen = board.slowest_apply_us;
         seen < us && !board.slowest_apply_us.compare_exchange_weak(seen, us);) {
    }
    if (!applied && applied.error().code == ErrorCode::kConflict && !too_long()) {
      ++board.retries;
      continue;
    }
    if (!applied) return Expected(who, applied.error()) && false;
    board.sequences[w][step] = applied->sequence;
    board.applied[w] = step;
    if (options.durability != Durability::kNone) board.acked[w] = step;
    return true;
  }
  return false;
}

bool Service::Purge(int writer, Step step) {
  Board& board = TheBoard();
  const auto w = static_cast<std::size_t>(writer);
  const std::string who =
      "purge of writer " + std::to_string(writer) + " after step " + std::to_string(step);
  const std::vector<std::string> keys = VictimsOf(writer, step);
  const auto alone = EnterAlone();
  ++board.purges_begun;
  Status done;
  const auto due = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  do {  // beside another writer it may be told to come again: nothing was rewritten
    if (HardAfter(step)) {
      std::vector<NodeId> nodes;
      const Snapshot snapshot = database_->snapshot();
      for (const std::string& key : keys)
        if (const auto node = snapshot.Find(key)) nodes.push_back(*node);
      done = database_->HardPurge(nodes);
    } else {
      const std::vector<std::string_view> views(keys.begin(), keys.end());
      const auto purged = database_->Purge(views, TimeOf(writer, step));
      done = purged ? Status() : Status(std::unexpected(purged.error()));
    }
  } while (!done && done.error().code == ErrorCode::kFailedPrecondition && !closing_ && !Ends() &&
           std::chrono::steady_clock::now() < due);
  ++(HardAfter(step) ? board.hard_purges : board.purges);
  if (!done) return Expected(who, done.error()) && false;
  board.purged[w] = step;
  // The other one's may still run: the counts agree when none does.
  ++board.purges_ended;
  return true;
}

void Service::Write(int writer) {
  const auto w = static_cast<std::size_t>(writer);
  Step step = base_.world().steps[w];
  bool purged = base_.world().purged[w] >= step;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t n = 1; !Ends(); ++n) {
    if (PurgesAfter(step) && !purged && !Purge(writer, step)) return;
    if (!Apply(writer, step + 1)) return;
    ++step;
    purged = false;
    if (settings_.rate > 0)
      std::this_thread::sleep_until(
          start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                      std::chrono::duration<double>(static_cast<double>(n) / settings_.rate)));
  }
}

}  // namespace plexus::service_test
