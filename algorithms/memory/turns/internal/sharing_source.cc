// Sharing: turns of one file or inscription whose vectors are near.
//
// A turn meets the `window` turns before it, so a group of n turns has at most n * window pairs,
// and a turn that comes last changes no pair of the others.
#include <algorithm>
#include <atomic>
#include <string_view>
#include <unordered_map>

#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/turns/internal/sources.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/vectors/vector_view.h"

namespace plexus::memory::internal {
namespace {

// What a turn does with a file.
enum Use : std::uint8_t { kReads = 1, kWrites = 2, kUnread = 128 };

class Sharing {
 public:
  Sharing(EdgeWriter& writer, const NodeSubset& turns)
      : writer_(writer),
        snapshot_(writer.snapshot()),
        recipe_(writer.recipe()),
        groups_(ReadTurnGroups(snapshot_, recipe_.groups, turns, false, writer.executor())),
        touched_(snapshot_, recipe_, writer.options()) {}

  Status Run() {
    space_ = snapshot_.space(writer_.options().space);
    if (touched_.any()) {  // values are read for the first measurement
      PLEXUS_ASSIGN(space_, snapshot_.vectors(writer_.options().space));
    }
    if (!touched_.all()) CountLabels();
    if (recipe_.direction == PairDirection::kReaderToWriter)
      uses_ = std::vector<std::atomic<std::uint8_t>>(groups_.turns.size());
    for (auto& use : uses_) use.store(kUnread, std::memory_order_relaxed);
    writer_.Expect(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (touched_.group(groups_, g)) {
        PLEXUS_TRY(TakeGroup(static_cast<std::uint32_t>(g)));
      } else {
        CountGroup(g);
      }
      writer_.Done(1);
      if (writer_.report().truncated || (g % kLook == 0 && writer_.Stopped())) return {};
    }
    return Flush();
  }

 private:
  struct Pair {
    std::uint64_t first, second;  // places in groups_.turns, `second` is the later turn
    std::uint32_t group;
    double cosine = 0;
  };

  bool Has(NodeId turn) const { return space_->has(turn); }
  std::size_t Window(std::size_t members) const { return std::min(recipe_.window, members); }

  void CountCapped(std::size_t members) {
    const std::uint64_t n = members, w = Window(members);
    if (n > w) writer_.report().capped += (n - w) * (n - w - 1) / 2;
  }

  Status TakeGroup(std::uint32_t g) {
    ++writer_.report().groups;
    const std::span turns = groups_[g];
    CountCapped(turns.size());
    for (std::size_t i = 1; i < turns.size(); ++i) {
      for (std::size_t j = i - Window(i); j < i; ++j) {
        if (!Has(turns[i]) || !Has(turns[j])) {
          ++writer_.report().skipped;
          continue;
        }
        pairs_.push_back({groups_.begins[g] + j, groups_.begins[g] + i, g});
      }
      if (pairs_.size() < kPiece) continue;
      PLEXUS_TRY(Flush());
      if (writer_.Stopped()) return {};
    }
    return {};
  }

  // Of a group that nothing touched: its stored edges, and the rest of its pairs.
  void CountGroup(std::size_t g) {
    const std::span turns = groups_[g];
    CountCapped(turns.size());
    std::uint64_t pairs = 0, lack = 0;
    std::size_t without = 0;  // in the window
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const std::size_t window = Window(i);
      pairs += window;
      lack += Has(turns[i]) ? without : window;
      without += !Has(turns[i]);
      if (i >= recipe_.window) without -= !Has(turns[i - recipe_.window]);
    }
    const auto at = stored_.find(DisplayName(snapshot_.key(groups_.nodes[g])));
    const std::uint64_t same = at == stored_.end() ? 0 : at->second;
    BuildReport& report = writer_.report();
    report.same += same;
    report.skipped += lack;
    report.dropped += pairs - lack > same ? pairs - lack - same : 0;
  }

  void CountLabels() {
    snapshot_.ForEachEdge(ArcFilter::Kind(snapshot_.schema(), recipe_.kind),
                          [&](const Edge& edge) { ++stored_[snapshot_.string(edge.label)]; });
  }

  Status Flush() {
    ParallelFor(writer_.executor(), pairs_.size(), 1024,
                [&](std::size_t begin, std::size_t end) { MeasurePairs(begin, end); });
    writer_.report().dropped += static_cast<std::uint64_t>(
        std::erase_if(pairs_, [&](const Pair& pair) { return !(pair.cosine > recipe_.above); }));
    if (!uses_.empty()) PLEXUS_TRY(ReadUses());
    for (const Pair& pair : pairs_) edges_.push_back(EdgeOf(pair));
    pairs_.clear();
    return writer_.Add(edges_);
  }

  // The pairs of a turn stand together.
  void MeasurePairs(std::size_t begin, std::size_t end) {
    VectorBuffer own;
    std::vector<VectorBuffer> buffers;  // of the rows
    std::vector<std::span<const float>> rows;
    std::vector<double> cosines;
    for (std::size_t i = begin; i < end; i += rows.size()) {
      rows.clear();
      const std::uint64_t turn = pairs_[i].second;
      for (std::size_t at = i; at < end && pairs_[at].second == turn; ++at) {
        if (buffers.size() == rows.size()) buffers.emplace_back();
        rows.push_back(space_->vector(groups_.turns[pairs_[at].first], buffers[rows.size()]));
      }
      cosines.resize(rows.size());
      retrieval::Cosines(space_->vector(groups_.turns[turn], own), rows, cosines);
      for (std::size_t at = 0; at < rows.size(); ++at) pairs_[i + at].cosine = cosines[at];
    }
  }

  BuiltEdge EdgeOf(const Pair& pair) const {
    std::uint64_t from = pair.second, to = pair.first;
    if (!uses_.empty()) {
      // Reader to writer; the later one first where both ways are right, or none.
      const auto fits = [&](std::uint64_t reader, std::uint64_t writer) {
        return (uses_[reader] & kReads) && (uses_[writer] & kWrites);
      };
      if (fits(to, from) && !fits(from, to)) std::swap(from, to);
    } else if (recipe_.direction == PairDirection::kForward) {
      std::swap(from, to);
    }
    return {groups_.turns[from],
            groups_.turns[to],
            static_cast<float>(pair.cosine),
            DisplayName(snapshot_.key(groups_.nodes[pair.group])),
            {}};
  }

  // What the turns of pairs do with the file, each read once.
  Status ReadUses() {
    FirstError error;
    ParallelFor(writer_.executor(), pairs_.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (const std::uint64_t place : {pairs_[i].first, pairs_[i].second}) {
          if (uses_[place].load(std::memory_order_relaxed) != kUnread) continue;
          const Result<std::uint8_t> use =
              UseOf(groups_.turns[place], groups_.nodes[pairs_[i].group]);
          if (!use) return error.Note(i, use.error());
          uses_[place].store(*use, std::memory_order_relaxed);
        }
    });
    return error.Take();
  }

  Result<std::uint8_t> UseOf(NodeId turn, NodeId file) const {
    std::uint8_t use = 0;
    const auto add = [&](std::string_view operation) {
      if (operation == "read") use |= kReads;
      if (operation == "write") use |= kWrites;
    };
    for (const std::string_view label : {"", "read", "write"}) {
      const auto id = label.empty() ? StringId{0} : snapshot_.FindString(label);
      if (!id) continue;
      const auto edge = snapshot_.FindEdge(turn, recipe_.groups, file, *id);
      if (!edge) continue;
      add(label);
      if (!edge->properties) continue;
      PLEXUS_ASSIGN(const PropertyMap map, StoredProperties(snapshot_, edge->properties));
      add(TextOf(map.root(), "operation"));
    }
    return use;
  }

  EdgeWriter& writer_;
  const Snapshot& snapshot_;
  const EdgeRecipe& recipe_;
  const TurnGroups groups_;
  const TouchedNodes touched_;
  const VectorView* space_ = nullptr;
  std::unordered_map<std::string_view, std::uint64_t> stored_;  // edges by label
  std::vector<std::atomic<std::uint8_t>> uses_;                 // by place; else empty
  std::vector<Pair> pairs_;
  std::vector<BuiltEdge> edges_;
};

}  // namespace

Status BuildSharing(EdgeWriter& writer, const NodeSubset& turns) {
  return Sharing(writer, turns).Run();
}

}  // namespace plexus::memory::internal
