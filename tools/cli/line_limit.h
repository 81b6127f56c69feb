// LineLimit: a stream that ends after the line in which so many bytes are reached.
//
// What comes behind is dropped, and cut() says so. A line feed in a quoted cell of CSV ends none.
#pragma once

#include <cstdint>
#include <ostream>
#include <streambuf>

namespace plexus::tools {

class LineLimit final : public std::ostream {
 public:
  // `bytes` = 0: no limit.
  LineLimit(std::ostream& to, std::uint64_t bytes, bool csv)
      : std::ostream(nullptr), buffer_(to, bytes, csv) {
    rdbuf(&buffer_);
  }
  bool cut() const { return buffer_.cut; }

 private:
  struct Buffer final : std::streambuf {
    Buffer(std::ostream& to, std::uint64_t most, bool is_csv) : out(to), bytes(most), csv(is_csv) {}

    int_type overflow(int_type c) override {
      if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
      const char one = traits_type::to_char_type(c);
      xsputn(&one, 1);
      return c;
    }
    std::streamsize xsputn(const char* text, std::streamsize size) override {
      std::streamsize taken = 0;
      for (; taken < size && !ended; ++taken) {
        if (csv && text[taken] == '"') quoted = !quoted;
        ++written;
        ended = bytes > 0 && written >= bytes && text[taken] == '\n' && !quoted;
      }
      out.write(text, taken);
      cut |= taken < size;
      return out ? size : 0;  // what is dropped is no failure
    }

    std::ostream& out;
    const std::uint64_t bytes;
    std::uint64_t written = 0;
    const bool csv;
    bool quoted = false, ended = false, cut = false;
  };

  Buffer buffer_;
};

}  // namespace plexus::tools
