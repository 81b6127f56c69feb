// libedit behind its readline face, which keeps its state in globals.
#include "tools/cli/line_editor.h"

#include <editline/readline.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace plexus::tools {
namespace {

constexpr int kKeptLines = 2000;

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

LineEditor::LineEditor(std::string prompt, Complete complete) : prompt_(std::move(prompt)) {
  Completer() = std::move(complete);
  rl_readline_name = const_cast<char*>("plexus");
  rl_attempted_completion_function = CompleteWord;
  rl_completer_word_break_characters = const_cast<char*>(" \t");
  using_history();
  stifle_history(kKeptLines);
  if (const char* home = std::getenv("HOME")) history_ = std::string(home) + "/.plexus_history";
  if (!history_.empty()) read_history(history_.c_str());
}

LineEditor::~LineEditor() {
  Completer() = nullptr;
  if (history_.empty()) return;
  const mode_t before = umask(077);
  write_history(history_.c_str());
  umask(before);
}

std::optional<std::string> LineEditor::Read() {
  char* text = readline(prompt_.c_str());
  if (!text) return std::nullopt;
  std::string line(text);
  std::free(text);
  if (!line.empty() && line.front() != ' ') add_history(line.c_str());
  return line;
}

}  // namespace plexus::tools
