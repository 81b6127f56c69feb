// Fuzz target: raw vector files and keys from anywhere. The first byte picks the format
// and the dimensions, the second the length of the keys file, which comes before the
// vectors; 0 = no keys. Whatever is imported must be finite and survive export and import.
#include "storage/formats/import.h"
#include "tests/fuzz/text_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plexus;
  using namespace plexus::formats::internal;
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t key_bytes = std::min<std::size_t>(data[1], rest.size());
  formats::VectorImportOptions vectors;
  vectors.format = static_cast<formats::VectorFormat>(data[0] % 4);
  vectors.dimensions = data[0] / 4;
  if (data[1] != 0) vectors.keys = formats::VectorInput{"keys", rest.substr(0, key_bytes)};
  const formats::VectorInput file{"fuzz", rest.substr(key_bytes)};
  (void)formats::ReadVector(file);

  formats::ImportOptions options;
  options.now_ms = 1000;
  auto strict = Graph::InMemory();
  const auto stopped = formats::ImportVectors(*strict, file, vectors, options);
  // An error changes nothing.
  if ((!stopped || stopped->errors > 0) && strict->snapshot().sequence() != 0) std::abort();
  options.on_error = formats::OnImportError::kSkip;
  auto graph = Graph::InMemory();
  const auto report = formats::ImportVectors(*graph, file, vectors, options);
  if (report.has_value() != stopped.has_value()) std::abort();
  if (!report) return 0;
  const std::string first = ExportAll(*graph);
  if (report->errors == 0 && ExportAll(*strict) != first) std::abort();
  auto copy = Graph::InMemory();
  formats::ImportOptions again;
  again.format = formats::FileFormat::kJsonLines;
  again.now_ms = 2000;
  again.executor = &SerialExecutor();
  const auto read = formats::ImportBytes(*copy, "export", first, again);
  if (!read || read->errors || ExportAll(*copy) != first) std::abort();
  return 0;
}
