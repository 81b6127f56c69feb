// Human tables: columns that line up, foreign text escaped, long cells cut.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace plexus::tools {

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  // `limit`: cells are cut to that many columns, 0 = never.
  TextTable& Column(std::string heading, Align align = Align::kLeft, std::size_t limit = 0);
  // One cell per column; control characters are escaped here.
  void Row(const std::vector<std::string>& cells);
  std::string Text() const;
  bool empty() const { return rows_.empty(); }

 private:
  struct Head {
    std::string heading;
    Align align;
    std::size_t limit;
  };
  std::vector<Head> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace plexus::tools
