// BatchBuilder: names to node references, and lists kept true inside one piece.
//
// What every format that knows kinds shares: a key is a fact's own, or U+001F
// makes it an index node's ("tag", U+001F, "rust"); where an edge kind declares an
// index kind for an endpoint, the bare name is enough. Definitions made in the piece
// are seen by its later records, and a kind is defined by the first good record that
// names it, so that a later definition with other traits is refused wherever the file
// is cut. One builder per piece, not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/vocabulary.h"
#include "storage/formats/pipeline/record_parser.h"
#include "storage/formats/pipeline/restated_values.h"

namespace plexus::formats::internal {

struct Row;
struct RowValues;

// A node as a record names it, checked, not yet in the batch.
struct NodeName {
  std::string key;                // full key
  NodeKindId kind = kNoNodeKind;  // of an index node
  bool is_index() const { return kind != kNoNodeKind; }
};

// What a record says of a node's column.
struct ColumnValue {
  ColumnId column{};
  bool clear = false;
  double f64 = 0;
  std::int64_t i64 = 0;
  std::string_view text;
};

class BatchBuilder {
 public:
  BatchBuilder(const ParseContext& context, Piece& piece) : context_(context), piece_(piece) {
    piece.uses_schema = true;
    if (piece.schema_after) local_ = std::make_shared<Schema>(*piece.schema_after);
  }

  const ParseContext& context() const { return context_; }
  Piece& piece() { return piece_; }
  WriteBatch& batch() { return piece_.batch; }
  const Schema& schema() const { return local_ ? *local_ : *context_.schema; }

  // Definitions: checked against the schema so far, then put into the batch.
  Status Define(const NodeKind& kind);
  Status Define(const EdgeKind& kind);
  Status Define(const Column& column);
  Status Define(const VectorSpace& space);

  // Whether a NodeKind or an EdgeKind that is not defined could be, by its name and by how many
  // there are: what the graph will return when a record that uses it is applied. O(log kinds),
  // after one copy of the schema in the piece.
  template <class Kind>
  Status CheckNew(std::string_view name) {
    Kind kind;
    kind.name = name;
    PLEXUS_TRY(TrialSchema().Define(kind));
    return {};
  }

  // The kind that the file calls so (ImportOptions::kind_names).
  std::string_view KindCalled(std::string_view name) const;

  // `expected`: the node kind that the place calls for, kNoNodeKind = any.
  Result<NodeName> Name(std::string_view name, NodeKindId expected = kNoNodeKind) const;
  // Of a node that is stated to be of that kind, which the piece may define; "": of any.
  Result<NodeName> NameOfKind(std::string_view name, std::string_view kind);
  NodeRef Ref(const NodeName& name);
  // States a fact node's kind (an index node's is in its key), and that it exists;
  // "" = whatever it has.
  Status Upsert(const NodeName& name, NodeRef node, std::string_view kind);

  // An edge record, checked. `kind_name` may be an inverse name. Ends of
  // ImportOptions::reversed_kinds change places.
  struct EdgeEnds {
    NodeName source, target;  // as the record has them
    std::string kind_name;
    EdgeKindId stored = kNoEdgeKind;  // kNoEdgeKind: a kind defined by this use
    bool reversed = false;
    bool turned = false;  // the file has them the other way round
    bool index_plane = false;
    NodeKindId source_kind = kNoNodeKind,
               target_kind = kNoNodeKind;  // what the kind wants them to be
  };
  Result<EdgeEnds> Ends(std::string_view source, std::string_view target,
                        std::string_view kind_name);
  // On an error nothing was added. `said`: the properties that tell it from an equal record.
  Status Link(const EdgeEnds& ends, const WriteBatch::EdgeInput& edge) {
    return Link(ends, edge, edge.properties);
  }
  Status Link(const EdgeEnds& ends, WriteBatch::EdgeInput edge,
              std::optional<std::string_view> said);
  // The same as Ends and Link for an edge of which a line states only this, several times faster.
  // False: nothing was added, and Ends and Link must look. REQUIRES keys that CheckKey takes, and
  // LeavesEdges.
  bool LinkPlain(const Row& row, const RowValues& values);
  Status Unlink(const EdgeEnds& ends, std::string_view label);
  void Remove(const NodeName& name, bool purge);

  // The arcs of `kind` leaving `node` become exactly `items`: notes the list for
  // PrepareReplacements and unlinks what earlier lines of the piece linked.
  void ReplaceList(const NodeName& node, NodeRef ref, EdgeKindId kind, bool labelled,
                   std::vector<ListReplacement::Item> items);

  // The line of the record that comes next, for notes.
  void set_line(std::uint64_t line) {
    line_ = line;
    ambiguous_ends_ = false;
  }
  // The record names the ends of its edge so that either direction can be meant.
  void NoteAmbiguousEnds() { ambiguous_ends_ = true; }
  // Something about the record: one warning a file and `topic` keeps what is said first, and
  // counts.
  void Warn(std::string_view topic, std::string says) { Warn(topic, line_, std::move(says)); }
  // What the record says of a node's `field`: warned of when an earlier record of the piece says
  // otherwise, for that is replaced.
  void NoteNodeValue(const NodeName& node, std::string_view field, std::string_view value);
  // A node that the record names, but does not state.
  void NoteEnd(const NodeName& node);
  // A time of the record: noted when it looks like seconds.
  void NoteTime(std::string_view field, std::int64_t time_ms);
  // When what a record says is valid, as far as it says so: a beginning that is not before the end
  // is noted, or kInvalidArgument where ImportOptions::strict says so.
  Status CheckValidTimes(std::optional<std::int64_t> from, std::optional<std::int64_t> until);
  Status CheckValidTimes(const std::vector<ColumnValue>& values);

  void SetColumns(NodeRef node, const std::vector<ColumnValue>& values);
  // The tags of a node are these.
  void ReplaceTags(const NodeName& node, NodeRef ref, const std::vector<NodeName>& tags);

  // Sets some keys of a node's property map (events, outcomes).
  Status PatchProperties(const NodeName& node, NodeRef ref, std::string patch, bool replaces_rest);

 private:
  using ListKey = std::pair<std::string, EdgeKindId>;
  Schema& MutableSchema();
  Schema& TrialSchema();
  EdgeKindRef KindRef(EdgeKindId stored, bool reversed, std::string_view name);
  Status DefineByUse(const EdgeEnds& ends);
  void NoteWanted(const EdgeEnds& ends);
  void NoteDoubt(std::string_view field, std::int64_t time_ms, std::optional<std::int64_t> until);
  void Warn(std::string_view topic, std::uint64_t line, std::string says);
  void ForgetSaid() { said_.Reset(); }
  struct PlainKind {
    EdgeKindRef ref;
    EdgeKindId stored;
    bool reversed, symmetric, self_loops;
  };
  const PlainKind* PlainKindOf(std::string_view name);
  struct StatedEdge {
    std::string_view source, target, kind_name;  // as the record has them
    EdgeKindId kind;
    bool reversed, symmetric;
  };
  void NoteEdgeValues(const StatedEdge& named, const WriteBatch::EdgeInput& edge,
                      std::optional<std::string_view> properties);

  const ParseContext& context_;
  Piece& piece_;
  std::uint64_t line_ = 0;
  bool ambiguous_ends_ = false;
  std::shared_ptr<Schema> local_;
  std::unique_ptr<Schema> trial_;  // with the kinds that records have named
  std::map<ListKey, std::vector<ListReplacement::Item>> linked_;  // in this piece
  std::map<ListKey, std::size_t> lists_;                          // index into piece_.lists
  std::map<std::string, std::size_t> patches_;                    // index into piece_.patches
  std::set<std::string> removed_;                                 // in this piece
  StatedAttributes said_;                                         // of edges, in this piece
  std::map<std::string, PlainKind, std::less<>> plain_kinds_;     // by name, as the piece has it
};

// A hash of more bytes.
std::uint64_t MixHash(std::uint64_t hash, std::string_view bytes);

// "2026-01-02T00:00:00.000Z is not before ...", of a valid_from.
std::string NeverValid(std::int64_t from, std::int64_t until);

}  // namespace plexus::formats::internal
