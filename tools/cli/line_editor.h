// Lines of a terminal, with editing, history and completion (libedit).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plexus::tools {

// One at a time in a process.
class LineEditor {
 public:
  using Complete = std::function<std::vector<std::string>(std::string_view line)>;
  // `complete` gets the line up to the cursor and returns what its last word may become.
  explicit LineEditor(Complete complete);
  ~LineEditor();  // appends the history to ~/.plexus_history, readable only by its owner
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // The next line; nullopt at the end of input, and when Ctrl-C cleared it.
  std::optional<std::string> Read(const char* prompt);
  // Whether Ctrl-C ended the last Read.
  bool cleared() const;
  // Keeps a line for this session, unless it begins with a blank, and in the file if so.
  void Remember(const std::string& line, bool in_file);

 private:
  void ReadHistory();

  std::string history_;
  std::vector<std::string> kept_;  // for the file
};

}  // namespace plexus::tools
