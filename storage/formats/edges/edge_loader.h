// Edges into a graph, at once: parsed a single time, collected, then loaded.
//
// The pipeline reads and parses as always, but pieces hold arrays of edges
// (EdgeLoadParser of edge lists, CsvEdgeParser of tables, JsonEdgeParser of JSON lines), and in the
// place of the graph EdgeCollector takes them in file order. It gives keys their ids by first
// appearance (piece_edges.h). Nothing is applied before the last line was read, so an error, or
// anything that this way does not cover, leaves the graph as it was; then the general way begins
// from the start. Internal to storage/formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/types.h"
#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats::internal {

// Gives the pieces `edges` instead of a batch.
class EdgeLoadParser final : public RecordParser {
 public:
  // `numbers`: as PieceCollector::numbers.
  explicit EdgeLoadParser(std::uint32_t numbers) : numbers_(numbers) {}
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;

 private:
  std::uint32_t numbers_;
};

// Ids of keys of at most 16 bytes that were named lately, found with one look at memory where the
// table of all keys takes three.
// A key has two slots next to each other; a new one takes the first, and what was there the second.
// Keys have no NUL, so padding with it keeps them apart.
class ShortKeys {
 public:
  static constexpr std::size_t kMostBytes = 16;

  void Prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[SlotOf(hash)]); }
  // Where the id of a key lies; kNoNode: it is to be put there. 8 bytes at `text` can be read.
  NodeId& Find(std::string_view text, std::uint64_t hash) {
    const std::uint64_t first = Word(text.substr(0, 8)),
                        second = text.size() > 8 ? Tail(text.substr(8)) : 0;
    const auto is = [&](const Slot& slot) { return slot.first == first && slot.second == second; };
    const std::size_t at = SlotOf(hash);
    Slot &slot = slots_[at], &other = slots_[at ^ 1];
    if (is(slot)) return slot.id;
    const Slot found = is(other) ? other : Slot{first, second, kNoNode};
    other = slot;
    slot = found;
    return slot.id;
  }
  // Makes room for so many keys, up to a bound; forgets them when it does.
  void Reserve(std::size_t keys) {
    if (2 * keys <= slots_.size() || slots_.size() == kMostSlots) return;
    slots_.assign(std::min(kMostSlots, 4 * slots_.size()), {});
    while (2 * keys > slots_.size() && slots_.size() < kMostSlots) slots_.resize(2 * slots_.size());
  }

 private:
  static constexpr std::size_t kMostSlots = std::size_t{1} << 21;  // 48 MiB
  struct Slot {
    std::uint64_t first = 0, second = 0;
    NodeId id = kNoNode;
  };
  static std::uint64_t Tail(std::string_view text) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), text.size());
    return word;
  }
  std::size_t SlotOf(std::uint64_t hash) const { return hash & (slots_.size() - 1); }

  std::vector<Slot> slots_ = std::vector<Slot>(4096);
};

class EdgeCollector final : public PieceCollector {
 public:
  // For files of `text_bytes` in all, into the graph `before`.
  EdgeCollector(const ImportOptions& options, std::uint64_t text_bytes, const Snapshot& before);

  std::uint32_t numbers() const override { return numbers_; }
  // The pieces from here on are of `file`, which must stay.
  void BeginFile(const std::string& file) { file_ = &file; }
  // The edges of the next piece in file order. kResourceExhausted: the files hold more than can be
  // loaded at once. An error of the scratch, where what passes the memory is kept.
  Status Take(Piece& piece) override;
  std::size_t batch_count() const { return load_.batches.size(); }
  std::uint64_t edge_count() const { return edges_; }
  // Where a batch began.
  const std::string& file(std::size_t batch) const { return *origins_[batch].file; }
  std::uint64_t line(std::size_t batch) const { return origins_[batch].line; }
  // What to say when batches must do, as a limit was passed; "": it was another reason.
  std::string WhyInBatches(const Result<ApplyReport>& loaded) const;
  const TouchedNodes& touched() const { return touched_; }
  // Frees all that is not asked for above.
  EdgeLoad Finish();
  // The error of the load with where the scratch is.
  Error WhyNot(Error error) const {
    if (error.code == ErrorCode::kCorruption) error.message = folder_ + ": " + error.message;
    return error;
  }

 private:
  NodeId Insert(std::string_view key, std::uint64_t hash);
  NodeId IdOfNumber(std::uint32_t number);
  NodeId IdOfName(const PieceEdges::Name& name);
  void Prefetch(const PieceEdges::Name& name) const;
  Status TakeKinds(PieceEdges& edges);
  void TakeLabels(PieceEdges& edges);
  Status CheckLimits(const LoadBatch& batch);
  Status StoreWhatPasses();

  TouchedNodes touched_;
  // Numbers take half of the bytes that the files have, and a quarter of the memory, at most.
  std::uint32_t numbers_;
  std::uint64_t edges_ = 0, arcs_ = 0;  // an edge of a symmetric kind is two arcs
  std::uint64_t bytes_ = 0;             // of arrays
  bool stores_ = false;
  int values_ = 0;                   // 1: some edges have weights or kinds; 2: labels or times
  std::string_view too_large_ = {};  // of what there is too much
  struct Origin {
    const std::string* file;
    std::uint64_t line;
  };
  std::vector<Origin> origins_;  // by batch
  const std::string* file_ = nullptr;
  std::string folder_;  // of the scratch
  Schema schema_;       // with the kinds so far
  EdgeLoad load_;
  ShortKeys short_keys_;
  std::vector<NodeId> of_number_;  // kNoNode: not named yet
  std::vector<NodeId> of_name_;    // of the piece at hand
};

}  // namespace plexus::formats::internal
