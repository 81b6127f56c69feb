// Line by line; see note.h.
#include "storage/formats/markdown/note.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

#include "engine/schema.h"
#include "storage/formats/base/json_tree.h"
#include "storage/formats/base/text.h"

namespace plexus::formats::internal {

namespace {

void AddOnce(std::vector<std::string>& list, std::string_view item) {
  if (!item.empty() && std::ranges::find(list, item) == list.end()) list.emplace_back(item);
}

// Where the text in quotes ends that begins at `at`: its last quote, or npos.
std::size_t ClosingQuote(std::string_view list, std::size_t at) {
  const char quote = list[at], escape = quote == '"' ? '\\' : '\'';
  for (++at; at < list.size(); ++at) {
    if (list[at] == escape && at + 1 < list.size() && (quote == '"' || list[at + 1] == quote))
      ++at;
    else if (list[at] == quote)
      return at;
  }
  return list.npos;
}

// The value without a comment behind it: a '#' behind a blank, outside of quotes.
std::string_view WithoutComment(std::string_view value) {
  value = Trim(value);
  std::size_t at = 0;
  if (!value.empty() && (value[0] == '"' || value[0] == '\'')) {
    const std::size_t last = ClosingQuote(value, 0);
    if (last != value.npos) at = last + 1;
  }
  for (at = value.find('#', at); at != value.npos; at = value.find('#', at + 1))
    if (at == 0 || value[at - 1] == ' ' || value[at - 1] == '\t') return Trim(value.substr(0, at));
  return value;
}

// The text of a scalar: in single quotes two mean one, in double ones a backslash escapes.
std::string Unquoted(std::string_view value) {
  value = Trim(value);
  const bool quoted = value.size() >= 2 && (value[0] == '"' || value[0] == '\'') &&
                      ClosingQuote(value, 0) == value.size() - 1;
  if (!quoted) return std::string(value);
  const char quote = value[0];
  std::string text;
  for (std::size_t at = 1; at + 1 < value.size(); ++at) {
    const char c = value[at], next = value[at + 1];
    const bool escape = quote == '"' ? c == '\\' : c == '\'';
    text += !escape                       ? c
            : quote == '"' && next == 'n' ? '\n'
            : quote == '"' && next == 't' ? '\t'
                                          : next;
    at += escape;
  }
  return text;
}

// A value as JSON: a number, true or false as they stand, else a text.
std::string ScalarJson(std::string_view value) {
  value = Trim(value);
  JsonParser json;
  const auto root = json.Parse(value);
  if (root && ((*root)->is_number() || (*root)->type == JsonType::kBool)) return std::string(value);
  return JsonString(Unquoted(value));
}

// The length of the first item of a list: to a comma that is not inside the item's quotes.
std::size_t ItemLength(std::string_view list) {
  const std::size_t begin = list.find_first_not_of(" \t");
  if (begin != list.npos && (list[begin] == '"' || list[begin] == '\'')) {
    const std::size_t last = ClosingQuote(list, begin);
    if (last == list.npos) return std::min(list.find(','), list.size());
    const std::size_t next = std::min(list.find_first_not_of(" \t", last + 1), list.size());
    if (next == list.size() || list[next] == ',') return next;
  }
  return std::min(list.find(','), list.size());
}

// Items as they are written, quotes and all.
std::vector<std::string> Items(std::string_view list) {
  std::vector<std::string> items;
  for (list = Trim(list); !list.empty();) {
    const std::size_t end = ItemLength(list);
    if (const auto item = Trim(list.substr(0, end)); !Unquoted(item).empty())
      items.emplace_back(item);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return items;
}

// Tags of a text that is no list: it is cut at commas, also where all of it stands in quotes.
std::vector<std::string> ItemsOfText(std::string_view text) {
  std::vector<std::string> items = Items(text);
  return items.size() == 1 ? Items(Unquoted(items.front())) : items;
}

struct Field {
  std::string name;
  std::string_view value;               // behind the colon
  std::vector<std::string_view> lines;  // below it, indented or of a list
};

class FrontMatter {
 public:
  explicit FrontMatter(MarkdownNote& note) : note_(note) {}

  void Take(const Field& field) {
    const std::string name = Lower(field.name);
    std::vector<std::string> list;
    bool is_list = true;
    for (const std::string_view line : field.lines) {
      const std::string_view item = Trim(line);
      if (item.starts_with("- "))
        list.emplace_back(WithoutComment(item.substr(2)));
      else
        is_list = false;
    }
    const std::string_view value = WithoutComment(field.value);
    const bool inline_list =
        value.starts_with('[') && value.ends_with(']') && !value.starts_with("[[");
    if (inline_list) list = Items(value.substr(1, value.size() - 2));
    is_list = is_list && (inline_list || !list.empty());
    if (name == "tags" || name == "tag") return Tags(is_list ? list : ItemsOfText(value));
    if ((name == "kind" || name == "type") && note_.kind.empty() && !is_list) {
      note_.kind = Unquoted(value);
      note_.kind_field = field.name;
      return;
    }
    if ((name == "created" || name == "date" || name == "created_at") && note_.created.empty()) {
      note_.created = Unquoted(value);
      note_.created_field = field.name;
      return;
    }
    note_.fields.emplace_back(field.name, Json(field, value, is_list ? &list : nullptr));
  }

 private:
  void Tags(const std::vector<std::string>& tags) {
    for (const std::string& item : tags) {
      const std::string tag = Unquoted(item);
      AddOnce(note_.tags, std::string_view(tag).substr(tag.starts_with('#')));
    }
  }
  static std::string Json(const Field& field, std::string_view value,
                          const std::vector<std::string>* list) {
    if (list) {
      std::string json = "[";
      for (const std::string& item : *list) json += (json.size() > 1 ? "," : "") + ScalarJson(item);
      return json + "]";
    }
    if (field.lines.empty()) return ScalarJson(value);
    std::string whole(Trim(field.value));  // deeper: as it is
    for (const std::string_view line : field.lines) whole.append("\n").append(line);
    return JsonString(whole);
  }

  MarkdownNote& note_;
};

std::unexpected<Error> BadLine(std::size_t line, const std::string& why) {
  return Invalid("line ", line, ": ", why);
}

// Whether the lines behind a first line --- begin as a front matter does: else it is a rule.
bool BeginsFrontMatter(std::string_view rest) {
  while (!rest.empty()) {
    const std::string_view line = Trim(NextLine(rest));
    if (!line.empty() && !line.starts_with('#'))
      return line == "---" || line == "..." || line.find(':') != line.npos;
  }
  return true;
}

// Takes the front matter off `text`, if there is one.
Status ReadFrontMatter(std::string_view& text, MarkdownNote& note) {
  std::string_view rest = text;
  if (Trim(NextLine(rest)) != "---" || !BeginsFrontMatter(rest)) return {};
  std::vector<Field> fields;
  for (std::size_t number = 2;; ++number) {
    if (rest.empty()) return BadLine(1, "the front matter has no end, a line ---");
    const std::string_view line = NextLine(rest);
    if (Trim(line) == "---" || Trim(line) == "...") break;
    if (Trim(line).empty() || Trim(line).starts_with('#')) continue;
    const bool below = line[0] == ' ' || line[0] == '\t' || line.starts_with("- ");
    if (below && !fields.empty()) {
      fields.back().lines.push_back(line);
      continue;
    }
    const std::size_t colon = line.find(':');
    if (below || colon == line.npos || Trim(line.substr(0, colon)).empty())
      return BadLine(number, "it is no \"name: value\" of a front matter");
    const std::string name(Trim(line.substr(0, colon)));
    if (std::ranges::find(fields, name, &Field::name) != fields.end())
      return BadLine(number, "\"" + name + "\" stands twice");
    fields.push_back({name, line.substr(colon + 1), {}});
  }
  FrontMatter matter(note);
  for (const Field& field : fields) matter.Take(field);
  text = rest;
  return {};
}

// A note becomes JSON later, whose error would name a place in the JSON.
Status CheckUtf8(std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number)
    if (!IsValidUtf8(NextLine(text))) return BadLine(number, "the note is not valid UTF-8");
  return {};
}

// A line that begins or ends a block of code.
struct Fence {
  char sign = 0;  // '`' or '~'; 0: the line is none
  std::size_t length = 0;
  bool has_info = false;

  bool Closes(const Fence& opened) const {
    return sign == opened.sign && length >= opened.length && !has_info;
  }
};

Fence FenceOf(std::string_view line) {
  line = Trim(line);
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return {};
  const std::size_t info = std::min(line.find_first_not_of(line[0]), line.size());
  const bool inline_code = line[0] == '`' && line.find('`', info) != line.npos;
  if (info < 3 || inline_code) return {};
  return {line[0], info, info < line.size()};
}

struct Backticks {
  std::size_t begin, count;
  bool escaped;  // the first one, by a backslash
};

std::vector<Backticks> FindBackticks(std::string_view line) {
  std::vector<Backticks> runs;
  for (std::size_t at = line.find('`'); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_not_of('`', at), line.size());
    const std::string_view before = line.substr(0, at);
    const std::size_t slashes = at - (before.find_last_not_of('\\') + 1);
    runs.push_back({at, end - at, slashes % 2 == 1});
    at = line.find('`', end);
  }
  return runs;
}

// The line with backticks in place of its inline code, which ends at as many as it begins with.
std::string WithoutCode(std::string_view line) {
  std::string shown(line);
  const std::vector<Backticks> runs = FindBackticks(line);
  std::map<std::size_t, std::size_t> last;  // run of a count
  for (std::size_t i = 0; i < runs.size(); ++i) last[runs[i].count] = i;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t begin = runs[i].begin + runs[i].escaped,
                      count = runs[i].count - runs[i].escaped;
    const auto closing = last.find(count);
    if (closing == last.end() || closing->second <= i) continue;
    do ++i;
    while (runs[i].count != count);
    std::fill(shown.begin() + static_cast<std::ptrdiff_t>(begin),
              shown.begin() + static_cast<std::ptrdiff_t>(runs[i].begin), '`');
  }
  return shown;
}

// "#word" behind a blank: letters, digits, "_", "-" and "/", not only digits.
void FindTags(std::string_view line, MarkdownNote& note) {
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
    if (at > 0 && line[at - 1] != ' ' && line[at - 1] != '\t' && line[at - 1] != '(') continue;
    if (line.substr(0, at).ends_with("](")) continue;  // a link to a part of this note
    std::size_t end = at + 1;
    bool letter = false;
    while (end < line.size()) {
      const auto c = static_cast<unsigned char>(line[end]);
      if (c < 0x80 && !std::isalnum(c) && c != '_' && c != '-' && c != '/') break;
      letter |= c >= 0x80 || std::isalpha(c) != 0;
      ++end;
    }
    if (letter) AddOnce(note.tags, line.substr(at + 1, end - at - 1));
  }
}

std::string_view NotePath(std::string_view link) {
  if (link.starts_with("./")) link.remove_prefix(2);
  if (link.ends_with(".md")) link.remove_suffix(3);
  return link;
}

// The target of a [[wiki link]] without an alias and a part of the note.
std::string_view WikiTarget(std::string_view link) {
  const std::size_t bar = std::min(link.find('|'), link.size());
  const bool escaped = bar < link.size() && link.substr(0, bar).ends_with('\\');  // in a table
  link = Trim(link.substr(0, bar - escaped));
  return NotePath(Trim(link.substr(0, std::min({link.find('#'), link.find('^'), link.size()}))));
}

// The character whose bytes stand as %XX at the head of `text`; "" is none, or a control character.
std::string EscapedCharacter(std::string_view text) {
  std::string bytes;
  while (bytes.size() < 4 && text.size() >= 3 && text[0] == '%') {
    std::uint8_t byte = 0;
    if (std::from_chars(text.data() + 1, text.data() + 3, byte, 16).ptr != text.data() + 3) break;
    if (byte < 0x20 || byte == 0x7F) break;
    bytes += static_cast<char>(byte);
    if (IsValidUtf8(bytes)) return bytes;
    text.remove_prefix(3);
  }
  return "";
}

// The target of a Markdown link, a part of a URL; an escape that is no character stays as it is.
std::string Unescaped(std::string_view link) {
  std::string target;
  while (!link.empty()) {
    const std::string escaped = EscapedCharacter(link);
    target += escaped.empty() ? std::string(1, link[0]) : escaped;
    link.remove_prefix(std::max<std::size_t>(3 * escaped.size(), 1));
  }
  return target;
}

// The destination at the head of what follows "](": in angle brackets, or up to a blank or to the
// parenthesis that closes the link. Nothing where it does not end.
std::optional<std::string_view> Destination(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.starts_with('<')) {
    const std::size_t end = text.find('>');
    return end == text.npos ? std::nullopt : std::optional(text.substr(1, end - 1));
  }
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++open;
    if (text[at] == ')' && open-- == 0) return text.substr(0, at);
    const bool title =
        text[at] == ' ' && text.find_first_of("\"'(", at) == text.find_first_not_of(" \t", at);
    if (title && text.find(')', at) != text.npos) return text.substr(0, at);
  }
  return std::nullopt;
}

void FindLinks(std::string_view line, MarkdownNote& note) {
  for (std::size_t at = line.find("[["); at != line.npos; at = line.find("[[", at + 2)) {
    const std::size_t end = line.find("]]", at);
    if (end == line.npos) break;
    AddOnce(note.links, WikiTarget(line.substr(at + 2, end - at - 2)));
  }
  for (std::size_t at = line.find("]("); at != line.npos; at = line.find("](", at + 2)) {
    const auto destination = Destination(line.substr(at + 2));
    if (!destination) continue;
    const std::string_view link = destination->substr(0, destination->find('#'));
    if (link.ends_with(".md") && link.find("://") == link.npos)
      AddOnce(note.links, NotePath(Unescaped(Trim(link))));
  }
}

}  // namespace

Result<MarkdownNote> ReadNote(std::string_view file) {
  MarkdownNote note;
  if (file.starts_with("\xEF\xBB\xBF")) file.remove_prefix(3);
  PLEXUS_TRY(CheckUtf8(file));
  PLEXUS_TRY(ReadFrontMatter(file, note));
  note.text = Trim(file, " \t\r\n");
  Fence code;
  for (std::string_view rest = file; !rest.empty();) {
    const std::string_view line = NextLine(rest);
    const Fence fence = FenceOf(line);
    if (code.sign) {
      if (fence.Closes(code)) code = {};
      continue;
    }
    code = fence;
    if (code.sign) continue;
    const std::string shown = WithoutCode(line);
    FindTags(shown, note);
    FindLinks(shown, note);
  }
  return note;
}

}  // namespace plexus::formats::internal
