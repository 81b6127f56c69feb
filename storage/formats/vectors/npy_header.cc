// A strict reader of one Python dict literal.
#include "storage/formats/vectors/npy_header.h"

#include <charconv>
#include <optional>

namespace plexus::formats::internal {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxAxes = 32;  // NumPy's own limit

std::unexpected<Error> Bad(std::string reason) {
  return Invalid("npy header: ", std::move(reason));
}

class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  Result<NpyHeader> Dict() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Take('{')) return Bad("no dictionary");
    while (!Take('}')) {
      const auto key = String();
      if (!key || !Take(':')) return Bad("expected 'key': value");
      bool* const seen = *key == "descr"           ? &has_descr
                         : *key == "fortran_order" ? &has_order
                         : *key == "shape"         ? &has_shape
                                                   : nullptr;
      if (!seen) return Bad("unknown key '" + *key + "'");
      if (*seen) return Bad("two '" + *key + "'");
      *seen = true;
      if (seen == &has_descr) {
        const auto descr = String();
        if (!descr) return Bad("descr is not one plain type");
        header.descr = *descr;
      } else if (seen == &has_order) {
        if (Word("True"))
          header.fortran_order = true;
        else if (!Word("False"))
          return Bad("fortran_order is neither True nor False");
      } else if (!Tuple(header.shape)) {
        return Bad("shape is no tuple of whole numbers");
      }
      if (!Take(',') && !Ahead('}')) return Bad("expected , or }");
    }
    Blanks();
    if (at_ != text_.size()) return Bad("text behind the dictionary");
    if (!has_descr || !has_order || !has_shape)
      return Bad("descr, fortran_order and shape are needed");
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

}  // namespace

bool IsNpy(std::string_view head) { return head.starts_with(kMagic); }

Result<NpyHeader> ParseNpyHeader(std::string_view head) {
  if (!IsNpy(head)) return Bad("the file does not begin with \\x93NUMPY");
  if (head.size() < 12) return Bad("the file ends inside it");
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(head[i])}; };
  const std::size_t major = byte(6);
  if (major < 1 || major > 3) return Bad("version " + std::to_string(major) + " is not known");
  const std::size_t begin = major == 1 ? 10 : 12;
  const std::size_t length = major == 1 ? byte(8) | byte(9) << 8
                                        : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > kMaxNpyHeader)
    return Bad("claims " + std::to_string(length) + " bytes, more than " +
               std::to_string(kMaxNpyHeader));
  if (head.size() - begin < length) return Bad("the file ends inside it");
  PLEXUS_ASSIGN(NpyHeader header, Literal(head.substr(begin, length)).Dict());
  header.bytes = begin + length;
  return header;
}

}  // namespace plexus::formats::internal
