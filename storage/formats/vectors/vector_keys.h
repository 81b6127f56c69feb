// VectorKeys: the keys that a vector file's rows belong to, checked as a whole.
//
// Held in memory as one text and its line ends; a key that is there twice is found by
// sorting, so no input can make it slow. Immutable once read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "storage/formats/import.h"
#include "storage/formats/pipeline/block_reader.h"

namespace plexus::formats::internal {

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
  bool named() const { return named_; }
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
