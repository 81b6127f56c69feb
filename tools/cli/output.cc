// A stream buffer over file descriptor 1 that tells a closed pipe from a full disk. Everything that
// the program says goes through here, so what reaches a terminal is decided in one place:
// ForTerminal for standard output, PrintLine for standard error. Pipes and files get the bytes as
// they are.
#include "tools/cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <streambuf>
#include <utility>

#include "tools/cli/exit_code.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

std::atomic<bool> end_on_lost_reader = true;
thread_local RedirectedOutput* redirected = nullptr;

class StdoutBuffer : public std::streambuf {
 public:
  StdoutBuffer() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (!Empty(false)) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override { return Empty(true) ? 0 : -1; }

 private:
  // Writes what there is; `all`: also a character that may not be whole yet.
  bool Empty(bool all) {
    const std::string_view held(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    if (terminal_) {
      std::string text = std::exchange(cut_, {}) + std::string(held);
      const std::size_t whole = all ? text.size() : WholeCharacters(text);
      cut_ = text.substr(whole);
      text.resize(whole);
      Write(ForTerminal(text));
    } else {
      Write(held);
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    if (error_ == EPIPE && end_on_lost_reader) _exit(kDone);
    return error_ == 0;
  }

  // Without the last three bytes or fewer, where a character begins in them.
  static std::size_t WholeCharacters(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back)
      if ((text[text.size() - back] & 0xC0) == 0xC0) return text.size() - back;
    return text.size();
  }

  void Write(std::string_view text) {
    while (!text.empty() && error_ == 0) {
      const ssize_t wrote = write(STDOUT_FILENO, text.data(), text.size());
      if (wrote >= 0)
        text.remove_prefix(static_cast<std::size_t>(wrote));
      else if (errno != EINTR)
        error_ = errno;
    }
  }

  std::array<char, 1 << 16> bytes_;
  std::string cut_;  // of a character
  int error_ = 0;
  const bool terminal_ = isatty(STDOUT_FILENO) != 0;
};

StdoutBuffer& Buffer() {
  static StdoutBuffer buffer;
  return buffer;
}

// Where the last two lines of a message begin, if they are an expression and a caret below it: both
// indented by two, the caret alone and not behind the end. Else npos.
std::size_t CaretAt(std::string_view message) {
  constexpr std::string_view kIndented = "\n  ";
  const std::size_t caret = message.rfind(kIndented);
  if (caret == std::string_view::npos || caret == 0) return std::string_view::npos;
  const std::size_t expression = message.rfind(kIndented, caret - 1);
  if (expression == std::string_view::npos) return expression;
  const std::string_view pointer = message.substr(caret + kIndented.size());
  const std::string_view shown =
      message.substr(expression + kIndented.size(), caret - expression - kIndented.size());
  const bool points = pointer.find_first_not_of(' ') + 1 == pointer.size() && pointer.back() == '^';
  return points && pointer.size() <= shown.size() + 1 && shown.find('\n') == shown.npos
             ? expression
             : std::string_view::npos;
}

// One line: a line break in a message is escaped, so that what it quotes cannot begin a line of its
// own. Only an expression and its caret are below.
void PrintLine(const char* mark, std::string_view message) {
  std::string line = "plexus: " + std::string(mark);
  const std::size_t end = CaretAt(message);
  line += Escaped(message.substr(0, end));
  if (end != std::string_view::npos) {
    const std::size_t caret = message.rfind('\n');
    line += "\n  " + Escaped(message.substr(end + 3, caret - end - 3)) + "\n  " +
            std::string(message.substr(caret + 3));
  }
  line += "\n";
  if (redirected)
    redirected->err << line;
  else
    std::fputs(line.c_str(), stderr);
}

}  // namespace

RedirectedOutput::RedirectedOutput(std::ostream& to, std::ostream& errors, std::size_t columns)
    : out(to), err(errors), width(columns) {
  redirected = this;
}
RedirectedOutput::~RedirectedOutput() { redirected = nullptr; }

std::size_t TerminalWidth() {
  if (redirected) return redirected->width;
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

std::ostream& Out() {
  if (redirected) return redirected->out;
  static std::ostream stream(&Buffer());
  return stream;
}

Status FlushOut() {
  if (redirected) return {};
  Out().flush();
  const int error = Buffer().error();
  if (error == 0 || error == EPIPE) return {};
  return IoError("writing standard output: ", std::strerror(error));
}

void EndOnLostReader(bool end) { end_on_lost_reader = end; }

void PrintError(const Error& error) { PrintLine("error: ", error.message); }
void PrintWarning(std::string_view message) { PrintLine("warning: ", message); }
void PrintNote(std::string_view message) { PrintLine("", message); }

}  // namespace plexus::tools
