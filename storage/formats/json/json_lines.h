// JsonLinesParser: the records of storage/formats/RECORDS.md, one JSON object a line.
//
// The record's sort is given by the one key of node, edge, event, outcome, vector,
// unlink, remove, purge, column, space, kind that it has (the last three define and are tested
// last). Unknown keys are errors, so a typing mistake never passes for an absent key. A line is
// checked as a whole before it adds an operation.
#pragma once

#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class JsonLinesParser final : public RecordParser {
 public:
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;
};

// Top-level names that a user's column must not have.
bool IsReservedKey(std::string_view name);

}  // namespace plexus::formats::internal
