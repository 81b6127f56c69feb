// Raw vectors in: one pass that only checks, one that applies batches; and the one
// vector of a query.
#include "storage/formats/import.h"

#include <algorithm>
#include <cmath>

#include "engine/out_of_memory.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/input.h"
#include "storage/formats/pipeline/pipeline.h"
#include "storage/formats/vectors/vector_file.h"

namespace plexus::formats {

using namespace internal;

namespace {

constexpr std::size_t kBatchFloats = std::size_t{4} << 20;  // 16 MiB of vectors a batch
constexpr std::uint64_t kReportRows = 4096;

std::string_view MetricName(Metric metric) {
  return metric == Metric::kCosine         ? "cosine"
         : metric == Metric::kInnerProduct ? "inner product"
                                           : "L2";
}

class VectorImport {
 public:
  VectorImport(ImportRun& run, const VectorInput& file, const VectorImportOptions& vectors)
      : run_(run), file_(file), vectors_(vectors) {}

  Status Run() {
    const FileStamp stamp = Stamp();
    auto opened = Open();
    if (!opened) return ContentError(std::move(opened).error());
    rows_ = opened->rows();
    PLEXUS_TRY(CheckSpace(opened->dimensions()));
    if (vectors_.keys) {
      auto keys = VectorKeys::Read(*vectors_.keys, rows_, vectors_.keys_first);
      if (!keys) return ContentError(std::move(keys).error());
      keys_ = *std::move(keys);
    }
    const bool check_first = run_.options.on_error == OnImportError::kStop;
    run_.bytes_total = opened->size_bytes() * (check_first ? 2 : 1);
    if (check_first) {
      PLEXUS_TRY(Pass(*opened, false));
      if (run_.report.errors > 0) return {};
      PLEXUS_TRY(run_.BeginApplying());
      opened = Open();
      if (Stamp() != stamp || !opened || opened->rows() != rows_ ||
          opened->dimensions() != space_.dimensions)
        return IoError(file_.name, ": has changed since it was checked; nothing of it was applied");
    }
    PLEXUS_TRY(run_.BeginApplying());
    const Status status = Pass(*opened, true);
    if (check_first && (Stamp() != stamp || run_.report.stopped))
      return IoError(file_.name, ": has changed while it was imported; ", applied_, " of its ",
                     rows_, " vectors were applied");
    return status;
  }

 private:
  FileStamp Stamp() const { return file_.bytes || file_.spool ? FileStamp() : StampOf(file_.name); }
  Result<VectorFile> Open() const {
    VectorFileOptions options;
    options.format = vectors_.format;
    options.dimensions = vectors_.dimensions;
    options.may_be_empty = vectors_.keys_first;
    return VectorFile::Open(file_, options);
  }

  // What the content is guilty of is in the report; the rest ends the import.
  Status ContentError(Error error) {
    if (error.code != ErrorCode::kInvalidArgument) return std::unexpected(std::move(error));
    // The message names its file, as the report will again.
    for (const std::string& name :
         {file_.name, vectors_.keys ? vectors_.keys->name : std::string()})
      if (!name.empty() && error.message.starts_with(name + ": ")) {
        run_.AddError(name, 0, error.message.substr(name.size() + 2));
        return {};
      }
    run_.AddError(file_.name, 0, error.message);
    return {};
  }

  Status CheckSpace(std::uint32_t dimensions) {
    space_ = {vectors_.space, dimensions, vectors_.metric.value_or(Metric::kCosine),
              vectors_.prefilter.value_or(Prefilter::kNone),
              vectors_.element.value_or(VectorElement::kF32)};
    const Snapshot snapshot = run_.graph.snapshot();
    const Schema& schema = snapshot.schema();
    const auto id = schema.FindSpace(vectors_.space);
    if (!id) {
      Schema copy = schema;  // what Apply would return, before anything is read
      PLEXUS_TRY(copy.Define(space_));
      return {};
    }
    const VectorSpace& defined = schema.spaces()[*id];
    if (defined.dimensions != dimensions)
      return Invalid(file_.name, ": rows of ", dimensions, " values, space '", defined.name,
                     "' has ", defined.dimensions, " dimensions");
    if (vectors_.metric && *vectors_.metric != defined.metric)
      return Invalid("space '", defined.name, "' measures by ", MetricName(defined.metric),
                     ", not by ", MetricName(*vectors_.metric));
    if (vectors_.prefilter && *vectors_.prefilter != defined.prefilter)
      return Invalid("space '", defined.name, "' has the pre-filter ",
                     PrefilterName(defined.prefilter), ", not ",
                     PrefilterName(*vectors_.prefilter));
    if (vectors_.element && *vectors_.element != defined.element)
      return Invalid("space '", defined.name, "' has ", VectorElementName(defined.element),
                     " values, not ", VectorElementName(*vectors_.element));
    space_ = defined;
    return {};
  }

  Status Pass(VectorFile& file, bool apply) {
    file.set_element(space_.element);
    std::vector<float> row(space_.dimensions);
    const std::uint64_t batch_rows = std::max<std::uint64_t>(1, kBatchFloats / space_.dimensions);
    WriteBatch batch(run_.options.now_ms);
    std::string bad, number;
    for (std::uint64_t at = 0;; ++at) {
      auto more = file.Next(row, bad);
      if (!more) return ContentError(std::move(more).error());
      if (!*more) break;
      if (at % kReportRows == 0) PLEXUS_TRY(ReportProgress(file, at, apply));
      const std::string* refused = keys_.refused(at);
      if (!bad.empty() || refused) {
        if (refused)
          run_.AddError(keys_.file(), at + 1, *refused);
        else
          run_.AddError(file_.name, 0, bad);
        if (run_.report.stopped) return {};
        continue;
      }
      if (!apply) continue;
      if (batch.empty()) batch.DefineSpace(space_);
      const std::string_view key = keys_.key(at, number);
      run_.touched.Mark(key);
      batch.SetVector(batch.Node(key), batch.SpaceNamed(space_.name), row);
      ++run_.report.vectors;
      if (batch.op_count() >= batch_rows) PLEXUS_TRY(Apply(batch));
    }
    if (apply) {
      run_.report.records = rows_;
      run_.report.bytes = file.size_bytes();
      if (!batch.empty()) PLEXUS_TRY(Apply(batch));
    }
    return {};
  }

  Status ReportProgress(const VectorFile& file, std::uint64_t row, bool apply) {
    Progress* progress = run_.options.progress;
    if (!progress || rows_ == 0) return {};
    const std::uint64_t before = apply ? run_.bytes_total - file.size_bytes() : 0;
    const auto done =
        static_cast<std::uint64_t>(static_cast<double>(file.size_bytes()) *
                                   static_cast<double>(row) / static_cast<double>(rows_));
    if (progress->Report(apply ? "importing" : "checking", before + done, run_.bytes_total))
      return {};
    return Cancelled("import cancelled");
  }

  Status Apply(WriteBatch& batch) {
    PLEXUS_ASSIGN(const ApplyReport applied, run_.graph.Apply(batch, run_.options.apply));
    ++run_.report.batches;
    run_.report.nodes.added += applied.nodes.added;
    run_.nodes_changed += applied.nodes.changed;
    applied_ = run_.report.vectors;
    batch.Clear();
    return {};
  }

  ImportRun& run_;
  const VectorInput& file_;
  const VectorImportOptions& vectors_;
  VectorSpace space_;
  VectorKeys keys_;
  std::uint64_t rows_ = 0, applied_ = 0;
};

template <class... Parts>
std::unexpected<Error> BadVector(const std::string& name, const Parts&... parts) {
  return Invalid(name, ": ", parts...);
}

// Numbers between blanks or commas; one pair of brackets around them may be there.
Result<std::vector<float>> ParseNumbers(const std::string& name, std::string_view text) {
  const auto trim = [](std::string_view s) { return Trim(s, " \t\r\n"); };
  text = trim(text);
  if (text.starts_with('[') && text.ends_with(']')) text = trim(text.substr(1, text.size() - 2));
  std::vector<float> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,"), text.size());
    const std::string_view word = text.substr(0, end);
    float value = 0;
    if (!ReadWhole(word, value) || !std::isfinite(value))
      return BadVector(name, "value ", values.size(), ", '", word.substr(0, 40),
                       "', is no finite number within f32");
    if (values.size() == Limits::kMaxDimensions)
      return BadVector(name, "more than ", Limits::kMaxDimensions, " values");
    values.push_back(value);
    text = trim(text.substr(end));
    if (text.starts_with(',')) {
      text = trim(text.substr(1));
      if (text.empty()) return BadVector(name, "ends with a comma");
    }
  }
  if (values.empty()) return BadVector(name, "holds no numbers");
  return values;
}

}  // namespace

Result<ImportReport> ImportVectors(Graph& graph, const VectorInput& file,
                                   const VectorImportOptions& vectors,
                                   const ImportOptions& options) try {
  ImportRun run(graph, options);
  return RunImport(run, [&] { return VectorImport(run, file, vectors).Run(); });
}
PLEXUS_CATCH_NO_MEMORY

Result<ImportReport> ImportVectorStream(Graph& graph, std::string_view name, int fd,
                                        const VectorImportOptions& vectors,
                                        const ImportOptions& options) try {
  VectorInput file{std::string(name)};
  PLEXUS_ASSIGN(file.spool,
                SpoolDescriptor(fd, file.name, options.limits.spool_bytes, options.progress));
  if (!vectors.keys_first) return ImportVectors(graph, file, vectors, options);
  PLEXUS_ASSIGN(std::string keys, ReadKeysFirst(*file.spool->Open(file.name), file.name));
  file.begin = keys.size();
  keys.pop_back();
  VectorImportOptions with_keys = vectors;
  with_keys.keys = VectorInput{.name = file.name, .bytes = keys};
  return ImportVectors(graph, file, with_keys, options);
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<float>> ReadVector(const VectorInput& file) try {
  constexpr std::size_t kMaxText = Limits::kMaxDimensions * 64;
  PLEXUS_ASSIGN(const auto source, (Input{file.name, file.bytes}).Open());
  std::string text(kMaxText + 1, '\0');
  PLEXUS_TRY(ReadFully(*source, text));
  VectorFileOptions options;
  options.single = true;
  const auto named = VectorFormatOf(file.name);
  const bool npy = text.starts_with("\x93NUMPY");
  if (!npy && !named) {
    if (text.size() > kMaxText) return BadVector(file.name, "more text than one vector can be");
    return ParseNumbers(file.name, text);
  }
  if (!npy && *named == VectorFormat::kF32) options.dimensions = text.size() / 4;
  // One vector is small, so what was read is all of it, or too much.
  if (text.size() > kMaxText) return BadVector(file.name, "more than one vector, expected one");
  PLEXUS_ASSIGN(VectorFile vector, VectorFile::Open({file.name, text}, options));
  std::vector<float> values(vector.dimensions());
  std::string bad;
  PLEXUS_TRY(vector.Next(values, bad));
  if (!bad.empty()) return BadVector(file.name, bad);
  return values;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
