// The header of NumPy's .npy files: what type, what order, what shape.
//
// Layout (numpy.lib.format, versions 1.0 to 3.0): "\x93NUMPY", u8 major, u8 minor,
// little endian u16 (1.0) or u32 header length, then a Python dict literal with
// exactly the keys descr, fortran_order and shape, padded with blanks and ended by a
// line end. The literal is read by a small strict parser: nothing is evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"

namespace plexus::formats::internal {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::size_t bytes = 0;  // where the values begin
};

// A header is refused above this: NumPy's own are 128 bytes or a little more.
inline constexpr std::size_t kMaxNpyHeader = 64 * 1024;

bool IsNpy(std::string_view head);
// `head`: the file's first bytes, kMaxNpyHeader + 12 of them or the whole file.
// kInvalidArgument with the reason, without the file's name.
Result<NpyHeader> ParseNpyHeader(std::string_view head);

}  // namespace plexus::formats::internal
