// Pairs of numbers and names from lines, ids for them; see edge_loader.h.
#include "storage/formats/edges/edge_loader.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "storage/formats/edges/edge_lines.h"
#include "storage/formats/pipeline/restated_values.h"

namespace plexus::formats_internal {

namespace {

// What Graph::Load takes at its peak, an edge with a weight.
constexpr std::uint64_t kBytesPerEdge = 80;
constexpr std::uint32_t kFewNumbers = 1 << 16;

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

std::size_t EdgeLoadParser::Parse(std::string_view text, std::uint64_t first_line,
                                  const ParseContext& context, Piece& piece) const {
  static thread_local NameCache cache;
  cache.Reset();
  static thread_local RestatedValues restated;
  restated.Reset();
  piece.edges = std::make_unique<PieceEdges>();
  PieceEdges& edges = *piece.edges;
  const std::size_t room = std::min(context.max_ops, text.size() / 4 + 1);  // "1 2\n"
  AlignedArray<NodePair> pairs(room);
  AlignedArray<float> weights;
  std::size_t count = 0;
  std::uint32_t largest = 0;
  auto code = [&](std::string_view token, std::uint64_t word) {
    const std::uint32_t number = NumberOf(token, word);
    if (number >= numbers_) return cache.Get(token, word, edges);
    largest = std::max(largest, number);
    return number;
  };
  const std::size_t used = ReadEdgeLines(
      text, first_line, context, piece, context.max_ops, [](const Row&) {},
      [&](std::span<const Row> rows) {
        for (const Row& row : rows) {
          const std::uint32_t source = code(row.tokens[0], row.words[0]);
          const std::uint32_t target = code(row.tokens[1], row.words[1]);
          if (row.weighted && weights.empty()) {
            weights = AlignedArray<float>(room);
            std::fill_n(weights.data(), count, std::nanf(""));
          }
          if (row.weighted)
            if (const std::uint64_t before =
                    restated.Note(EdgeHash(row, false),
                                  std::bit_cast<std::uint32_t>(row.weight + 0.0f), row.line))
              NoteRestated(row, before, "link", piece);
          if (!weights.empty())
            weights[count] = row.weighted ? row.weight + 0.0f : std::nanf("");  // -0 becomes 0
          pairs[count++] = {source, target};
        }
      });
  if (count < room / 2) {  // large arrays lie on huge pages: what is not used is there all the same
    pairs = AlignedArray<NodePair>(std::span<const NodePair>(pairs.data(), count));
    if (!weights.empty())
      weights = AlignedArray<float>(std::span<const float>(weights.data(), count));
  }
  pairs.Truncate(count);
  weights.Truncate(count);
  edges.batch.edges = std::move(pairs);
  edges.batch.weights = std::move(weights);
  edges.largest = largest;
  piece.fact_edges = count;
  return used;
}

EdgeCollector::EdgeCollector(const ImportOptions& options, std::uint64_t text_bytes) {
  const auto pages = static_cast<std::uint64_t>(std::max(0l, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::uint64_t>(std::max(0l, ::sysconf(_SC_PAGESIZE)));
  most_bytes_ = std::min(options.limits.load_bytes, pages * page / 2);
  numbers_ = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(text_bytes / 8, kFewNumbers, PieceEdges::kNamed - 1));
  parser_ = EdgeLoadParser(numbers_);
  load_.time_ms = options.now_ms;
}

NodeId EdgeCollector::IdOfNumber(std::uint32_t number) {
  NodeId& id = of_number_[number];
  if (id != kNoNode) return id;
  char text[16];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return id = load_.keys.Insert({text, static_cast<std::size_t>(end - text)}).id;
}

Status EdgeCollector::Take(Piece& piece) {
  PieceEdges& edges = *piece.edges;
  AlignedArray<NodePair>& pairs = edges.batch.edges;
  if (pairs.empty()) return {};
  edges_ += pairs.size();
  const std::uint64_t bytes =
      edges_ * kBytesPerEdge + load_.keys.size_bytes() + of_number_.size() * sizeof(NodeId);
  if (edges_ > Limits::kMaxArcs || bytes > most_bytes_ || load_.batches.size() == kMaxLoadBatches) {
    return Fail(ErrorCode::kResourceExhausted, "too many edges to load at once");
  }
  if (edges.largest >= of_number_.size())
    of_number_.resize(
        std::min<std::size_t>(numbers_, std::bit_ceil(edges.largest + std::size_t{1})), kNoNode);
  constexpr std::size_t kAhead = 12;  // index lines on their way
  const auto& names = edges.names;
  of_name_.assign(names.size(), kNoNode);
  for (std::size_t i = 0; i < std::min(kAhead, names.size()); ++i)
    load_.keys.Prefetch(names[i].hash);
  auto id = [&](std::uint32_t code) {
    if (!(code & PieceEdges::kNamed)) return IdOfNumber(code);
    const std::uint32_t name = code & ~PieceEdges::kNamed;
    if (of_name_[name] == kNoNode) {
      if (name + kAhead < names.size()) load_.keys.Prefetch(names[name + kAhead].hash);
      of_name_[name] = load_.keys.Insert(names[name].text, names[name].hash).id;
    }
    return of_name_[name];
  };
  for (NodePair& pair : pairs) {
    const NodeId source = id(pair.source);  // it may be named first here
    pair = {source, id(pair.target)};
  }
  edges.batch.nodes = load_.keys.size();
  load_.batches.push_back(std::move(edges.batch));
  return {};
}

}  // namespace plexus::formats_internal
