// Codes of keys, and the arrays of a piece's edges; see piece_edges.h.
#include "storage/formats/pipeline/piece_edges.h"

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/arrays/string_table.h"
#include "engine/times.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/restated_values.h"

namespace plexus::formats::internal {

namespace {

constexpr std::uint32_t kNoNumber = PieceEdges::kNamed;
constexpr std::size_t kMostKinds = 30'000;  // that a piece may bring

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
  static std::uint64_t HashOf(std::string_view token, std::uint64_t word) {
    return token.size() <= 8 ? word : StringTable::Hash(token);
  }
  void Prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[SlotOf(hash)]); }
  // The position of a token in `names`, where it may stand twice.
  std::uint32_t Get(std::string_view token, std::uint64_t hash,
                    std::vector<PieceEdges::Name>& names) {
    const bool is_word = token.size() <= 8;
    Slot& slot = slots_[SlotOf(hash)];
    if (slot.hash == hash && slot.generation == generation_ && slot.is_word == is_word &&
        (is_word || names[slot.name].text == token))
      return slot.name;
    slot = {hash, generation_, is_word, static_cast<std::uint32_t>(names.size())};
    names.push_back({token, is_word ? StringTable::Hash(token) : hash});
    return slot.name;
  }

 private:
  static constexpr int kBits = 16;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t generation = 0;
    std::uint32_t is_word : 1 = 0, name : 31 = 0;
  };
  static std::size_t SlotOf(std::uint64_t hash) {
    return ((hash ^ (hash >> 29)) * kHashPrime) >> (64 - kBits);
  }
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;
};

}  // namespace

std::uint64_t EdgeHash(const Row& row, bool any_order) {
  const auto hash = [&](int end) {
    const std::uint64_t word =
        row.tokens[end].size() <= 8 ? row.words[end] : StringTable::Hash(row.tokens[end]);
    return (word ^ word >> 32) * kHashPrime;
  };
  std::uint64_t first = hash(0), second = hash(1);
  if (any_order && first > second) std::swap(first, second);
  return (first ^ first >> 29) * kHashPrime + second;
}

void NoteRestated(const Row& row, std::uint64_t before, std::string_view kind, Piece& piece) {
  ++piece.restated;
  WarnOfRestatedEdge(
      piece, before, row.line,
      InQuotes(row.tokens[0]) + " " + std::string(kind) + " " + InQuotes(row.tokens[1]));
}

std::optional<std::int64_t> PlainTime(std::string_view text) {
  std::int64_t time = 0;
  if (const auto iso = ParseIsoTime(text)) {
    time = *iso;
  } else if (!ReadWhole(text, time)) {
    return std::nullopt;
  }
  if (!IsStoredTime(time) || LooksLikeSeconds(time)) return std::nullopt;
  return time;
}

// What a kind's name means here.
struct PieceEdgesWriter::Kind {
  KindId code = 0;
  bool usable = false;  // the general way would take the edge without a look at its ends
  bool reversed = false, symmetric = false, self_loops = true;
};

struct PieceEdgesWriter::Pending {
  Row row;
  RowValues values;
  Kind kind;
  bool has_values = false;
  std::uint32_t numbers[2] = {};  // kNoNumber and above: a name
  std::uint64_t hashes[2] = {};   // of names
  std::uint64_t stated = 0;       // StatedHash
};

struct PieceEdgesWriter::Scratch {
  static constexpr std::size_t kWaiting = 16;
  std::array<Pending, kWaiting> pending;
  NameCache names, labels;
  RestatedValues restated;
  StatedAttributes stated;
  std::unordered_map<std::string_view, Kind> kinds;
  struct Recent {
    std::string_view name;
    Kind kind;
  };
  std::array<Recent, 64> recent;  // by length and letters
};

PieceEdgesWriter::PieceEdgesWriter(Piece& piece, std::size_t room, std::uint32_t numbers,
                                   const Schema* schema, bool states_values)
    : piece_(piece),
      room_(room),
      numbers_(numbers),
      schema_(schema),
      states_values_(states_values),
      pairs_(room) {
  static thread_local Scratch scratch;
  scratch_ = &scratch;
  scratch.names.Reset();
  scratch.labels.Reset();
  scratch.restated.Reset();
  scratch.stated.Reset();
  scratch.kinds.clear();
  scratch.recent.fill({});
  piece.edges = std::make_unique<PieceEdges>();
}

std::uint32_t PieceEdgesWriter::Code(std::string_view token, std::uint32_t number,
                                     std::uint64_t hash) {
  PieceEdges& edges = *piece_.edges;
  if (number >= numbers_) return PieceEdges::kNamed | scratch_->names.Get(token, hash, edges.names);
  edges.largest = std::max(edges.largest, number);
  return number;
}

void PieceEdgesWriter::Wait(const Row& row, const RowValues& values, const Kind& kind,
                            bool has_values) {
  Scratch& s = *scratch_;
  if (end_ - first_ == Scratch::kWaiting) Put(s.pending[first_++ % Scratch::kWaiting]);
  Pending& p = s.pending[end_++ % Scratch::kWaiting];
  p.row = row;
  p.has_values = has_values;
  if (has_values) {
    p.values = values;
    p.kind = kind;
  }
  for (int end = 0; end < 2; ++end) {
    p.numbers[end] = NumberOf(row.tokens[end], row.words[end]);
    if (p.numbers[end] < numbers_) continue;
    p.hashes[end] = NameCache::HashOf(row.tokens[end], row.words[end]);
    s.names.Prefetch(p.hashes[end]);
  }
  if (!has_values || !states_values_) return;
  p.stated = StatedHash(row, values, kind);
  s.stated.Prefetch(p.stated);
}

void PieceEdgesWriter::Put(const Pending& p) {
  const std::uint32_t source = Code(p.row.tokens[0], p.numbers[0], p.hashes[0]);
  const std::uint32_t target = Code(p.row.tokens[1], p.numbers[1], p.hashes[1]);
  // -0 becomes 0
  weights_.Set(count_, room_, p.row.weight + 0.0f, p.row.weighted, std::nanf(""));
  pairs_[count_] = {source, target};
  if (p.has_values) {
    PutValues(p);
  } else if (p.row.weighted) {
    if (const std::uint64_t before = scratch_->restated.Note(
            EdgeHash(p.row, false), std::bit_cast<std::uint32_t>(p.row.weight + 0.0f), p.row.line))
      NoteRestated(p.row, before, "link", piece_);
  }
  ++count_;
}

void PieceEdgesWriter::Add(const Row& row) {
  if (first_ == end_ && !row.weighted) {  // numbers are looked up nowhere
    const std::uint32_t source = NumberOf(row.tokens[0], row.words[0]),
                        target = NumberOf(row.tokens[1], row.words[1]);
    if (source < numbers_ && target < numbers_) {
      PieceEdges& edges = *piece_.edges;
      edges.largest = std::max({edges.largest, source, target});
      weights_.Set(count_, room_, 0, false, std::nanf(""));
      pairs_[count_++] = {source, target};
      return;
    }
  }
  Wait(row, {}, {}, false);
}

const PieceEdgesWriter::Kind* PieceEdgesWriter::KindOf(std::string_view name) {
  if (name.empty()) return nullptr;
  Scratch& s = *scratch_;
  const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
  Scratch::Recent& recent =
      s.recent[(name.size() * 5 + letter(0) * 3 + letter(name.size() - 1)) % s.recent.size()];
  if (name == recent.name) return &recent.kind;
  auto [at, is_new] = s.kinds.try_emplace(name);
  Kind& kind = at->second;
  if (is_new) {
    // Those of a user go by name: EdgeCollector looks at what the graph knows of them.
    if (const auto match = schema_->FindEdgeKind(name);
        match && match->kind < builtin::kFirstUserEdgeKind) {
      const EdgeKind& known = schema_->edge_kind(match->kind);
      kind = {match->kind.value(), false, match->reversed, known.symmetric, known.self_loops};
      kind.usable = known.plane == Plane::kFact && known.source_kind == kNoNodeKind &&
                    known.target_kind == kNoNodeKind;
    } else {
      std::vector<std::string_view>& kinds = piece_.edges->kinds;
      kind.code = static_cast<KindId>(builtin::kFirstUserEdgeKind.value() + kinds.size());
      kind.usable = name.size() <= Limits::kMaxStringBytes && name.find('\x7f') == name.npos &&
                    name.find('\t') == name.npos && kinds.size() < kMostKinds;
      if (kind.usable) kinds.push_back(name);
    }
  }
  recent = {name, kind};
  return &recent.kind;
}

// Of an edge's identity.
std::uint64_t PieceEdgesWriter::StatedHash(const Row& row, const RowValues& values,
                                           const Kind& kind) const {
  Row turned = row;
  if (kind.reversed) {
    std::swap(turned.tokens[0], turned.tokens[1]);
    std::swap(turned.words[0], turned.words[1]);
  }
  std::uint64_t edge = EdgeHash(turned, kind.symmetric);
  edge = (edge ^ edge >> 29) * kHashPrime + kind.code;
  if (!values.label.empty()) edge = (edge ^ StringTable::Hash(values.label)) * kHashPrime;
  return (edge ^ edge >> 29) * kHashPrime;
}

void PieceEdgesWriter::NoteValues(const Pending& p) {
  const auto digest = [](std::uint64_t bits) {
    return static_cast<std::uint32_t>((bits + 1) * kHashPrime >> 32) | 1;
  };
  const auto of_time = [&](std::int64_t time) {
    return time == kNoTime ? 0 : digest(static_cast<std::uint64_t>(time));
  };
  const std::uint32_t weight =
      p.row.weighted ? digest(std::bit_cast<std::uint32_t>(p.row.weight + 0.0f)) : 0;
  const StatedAttributes::Earlier earlier =
      scratch_->stated.Note(p.stated,
                            {weight, of_time(p.values.created_at), of_time(p.values.valid_from),
                             of_time(p.values.valid_until)},
                            p.row.line);
  if (earlier.replaces)
    NoteRestated(p.row, earlier.line, p.values.kind, piece_);
  else
    piece_.restated += earlier.differs;
}

bool PieceEdgesWriter::Add(const Row& row, const RowValues& values) {
  const Kind* known = KindOf(values.kind);
  if (!known) return false;
  const Kind& kind = *known;
  if (!kind.usable || (!kind.self_loops && row.tokens[0] == row.tokens[1]) || !values.plain())
    return false;
  Wait(row, values, kind, true);
  return true;
}

void PieceEdgesWriter::PutValues(const Pending& p) {
  const Kind& kind = p.kind;
  const RowValues& values = p.values;
  piece_.edges->reversed |= kind.reversed;
  const KindId code = kind.reversed ? kind.code | PieceEdges::kReversed : kind.code;
  kinds_.Set(count_, room_, code, code != builtin::kLink.value(), builtin::kLink.value());
  StringId label = 0;
  if (!values.label.empty()) {
    char padded[8] = {};
    std::memcpy(padded, values.label.data(), std::min<std::size_t>(8, values.label.size()));
    std::uint64_t word;
    std::memcpy(&word, padded, 8);
    label = 1 + scratch_->labels.Get(values.label, NameCache::HashOf(values.label, word),
                                     piece_.edges->labels);
  }
  labels_.Set(count_, room_, label, label != 0, 0);
  const auto set = [&](StatedColumn<std::int64_t>& column, std::int64_t time) {
    column.Set(count_, room_, time, time != kNoTime, kNoTime);
  };
  set(created_at_, values.created_at);
  set(valid_from_, values.valid_from);
  set(valid_until_, values.valid_until);
  if (states_values_) NoteValues(p);
}

void PieceEdgesWriter::Finish() {
  while (first_ < end_) Put(scratch_->pending[first_++ % Scratch::kWaiting]);
  LoadBatch& batch = piece_.edges->batch;
  batch.edges = Cut(std::move(pairs_), count_, room_);
  batch.weights = weights_.Take(count_, room_);
  batch.kinds = kinds_.Take(count_, room_);
  batch.labels = labels_.Take(count_, room_);
  batch.created_at = created_at_.Take(count_, room_);
  batch.valid_from = valid_from_.Take(count_, room_);
  batch.valid_until = valid_until_.Take(count_, room_);
  piece_.fact_edges = count_;
}

}  // namespace plexus::formats::internal
