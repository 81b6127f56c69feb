// Array files: rows of a graph out to programs that know ids only, and arrays by id back.
//
// One file holds a header, sections, and XXH3 digests, little endian, without keys or texts:
//
//    0  "PLXARRAY"   8  u32 version, u32 ArrayKind   16  u64 graph id, high and low
//   32  u64 sequence   40  u64 nodes, ids are below it   48  u64 count, of arcs or of arrays
//   56  u64 selected nodes   64  the job's name, 24 bytes   88  u64 digest of the bytes before
//   96  the sections, each filled up to 8 bytes; a u64 digest for each 1 MiB of them, which the
//       last may fill in part; u64 digest of the digests
//
// Sections of kCsrParts: selected, u64 words with bit i % 64 of word i / 64 set for node i;
// offsets, u64[nodes + 1], of arcs; targets, u32[count]; weights, f32[count]. Of the other kinds:
// values, `count` arrays of `nodes` elements, with NaN or 0xFFFFFFFF where a node has none.
//
// Reading takes whole blocks and checks each before a byte of it is used, so that a reader of a
// part of the file checks that part, and what was checked is what is used.
//
// Complexity: O(bytes read), in whole blocks of 1 MiB. Memory: a block and the answer.
// Threads: an ArrayFile and an ArrayWriter are for one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"

namespace plexus::formats {

enum class ArrayKind : std::uint32_t { kCsrParts = 1, kF64 = 2, kU32 = 3 };

inline constexpr std::uint32_t kNoValue = 0xFFFFFFFFu;  // of ArrayKind::kU32

struct ArrayHeader {
  ArrayKind kind = ArrayKind::kCsrParts;
  std::uint64_t graph_high = 0, graph_low = 0;  // GraphIdentity (storage/replica.h)
  std::uint64_t sequence = 0;
  std::uint64_t nodes = 0, count = 0, selected = 0;
  std::string job = {};  // at most 23 bytes
  bool operator==(const ArrayHeader&) const = default;
};

enum class ArraySection { kSelected, kOffsets, kTargets, kWeights, kValues };

// Rows [first, first + offsets.size() - 1) of kCsrParts.
struct CsrRows {
  std::uint64_t first = 0;
  std::vector<std::uint64_t> offsets;  // of the file: those of row i begin at offsets[i]
  std::vector<std::uint32_t> targets;
  std::vector<float> weights;
};

// Errors of every member: kCorruption names file, section and byte; kIo; kResourceExhausted.
class ArrayFile {
 public:
  // Reads header and digests and compares the sizes that they claim with the file's. kNotFound, and
  // kUnsupported: a newer version.
  static Result<ArrayFile> Open(const std::string& path);
  // The same of bytes in memory, which must outlive it; `name` appears in errors.
  static Result<ArrayFile> Of(std::string_view name, std::string_view bytes);
  ArrayFile(ArrayFile&&) noexcept;
  ArrayFile& operator=(ArrayFile&&) noexcept;
  ~ArrayFile();

  const ArrayHeader& header() const;
  const std::string& name() const;

  // kCsrParts. The offset of a row; not compared with its neighbours'. REQUIRES row <= nodes.
  Result<std::uint64_t> Offset(std::uint64_t row);
  // Rows [first, last): offsets ascend from 0 to `count`, targets are selected nodes in order of
  // nothing, weights are finite and not negative, rows of what is not selected are empty.
  Result<CsrRows> ReadRows(std::uint64_t first, std::uint64_t last);
  // A byte for each node of [first, last): 1 where it is selected.
  Result<std::vector<std::uint8_t>> ReadSelected(std::uint64_t first, std::uint64_t last);

  // kF64 and kU32: the elements [first, last) of an array. Of f64 they are finite or NaN.
  Result<std::vector<double>> ReadF64(std::uint64_t array, std::uint64_t first, std::uint64_t last);
  Result<std::vector<std::uint32_t>> ReadU32(std::uint64_t array, std::uint64_t first,
                                             std::uint64_t last);

  // All of it: every block, and of kCsrParts every row. O(bytes), memory O(nodes / 8).
  Status CheckAll();

 private:
  struct Impl;
  explicit ArrayFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Writes one, from its first byte to its last.
class ArrayWriter {
 public:
  ArrayWriter(std::ostream& out, const ArrayHeader& header);
  ~ArrayWriter();
  // The next bytes of the section under way. kIo.
  Status Put(const void* data, std::size_t size);
  // Fills the section up.
  Status EndSection();
  // The digests. kInternal: the sections are not as long as the header says.
  Status Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plexus::formats
