// Headers and rows of .npy, .fvecs and bare f32, and files of keys; see vector_file.h.
//
// The header of NumPy's .npy files says what type, what order, what shape. Layout
// (numpy.lib.format, versions 1.0 to 3.0): "\x93NUMPY", u8 major, u8 minor, little endian u16 (1.0)
// or u32 header length, then a Python dict literal with exactly the keys descr, fortran_order and
// shape, padded with blanks and ended by a line end. The literal is read by a small strict parser:
// nothing is evaluated.
#include "storage/formats/vectors/vector_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "engine/schema.h"
#include "engine/types.h"
#include "engine/vectors/half.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/input.h"

namespace plexus::formats {

using namespace internal;

static_assert(std::endian::native == std::endian::little, "rows are copied as they stand");

namespace {

struct NpyHeader {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::size_t bytes = 0;  // where the values begin
};

// A header is refused above this: NumPy's own are 128 bytes or a little more.
constexpr std::size_t kMaxNpyHeader = 64 * 1024;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxAxes = 32;  // NumPy's own limit

template <class... Parts>
std::unexpected<Error> BadNpy(const Parts&... parts) {
  return Invalid("npy header: ", parts...);
}

class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  Result<NpyHeader> Dict() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Take('{')) return BadNpy("no dictionary");
    while (!Take('}')) {
      const auto key = String();
      if (!key || !Take(':')) return BadNpy("expected 'key': value");
      bool* const seen = *key == "descr"           ? &has_descr
                         : *key == "fortran_order" ? &has_order
                         : *key == "shape"         ? &has_shape
                                                   : nullptr;
      if (!seen) return BadNpy("unknown key '", *key, "'");
      if (*seen) return BadNpy("two '", *key, "'");
      *seen = true;
      if (seen == &has_descr) {
        const auto descr = String();
        if (!descr) return BadNpy("descr is not one plain type");
        header.descr = *descr;
      } else if (seen == &has_order) {
        if (Word("True"))
          header.fortran_order = true;
        else if (!Word("False"))
          return BadNpy("fortran_order is neither True nor False");
      } else if (!Tuple(header.shape)) {
        return BadNpy("shape is no tuple of whole numbers");
      }
      if (!Take(',') && !Ahead('}')) return BadNpy("expected , or }");
    }
    Blanks();
    if (at_ != text_.size()) return BadNpy("text behind the dictionary");
    if (!has_descr || !has_order || !has_shape)
      return BadNpy("descr, fortran_order and shape are needed");
    return header;
  }

 private:
  void Blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool Ahead(char c) {
    Blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool Take(char c) {
    if (!Ahead(c)) return false;
    ++at_;
    return true;
  }
  bool Word(std::string_view word) {
    Blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::optional<std::string> String() {
    const char quote = Ahead('\'') ? '\'' : '"';
    if (!Take(quote)) return std::nullopt;
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos || end - at_ > 64) return std::nullopt;
    const std::string_view value = text_.substr(at_, end - at_);
    for (char c : value)
      if (c < ' ' || c > '~' || c == '\\') return std::nullopt;
    at_ = end + 1;
    return std::string(value);
  }
  bool Tuple(std::vector<std::uint64_t>& values) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      Blanks();
      std::uint64_t value = 0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc() || values.size() == kMaxAxes) return false;
      at_ = static_cast<std::size_t>(end - text_.data());
      values.push_back(value);
      const bool more = Take(',');
      if (!more && !Ahead(')')) return false;
      if (!more && values.size() == 1) return false;  // (5) is a number in Python
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool IsNpy(std::string_view head) { return head.starts_with(kMagic); }

// `head`: the file's first bytes, kMaxNpyHeader + 12 of them or the whole file.
// kInvalidArgument with the reason, without the file's name.
Result<NpyHeader> ParseNpyHeader(std::string_view head) {
  if (!IsNpy(head)) return BadNpy("the file does not begin with \\x93NUMPY");
  if (head.size() < 12) return BadNpy("the file ends inside it");
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(head[i])}; };
  const std::size_t major = byte(6);
  if (major < 1 || major > 3) return BadNpy("version ", major, " is not known");
  const std::size_t begin = major == 1 ? 10 : 12;
  const std::size_t length = major == 1 ? byte(8) | byte(9) << 8
                                        : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > kMaxNpyHeader) return BadNpy("claims ", length, " bytes, more than ", kMaxNpyHeader);
  if (head.size() - begin < length) return BadNpy("the file ends inside it");
  PLEXUS_ASSIGN(NpyHeader header, Literal(head.substr(begin, length)).Dict());
  header.bytes = begin + length;
  return header;
}

constexpr std::size_t kReadAhead = std::size_t{1} << 20;

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

// No more than `limit` bytes; more is an error.
Result<std::string> ReadAll(const VectorInput& input, std::uint64_t limit) {
  PLEXUS_ASSIGN(const auto source, (Input{input.name, input.bytes}).Open());
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + (std::size_t{1} << 20));
    PLEXUS_ASSIGN(const std::size_t got, source->Read(text.data() + before, text.size() - before));
    text.resize(before + got);
    if (got == 0) return text;
    if (text.size() > limit)
      return Invalid(input.name, ": more bytes than the keys of all rows can have");
  }
}

}  // namespace

std::optional<VectorFormat> VectorFormatOf(std::string_view name) {
  const std::string lower = Lower(name);
  if (lower.ends_with(".npy")) return VectorFormat::kNpy;
  if (lower.ends_with(".fvecs")) return VectorFormat::kFvecs;
  if (lower.ends_with(".f32")) return VectorFormat::kF32;
  return std::nullopt;
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
  PLEXUS_TRY(ReadFully(*source_, head_));
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
    return Bad("rows of ", dimensions_, " values; a vector has 1 to ", Limits::kMaxDimensions);
  if (options.dimensions != 0 && options.dimensions != dimensions_)
    return Bad("rows of ", dimensions_, " values, expected ", options.dimensions);
  const std::uint64_t row_bytes =
      dimensions_ * value_bytes_ + (format_ == VectorFormat::kFvecs ? 4 : 0);
  const std::uint64_t there = size_bytes_ - header_bytes_;
  if (format_ != VectorFormat::kNpy) {
    if (there % row_bytes != 0)
      return Bad(there, " bytes are no whole number of rows of ", row_bytes, " bytes (",
                 dimensions_, " values): truncated, or other dimensions");
    rows_ = there / row_bytes;
  } else if (rows_ != there / row_bytes || there % row_bytes != 0) {
    return Bad("its header claims ", rows_, " rows of ", row_bytes, " bytes, the file holds ",
               there,
               " bytes: ", rows_ > there / row_bytes ? "truncated" : "something follows the array");
  }
  if (options.single && rows_ != 1) return Bad("holds ", rows_, " vectors, expected one");
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
  if (shape.size() != 2) return Bad("shape ", ShapeText(shape), ", expected (rows, values)");
  rows_ = shape[0];
  dimensions_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(shape[1], UINT32_MAX));
  header_bytes_ = head_at_ = header->bytes;
  return {};
}

Status VectorFile::ReadFvecs() {
  if (head_.size() < 4) return Bad("the file ends inside the first row's count");
  const auto count = Load<std::int32_t>(head_.data());
  if (count <= 0 || static_cast<std::size_t>(count) > Limits::kMaxDimensions)
    return Bad("row 0 claims ", count, " values; a vector has 1 to ", Limits::kMaxDimensions);
  dimensions_ = static_cast<std::uint32_t>(count);
  return {};
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
      PLEXUS_TRY(ReadFully(*source_, head_));
      head_at_ = 0;
      if (head_.empty()) return Bad("the file ends inside row ", next_, "; it has become shorter");
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
      return Bad("row ", next_, " claims ", count, " values, row 0 has ", dimensions_);
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

Result<std::string> internal::ReadKeysFirst(ByteSource& source, const std::string& name,
                                            std::uint64_t most) {
  std::string text;
  for (std::size_t line = 0;;) {
    for (std::size_t end; (end = text.find('\n', line)) != std::string::npos; line = end + 1) {
      if (end != line) continue;
      text.resize(line + 1);
      return text;
    }
    // Numbers have no lines.
    const bool is_line = text.size() - line <= Limits::kMaxKeyBytes + 1;
    const std::size_t before = text.size();
    if (before >= most)
      return Invalid(name, ": more than ", most,
                     " bytes of keys before its vectors; import it in parts");
    text.resize(before + (std::size_t{1} << 16));
    PLEXUS_ASSIGN(const std::size_t got, source.Read(text.data() + before, text.size() - before));
    text.resize(before + got);
    if (!is_line || got == 0)
      return Invalid(name, ": has no empty line between its keys, one a line, and its vectors");
  }
}

Result<VectorKeys> VectorKeys::Read(const VectorInput& input, std::uint64_t rows,
                                    bool mark_is_key) {
  constexpr std::uint64_t kLine = Limits::kMaxKeyBytes + 2;
  VectorKeys keys;
  keys.named_ = true;
  keys.file_ = input.name;
  PLEXUS_ASSIGN(keys.text_, ReadAll(input, rows * kLine + 3));
  const std::string& text = keys.text_;
  std::size_t at = !mark_is_key && text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  std::uint64_t lines = 0;  // counted to the end; kept while there are rows for them
  while (at < text.size()) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::size_t end = line_end > at && text[line_end - 1] == '\r' ? line_end - 1 : line_end;
    if (lines++ < rows) {
      keys.begins_.push_back(at);
      keys.ends_.push_back(end);
    }
    at = line_end + 1;
  }
  if (lines != rows) return Invalid(input.name, ": ", lines, " keys for ", rows, " vectors");
  keys.Check();
  return keys;
}

void VectorKeys::Check() {
  std::string unused;
  std::vector<std::uint64_t> order(begins_.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::uint64_t row : order)
    if (Status good = CheckKey(key(row, unused), false); !good)
      refused_[row] = good.error().message;
  std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    const int order_of = key(a, unused).compare(key(b, unused));
    return order_of != 0 ? order_of < 0 : a < b;
  });
  for (std::size_t i = 1, first = 0; i < order.size(); ++i) {
    if (key(order[i], unused) != key(order[first], unused))
      first = i;
    else
      refused_.try_emplace(order[i], "the same key as line " + std::to_string(order[first] + 1));
  }
}

}  // namespace plexus::formats
