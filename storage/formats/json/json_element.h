// Elements: nodes and edges of document formats, one JSON object a line.
//
// GraphML and node-link JSON are cut by a serial reader into lines of one shape,
//   N12 {"id":"a", ...}    the 12th node (counted from 0; its id if it has none)
//   E {"source":"a","target":"b", ...}
//   J ["a",{"id":"b", ...}]  the edge from a to a neighbour
//   V {...}                only checked to be JSON
//   W what is not read     a warning
//   X what is wrong        a record, or the rest of the file, that cannot be read
//   Z what is wrong        nothing of the file can be read: that is not skipped
// which are then parsed on all threads like any other lines. storage/formats/RECORDS.md has the
// meaning of an element's attributes. Internal to storage/formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/formats/pipeline/block_reader.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

// What the document says about all of its edges.
struct ElementDefaults {
  bool directed = true;         // an edge without "directed"
  bool multigraph = false;      // "key" distinguishes parallel edges
  std::string_view edges = {};  // the list that holds them; "": none does
  bool renamed = false;         // the reader has given ImportOptions::columns their meanings
};

// What the readers share: lines are put together here and handed out as blocks.
class ElementLines {
 public:
  std::string& text() { return text_; }  // the line being written is its end
  // Ends a line; `line` is where it begins in the file.
  void EndLine(std::uint64_t line) {
    text_ += '\n';
    lines_.push_back(line);
  }
  void AddError(std::uint64_t line, std::string_view reason) { Say('X', line, reason); }
  // A line of sort W, X or Z.
  void Say(char sort, std::uint64_t line, std::string_view reason) {
    text_ += sort;
    text_ += ' ';
    for (const char c : reason) text_ += c == '\n' ? ' ' : c;
    EndLine(line);
  }
  std::size_t size() const { return text_.size(); }
  // All lines so far as a block; nullopt when none exists.
  std::optional<Block> Take();

 private:
  std::string text_;
  std::vector<std::uint64_t> lines_;
  std::uint64_t lines_taken_ = 0;
};

class ElementParser final : public RecordParser {
 public:
  explicit ElementParser(ElementDefaults defaults) : defaults_(defaults) {}
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;

 private:
  ElementDefaults defaults_;
};

}  // namespace plexus::formats::internal
