// Format names, extensions, first bytes; see format_detection.h.
#include "storage/formats/format_detection.h"

#include <algorithm>
#include <optional>
#include <string>

#include "engine/out_of_memory.h"
#include "storage/formats/base/decimal.h"
#include "storage/formats/base/field_names.h"
#include "storage/formats/base/json_tree.h"
#include "storage/formats/base/text.h"
#include "storage/formats/json/json_rows.h"
#include "storage/formats/json/mcp_memory.h"
#include "storage/formats/json/node_link.h"

namespace plexus::formats {

using namespace internal;

namespace {

struct Name {
  std::string_view name;
  FileFormat format;
};
constexpr Name kNames[] = {{"auto", FileFormat::kAuto},
                           {"csv", FileFormat::kCsv},
                           {"tsv", FileFormat::kTsv},
                           {"jsonl", FileFormat::kJsonLines},
                           {"edgelist", FileFormat::kEdgeList},
                           {"wordnet", FileFormat::kWordNet},
                           {"mtx", FileFormat::kMatrixMarket},
                           {"gapbs", FileFormat::kGapSerialized},
                           {"graphml", FileFormat::kGraphMl},
                           {"node-link", FileFormat::kNodeLink},
                           {"mcp-memory", FileFormat::kMcpMemory},
                           {"rows", FileFormat::kJsonRows}};
constexpr std::string_view kNameList =
    "csv, tsv, jsonl, rows, edgelist, mtx, gapbs, graphml, node-link, mcp-memory, wordnet";
constexpr Name kExtensions[] = {
    {".csv", FileFormat::kCsv},           {".tsv", FileFormat::kTsv},
    {".tab", FileFormat::kTsv},           {".jsonl", FileFormat::kJsonLines},
    {".ndjson", FileFormat::kJsonLines},  {".el", FileFormat::kEdgeList},
    {".wel", FileFormat::kEdgeList},      {".edges", FileFormat::kEdgeList},
    {".edgelist", FileFormat::kEdgeList}, {".mtx", FileFormat::kMatrixMarket},
    {".sg", FileFormat::kGapSerialized},  {".wsg", FileFormat::kGapSerialized},
    {".graphml", FileFormat::kGraphMl}};

// The first line that is neither blank nor a comment, and those behind it.
std::string_view WithoutComments(std::string_view head) {
  while (!head.empty()) {
    std::string_view rest = head;
    const std::string_view line = NextLine(rest);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#' && line[begin] != '%') return head;
    head = rest;
  }
  return {};
}

// A document that begins with a list or with what NetworkX writes first.
bool IsNodeLink(std::string_view head) {
  std::string begin;  // without blanks
  for (const char c : head.substr(0, 4096))
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') begin += c;
  for (const std::string_view key : {"{\"directed\":", "{\"multigraph\":", "{\"graph\":{",
                                     "{\"nodes\":[", "{\"links\":[", "{\"edges\":["})
    if (begin.starts_with(key)) return true;
  return false;
}

// What a whole object is a record of. A row has names that are known, or that `columns` says. A
// document on one line has lists instead.
std::optional<FileFormat> FormatOfObject(std::string_view object,
                                         const std::vector<ColumnName>& columns = {}) {
  JsonParser json;
  const auto root = json.Parse(object);
  if (!root || (*root)->type != JsonType::kObject) return std::nullopt;
  if (IsMcpMemoryRecord(json, **root)) return FileFormat::kMcpMemory;
  if (IsJsonRow(json, **root)) return FileFormat::kJsonRows;
  const auto has = [&](std::string_view key) { return json.Find(**root, key) != nullptr; };
  if (has("nodes") || has("links") || has("edges")) return std::nullopt;
  for (const std::string_view key : {"node", "edge", "event", "outcome", "vector", "unlink",
                                     "remove", "purge", "kind", "column", "space"})
    if (has(key)) return FileFormat::kJsonLines;
  if (std::ranges::any_of(columns, has, &ColumnName::in_file)) return FileFormat::kJsonRows;
  return std::nullopt;
}

// The format of the first line that is a whole record of some format. Lines before it may be
// damaged, or mark the file for its program. A line of a document is no record: it is indented, or
// is behind a comma or a bracket.
std::optional<FileFormat> FormatOfLines(std::string_view text, bool cut,
                                        const std::vector<ColumnName>& columns = {}) {
  bool inside = false;  // of a document
  while (!text.empty()) {
    const std::string_view line = NextLine(text);
    const std::string_view bare = Trim(line, " \t\r");
    if (bare.empty()) continue;
    if (cut && text.empty())
      return BeginsMcpMemoryLine(line) ? std::optional(FileFormat::kMcpMemory) : std::nullopt;
    if (!inside && line[0] == '{')
      if (const auto format = FormatOfObject(bare, columns)) return format;
    inside = std::string_view(",[{:").find(bare.back()) != std::string_view::npos;
  }
  return std::nullopt;
}

// The object or other value at the head of `text`, as far as brackets outside of strings tell.
std::string_view ValueAt(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0 && --depth == 0) return text.substr(0, i + 1);
    if (depth == 0 && (c == ',' || c == ']')) return text.substr(0, i);
  }
  return text;
}

// Whether behind the bracket a JSON value can begin: a section of an .ini file is none.
bool BeginsArray(std::string_view text) {
  text.remove_prefix(text.find('[') + 1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.empty() || std::string_view("{[]\"-0123456789").contains(text[0]) ||
         text.starts_with("true") || text.starts_with("false") || text.starts_with("null");
}

// The elements of an array are records as lines are; the first one that is of some format decides.
Result<FileFormat> FormatOfArray(const std::string& file, std::string_view text,
                                 const std::vector<ColumnName>& columns) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(1);
  std::string_view first;
  for (int i = 0; i < 1000; ++i) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n,"), text.size()));
    const std::string_view value = Trim(ValueAt(text), kBlanks);
    if (value.empty()) break;
    if (i == 0) first = value;
    if (const auto format = FormatOfObject(value, columns)) return *format;
    text.remove_prefix(value.size());
  }
  if (first.empty()) return FileFormat::kJsonRows;  // an empty array
  if (first[0] != '{')
    return Invalid(file, ": a JSON array whose elements are no objects; rows and records are");
  return Invalid(file,
                 ": a JSON array of objects that are no rows, records or entities; a document "
                 "in it is imported alone: jq '.[0]'");
}

std::vector<std::string> Cells(std::string_view line, char delimiter) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(delimiter, at), line.size());
    std::string_view cell = Trim(line.substr(at, end - at), " \t\r");
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(Lower(Trim(cell)));
    at = end + 1;
  }
  return cells;
}

// The delimiter of a header with a key or both ends.
std::optional<char> TableDelimiter(std::string_view line, const std::vector<ColumnName>& columns) {
  for (const char delimiter : {',', '\t', ';', '|'}) {
    const std::vector<std::string> cells = Cells(line, delimiter);
    const auto has = [&](std::string_view name) {
      return std::ranges::find(cells, name) != cells.end();
    };
    const auto has_end = [&](std::string_view end) {
      return std::ranges::any_of(EdgeFieldNames(), [&](const FieldName& known) {
        return known.meaning == end && has(Lower(known.in_file));
      });
    };
    const bool named = std::ranges::any_of(
        columns, [&](const ColumnName& column) { return has(Lower(column.in_file)); });
    if ((has_end("source") && has_end("target")) || has("key") || has("id") || named ||
        MemoryRowOf(has) != MemoryRow::kNone)
      return delimiter;
  }
  return std::nullopt;
}

bool IsNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// Why lines are no edge list; "" when they are one. Two words on a line may be any text, so that
// ends must be numbers where no name says the format.
std::string NoEdgeList(std::string_view text, bool cut) {
  while (!text.empty()) {
    const std::string_view line = NextLine(text);
    if (cut && text.empty()) break;
    std::vector<std::string_view> words;
    for (std::string_view rest = Trim(line, " \t\r"); !rest.empty();) {
      const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      words.push_back(rest.substr(0, end));
      rest = Trim(rest.substr(end));
    }
    if (words.empty() || words[0][0] == '#' || words[0][0] == '%') continue;
    if (words.size() < 2 || words.size() > 3 || !IsNumber(words[0]) || !IsNumber(words[1]) ||
        (words.size() == 3 && !ReadF32(words[2])))
      return Quoted(Trim(line, " \t\r"), 40) + " is not two numbers and perhaps a weight";
  }
  return "";
}

}  // namespace

Result<FileFormat> ParseFileFormat(std::string_view name) try {
  for (const Name& n : kNames)
    if (n.name == name) return n.format;
  return Invalid("unknown format '", name.substr(0, 40), "'; there are ", kNameList);
}
PLEXUS_CATCH_NO_MEMORY

std::string_view FileFormatName(FileFormat format) {
  for (const Name& n : kNames)
    if (n.format == format) return n.name;
  return "?";
}

namespace {

// Where the rows of an answer begin, {"count":2,"results":[...]}: the bytes from their '[' on; ""
// where the object is none.
std::string_view RowsOfAnswer(std::string_view head) {
  std::size_t at = head.find_first_not_of(" \t\r\n");
  if (at == head.npos || head[at] != '{') return {};
  std::string_view rest = head.substr(at + 1);
  for (int i = 0; i < 16; ++i) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n,"), rest.size()));
    if (!rest.starts_with('"')) return {};
    const std::size_t end = rest.find('"', 1);
    if (end == rest.npos) return {};
    const std::string_view key = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n:"), rest.size()));
    if (rest.starts_with('[')) return NodeLinkReader::IsRowsOfAnswer(key) ? rest : "";
    if (rest.starts_with('{')) return {};
    const std::string_view value = ValueAt(rest);
    rest.remove_prefix(std::min(value.find('}') == value.npos ? value.size() : rest.size(),
                                rest.size()));
  }
  return {};
}

}  // namespace

bool internal::IsJsonArray(std::string_view head) {
  if (!RowsOfAnswer(head).empty()) return true;
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || head[begin] != '[') return false;
  const std::size_t element = head.find_first_not_of(" \t\r\n", begin + 1);
  return element != std::string_view::npos && (head[element] == '{' || head[element] == ']') &&
         !FormatOfLines(head, head.size() >= kSniffBytes);
}

Result<FileFormat> internal::SniffFormat(std::string_view name, std::string_view head,
                                         const std::vector<ColumnName>& columns) {
  const std::string file(name);
  if (head.starts_with("\x1f\x8b"))  // of one that was unpacked
    return Unsupported(file, ": gzip inside of gzip; unpack it first");
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    return Unsupported(file, ": UTF-16; convert it to UTF-8 first");
  const std::string lower = Lower(name);
  const bool json_lines = lower.ends_with(".jsonl") || lower.ends_with(".ndjson"),
             json = lower.ends_with(".json") || json_lines;
  const bool cut = head.size() >= kSniffBytes;
  const std::string_view text = WithoutComments(head);
  for (const Name& e : kExtensions)
    if (!json && lower.ends_with(e.name)) return e.format;
  if (head.starts_with("%%MatrixMarket")) return FileFormat::kMatrixMarket;
  if (text.empty()) return json_lines ? FileFormat::kJsonLines : FileFormat::kEdgeList;
  const char first = text[text.find_first_not_of(" \t\r\n")];
  if (const std::string_view rows = RowsOfAnswer(text); !rows.empty())
    return FormatOfArray(file, rows, columns);
  if (json || first == '{' || first == '[')
    if (const auto format = FormatOfLines(text, cut, columns)) return *format;
  if (first == '[' && (json || BeginsArray(text)) && (IsJsonArray(head) || !json_lines))
    return FormatOfArray(file, text.substr(text.find('[')), columns);
  if (json_lines) return FileFormat::kJsonLines;
  if (first == '{')
    return json || IsNodeLink(head) ? FileFormat::kNodeLink : FileFormat::kJsonLines;
  if (first == '<' && head.find("<graphml") != std::string_view::npos) return FileFormat::kGraphMl;
  if (first == '<')
    return Unsupported(
        file, ": XML without <graphml>; of XML GraphML is read, as Gephi and yEd export it");
  std::string_view rest = text;
  const std::string_view line = NextLine(rest);
  if (const auto delimiter = json ? std::nullopt : TableDelimiter(line, columns))
    return *delimiter == '\t' ? FileFormat::kTsv : FileFormat::kCsv;
  const std::string no_edges = NoEdgeList(text, cut);
  if (no_edges.empty()) return FileFormat::kEdgeList;
  return Invalid(file,
                 ": cannot tell its format: it is no JSON (no line is an object), no XML, no ",
                 "table (", Quoted(Trim(line, " \t\r"), 40),
                 " has no column source and target, key or id) and no "
                 "edge list (",
                 no_edges,
                 "; of words it is one when its name ends in .edges). "
                 "Name the format: ",
                 kNameList);
}

}  // namespace plexus::formats
