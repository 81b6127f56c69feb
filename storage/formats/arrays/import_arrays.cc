// Arrays by id in: all are checked, then written as columns; see import.h.
#include "storage/formats/import.h"

#include <algorithm>
#include <cmath>

#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"
#include "storage/formats/array_file.h"
#include "storage/formats/pipeline/pipeline.h"

namespace plexus::formats {

using namespace internal;

namespace {

constexpr std::uint64_t kBatchValues = 262'144;

class ArrayImport {
 public:
  ArrayImport(ImportRun& run, const ArrayImportOptions& arrays) : run_(run), arrays_(arrays) {}

  Status Run(const std::vector<std::string>& files) {
    if (!arrays_.column.empty() && files.size() > 1)
      return Invalid("one column cannot be of several files");
    std::vector<ArrayFile> opened;
    for (const std::string& file : files) {
      PLEXUS_ASSIGN(ArrayFile array, ArrayFile::Open(file));
      PLEXUS_TRY(Check(array));
      opened.push_back(std::move(array));
    }
    PLEXUS_TRY(run_.BeginApplying());
    for (ArrayFile& file : opened) {
      for (std::uint64_t i = 0; i < file.header().count; ++i) PLEXUS_TRY(Write(file, i));
      run_.report.records += file.header().nodes * file.header().count;
    }
    return {};
  }

 private:
  Status Check(ArrayFile& file) const {
    const ArrayHeader& header = file.header();
    const std::string name = file.name() + ": ";
    if (header.kind == ArrayKind::kCsrParts)
      return Invalid(name, "holds the rows of a graph; the result of a job becomes a column");
    if (header.graph_high != arrays_.graph_high || header.graph_low != arrays_.graph_low)
      return FailedPrecondition(name, "was computed of another graph");
    if (header.sequence != run_.start.sequence())
      return FailedPrecondition(name, "was computed at sequence ", header.sequence,
                                ", the graph is at ", run_.start.sequence(),
                                ": export and compute again");
    if (header.nodes != run_.start.node_count())
      return FailedPrecondition(name, "has ", header.nodes, " ids, the graph ",
                                run_.start.node_count());
    for (std::uint64_t i = 0; i < header.count; ++i)
      if (const Status good = CheckColumn(ColumnOf(file, i)); !good)
        return Fail(good.error().code, name + good.error().message);
    return file.CheckAll();
  }

  Status CheckColumn(const Column& column) const {
    const Schema& schema = run_.start.schema();
    if (const auto known = schema.FindColumn(column.name);
        known &&
        (*known < builtin::kFirstUserColumn || schema.columns()[*known].type != column.type))
      return Invalid("column '", column.name, "' is built in, or of another type");
    Schema copy = schema;  // what Apply would return, before anything is written
    PLEXUS_TRY(copy.Define(column));
    return {};
  }

  Column ColumnOf(const ArrayFile& file, std::uint64_t array) const {
    const ArrayHeader& header = file.header();
    std::string name = arrays_.column.empty() ? header.job : arrays_.column;
    if (header.count > 1) name += "_" + std::to_string(array + 1);
    return {std::move(name), header.kind == ArrayKind::kF64 ? ColumnType::kF64 : ColumnType::kI64};
  }

  Status Write(ArrayFile& file, std::uint64_t array) {
    const Column column = ColumnOf(file, array);
    const std::uint64_t nodes = file.header().nodes;
    for (std::uint64_t first = 0; first < nodes; first += kBatchValues) {
      const std::uint64_t last = std::min(nodes, first + kBatchValues);
      if (run_.options.progress && !run_.options.progress->Report("values", first, nodes))
        return Cancelled("import cancelled");
      WriteBatch batch(run_.options.now_ms);
      batch.DefineColumn(column);
      const ColumnRef ref = batch.ColumnNamed(column.name);
      const auto set = [&](const auto& values, auto&& has, auto&& put) {
        for (std::uint64_t v = first; v < last; ++v)
          if (const auto node = static_cast<NodeId>(v);
              has(values[v - first]) && run_.start.alive(node)) {
            run_.touched.Mark(run_.start.key(node));
            put(NodeRef::Id(node), values[v - first]);
          }
      };
      if (column.type == ColumnType::kF64) {
        PLEXUS_ASSIGN(const std::vector<double> values, file.ReadF64(array, first, last));
        set(
            values, [](double x) { return !std::isnan(x); },
            [&](NodeRef node, double x) { batch.SetF64(node, ref, x); });
      } else {
        PLEXUS_ASSIGN(const std::vector<std::uint32_t> values, file.ReadU32(array, first, last));
        set(
            values, [](std::uint32_t x) { return x != kNoValue; },
            [&](NodeRef node, std::uint32_t x) { batch.SetI64(node, ref, x); });
      }
      PLEXUS_ASSIGN(const ApplyReport applied, run_.graph.Apply(batch, run_.options.apply));
      ++run_.report.batches;
      run_.nodes_changed += applied.nodes.changed;
    }
    return {};
  }

  ImportRun& run_;
  const ArrayImportOptions& arrays_;
};

}  // namespace

Result<ImportReport> ImportArrays(Graph& graph, const std::vector<std::string>& files,
                                  const ArrayImportOptions& arrays,
                                  const ImportOptions& options) try {
  ImportRun run(graph, options);
  return RunImport(run, [&] { return ArrayImport(run, arrays).Run(files); });
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
