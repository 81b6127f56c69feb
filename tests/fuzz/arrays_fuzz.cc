// Fuzz target: array files from anywhere. The first byte says whether the digests are made to fit,
// so that values are reached behind them. Nothing crashes, what is good can be read whole, and an
// import of what is no result changes nothing.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "storage/formats/array_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace {

using namespace plexus;

void Put(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> 8 * i);
}

// Digests that fit the bytes, where the file is as long as its header says.
void Seal(std::string& bytes) {
  if (bytes.size() < 112) return;
  Put(bytes, 88, XXH3_64bits(bytes.data(), 88));
  const std::uint64_t body = bytes.size() - 112;  // of one block
  Put(bytes, 96 + body, XXH3_64bits(bytes.data() + 96, body));
  Put(bytes, 104 + body, XXH3_64bits(bytes.data() + 96 + body, 8));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 65'536) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] & 1) Seal(bytes);
  auto file = formats::ArrayFile::Of("fuzz", bytes);
  if (!file) {
    if (!file.error().message.starts_with("fuzz: ")) std::abort();
    return 0;
  }
  const formats::ArrayHeader header = file->header();
  if (!file->CheckAll()) return 0;
  if (header.kind == formats::ArrayKind::kF64 && header.count > 0 &&
      file->ReadF64(header.count - 1, 0, header.nodes)->size() != header.nodes)
    std::abort();
  if (header.kind != formats::ArrayKind::kCsrParts) return 0;
  const auto rows = file->ReadRows(0, header.nodes);
  if (!rows || rows->targets.size() != header.count) std::abort();
  for (const std::uint32_t target : rows->targets)
    if (target >= header.nodes) std::abort();
  return 0;
}
