// Widths are measured in terminal columns, not in bytes.
#include "tools/operations/reply/text_table.h"

#include <algorithm>

#include "tools/operations/reply/human_format.h"

namespace plexus::tools {

TextTable& TextTable::Column(std::string heading, Align align, std::size_t limit) {
  columns_.push_back({Escaped(heading), align, limit});
  return *this;
}

void TextTable::Row(const std::vector<std::string>& cells) {
  std::vector<std::string> row;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::string cell = i < cells.size() ? Escaped(cells[i]) : std::string();
    row.push_back(columns_[i].limit ? Cut(cell, columns_[i].limit) : std::move(cell));
  }
  rows_.push_back(std::move(row));
}

std::string TextTable::Text() const {
  std::vector<std::size_t> widths;
  for (const Head& column : columns_) widths.push_back(DisplayWidth(column.heading));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  std::string page;
  const auto line = [&](auto&& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i) text += "  ";
      const std::string& value = cell(i);
      const std::string pad(widths[i] - DisplayWidth(value), ' ');
      text += columns_[i].align == Align::kRight ? pad + value : value + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    page += text + '\n';
  };
  const bool headed =
      std::ranges::any_of(columns_, [](const Head& c) { return !c.heading.empty(); });
  if (headed) line([&](std::size_t i) -> const std::string& { return columns_[i].heading; });
  for (const auto& row : rows_) line([&](std::size_t i) -> const std::string& { return row[i]; });
  return page;
}

}  // namespace plexus::tools
