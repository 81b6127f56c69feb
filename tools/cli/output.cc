// A stream buffer over file descriptor 1 that tells a closed pipe from a full disk.
#include "tools/cli/output.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <streambuf>
#include <string>

#include "tools/cli/exit_code.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

bool end_on_lost_reader = true;

class StdoutBuffer : public std::streambuf {
 public:
  StdoutBuffer() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    const char* at = pbase();
    while (at < pptr() && error_ == 0) {
      const ssize_t wrote = write(STDOUT_FILENO, at, static_cast<std::size_t>(pptr() - at));
      if (wrote >= 0)
        at += wrote;
      else if (errno != EINTR)
        error_ = errno;
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    if (error_ == EPIPE && end_on_lost_reader) _exit(kDone);
    return error_ == 0 ? 0 : -1;
  }

 private:
  std::array<char, 1 << 16> bytes_;
  int error_ = 0;
};

StdoutBuffer& Buffer() {
  static StdoutBuffer buffer;
  return buffer;
}

// Lines that are indented stand by themselves: an expression and its caret. Others are escaped.
void PrintLine(const char* mark, std::string_view message) {
  constexpr std::string_view kIndented = "\n  ";
  std::string line = "plexus: " + std::string(mark);
  for (std::size_t end; (end = message.find(kIndented)) != std::string_view::npos;) {
    line += Escaped(message.substr(0, end)) + std::string(kIndented);
    message.remove_prefix(end + kIndented.size());
  }
  line += Escaped(message) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace

std::ostream& Out() {
  static std::ostream stream(&Buffer());
  return stream;
}

Status FlushOut() {
  Out().flush();
  const int error = Buffer().error();
  if (error == 0 || error == EPIPE) return {};
  return Fail(ErrorCode::kIo, std::string("writing standard output: ") + std::strerror(error));
}

void EndOnLostReader(bool end) { end_on_lost_reader = end; }

void PrintError(const Error& error) { PrintLine("error: ", error.message); }
void PrintWarning(std::string_view message) { PrintLine("warning: ", message); }
void PrintNote(std::string_view message) { PrintLine("", message); }

}  // namespace plexus::tools
