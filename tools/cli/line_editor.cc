// libedit behind its readline face, which keeps its state in globals.
#include "tools/cli/line_editor.h"

#include <editline/readline.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace plexus::tools {
namespace {

constexpr int kKeptLines = 2000;
constexpr int kControlC = 3;
bool cleared_by_key = false;

int ClearLine(int, int) {
  cleared_by_key = true;
  rl_done = 1;
  return 0;
}

LineEditor::Complete& Completer() {
  static LineEditor::Complete complete;
  return complete;
}

std::vector<std::string>& Candidates() {
  static std::vector<std::string> candidates;
  return candidates;
}

// One candidate a call, as libedit asks; it frees them.
char* NextCandidate(const char*, int state) {
  static std::size_t next = 0;
  if (state == 0) next = 0;
  return next < Candidates().size() ? strdup(Candidates()[next++].c_str()) : nullptr;
}

char** CompleteWord(const char* word, int, int end) {
  rl_attempted_completion_over = 1;  // no file names
  Candidates() = Completer()(std::string_view(rl_line_buffer, static_cast<std::size_t>(end)));
  return Candidates().empty() ? nullptr : rl_completion_matches(word, NextCandidate);
}

}  // namespace

LineEditor::LineEditor(Complete complete) {
  Completer() = std::move(complete);
  rl_readline_name = const_cast<char*>("plexus");
  rl_attempted_completion_function = CompleteWord;
  rl_completer_word_break_characters = const_cast<char*>(" \t");
  using_history();
  rl_add_defun("plexus-clear", ClearLine, kControlC);
  if (const char* home = std::getenv("HOME")) history_ = std::string(home) + "/.plexus_history";
  ReadHistory();
}

void LineEditor::ReadHistory() {
  clear_history();
  stifle_history(kKeptLines);
  if (!history_.empty()) read_history(history_.c_str());
}

LineEditor::~LineEditor() {
  Completer() = nullptr;
  if (history_.empty()) return;
  ReadHistory();  // other shells may have ended meanwhile
  for (const std::string& line : kept_) add_history(line.c_str());
  const mode_t before = umask(077);
  write_history(history_.c_str());
  umask(before);
}

// While a line is edited Ctrl-C is a key like others; at any other time it is a signal.
std::optional<std::string> LineEditor::Read(const char* prompt) {
  cleared_by_key = false;
  termios usual{};
  const bool is_terminal = tcgetattr(STDIN_FILENO, &usual) == 0;
  termios editing = usual;
  editing.c_cc[VINTR] = _POSIX_VDISABLE;
  if (is_terminal) tcsetattr(STDIN_FILENO, TCSADRAIN, &editing);
  char* text = readline(prompt);
  if (is_terminal) tcsetattr(STDIN_FILENO, TCSADRAIN, &usual);
  if (cleared_by_key) {
    std::free(text);
    std::puts("^C");
    return std::nullopt;
  }
  if (!text) return std::nullopt;
  std::string line(text);
  std::free(text);
  return line;
}

bool LineEditor::cleared() const { return cleared_by_key; }

void LineEditor::Remember(const std::string& line, bool in_file) {
  if (line.empty() || line.front() == ' ') return;
  add_history(line.c_str());
  if (in_file) kept_.push_back(line);
}

}  // namespace plexus::tools
