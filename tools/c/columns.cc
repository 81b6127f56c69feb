// Values of many nodes from arrays: a column, or the nodes' texts with the index of their words.
// They are checked whole, then written in batches.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema.h"
#include "engine/times.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"
#include "storage/formats/import.h"
#include "tools/c/graph.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/operations/term_operations.h"

namespace plexus::c {
namespace {

using tools::Workspace;

constexpr std::uint64_t kBatchValues = 262'144;
constexpr std::uint64_t kBatchBytes = 16 << 20;  // of texts

std::unexpected<Error> BadValue(std::uint64_t i, const std::string& why) {
  return Invalid("value ", i, ": ", why);
}

const char* TypeName(ColumnType type) {
  return type == ColumnType::kF64 ? "f64" : type == ColumnType::kI64 ? "i64" : "string";
}

class ColumnArrays {
 public:
  static Result<ColumnArrays> Read(const plexus_column_values* given) {
    PLEXUS_TRY(NotNull(given, "values"));
    ColumnArrays arrays;
    PLEXUS_ASSIGN(arrays.given_, ReadStruct(given, "values"));
    PLEXUS_TRY(arrays.Check());
    return arrays;
  }
  std::uint64_t count() const { return given_.count; }
  // What only the graph knows. A column that it lacks is made, by the rules of records.
  Status Prepare(Graph& graph);
  // Values from `first` on; returns the first that is left for another batch.
  Result<std::uint64_t> Fill(WriteBatch& batch, std::uint64_t first) const;

 private:
  Status Check();
  Status CheckKeys() const;
  Status CheckValue(std::uint64_t i) const;
  Status CheckIds(const Snapshot& snapshot) const;
  Status Define(Graph& graph) const;
  Status Set(WriteBatch& batch, NodeRef node, ColumnRef column, std::uint64_t i) const;
  bool is_text() const { return name_ == "text"; }

  plexus_column_values given_ = {};
  Strings keys_, texts_;
  std::string name_;
  ColumnType type_ = ColumnType::kString;
  std::optional<ColumnId> builtin_;
};

Status ColumnArrays::Check() {
  PLEXUS_TRY(NotNull(given_.column, "column"));
  name_ = given_.column;
  if (given_.count > Limits::kMaxNodes) return Exhausted("more values than a graph has nodes");
  PLEXUS_ASSIGN(keys_, Strings::Copy(given_.keys, "keys"));
  PLEXUS_ASSIGN(texts_, Strings::Copy(given_.texts, "texts"));
  const bool texts = texts_.size() > 0;
  if (given_.f64) type_ = ColumnType::kF64;
  if (given_.i64) type_ = ColumnType::kI64;
  const int arrays = (given_.f64 != nullptr) + (given_.i64 != nullptr) + texts;
  if (arrays > 1 || (arrays == 0 && given_.count > 0))
    return Invalid("values are in one of f64, i64 and texts");
  if (texts && texts_.size() != given_.count)
    return Invalid("texts are ", texts_.size(), ", values ", given_.count);
  if (is_text() && !texts && given_.count > 0)
    return Invalid("values of 'text' are texts, not numbers");
  PLEXUS_TRY(CheckKeys());
  for (std::uint64_t i = 0; i < given_.count; ++i) PLEXUS_TRY(CheckValue(i));
  return {};
}

Status ColumnArrays::CheckKeys() const {
  if (given_.ids && keys_.size() > 0) return Invalid("ids and keys exclude each other");
  if (keys_.size() > 0 && keys_.size() != given_.count)
    return Invalid("keys are ", keys_.size(), ", values ", given_.count);
  for (std::uint64_t i = 0; i < keys_.size(); ++i)
    if (const Status good = CheckKey(keys_[i], false); !good)
      return BadValue(i, good.error().message);
  return {};
}

Status ColumnArrays::CheckValue(std::uint64_t i) const {
  if (given_.f64 && !std::isfinite(ReadOnce(given_.f64 + i))) return BadValue(i, "not finite");
  if (given_.i64 && ReadOnce(given_.i64 + i) == INT64_MIN) return BadValue(i, "out of range");
  if (texts_.size() == 0) return {};
  const std::string_view text = texts_[i];
  const std::size_t most = is_text() ? Limits::kMaxPayloadBytes : Limits::kMaxStringBytes;
  if (text.size() > most)
    return BadValue(i,
                    std::to_string(text.size()) + " bytes, the limit is " + std::to_string(most));
  if (!IsValidUtf8(text) || (!is_text() && text.contains('\0')))
    return BadValue(i, std::string("not valid UTF-8") + (is_text() ? "" : " without NUL"));
  return {};
}

Status ColumnArrays::CheckIds(const Snapshot& snapshot) const {
  for (std::uint64_t i = 0; given_.ids && i < given_.count; ++i) {
    const NodeId node = ReadOnce(given_.ids + i);
    if (node >= snapshot.node_count() || !snapshot.alive(node))
      return BadValue(i, "the graph has no node of id " + std::to_string(node));
  }
  return {};
}

Status ColumnArrays::Define(Graph& graph) const {
  const std::string line = tools::JsonObject([&](tools::JsonWriter& json) {
    json.Field("column", name_);
    json.Field("type", TypeName(type_));
  });
  formats::ImportOptions options;
  options.format = formats::FileFormat::kJsonLines;
  PLEXUS_ASSIGN(const formats::ImportReport report,
                formats::ImportBytes(graph, "column", line, options));
  if (report.stopped && !report.kept_errors.empty())
    return Invalid(report.kept_errors.front().reason);
  return {};
}

Status ColumnArrays::Prepare(Graph& graph) {
  const Snapshot snapshot = graph.snapshot();
  PLEXUS_TRY(CheckIds(snapshot));
  if (is_text() || given_.count == 0) return {};
  const std::optional<ColumnId> known = snapshot.schema().FindColumn(name_);
  if (!known) return Define(graph);
  const ColumnType type = snapshot.schema().columns()[*known].type;
  if (type != type_)
    return Invalid("column '", name_, "' holds ", TypeName(type), ", the values are ",
                   TypeName(type_));
  if (*known < builtin::kFirstUserColumn) builtin_ = *known;
  for (std::uint64_t i = 0; IsTimeColumn(*known) && i < given_.count; ++i)
    if (const std::int64_t time = ReadOnce(given_.i64 + i); !IsStoredTime(time))
      return BadValue(i, OutOfTime(time));
  return {};
}

Status ColumnArrays::Set(WriteBatch& batch, NodeRef node, ColumnRef column, std::uint64_t i) const {
  PLEXUS_TRY(CheckValue(i));
  if (given_.f64)
    batch.SetF64(node, column, ReadOnce(given_.f64 + i));
  else if (given_.i64)
    batch.SetI64(node, column, ReadOnce(given_.i64 + i));
  else if (!is_text() && texts_[i].empty())
    batch.ClearColumn(node, column);
  else if (!is_text())
    batch.SetString(node, column, texts_[i]);
  else if (texts_[i].empty())
    batch.ClearPayload(node, NodeField::kText);
  else
    batch.SetPayload(node, NodeField::kText, texts_[i]);
  return {};
}

Result<std::uint64_t> ColumnArrays::Fill(WriteBatch& batch, std::uint64_t first) const {
  std::optional<NodeKindRef> kind;
  if (given_.kind) kind = batch.NodeKindNamed(given_.kind);
  ColumnRef column;
  if (builtin_)
    column = *builtin_;
  else if (!is_text())
    column = batch.ColumnNamed(name_);
  std::uint64_t i = first;
  for (std::uint64_t bytes = 0; i < given_.count && i - first < kBatchValues; ++i) {
    if (texts_.size() > 0 && (bytes += texts_[i].size()) > kBatchBytes && i > first) break;
    NodeRef node;
    if (given_.ids)
      node = NodeRef::Id(ReadOnce(given_.ids + i));
    else if (keys_.size() > 0)
      node = batch.Node(keys_[i]);
    else
      node = batch.Node(std::to_string(i));
    batch.UpsertNode(node, kind);
    PLEXUS_TRY(Set(batch, node, column, i));
  }
  return i;
}

Status PutColumn(Workspace& workspace, ColumnArrays& arrays, CallOptions& call,
                 plexus_counts& counts) {
  Graph& graph = workspace.graph();
  counts.sequence = graph.snapshot().sequence();
  PLEXUS_TRY(arrays.Prepare(graph));
  PLEXUS_TRY(workspace.Look(tools::Request(*tools::FindOperation("import"))));
  PLEXUS_ASSIGN(tools::TermKeeper terms, tools::TermKeeper::Make(workspace, false));
  for (std::uint64_t first = 0; first < arrays.count();) {
    if (call.progress() && !call.progress()->Report("values", first, arrays.count()))
      return Cancelled("cancelled after ", first, " values were written");
    WriteBatch batch;
    PLEXUS_ASSIGN(first, arrays.Fill(batch, first));
    PLEXUS_TRY(terms.Complete(graph.snapshot(), batch));
    PLEXUS_ASSIGN(const ApplyReport report, graph.Apply(batch));
    counts.nodes_added += report.nodes.added;
    counts.added += report.nodes.added;
    counts.changed += report.nodes.changed;
    counts.same += report.nodes.same;
  }
  PLEXUS_TRY(terms.Finish());
  counts.sequence = graph.snapshot().sequence();
  return {};
}

}  // namespace
}  // namespace plexus::c

using namespace plexus::c;  // NOLINT: the function below is the interface
using plexus::Graph;
using plexus::Status;

plexus_code plexus_put_column(plexus_graph* handle, const plexus_column_values* values,
                              const plexus_call_options* options, plexus_counts* counts) {
  return PutArrays(handle, options, counts, [&](Putting& put) -> Status {
    PLEXUS_ASSIGN(ColumnArrays arrays, ColumnArrays::Read(values));
    const auto write = [&](plexus::tools::Workspace& workspace, const Graph&) {
      return PutColumn(workspace, arrays, put.call, put.done);
    };
    return put.service.Use(true, put.caller, write);
  });
}
