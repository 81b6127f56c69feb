// Format names, extensions, first bytes; see format_detection.h.
#include "storage/formats/format_detection.h"

#include <algorithm>
#include <string>

#include "engine/out_of_memory.h"
#include "storage/formats/base/ascii.h"
#include "storage/formats/base/field_names.h"
#include "storage/formats/base/json_tree.h"
#include "storage/formats/json/json_rows.h"
#include "storage/formats/json/mcp_memory.h"

namespace plexus {

using namespace formats_internal;

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

std::string_view FirstLine(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#' && line[begin] != '%') return line;
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return {};
}

bool HasCell(const std::string& line, std::string_view name) {
  std::size_t at = 0;
  while ((at = line.find(name, at)) != std::string::npos) {
    auto edge = [&](std::size_t i) {
      return i >= line.size() ||
             std::string_view(",;|\t\" \r").find(line[i]) != std::string_view::npos;
    };
    if ((at == 0 || edge(at - 1)) && edge(at + name.size())) return true;
    ++at;
  }
  return false;
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

// A whole line of our own JSON lines. A document on one line has lists instead.
bool IsJsonRecord(std::string_view line) {
  JsonParser json;
  const auto root = json.Parse(line);
  if (!root || (*root)->type != JsonType::kObject) return false;
  const auto has = [&](std::string_view key) { return json.Find(**root, key) != nullptr; };
  if (has("nodes") || has("links") || has("edges")) return false;
  for (const std::string_view key : {"node", "edge", "event", "outcome", "vector", "unlink",
                                     "remove", "purge", "kind", "column", "space"})
    if (has(key)) return true;
  return false;
}

}  // namespace

Result<FileFormat> ParseFileFormat(std::string_view name) try {
  for (const Name& n : kNames)
    if (n.name == name) return n.format;
  return Fail(ErrorCode::kInvalidArgument, "unknown format '" + std::string(name.substr(0, 40)) +
                                               "'; there are " + std::string(kNameList));
}
PLEXUS_CATCH_NO_MEMORY

std::string_view FileFormatName(FileFormat format) {
  for (const Name& n : kNames)
    if (n.format == format) return n.name;
  return "?";
}

Result<FileFormat> formats_internal::SniffFormat(std::string_view name, std::string_view head) {
  const std::string file(name);
  if (head.starts_with("\x1f\x8b"))  // of one that was unpacked
    return Fail(ErrorCode::kUnsupported, file + ": gzip inside of gzip; unpack it first");
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    return Fail(ErrorCode::kUnsupported, file + ": UTF-16; convert it to UTF-8 first");
  const std::string lower = Lower(name);
  const bool json = lower.ends_with(".json"),
             json_lines = lower.ends_with(".jsonl") || lower.ends_with(".ndjson");
  const std::string_view first = FirstLine(head);
  const bool cut =
      head.size() >= kSniffBytes && first.data() + first.size() == head.data() + head.size();
  if ((json || json_lines) && IsMcpMemoryLine(first, cut)) return FileFormat::kMcpMemory;
  if ((json || json_lines) && !cut && IsJsonRow(first)) return FileFormat::kJsonRows;
  for (const Name& e : kExtensions)
    if (lower.ends_with(e.name)) return e.format;
  if (head.starts_with("%%MatrixMarket")) return FileFormat::kMatrixMarket;
  if (head.find("<graphml") != std::string_view::npos &&
      head.substr(std::min(head.find_first_not_of(" \t\r\n"), head.size())).starts_with('<'))
    return FileFormat::kGraphMl;
  const std::string line = Lower(first);
  if (line.empty()) return FileFormat::kEdgeList;  // nothing but comments
  const std::size_t begin = line.find_first_not_of(" \t");
  if (line[begin] == '{') {
    if (IsMcpMemoryLine(first, cut)) return FileFormat::kMcpMemory;
    if (!cut && IsJsonRow(first)) return FileFormat::kJsonRows;
    return (json && !IsJsonRecord(first)) || IsNodeLink(head) ? FileFormat::kNodeLink
                                                              : FileFormat::kJsonLines;
  }
  const auto has_end = [&](std::string_view end) {
    return std::ranges::any_of(EdgeFieldNames(), [&](const FieldName& known) {
      return known.meaning == end && HasCell(line, Lower(known.in_file));
    });
  };
  if ((has_end("source") && has_end("target")) || HasCell(line, "key") || HasCell(line, "id"))
    return line.find('\t') != std::string::npos && line.find(',') == std::string::npos
               ? FileFormat::kTsv
               : FileFormat::kCsv;
  if (line.find(',') == std::string::npos && line.find_first_of(" \t", begin) != std::string::npos)
    return FileFormat::kEdgeList;
  return Fail(ErrorCode::kInvalidArgument,
              file + ": cannot tell its format; name it: " + std::string(kNameList));
}

}  // namespace plexus
