// EdgeListParser: `source target [weight]`, one edge a line.
//
// SNAP's plain edge lists and GAP's .el and .wel. Fields are separated by spaces or
// tabs; lines that begin with # or % and empty lines are passed over. Every edge
// is of kind `link`, or of the kind given. Keys are the tokens as they stand.
#pragma once

#include <string>
#include <utility>

#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class EdgeListParser final : public RecordParser {
 public:
  // `kind`: a kind of the fact plane that the graph has; "" is `link`.
  explicit EdgeListParser(std::string kind = {}) : kind_(std::move(kind)) {}
  std::size_t Parse(std::string_view text, std::uint64_t first_line, const ParseContext& context,
                    Piece& piece) const override;

 private:
  std::string kind_;
};

}  // namespace plexus::formats::internal
