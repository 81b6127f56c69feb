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
  LineEditor(std::string prompt, Complete complete);
  ~LineEditor();  // keeps the history in ~/.plexus_history, readable by its owner alone
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // The next line; nullopt at the end of input.
  std::optional<std::string> Read();

 private:
  std::string prompt_, history_;
};

}  // namespace plexus::tools
