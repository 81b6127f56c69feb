// VectorFile: rows of numbers from a raw binary file, one after the other.
//
//   .npy    NumPy array of <f4 or <f8 in C order, shape (rows, values)
//   .fvecs  each row: i32 little endian count, then that many f32 (the texmex corpora)
//   f32     nothing but little endian f32; the caller knows the dimension
// What the header claims is compared with the file's size before a row is read; f64
// is rounded to f32. Not thread-safe.
//
// VectorKeys: the keys that a vector file's rows belong to, checked as a whole.
//
// Held in memory as one text and its line ends; a key that is there twice is found by
// sorting, so no input can make it slow. Immutable once read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/schema.h"
#include "storage/formats/import.h"
#include "storage/formats/pipeline/block_reader.h"

namespace plexus::formats::internal {

struct VectorFileOptions {
  VectorFormat format = VectorFormat::kAuto;
  // Values of a row: needed for kF32; else compared with what the file says. 0: not given.
  std::uint64_t dimensions = 0;
  bool may_be_empty = false;  // kF32: no rows are fine, too
  bool single = false;  // one vector is wanted: a .npy of shape (values,) will do
};

class VectorFile {
 public:
  // Reads the header and checks the sizes. Errors name the file: kInvalidArgument for
  // its content, kUnsupported for a type that is not read or a pipe, kNotFound, kIo.
  static Result<VectorFile> Open(const VectorInput& input, const VectorFileOptions& options);

  std::uint64_t rows() const { return rows_; }
  std::uint32_t dimensions() const { return dimensions_; }
  std::uint64_t size_bytes() const { return size_bytes_; }

  // Of the space that the rows go to; f32 unless it is said.
  void set_element(VectorElement element) { element_ = element; }
  // The next row; false behind the last one. A value that is not finite, or not within
  // f32 or that element, makes the row bad: `bad` says which and where, and reading can go on.
  // REQUIRES row.size() == dimensions(). kInvalidArgument: the file is not as its header says.
  Result<bool> Next(std::span<float> row, std::string& bad);

 private:
  VectorFile() = default;
  Status ReadHeader(const VectorFileOptions& options);
  Status ReadNpy(const VectorFileOptions& options);
  Status ReadFvecs();
  template <class... Parts>
  std::unexpected<Error> Bad(const Parts&... parts) const {
    return Invalid(name_, ": ", parts...);
  }
  std::string Place(std::size_t value) const;

  std::string name_;
  VectorFormat format_ = VectorFormat::kAuto;
  std::unique_ptr<ByteSource> source_;
  std::string head_;  // read ahead, consumed up to head_at_
  std::size_t head_at_ = 0;
  std::uint64_t size_bytes_ = 0, header_bytes_ = 0;
  std::uint64_t rows_ = 0, next_ = 0;
  std::uint32_t dimensions_ = 0;
  std::size_t value_bytes_ = 4;
  VectorElement element_ = VectorElement::kF32;
  std::vector<char> buffer_;  // one row as the file has it
};

// The keys that come first, up to the empty line behind them; reads a line more of the source, at
// least. kInvalidArgument: there is no such line within `most` bytes.
Result<std::string> ReadKeysFirst(ByteSource& source, const std::string& name,
                                  std::uint64_t most = std::uint64_t{256} << 20);

class VectorKeys {
 public:
  // Row numbers.
  VectorKeys() = default;
  // One key a line; the file must have `rows` of them. kInvalidArgument otherwise.
  // `mark_is_key`: as an export writes them, where U+FEFF at the beginning is of the first key.
  static Result<VectorKeys> Read(const VectorInput& input, std::uint64_t rows,
                                 bool mark_is_key = false);

  // The key of a row. Valid as long as this is.
  std::string_view key(std::uint64_t row, std::string& number) const {
    if (!named_) return number = std::to_string(row);
    return std::string_view(text_).substr(begins_[row], ends_[row] - begins_[row]);
  }
  const std::string& file() const { return file_; }
  // Why a row's key is refused; null = it is not.
  const std::string* refused(std::uint64_t row) const {
    const auto found = refused_.find(row);
    return found == refused_.end() ? nullptr : &found->second;
  }

 private:
  void Check();

  bool named_ = false;
  std::string file_, text_;
  std::vector<std::uint64_t> begins_, ends_;
  std::map<std::uint64_t, std::string> refused_;
};

}  // namespace plexus::formats::internal
