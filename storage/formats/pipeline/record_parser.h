// RecordParser: what a text format must provide, and Piece: what it returns.
//
// A parser turns whole records into one WriteBatch plus the few things that need
// the graph as it is when the batch is applied: lists that replace what is stored
// (tags, members) and property maps that are merged. Parsers are const and run on
// many threads; all state of a run of records is in the Piece.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/bulk/edge_load.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"
#include "storage/formats/import.h"

namespace plexus::formats::internal {

// The symmetric kind of undirected files that do not name one.
inline constexpr std::string_view kLinkedKind = "linked";
inline EdgeKind LinkedKind() {
  EdgeKind kind;
  kind.name = kLinkedKind;
  kind.symmetric = true;
  return kind;
}

// The edges of a piece whose keys, kinds and labels have no ids yet; see edge_loader.h.
struct PieceEdges {
  static constexpr std::uint32_t kNamed = 1u << 31;
  struct Name {
    std::string_view text;  // in the block
    std::uint64_t hash = 0;
  };
  // Endpoints are numbers below kNamed, keys by themselves, or kNamed | position in `names`. Kinds
  // are built-in ones, kReversed added where the edge is stored the other way round, or
  // kFirstUserEdgeKind + position in `kinds`; labels are 0 or 1 + position in `labels`.
  static constexpr KindId kReversed = 1u << 15;
  LoadBatch batch;
  std::vector<Name> names, labels;
  std::vector<std::string_view> kinds;  // distinct, by first appearance
  std::uint32_t largest = 0;            // number
  bool reversed = false;                // some kind is
  bool plain = true;                    // false: the piece holds more than such edges
};

// Which nodes that were there before an import its files name.
//
// An import is many batches, and a batch reports a node as `same` each time it names
// it. One bit per node makes the report count each node once, whatever the cuts.
// Thread-safe: parsers mark concurrently.
class TouchedNodes {
 public:
  explicit TouchedNodes(Snapshot before)
      : before_(std::move(before)), words_((std::size_t{before_.node_count()} + 63) / 64) {}

  // Into an empty graph every node is new, and Mark costs one comparison.
  void Mark(std::string_view key) {
    if (words_.empty()) return;
    if (const auto id = before_.Find(key)) Mark(*id);
  }
  void Mark(NodeId id) {
    if (id < before_.node_count() && before_.alive(id) && before_.is_fact(id))
      words_[id / 64].fetch_or(std::uint64_t{1} << (id % 64), std::memory_order_relaxed);
  }

  // Those of `other`, of the same graph.
  void MarkAll(const TouchedNodes& other) {
    for (std::size_t w = 0; w < std::min(words_.size(), other.words_.size()); ++w)
      words_[w].fetch_or(other.words_[w].load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
  }

  std::uint64_t count() const {
    std::uint64_t n = 0;
    for (const auto& w : words_) n += std::popcount(w.load(std::memory_order_relaxed));
    return n;
  }

 private:
  Snapshot before_;
  std::vector<std::atomic<std::uint64_t>> words_;
};

class ImportCheck;

// "The arcs of `kind` leaving `node` are exactly these": others are unlinked.
struct ListReplacement {
  std::string node;  // full key
  EdgeKindId kind = kNoEdgeKind;
  bool labelled = false;  // false: only arcs with an empty label are replaced
  struct Item {
    std::string target;  // full key
    std::string label;
    auto operator<=>(const Item&) const = default;
  };
  std::vector<Item> items;  // sorted
};

// Keys of a property map to set (or, null, to clear) in a node's stored map.
struct PropertyPatch {
  std::string node;   // full key
  std::string patch;  // FlexBuffers map
  // Stored keys not in `reserved` are dropped first (the record had "props").
  bool replaces_rest = false;
  // The piece removes the node first: nothing that is stored counts any more.
  bool fresh = false;
};

// What only a check of the file wants to know of a piece (dry_run.h).
struct PieceNotes {
  struct KindOfNode {
    std::string node, kind;
  };
  // An edge whose kind wants an endpoint to be of a fact kind.
  struct WantedKind {
    std::string node, kind, edge;
  };
  bool states_kinds = false;         // of some node, that is no index node
  std::vector<KindOfNode> kinds;     // these in order, when kinds are watched
  bool wants_kinds = false;          // some edge has a wanted kind
  std::vector<WantedKind> wanted;    // these, when kinds are watched
  std::vector<std::string> removed;  // nodes
  // With ImportOptions::strict: what records state, and what they only name.
  struct End {
    std::string node;
    std::uint64_t line = 0;
  };
  std::vector<std::string> stated;
  std::vector<End> ends;
};

struct RecordError {
  std::uint64_t line = 0;
  std::string reason;
};

// A time that looks like seconds (times.h), or, with `until`, a valid_from that is not before the
// valid_until next to it, or what `says` says (`value` is then the line that makes it so, or 0); as
// the first record of a piece has it.
struct DoubtfulTime {
  std::string field;
  std::uint64_t line = 0;
  std::int64_t value = 0;
  std::uint64_t count = 0;  // values like it in this field
  std::optional<std::int64_t> until = {};
  std::string says = {};
};

// Which of ImportOptions::columns the files have had so far. Thread-safe.
class ColumnUse {
 public:
  explicit ColumnUse(std::size_t count) : used_(count) {}
  void Mark(std::size_t column) { used_[column].store(true, std::memory_order_relaxed); }
  bool used(std::size_t column) const { return used_[column].load(std::memory_order_relaxed); }

 private:
  std::vector<std::atomic<bool>> used_;
};

// An entry of a matrix, to find two at one place.
struct EntryAt {
  std::uint64_t place = 0;  // row and column
  std::uint64_t line = 0;
  auto operator<=>(const EntryAt&) const = default;
};

struct Piece {
  WriteBatch batch;
  std::vector<ListReplacement> lists;
  std::vector<PropertyPatch> patches;
  std::vector<RecordError> errors;  // the first max_errors_kept
  std::uint64_t error_count = 0;
  std::uint64_t records = 0;
  std::uint64_t fact_edges = 0;  // Link operations on the fact plane
  std::uint64_t restated = 0;    // of these, of an edge that an earlier one has with other values
  std::uint64_t events = 0;
  std::uint64_t outcomes = 0;
  std::uint64_t vectors = 0;
  std::uint64_t unknown = 0;  // roles and outcome types that are none built in
  std::uint64_t self_loops = 0;
  std::uint64_t pointers = 0;
  std::uint64_t turned = 0;                  // edges of ImportOptions::reversed_kinds
  std::uint64_t passed_over = 0;             // lines that are no records of ours
  std::uint64_t ambiguous = 0;               // edges that may be meant the other way round
  std::unique_ptr<PieceEdges> edges;         // while edges are collected: instead of the batch
  std::vector<DoubtfulTime> doubtful_times;  // one a field and doubt, or a thing said
  // By a hash of a node and a field: a digest of what is said last, and the line.
  std::unordered_map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> node_values;
  bool removes = false;          // a node, of which what was said before does not count
  std::vector<EntryAt> entries;  // of a matrix, while it is being checked
  PieceNotes notes;              // while the file is being checked
  bool stopped = false;          // an error ended the piece
  bool unreadable = false;       // the file as a whole is: nothing is skipped
  bool uses_schema = false;      // parsed differently under another schema
  std::shared_ptr<const Schema> schema;
  std::shared_ptr<const Schema> schema_after;  // with its definitions; null: the same

  // Where the piece came from.
  std::string_view text;
  std::uint64_t first_line = 0;
};

// One warning a piece and `topic` keeps what is said first, and counts. `again`: the line that
// makes it so, or 0.
inline void WarnOf(Piece& piece, std::string_view topic, std::uint64_t line, std::uint64_t again,
                   std::string says) {
  for (DoubtfulTime& noted : piece.doubtful_times) {
    if (noted.field != topic || noted.says.empty()) continue;
    ++noted.count;
    return;
  }
  piece.doubtful_times.push_back({std::string(topic), line, static_cast<std::int64_t>(again), 1,
                                  std::nullopt, std::move(says)});
}
// Of an edge with other values than the record at `line` has.
inline void WarnOfRestatedEdge(Piece& piece, std::uint64_t line, std::uint64_t again,
                               const std::string& edge) {
  WarnOf(piece, "edge", line, again,
         "the edge " + edge +
             " stands again with other values, which replace these (a label tells parallel edges "
             "apart)");
}

// What the parse depends on besides the bytes.
struct ParseContext {
  const ImportOptions* options = nullptr;
  std::shared_ptr<const Schema> schema;
  TouchedNodes* touched = nullptr;     // may be null
  ColumnUse* columns = nullptr;        // of options->columns; may be null
  const Snapshot* start = nullptr;     // the graph before the import; null: empty
  const ImportCheck* check = nullptr;  // set: the file is being checked, nothing is applied
  bool kept = false;                   // checked, and applied later as it was parsed
  std::uint64_t lines_before = 0;      // Block::lines_before
  std::size_t max_ops = 0;             // a piece ends after the record that reaches it

  bool applies() const { return !check || kept; }
};

class RecordParser {
 public:
  virtual ~RecordParser() = default;

  // Parses records from the head of `text` until it ends, the batch is full, or
  // (kStop) a record is bad. Returns the bytes consumed: whole records, at least
  // one. `text` begins at a record; 16 readable bytes, all '\n', follow the block.
  virtual std::size_t Parse(std::string_view text, std::uint64_t first_line,
                            const ParseContext& context, Piece& piece) const = 0;

  // Bytes of the record at the head of `text`, its line end included.
  virtual std::size_t RecordLength(std::string_view text) const {
    std::size_t at = text.find('\n');
    return at == std::string_view::npos ? text.size() : at + 1;
  }
};

// "" clears it.
inline void PutPayload(WriteBatch& batch, NodeRef node, NodeField field, std::string_view value) {
  if (value.empty())
    batch.ClearPayload(node, field);
  else
    batch.SetPayload(node, field, value);
}

// Takes pieces in file order, in the place of the graph.
class PieceCollector {
 public:
  virtual ~PieceCollector() = default;
  // Numbers below it are keys by themselves (PieceEdges).
  virtual std::uint32_t numbers() const = 0;
  virtual Status Take(Piece& piece) = 0;
};

// Notes a bad record; true = go on (kSkip).
inline bool NoteError(const ParseContext& context, Piece& piece, std::uint64_t line,
                      std::string reason) {
  ++piece.error_count;
  if (piece.errors.size() < std::max<std::size_t>(context.options->max_errors_kept, 1))
    piece.errors.push_back({line, std::move(reason)});
  if (context.options->on_error == OnImportError::kSkip) return true;
  piece.stopped = true;
  return false;
}

// The frame of a parser whose records are lines: take(line, number) for the lines of
// `text`, without their ends, until it returns false or the piece is full. Returns
// the bytes taken.
template <class Take>
std::size_t TakeLines(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                      const Piece& piece, Take&& take) {
  std::size_t at = 0;
  for (std::uint64_t number = first_line; at < text.size(); ++number) {
    if (piece.batch.op_count() >= context.max_ops) break;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    if (!take(line, number)) break;
  }
  return at;
}

}  // namespace plexus::formats::internal
