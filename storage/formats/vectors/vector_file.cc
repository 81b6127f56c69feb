// Headers and rows of .npy, .fvecs and bare f32; see vector_file.h.
#include "storage/formats/vectors/vector_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/types.h"
#include "engine/vectors/half.h"
#include "storage/formats/pipeline/input.h"
#include "storage/formats/vectors/npy_header.h"

namespace plexus::formats {

using namespace internal;

static_assert(std::endian::native == std::endian::little, "rows are copied as they stand");

namespace {

constexpr std::size_t kReadAhead = std::size_t{1} << 20;

bool EndsWithNoCase(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  name.remove_prefix(name.size() - ending.size());
  return std::equal(name.begin(), name.end(), ending.begin(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

Result<std::uint64_t> RegularFileSize(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return 0;  // opening it will report why
  if (S_ISDIR(info.st_mode)) return Invalid(path, ": is a directory");
  if (!S_ISREG(info.st_mode))
    return Unsupported(path, ": vectors are read from regular files, this is none");
  return static_cast<std::uint64_t>(info.st_size);
}

std::string ShapeText(const std::vector<std::uint64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

template <class T>
T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

std::optional<VectorFormat> VectorFormatOf(std::string_view name) {
  if (EndsWithNoCase(name, ".npy")) return VectorFormat::kNpy;
  if (EndsWithNoCase(name, ".fvecs")) return VectorFormat::kFvecs;
  if (EndsWithNoCase(name, ".f32")) return VectorFormat::kF32;
  return std::nullopt;
}

std::unexpected<Error> VectorFile::Bad(std::string reason) const {
  return Invalid(name_, ": ", std::move(reason));
}

Result<VectorFile> VectorFile::Open(const VectorInput& input, const VectorFileOptions& options) {
  VectorFile file;
  file.name_ = input.name;
  if (input.bytes) {
    file.size_bytes_ = input.bytes->size();
    file.source_ = OpenBytes(*input.bytes);
  } else if (input.spool) {
    file.size_bytes_ = input.spool->size() - input.begin;
    file.source_ = input.spool->Open(input.name, input.begin);
  } else {
    PLEXUS_ASSIGN(file.size_bytes_, RegularFileSize(input.name));
    PLEXUS_ASSIGN(file.source_, OpenFile(input.name));
  }
  PLEXUS_TRY(file.ReadHeader(options));
  return file;
}

Status VectorFile::ReadHeader(const VectorFileOptions& options) {
  head_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size_bytes_, kMaxNpyHeader + 12)));
  PLEXUS_ASSIGN(const std::size_t got, Fill(head_.data(), head_.size()));
  head_.resize(got);
  format_ = options.format;
  if (format_ == VectorFormat::kAuto) {
    const auto named = VectorFormatOf(name_);
    if (!named && !IsNpy(head_))
      return Bad("cannot tell its format; name it: npy, fvecs or f32 with its dimensions");
    format_ = IsNpy(head_) ? VectorFormat::kNpy : *named;
  }
  if (size_bytes_ == 0 && !(options.may_be_empty && format_ == VectorFormat::kF32))
    return Bad("is empty");
  if (format_ == VectorFormat::kNpy) {
    PLEXUS_TRY(ReadNpy(options));
  } else if (format_ == VectorFormat::kFvecs) {
    PLEXUS_TRY(ReadFvecs());
  } else {
    if (options.dimensions == 0)
      return Bad("plain f32 does not say how many values a row has; name the dimensions");
    dimensions_ =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(options.dimensions, UINT32_MAX));
  }
  if (dimensions_ == 0 || dimensions_ > Limits::kMaxDimensions)
    return Bad("rows of " + std::to_string(dimensions_) + " values; a vector has 1 to " +
               std::to_string(Limits::kMaxDimensions));
  if (options.dimensions != 0 && options.dimensions != dimensions_)
    return Bad("rows of " + std::to_string(dimensions_) + " values, expected " +
               std::to_string(options.dimensions));
  const std::uint64_t row_bytes =
      dimensions_ * value_bytes_ + (format_ == VectorFormat::kFvecs ? 4 : 0);
  const std::uint64_t there = size_bytes_ - header_bytes_;
  if (format_ != VectorFormat::kNpy) {
    if (there % row_bytes != 0)
      return Bad(std::to_string(there) + " bytes are no whole number of rows of " +
                 std::to_string(row_bytes) + " bytes (" + std::to_string(dimensions_) +
                 " values): truncated, or other dimensions");
    rows_ = there / row_bytes;
  } else if (rows_ != there / row_bytes || there % row_bytes != 0) {
    return Bad(
        "its header claims " + std::to_string(rows_) + " rows of " + std::to_string(row_bytes) +
        " bytes, the file holds " + std::to_string(there) +
        " bytes: " + (rows_ > there / row_bytes ? "truncated" : "something follows the array"));
  }
  if (options.single && rows_ != 1)
    return Bad("holds " + std::to_string(rows_) + " vectors, expected one");
  buffer_.resize(static_cast<std::size_t>(row_bytes));  // at most 32 KiB
  return {};
}

Status VectorFile::ReadNpy(const VectorFileOptions& options) {
  auto header = ParseNpyHeader(head_);
  if (!header) return Bad(header.error().message);
  if (header->descr != "<f4" && header->descr != "<f8")
    return Unsupported(name_, ": values of type '", header->descr,
                       "'; '<f4' and '<f8' are read (numpy: astype)");
  if (header->fortran_order && header->shape.size() > 1)
    return Unsupported(
        name_, ": columns come first (Fortran order); rows are needed (numpy: ascontiguousarray)");
  value_bytes_ = header->descr == "<f8" ? 8 : 4;
  std::vector<std::uint64_t> shape = header->shape;
  if (options.single && shape.size() == 1) shape.insert(shape.begin(), 1);
  if (shape.size() != 2) return Bad("shape " + ShapeText(shape) + ", expected (rows, values)");
  rows_ = shape[0];
  dimensions_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(shape[1], UINT32_MAX));
  header_bytes_ = head_at_ = header->bytes;
  return {};
}

Status VectorFile::ReadFvecs() {
  if (head_.size() < 4) return Bad("the file ends inside the first row's count");
  const auto count = Load<std::int32_t>(head_.data());
  if (count <= 0 || static_cast<std::size_t>(count) > Limits::kMaxDimensions)
    return Bad("row 0 claims " + std::to_string(count) + " values; a vector has 1 to " +
               std::to_string(Limits::kMaxDimensions));
  dimensions_ = static_cast<std::uint32_t>(count);
  return {};
}

Result<std::size_t> VectorFile::Fill(char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    PLEXUS_ASSIGN(const std::size_t n, source_->Read(to + got, size - got));
    if (n == 0) break;
    got += n;
  }
  return got;
}

std::string VectorFile::Place(std::size_t value) const {
  const std::uint64_t row_begin = header_bytes_ + next_ * buffer_.size();
  const std::uint64_t value_begin =
      row_begin + buffer_.size() - (dimensions_ - value) * value_bytes_;
  return "row " + std::to_string(next_) + ", value " + std::to_string(value) + " (byte " +
         std::to_string(value_begin) + ")";
}

Result<bool> VectorFile::Next(std::span<float> row, std::string& bad) {
  bad.clear();
  if (next_ == rows_) return false;
  for (std::size_t got = 0; got < buffer_.size();) {
    if (head_at_ == head_.size()) {
      head_.resize(kReadAhead);
      PLEXUS_ASSIGN(const std::size_t read, Fill(head_.data(), head_.size()));
      head_.resize(read);
      head_at_ = 0;
      if (read == 0)
        return Bad("the file ends inside row " + std::to_string(next_) + "; it has become shorter");
    }
    const std::size_t part = std::min(buffer_.size() - got, head_.size() - head_at_);
    std::memcpy(buffer_.data() + got, head_.data() + head_at_, part);
    head_at_ += part;
    got += part;
  }
  const char* values = buffer_.data();
  if (format_ == VectorFormat::kFvecs) {
    const auto count = Load<std::int32_t>(values);
    if (count != static_cast<std::int64_t>(dimensions_))
      return Bad("row " + std::to_string(next_) + " claims " + std::to_string(count) +
                 " values, row 0 has " + std::to_string(dimensions_));
    values += 4;
  }
  if (value_bytes_ == 4) {
    std::memcpy(row.data(), values, row.size_bytes());
  } else {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto wide = Load<double>(values + i * 8);
      const bool fits = !(std::abs(wide) > static_cast<double>(std::numeric_limits<float>::max()));
      row[i] = fits ? static_cast<float>(wide) : 0;
      if (!fits && bad.empty())
        bad = Place(i) + (std::isinf(wide) ? ": infinite" : ": too large for f32");
    }
  }
  for (std::size_t i = 0; i < row.size() && bad.empty(); ++i)
    if (!std::isfinite(row[i]))
      bad = Place(i) + ": " + (std::isnan(row[i]) ? "not a number" : "infinite");
  for (std::size_t i = 0; element_ == VectorElement::kF16 && i < row.size() && bad.empty(); ++i)
    if (OverflowsHalf(row[i])) bad = Place(i) + ": too large for f16";
  ++next_;
  return true;
}

}  // namespace plexus::formats
