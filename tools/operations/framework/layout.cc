// Texts of rows are trusted, as shapes are.
#include "tools/operations/framework/layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "engine/error.h"
#include "tools/operations/framework/shape.h"

namespace plexus::tools {
namespace {

constexpr std::array<std::string_view, 15> kShown = {
    "plain", "grouped", "percent", "time", "trait", "list",   "node",   "key",
    "nodes", "rank",    "arrow",   "path", "steps", "shares", "related"};

std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// What is before the mark; `text` keeps what is behind it.
std::string_view Before(std::string_view& text, char mark) {
  const std::size_t at = std::min(text.find(mark), text.size());
  const std::string_view before = Trimmed(text.substr(0, at));
  text = Trimmed(text.substr(std::min(at + 1, text.size())));
  return before;
}

As AsOf(const Shape& shape, std::string_view name) {
  using Kind = Shape::Kind;
  switch (shape.kind) {
    case Kind::kCount:
      return As::kGrouped;
    case Kind::kTime:
      return As::kTime;
    case Kind::kBool:
      return As::kTrait;
    case Kind::kArray:
      return As::kList;
    case Kind::kKey:
      return name == "key" ? As::kNode : As::kKey;
    default:
      return As::kPlain;
  }
}

// Of "clustering.4 = clustering coefficient".
TableColumn ColumnOf(const Shape& reply, const std::string& list, std::string_view text) {
  TableColumn column;
  std::string_view words = Before(text, '='), flag = words;
  words = Before(flag, '?');
  column.flag = flag;
  const std::string_view shown = words.find(' ') == words.npos ? "" : words.substr(words.find(' '));
  std::string_view digits = words.substr(0, words.find(' '));
  const std::string_view field = Before(digits, '.');
  if (!digits.empty()) std::from_chars(digits.begin(), digits.end(), column.digits);
  if (field == "#") {
    column.as = As::kRank;
    column.heading = text.empty() ? "rank" : text;
    return column;
  }
  column.field = field;
  const std::string first(field.substr(0, field.find('|')));
  const Shape* shape = FindMember(reply, list + "/" + first);
  if (const std::size_t outer = list.find('/'); !shape && outer != list.npos)
    shape = FindMember(reply, list.substr(0, outer) + "/" + first);
  PLEXUS_CHECK(shape, "a column is a member of the reply");
  column.as = AsOf(*shape, field);
  if (const std::string_view as = Trimmed(shown); !as.empty()) {
    const auto at = std::ranges::find(kShown, as);
    PLEXUS_CHECK(at != kShown.end(), "no such way to show a column");
    column.as = static_cast<As>(at - kShown.begin());
  }
  column.heading = text.empty() ? first.substr(first.rfind('/') + 1) : text;
  if (text.empty()) std::ranges::replace(column.heading, '_', ' ');
  return column;
}

}  // namespace

std::vector<Layout> LayoutsOf(const Operation& row) {
  const Shape reply = ParseShape(row.reply);
  std::vector<Layout> layouts;
  for (std::string_view tables = row.tables; !tables.empty();) {
    std::string_view columns = Before(tables, ';');
    Layout layout{std::string(Before(columns, ':')), {}};
    const Shape* list = FindMember(reply, layout.list);
    PLEXUS_CHECK(list && list->kind == Shape::Kind::kArray, "a table is a list of the reply");
    while (!columns.empty())
      layout.columns.push_back(ColumnOf(reply, layout.list, Before(columns, ',')));
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

}  // namespace plexus::tools
