// PieceEdgesWriter: edges of a piece on their way to EdgeCollector, whatever text they come from.
//
// A key that is a decimal number as a program writes it is its own code; any other is looked up
// in a table of strings, once a piece. Internal to storage/formats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/arrays/aligned_array.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

// One edge line taken apart.
struct Row {
  std::string_view tokens[2];
  std::uint64_t words[2];  // tokens of up to 8 bytes, zero-padded
  float weight;
  bool weighted;
  std::uint64_t line;  // of a weighted one
};

// What else a line may state of its edge.
struct RowValues {
  std::string_view kind = "link", label = {};
  std::int64_t created_at = kNoTime, valid_from = kNoTime, valid_until = kNoTime;
  bool undirected = false;  // the kind must be a symmetric one

  // Whether the general way takes the label and the times without a remark.
  bool plain() const {
    const bool bounded = valid_from != kNoTime && valid_until != kNoTime;
    return label.size() <= Limits::kMaxStringBytes && !(bounded && valid_from >= valid_until);
  }
};

// Whether the import's options leave edges as the file has them.
inline bool LeavesEdges(const ImportOptions& options) {
  return !options.strict && options.kind_names.empty() && options.reversed_kinds.empty();
}

// The time that a cell or a string is, where the general way takes it without a remark.
std::optional<std::int64_t> PlainTime(std::string_view text);

// Of the ends of the edge, in this order or in any.
std::uint64_t EdgeHash(const Row& row, bool any_order);

// Counts an edge that a line of the piece before states with another weight, and warns of it.
void NoteRestated(const Row& row, std::uint64_t before, std::string_view kind, Piece& piece);

// Of an array with `room` elements the first ones.
template <class T>
AlignedArray<T> Cut(AlignedArray<T> values, std::size_t count, std::size_t room) {
  if (count < room / 2 && !values.empty())  // large arrays lie on huge pages: all in memory
    return AlignedArray<T>(std::span<const T>(values.data(), count));
  values.Truncate(count);
  return values;
}

// An array that is there once some row states a value.
template <class T>
class StatedColumn {
 public:
  // Of row `at` of at most `room`.
  void Set(std::size_t at, std::size_t room, T value, bool stated, T otherwise) {
    if (stated && values_.empty()) {
      values_ = AlignedArray<T>(room);
      std::fill_n(values_.data(), at, otherwise);
    }
    if (!values_.empty()) values_[at] = stated ? value : otherwise;
  }
  AlignedArray<T> Take(std::size_t count, std::size_t room) {
    return Cut(std::move(values_), count, room);
  }
  bool empty() const { return values_.empty(); }

 private:
  AlignedArray<T> values_;
};

class PieceEdgesWriter {
 public:
  // For at most `room` edges; numbers below `numbers` are keys by themselves. One writer at a time
  // on a thread. `states_values`: rows may have weights or times. `schema`: of the graph, REQUIRED
  // for rows with values.
  PieceEdgesWriter(Piece& piece, std::size_t room, std::uint32_t numbers,
                   const Schema* schema = nullptr, bool states_values = false);
  // The tokens stay where they are until the piece was taken. 8 bytes at each can be read.
  void Add(const Row& row);
  // False: the general way has more to say of this edge.
  bool Add(const Row& row, const RowValues& values);
  void Finish();

 private:
  struct Kind;
  struct Pending;
  struct Scratch;
  std::uint32_t Code(std::string_view token, std::uint32_t number, std::uint64_t hash);
  // Rows wait until what they look up has come from memory.
  void Wait(const Row& row, const RowValues& values, const Kind& kind, bool has_values);
  void Put(const Pending& pending);
  void PutValues(const Pending& pending);
  const Kind* KindOf(std::string_view name);
  std::uint64_t StatedHash(const Row& row, const RowValues& values, const Kind& kind) const;
  void NoteValues(const Pending& pending);

  Piece& piece_;
  std::size_t room_, count_ = 0;
  std::size_t first_ = 0, end_ = 0;  // of those that wait
  std::uint32_t numbers_;
  const Schema* schema_;
  bool states_values_;
  AlignedArray<NodePair> pairs_;
  StatedColumn<float> weights_;
  StatedColumn<KindId> kinds_;
  StatedColumn<StringId> labels_;
  StatedColumn<std::int64_t> created_at_, valid_from_, valid_until_;
  Scratch* scratch_;  // of the thread
};

}  // namespace plexus::formats::internal
