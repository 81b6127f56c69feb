// Codes of keys, and the arrays of a piece's edges; see piece_edges.h.
#include "storage/formats/pipeline/piece_edges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/arrays/string_table.h"
#include "storage/formats/pipeline/restated_values.h"

namespace plexus::formats_internal {

namespace {

constexpr std::uint32_t kNoNumber = PieceEdges::kNamed;

// The number that a short token is, when it is spelled as std::to_chars does; else kNoNumber.
std::uint32_t NumberOf(std::string_view token, std::uint64_t word) {
  if (token.size() > 8 || (token[0] == '0' && token.size() > 1)) return kNoNumber;
  constexpr std::uint64_t kZeroes = 0x3030303030303030ull, kHighs = 0xF0F0F0F0F0F0F0F0ull;
  const int blank = 64 - 8 * static_cast<int>(token.size());
  std::uint64_t digits = word;  // eight, with zeroes in front
  if (blank > 0) digits = (word << blank) | (kZeroes >> (64 - blank));
  if ((digits & kHighs) != kZeroes || ((digits + 0x0606060606060606ull) & kHighs) != kZeroes)
    return kNoNumber;
  digits -= kZeroes;  // pairs, fours, all of them
  digits = digits * 10 + (digits >> 8);
  return static_cast<std::uint32_t>(
      ((digits & 0x000000FF000000FFull) * 0x000F424000000064ull +
       ((digits >> 16) & 0x000000FF000000FFull) * 0x0000271000000001ull) >>
      32);
}

// Names of a piece, by token; one a thread.
class NameCache {
 public:
  NameCache() : slots_(std::size_t{1} << kBits) {}
  void Reset() {
    if (++generation_ != 0) return;
    slots_.assign(slots_.size(), Slot{});
    generation_ = 1;
  }
  std::uint32_t Get(std::string_view token, std::uint64_t word, PieceEdges& edges) {
    std::uint64_t hash = word;
    if (token.size() > 8) hash = StringTable::Hash(token);
    Slot& slot = slots_[((hash ^ (hash >> 29)) * 0x9E3779B97F4A7C15ull) >> (64 - kBits)];
    if (slot.hash == hash && slot.generation == generation_ && edges.names[slot.name].text == token)
      return PieceEdges::kNamed | slot.name;
    slot = {hash, generation_, static_cast<std::uint32_t>(edges.names.size())};
    edges.names.push_back({token, StringTable::Hash(token)});
    return PieceEdges::kNamed | slot.name;
  }

 private:
  static constexpr int kBits = 16;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t generation = 0, name = 0;
  };
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;
};

}  // namespace

std::uint64_t EdgeHash(const Row& row, bool any_order) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15ull;
  const auto hash = [&](int end) {
    const std::uint64_t word =
        row.tokens[end].size() <= 8 ? row.words[end] : StringTable::Hash(row.tokens[end]);
    return (word ^ word >> 32) * kPrime;
  };
  std::uint64_t first = hash(0), second = hash(1);
  if (any_order && first > second) std::swap(first, second);
  return (first ^ first >> 29) * kPrime + second;
}

void NoteRestated(const Row& row, std::uint64_t before, std::string_view kind, Piece& piece) {
  ++piece.restated;
  const auto quoted = [](std::string_view key) {
    return "'" + std::string(key.substr(0, 80)) + "'";
  };
  WarnOfRestatedEdge(piece, before, row.line,
                     quoted(row.tokens[0]) + " " + std::string(kind) + " " + quoted(row.tokens[1]));
}

struct PieceEdgesWriter::Scratch {
  NameCache names;
  RestatedValues restated;
};

PieceEdgesWriter::PieceEdgesWriter(Piece& piece, std::size_t room, std::uint32_t numbers)
    : piece_(piece), room_(room), numbers_(numbers), pairs_(room) {
  static thread_local Scratch scratch;
  scratch_ = &scratch;
  scratch.names.Reset();
  scratch.restated.Reset();
  piece.edges = std::make_unique<PieceEdges>();
}

void PieceEdgesWriter::Add(const Row& row) {
  PieceEdges& edges = *piece_.edges;
  auto code = [&](std::string_view token, std::uint64_t word) {
    const std::uint32_t number = NumberOf(token, word);
    if (number >= numbers_) return scratch_->names.Get(token, word, edges);
    edges.largest = std::max(edges.largest, number);
    return number;
  };
  const std::uint32_t source = code(row.tokens[0], row.words[0]);
  const std::uint32_t target = code(row.tokens[1], row.words[1]);
  if (row.weighted && weights_.empty()) {
    weights_ = AlignedArray<float>(room_);
    std::fill_n(weights_.data(), count_, std::nanf(""));
  }
  const float weight = row.weighted ? row.weight + 0.0f : std::nanf("");  // -0 becomes 0
  if (row.weighted)
    if (const std::uint64_t before = scratch_->restated.Note(
            EdgeHash(row, false), std::bit_cast<std::uint32_t>(weight), row.line))
      NoteRestated(row, before, "link", piece_);
  if (!weights_.empty()) weights_[count_] = weight;
  pairs_[count_++] = {source, target};
}

void PieceEdgesWriter::Finish() {
  if (count_ < room_ / 2) {  // large arrays lie on huge pages: all of them are in memory
    pairs_ = AlignedArray<NodePair>(std::span<const NodePair>(pairs_.data(), count_));
    if (!weights_.empty())
      weights_ = AlignedArray<float>(std::span<const float>(weights_.data(), count_));
  }
  pairs_.Truncate(count_);
  weights_.Truncate(count_);
  piece_.edges->batch.edges = std::move(pairs_);
  piece_.edges->batch.weights = std::move(weights_);
  piece_.fact_edges = count_;
}

}  // namespace plexus::formats_internal
