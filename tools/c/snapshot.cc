// Snapshots, and arrays out of them: each result keeps what its arrays lie in.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/vectors/vector_view.h"
#include "tools/c/graph.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/names.h"

namespace plexus::c {
namespace {

Status CheckNode(const Snapshot& snapshot, const char* name, std::uint64_t i, NodeId node) {
  if (node < snapshot.node_count()) return {};
  return plexus::Invalid(name, "[", i, "] is ", node, ", and ids are below ",
                         snapshot.node_count());
}

Result<EdgeKinds> KindsOf(const Snapshot& snapshot, const char* const* names, std::uint64_t count) {
  PLEXUS_ASSIGN(const std::vector<std::string> kinds, TextsOf(names, count, "kinds"));
  return tools::FindEdgeKinds(snapshot.schema(), kinds);
}

Result<pagerank::PageRankOptions> Options(const Snapshot& snapshot,
                                          const plexus_pagerank_options& given) {
  pagerank::PageRankOptions options;
  if (given.damping >= 0) options.damping = given.damping;
  if (given.tolerance >= 0) options.tolerance = given.tolerance;
  options.iterations = given.iterations;
  options.weighted = !given.unweighted;
  PLEXUS_ASSIGN(options.filter.kinds, KindsOf(snapshot, given.kinds, given.kind_count));
  if (given.seed_count > 0) PLEXUS_TRY(NotNull(given.seeds, "seeds"));
  if (given.seed_count == 0 && given.seeds)
    return plexus::Invalid(
        "seeds is empty: name a node, or leave it out for the rank of the whole graph");
  if (given.seed_weights && !given.seeds) return plexus::Invalid("seed_weights without seeds");
  for (std::uint64_t i = 0; i < given.seed_count; ++i) {
    const NodeId node = given.seeds[i];
    PLEXUS_TRY(CheckNode(snapshot, "seeds", i, node));
    options.seeds.push_back({node, given.seed_weights ? given.seed_weights[i] : 1.0});
  }
  return options;
}

void AddRows(const DenseView& view, bool incoming, bool weights, ResultObject& result) {
  const auto kept = std::make_shared<const DenseView>(view);
  const CsrView rows = incoming ? kept->in() : kept->out();
  if (rows.offsets.empty())
    result.Add("offsets", PLEXUS_U32, std::vector<std::uint32_t>(1));
  else
    result.Add("offsets", PLEXUS_U32, rows.offsets.data(), rows.offsets.size(), 1, kept);
  result.Add("targets", PLEXUS_U32, rows.neighbors.data(), rows.neighbors.size(), 1, kept);
  if (weights && rows.weights.empty())
    result.Add("weights", PLEXUS_F32, std::vector<float>(rows.neighbors.size(), 1.0f));
  else if (weights)
    result.Add("weights", PLEXUS_F32, rows.weights.data(), rows.weights.size(), 1, kept);
  std::vector<NodeId> nodes(kept->node_count());
  for (NodeId row = 0; row < kept->node_count(); ++row) nodes[row] = kept->node(row);
  result.Add("nodes", PLEXUS_U32, std::move(nodes));
}

// Texts as a blob and offsets.
class Texts {
 public:
  void Add(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    offsets_.push_back(bytes_.size());
  }
  void AddTo(ResultObject& result) && {
    result.Add("offsets", PLEXUS_U64, std::move(offsets_));
    result.Add("bytes", PLEXUS_U8, std::move(bytes_));
  }

 private:
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<std::uint8_t> bytes_;
};

Status AddVectors(const Snapshot& snapshot, const std::string& name, ResultObject& result) {
  const std::optional<SpaceId> space = snapshot.schema().FindSpace(name);
  if (!space) return plexus::NotFound("the graph has no vector space '", name, "'");
  PLEXUS_ASSIGN(const VectorView* table, snapshot.vectors(*space));
  std::vector<NodeId> nodes;
  std::vector<float> values;
  nodes.reserve(table->live_count());
  values.reserve(table->live_count() * table->dimensions());
  VectorBuffer buffer;
  for (NodeId node = 0; node < snapshot.node_count(); ++node) {
    if (!snapshot.alive(node) || !table->has(node)) continue;
    const std::span<const float> row = table->vector(node, buffer).first(table->dimensions());
    nodes.push_back(node);
    values.insert(values.end(), row.begin(), row.end());
  }
  result.Add("nodes", PLEXUS_U32, std::move(nodes));
  result.Add("values", PLEXUS_F32, std::move(values), table->dimensions());
  return {};
}

Status AddColumn(const Snapshot& snapshot, const std::string& name, ResultObject& result) {
  const std::optional<ColumnId> column = snapshot.schema().FindColumn(name);
  if (!column) return plexus::NotFound("the graph has no column '", name, "'");
  const ColumnType type = snapshot.schema().columns()[*column].type;
  std::vector<NodeId> nodes;
  std::vector<double> reals;
  std::vector<std::int64_t> numbers;
  Texts texts;
  for (NodeId node = 0; node < snapshot.node_count(); ++node) {
    if (!snapshot.alive(node)) continue;
    if (type == ColumnType::kF64) {
      const std::optional<double> value = snapshot.f64(*column, node);
      if (!value) continue;
      reals.push_back(*value);
    } else if (type == ColumnType::kI64) {
      const std::optional<std::int64_t> value = snapshot.i64(*column, node);
      if (!value) continue;
      numbers.push_back(*value);
    } else {
      const std::optional<StringId> value = snapshot.string_column(*column, node);
      if (!value) continue;
      texts.Add(snapshot.string(*value));
    }
    nodes.push_back(node);
  }
  result.Add("nodes", PLEXUS_U32, std::move(nodes));
  if (type == ColumnType::kF64) result.Add("values", PLEXUS_F64, std::move(reals));
  if (type == ColumnType::kI64) result.Add("values", PLEXUS_I64, std::move(numbers));
  if (type == ColumnType::kString) std::move(texts).AddTo(result);
  return {};
}

// The frame of what has arrays as its result: fill(snapshot, result) makes them.
template <class Fill>
plexus_code MakeResult(plexus_snapshot* handle, plexus_result** out, Fill&& fill) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(out, "result"));
    PLEXUS_ASSIGN(const auto found, Find<SnapshotObject>(handle));
    auto result = std::make_shared<ResultObject>();
    PLEXUS_TRY(fill(*found, *result));
    *out = HandOut<plexus_result>(std::move(result));
    return {};
  });
}

}  // namespace
}  // namespace plexus::c

using namespace plexus::c;  // NOLINT: the functions below are the interface
using plexus::ErrorCode;
using plexus::Fail;
using plexus::NodeId;
using plexus::Snapshot;
using plexus::Status;
using plexus::tools::FindOperation;
using plexus::tools::Request;
using plexus::tools::Workspace;

plexus_code plexus_snapshot_of(plexus_graph* handle, plexus_snapshot** snapshot) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(snapshot, "snapshot"));
    PLEXUS_ASSIGN(const auto graph, FindGraph(handle));
    PLEXUS_TRY(CheckWhole(*graph));
    plexus::Result<Snapshot> taken = graph->service->snapshot();
    if (!taken) return InTime(*graph, std::unexpected(taken.error()));
    *snapshot = HandOut<plexus_snapshot>(std::make_shared<SnapshotObject>(std::move(*taken)));
    return {};
  });
}

plexus_code plexus_snapshot_at(plexus_graph* handle, const char* moment,
                               plexus_snapshot** snapshot) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(snapshot, "snapshot"));
    PLEXUS_TRY(NotNull(moment, "moment"));
    if (!*moment)  // as_of takes it for the present
      return plexus::Invalid(
          "moment is empty: give a sequence number or a time, or call plexus_snapshot_of");
    PLEXUS_ASSIGN(const auto graph, FindGraph(handle));
    PLEXUS_TRY(CheckWhole(*graph));
    std::shared_ptr<SnapshotObject> made;
    const auto look = [&](Workspace& workspace, const plexus::Graph&) -> Status {
      const Request request(*FindOperation("stats"));
      PLEXUS_ASSIGN(plexus::tools::View view, workspace.ViewAt(moment, request));
      made = std::make_shared<SnapshotObject>(std::move(view.snapshot));
      return {};
    };
    PLEXUS_TRY(InTime(*graph, graph->service->Use(false, graph->caller, look)));
    *snapshot = HandOut<plexus_snapshot>(std::move(made));
    return {};
  });
}

plexus_code plexus_snapshot_free(plexus_snapshot* snapshot) {
  return Free<SnapshotObject>(snapshot);
}

plexus_code plexus_snapshot_about(plexus_snapshot* handle, plexus_snapshot_info* info) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(info, "info"));
    PLEXUS_ASSIGN(const auto found, Find<SnapshotObject>(handle));
    const Snapshot& snapshot = found->snapshot;
    plexus_snapshot_info about = {};
    about.sequence = snapshot.sequence();
    about.time_ms = snapshot.time_ms();
    about.node_count = snapshot.node_count();
    about.nodes = snapshot.CountNodes(plexus::Plane::kFact);
    about.edges = snapshot.CountEdges(plexus::Plane::kFact);
    return WriteStruct(about, info, "info");
  });
}

plexus_code plexus_find(plexus_snapshot* handle, const plexus_strings* keys, uint32_t* ids) {
  return Guarded([&]() -> Status {
    PLEXUS_TRY(NotNull(keys, "keys"));
    PLEXUS_ASSIGN(const Strings wanted, Strings::Copy(*keys, "keys"));
    if (wanted.size() > 0) PLEXUS_TRY(NotNull(ids, "ids"));
    PLEXUS_ASSIGN(const auto found, Find<SnapshotObject>(handle));
    for (std::uint64_t i = 0; i < wanted.size(); ++i)
      ids[i] = found->snapshot.FindAlive(wanted[i]).value_or(plexus::kNoNode);
    return {};
  });
}

plexus_code plexus_keys(plexus_snapshot* handle, const uint32_t* ids, uint64_t count,
                        plexus_result** out) {
  return MakeResult(handle, out, [&](const SnapshotObject& of, ResultObject& result) -> Status {
    const Snapshot& snapshot = of.snapshot;
    const std::uint64_t keys = ids ? count : snapshot.node_count();
    Texts texts;
    for (std::uint64_t i = 0; i < keys; ++i) {
      const NodeId node = ids ? ids[i] : static_cast<NodeId>(i);
      PLEXUS_TRY(CheckNode(snapshot, "ids", i, node));
      texts.Add(snapshot.key(node));
    }
    std::move(texts).AddTo(result);
    return {};
  });
}

plexus_code plexus_pagerank(plexus_snapshot* handle, const plexus_pagerank_options* given,
                            plexus_result** out) {
  return MakeResult(handle, out, [&](const SnapshotObject& of, ResultObject& result) -> Status {
    PLEXUS_TRY(CheckProcess(of.process));
    plexus_pagerank_options defaults = {};
    defaults.damping = defaults.tolerance = -1;
    PLEXUS_ASSIGN(const plexus_pagerank_options read, ReadStruct(given, "options", defaults));
    PLEXUS_ASSIGN(const auto cancel, FlagOf(read.cancel));
    PLEXUS_ASSIGN(plexus::pagerank::PageRankOptions options, Options(of.snapshot, read));
    if (cancel) options.run.budget.cancel = &cancel->flag;
    PLEXUS_ASSIGN(plexus::pagerank::PageRankResult rank,
                  plexus::pagerank::PageRank(of.snapshot, options));
    if (cancel && cancel->flag && rank.truncated)
      return plexus::Cancelled("pagerank was cancelled");
    result.Add("scores", PLEXUS_F64, std::move(rank.scores));
    return {};
  });
}

plexus_code plexus_csr(plexus_snapshot* handle, const plexus_csr_options* given,
                       plexus_result** out) {
  return MakeResult(handle, out, [&](const SnapshotObject& of, ResultObject& result) -> Status {
    PLEXUS_TRY(CheckProcess(of.process));
    PLEXUS_ASSIGN(const plexus_csr_options read, ReadStruct(given, "options"));
    plexus::DenseViewOptions options;
    options.out = !read.incoming;
    options.in = !options.out;
    options.weights = !read.no_weights;
    PLEXUS_ASSIGN(options.filter.kinds, KindsOf(of.snapshot, read.kinds, read.kind_count));
    PLEXUS_ASSIGN(const plexus::DenseView view, plexus::DenseView::Make(of.snapshot, options));
    AddRows(view, options.in, options.weights, result);
    return {};
  });
}

plexus_code plexus_space(plexus_snapshot* handle, const char* space, plexus_result** out) {
  return MakeResult(handle, out, [&](const SnapshotObject& of, ResultObject& result) -> Status {
    PLEXUS_TRY(CheckProcess(of.process));
    return AddVectors(of.snapshot, space ? space : "default", result);
  });
}

plexus_code plexus_column(plexus_snapshot* handle, const char* column, plexus_result** out) {
  return MakeResult(handle, out, [&](const SnapshotObject& of, ResultObject& result) -> Status {
    PLEXUS_TRY(NotNull(column, "column"));
    PLEXUS_TRY(CheckProcess(of.process));
    return AddColumn(of.snapshot, column, result);
  });
}
