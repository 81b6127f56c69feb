// Bytes -> Record. Nothing here trusts a number before it is checked.

#include "record_generated.h"
#include "storage/encoding/edge_columns.h"
#include "storage/encoding/flatbuffer_util.h"
#include "storage/encoding/record_codec.h"

namespace plexus::storage_internal {

namespace {

// Offsets of `count` strings over `bytes`: count + 1 ascending numbers from 0 to
// the end, no string longer than `longest`. All absent means no strings.
Status CheckOffsets(const std::vector<std::uint64_t>& offsets, std::size_t bytes,
                    std::size_t longest, const char* what, std::string_view where) {
  auto fail = [&](std::size_t i, const char* why) {
    return Corrupted(where, ", ", what, " ", i, ": ", why);
  };
  if (offsets.empty()) return bytes == 0 ? Status() : Status(fail(0, "bytes without offsets"));
  if (offsets.front() != 0) return fail(0, "the first offset is not 0");
  if (offsets.back() != bytes) return fail(offsets.size() - 1, "the last offset is not the end");
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) return fail(i, "offsets descend");
    if (offsets[i] - offsets[i - 1] > longest) return fail(i, "longer than the limit");
  }
  return {};
}

// Structs in version 1, columns from 2 on.
Result<std::vector<EdgeChange>> ReadEdges(const fb::Record* root, ByteSpan bytes,
                                          std::string_view where) {
  const bool by_column = root->format_version() >= kRecordVersion;
  if (by_column ? root->edges() != nullptr : root->edge_columns() != nullptr)
    return Corrupted(where, ": edges in a form that is not of format version ",
                     root->format_version());
  if (!by_column) return StructsToVector<EdgeChange>(root->edges());
  if (!root->edge_columns()) return std::vector<EdgeChange>();
  return DecodeEdges(*root->edge_columns(), bytes, where);
}

Result<RecordHead> ReadHead(const fb::Record* root, ByteSpan bytes, std::string_view where) {
  PLEXUS_TRY(CheckVersion(root->format_version(), kNewestVersion, where));
  PLEXUS_TRY(CheckSeal(bytes, root->seal(), where));
  return RecordHead{root->sequence(), root->time_ms(), root->seal()->digest(),
                    root->seal()->running_hash()};
}

// Those of `node`.
template <class T, class F>
std::vector<T> StructsOf(NodeId node, const flatbuffers::Vector<const F*>* from) {
  std::vector<T> found;
  ForEachStruct<T>(from, [&](const T& change) {
    if (change.node == node) found.push_back(change);
  });
  return found;
}

// The edges at `node`, and the extras of those, by their new indexes.
Status ReadEdgesOf(NodeId node, const fb::Record* root, ByteSpan bytes, std::string_view where,
                   Record& to) {
  std::vector<std::uint32_t> places;
  if (root->edge_columns() && root->format_version() >= kRecordVersion) {
    PLEXUS_ASSIGN(places, FindEdges(*root->edge_columns(), bytes, where, node, to.edges));
  } else {
    PLEXUS_ASSIGN(const std::vector<EdgeChange> edges, ReadEdges(root, bytes, where));
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].source != node && edges[i].target != node) continue;
      places.push_back(static_cast<std::uint32_t>(i));
      to.edges.push_back(edges[i]);
    }
  }
  std::size_t at = 0;
  ForEachStruct<EdgeExtra>(root->edge_extras(), [&](const EdgeExtra& extra) {
    while (at < places.size() && places[at] < extra.index) ++at;
    if (at == places.size() || places[at] != extra.index) return;
    to.edge_extras.push_back(extra);
    to.edge_extras.back().index = static_cast<std::uint32_t>(at);
  });
  return {};
}

}  // namespace

Result<RecordHead> DecodeRecordHead(ByteSpan raw, std::string_view where) {
  const AlignedView view(raw);
  PLEXUS_ASSIGN(const fb::Record* root,
                CheckedRoot<fb::Record>(view.bytes(), kRecordIdentifier, where));
  return ReadHead(root, view.bytes(), where);
}

Result<DecodedRecord> DecodeRecord(ByteSpan raw, std::string_view where) {
  const AlignedView view(raw);
  PLEXUS_ASSIGN(const fb::Record* root,
                CheckedRoot<fb::Record>(view.bytes(), kRecordIdentifier, where));
  DecodedRecord decoded;
  PLEXUS_ASSIGN(decoded.head, ReadHead(root, view.bytes(), where));
  PLEXUS_ASSIGN(DefinitionLists lists, ReadDefinitions(root->definitions(), where));
  Record& r = decoded.record;
  r.sequence = root->sequence();
  r.time_ms = root->time_ms();
  r.first_node_kind = lists.first_node_kind;
  r.node_kind_definitions = std::move(lists.node_kinds);
  r.first_edge_kind = lists.first_edge_kind;
  r.edge_kind_definitions = std::move(lists.edge_kinds);
  r.first_column = lists.first_column;
  r.column_definitions = std::move(lists.columns);
  r.first_space = lists.first_space;
  r.space_definitions = std::move(lists.spaces);
  r.first_string = root->first_string();
  r.string_offsets = ToVector(root->string_offsets());
  r.string_bytes = ToString(root->string_bytes());
  PLEXUS_TRY(CheckOffsets(r.string_offsets, r.string_bytes.size(), Limits::kMaxStringBytes,
                          "string", where));
  r.first_node = root->first_node();
  r.node_kinds = ToVector(root->node_kinds());
  r.key_offsets = ToVector(root->key_offsets());
  r.key_bytes = ToString(root->key_bytes());
  PLEXUS_TRY(CheckOffsets(r.key_offsets, r.key_bytes.size(), Limits::kMaxKeyBytes, "key", where));
  const std::size_t keys = r.key_offsets.empty() ? 0 : r.key_offsets.size() - 1;
  if (keys != r.node_kinds.size())
    return Corrupted(where, ": ", keys, " keys for ", r.node_kinds.size(), " new nodes");
  r.node_changes = StructsToVector<NodeChange>(root->node_changes());
  PLEXUS_ASSIGN(r.edges, ReadEdges(root, view.bytes(), where));
  r.edge_extras = StructsToVector<EdgeExtra>(root->edge_extras());
  for (std::size_t i = 0; i < r.edge_extras.size(); ++i)
    if (r.edge_extras[i].index >= r.edges.size() ||
        (i > 0 && r.edge_extras[i].index <= r.edge_extras[i - 1].index))
      return Corrupted(where, ", edge attribute ", i, ": belongs to no edge");
  r.columns = StructsToVector<ColumnChange>(root->columns());
  r.payload_changes = StructsToVector<PayloadChange>(root->payload_changes());
  r.vectors = StructsToVector<VectorChange>(root->vectors());
  decoded.payloads = StructsToVector<PayloadDigest>(root->payloads());
  if (decoded.payloads.size() > (1u << 24)) return Corrupted(where, ": too many payloads");
  r.payloads.resize(decoded.payloads.size());
  for (std::size_t i = 0; i < r.payloads.size(); ++i)
    r.payloads[i].ordinal = static_cast<std::uint32_t>(i);
  return decoded;
}

Result<DecodedRecord> DecodeRecordOf(NodeId node, ByteSpan raw, std::string_view where) {
  const AlignedView view(raw);
  PLEXUS_ASSIGN(const fb::Record* root,
                CheckedRoot<fb::Record>(view.bytes(), kRecordIdentifier, where));
  DecodedRecord decoded;
  PLEXUS_ASSIGN(decoded.head, ReadHead(root, view.bytes(), where));
  Record& r = decoded.record;
  r.sequence = root->sequence();
  r.time_ms = root->time_ms();
  const std::size_t new_nodes = root->node_kinds() ? root->node_kinds()->size() : 0;
  if (node >= root->first_node() && node - root->first_node() < new_nodes) {
    r.first_node = node;
    r.node_kinds = {root->node_kinds()->Get(node - root->first_node())};
  }
  r.node_changes = StructsOf<NodeChange>(node, root->node_changes());
  PLEXUS_TRY(ReadEdgesOf(node, root, view.bytes(), where, r));
  r.columns = StructsOf<ColumnChange>(node, root->columns());
  r.payload_changes = StructsOf<PayloadChange>(node, root->payload_changes());
  r.vectors = StructsOf<VectorChange>(node, root->vectors());
  return decoded;
}

Status DecodeRecordNodes(ByteSpan raw, std::string_view where, RecordNodes& to) {
  const AlignedView view(raw);
  PLEXUS_ASSIGN(const fb::Record* root,
                CheckedRoot<fb::Record>(view.bytes(), kRecordIdentifier, where));
  PLEXUS_ASSIGN(to.head, ReadHead(root, view.bytes(), where));
  to.first_node = root->first_node();
  to.new_nodes = root->node_kinds() ? root->node_kinds()->size() : 0;
  to.named.clear();
  const auto add = [&](const auto& change) { to.named.push_back(change.node); };
  ForEachStruct<NodeChange>(root->node_changes(), add);
  ForEachStruct<ColumnChange>(root->columns(), add);
  ForEachStruct<PayloadChange>(root->payload_changes(), add);
  ForEachStruct<VectorChange>(root->vectors(), add);
  if (root->edge_columns() && root->format_version() >= kRecordVersion)
    return AddEdgeEnds(*root->edge_columns(), view.bytes(), where, to.named);
  PLEXUS_ASSIGN(const std::vector<EdgeChange> edges, ReadEdges(root, view.bytes(), where));
  for (const EdgeChange& e : edges) to.named.insert(to.named.end(), {e.source, e.target});
  return {};
}

}  // namespace plexus::storage_internal
