// CsvParser: tables with a header, RFC 4180, comma, semicolon, bar or tab.
//
// A header with `source` and `target` makes an edge table (kind or type, weight,
// created_at, label, created_by, valid_from, valid_until, props); one with `key` or
// `id` a node table (kind or type, text, tags as base/text.h, columns of the graph
// by name, props). Other columns become properties: a cell that is spelled as JSON
// spells a number is one, every other is a string. An empty cell is an absent key. Ends that have
// another system's names (base/field_names.h) make an edge table, too.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "storage/formats/base/text.h"
#include "storage/formats/pipeline/batch_builder.h"
#include "storage/formats/pipeline/piece_edges.h"

namespace plexus::formats::internal {

// Cells of one record; views into the text or into `unescaped`.
struct CsvRow {
  std::vector<std::string_view> cells;
  std::string unescaped;
  std::size_t length = 0;  // bytes of the record with its line end
  // Whether a cell stood in quotes.
  bool quoted(std::string_view cell) const {
    return std::less_equal<>()(unescaped.data(), cell.data()) &&
           std::less_equal<>()(cell.data(), unescaped.data() + unescaped.size());
  }
};

// Reads the record at the head of `text`; on an error `length` is set all the same.
Status ReadCsvRow(std::string_view text, char delimiter, std::size_t max_cells,
                  std::size_t max_cell_bytes, CsvRow& row);

// Tables of edges with kinds, weights, labels and times, for loading at once (edge_loader.h).
//
// A piece that holds what CsvParser has a remark on (an error, a quote inside a cell,
// a kind that wants its ends to be of some kind, times that look like seconds) is marked, and the
// general way reads the files from the start.
class CsvEdgeParser final : public RecordParser {
 public:
  // Where a header has what.
  struct Table {
    char delimiter = ',';
    std::size_t columns = 0;
    std::optional<std::size_t> source = {}, target = {}, weight = {}, kind = {}, label = {},
                               created_at = {}, valid_from = {}, valid_until = {};
    std::size_t line_bytes = 0;  // of the longest line
  };
  // `numbers`: as PieceCollector::numbers.
  CsvEdgeParser(const Table& table, std::uint32_t numbers) : table_(table), numbers_(numbers) {}

  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
  std::size_t RecordLength(std::string_view text) const override {
    return QuotedRecordLength(text, table_.delimiter).value_or(text.size());
  }

  static constexpr std::size_t kMaxColumns = 8;

 private:
  // The cells of a line; false when it has another number of them, or a quote inside one.
  bool ReadCells(std::string_view line, std::string_view* cells) const;
  // What the cells state next to the ends; false: the general way has more to say of it.
  bool ReadValues(const std::string_view* cells, Row& row, RowValues& values) const;

  Table table_;
  std::uint32_t numbers_;
};

class CsvParser final : public RecordParser {
 public:
  // Reads the header at the head of `text`. `delimiter` 0: the likeliest of , ; | tab. `names`: as
  // ImportOptions::columns; those that the header has are marked in `use`. On an error `hint` is
  // what of `names` might help.
  static Result<CsvParser> FromHeader(std::string_view text, char delimiter,
                                      const ImportLimits& limits,
                                      const std::vector<ColumnName>& names = {},
                                      ColumnUse* use = nullptr, std::string* hint = nullptr);

  // Whether the column `type` is Gephi's direction: what the first rows hold says so, and the other
  // columns where they hold nothing there. `whole`: no row is cut.
  void LookAtTypes(std::string_view rows, bool whole);

  // Who takes the rows of a memory system's own table (base/field_names.h), each a JSON object
  // whose values are texts. REQUIRED for such a table.
  using AddMemoryRow = Status (*)(std::string_view row, BatchBuilder& builder);
  void set_memory_rows(AddMemoryRow add) { add_row_ = add; }

  std::size_t header_bytes() const { return header_bytes_; }
  char delimiter() const { return delimiter_; }
  // Set: the rows of the table are edges without properties.
  std::optional<CsvEdgeParser::Table> plain_edges() const;
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
  std::size_t RecordLength(std::string_view text) const override {
    return QuotedRecordLength(text, delimiter_).value_or(text.size());
  }

 private:
  enum class Field {
    kSource,
    kTarget,
    kKey,
    kKind,
    kWeight,
    kCreatedAt,
    kLabel,
    kCreatedBy,
    kValidFrom,
    kValidUntil,
    kText,
    kTags,
    kProps,
    kOther
  };
  struct HeaderColumn {
    std::string name;
    Field field = Field::kOther;
  };

  // `names`: of the columns, as ImportOptions::columns calls them.
  Status ReadHeader(std::vector<std::string> names, std::string* hint);
  // The kind of an edge, or of Gephi's column Type its direction, as a kind.
  Result<std::string_view> EdgeKindOf(const CsvRow& row, BatchBuilder& builder) const;
  Status AddRow(const CsvRow& row, BatchBuilder& builder) const;
  Status AddEdge(const CsvRow& row, BatchBuilder& builder) const;
  Status AddNode(const CsvRow& row, BatchBuilder& builder) const;
  // Property columns and `props` together; nullopt when all are empty.
  Result<std::optional<std::string>> Properties(const CsvRow& row, const Schema* columns) const;
  std::string_view Cell(const CsvRow& row, Field field) const;
  // The cell without blanks around it, unless quotes keep them.
  std::string_view KeyCell(const CsvRow& row, Field field) const;

  std::vector<HeaderColumn> columns_;
  std::size_t header_bytes_ = 0;
  char delimiter_ = ',';
  Status (CsvParser::*add_)(const CsvRow&, BatchBuilder&) const = nullptr;
  AddMemoryRow add_row_ = nullptr;
  bool edges_ = true, ambiguous_ends_ = false, rows_ = false;
  bool directions_ = false;  // the column `type` holds them
  ImportLimits limits_;
};

// Export puts an apostrophe before what a spreadsheet would take for a formula
// (and before apostrophes in front of such); this takes it off.
std::string_view WithoutFormulaGuard(std::string_view cell);
bool NeedsFormulaGuard(std::string_view cell);

}  // namespace plexus::formats::internal
