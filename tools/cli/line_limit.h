// LineLimit: a stream that ends after the line in which so many bytes are reached.
//
// What comes behind is dropped, and cut() says so. A line feed in a quoted cell of CSV ends none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <streambuf>

namespace plexus::tools {

class LineLimit : private std::streambuf, public std::ostream {
 public:
  // `bytes` = 0: no limit.
  LineLimit(std::ostream& out, std::uint64_t bytes, bool csv)
      : std::ostream(this), out_(out), bytes_(bytes), csv_(csv) {}
  bool cut() const { return cut_; }

 private:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    std::streamsize taken = 0;
    for (; taken < size && !ended_; ++taken) {
      if (csv_ && text[taken] == '"') quoted_ = !quoted_;
      ++written_;
      ended_ = bytes_ > 0 && written_ >= bytes_ && text[taken] == '\n' && !quoted_;
    }
    out_.write(text, taken);
    cut_ |= taken < size;
    return size;  // what is dropped is no failure
  }

  std::ostream& out_;
  const std::uint64_t bytes_;
  std::uint64_t written_ = 0;
  const bool csv_;
  bool quoted_ = false, ended_ = false, cut_ = false;
};

}  // namespace plexus::tools
