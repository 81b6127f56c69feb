// GraphMlReader: GraphML cut into elements.
//
// <key>s name and type the <data> of nodes and edges; a <node> is its id and data,
// an <edge> its ends, its direction (edgedefault, or its own) and data. Not read, and
// refused: nested graphs, hyperedges, a second graph. Passed over: ports, edge ids,
// data of keys without attr.name and data with markup (drawing programs' own).
//
// The grammar is read by expat, event by event: no tree, no recursion, so hostile
// depth costs nothing and is refused at 64. A document type declaration is refused as
// soon as it begins, so there are no entities to expand and nothing external to fetch.
// Defaults, which every element repeats, are 64 KiB together at most, and the parser
// stops inside of a chunk when a block is full: memory follows neither of them.
// Source: Brandes et al., "GraphML Progress Report", 2002; graphml.graphdrawing.org.
#pragma once

#include <memory>

#include "engine/schema.h"
#include "storage/formats/import.h"
#include "storage/formats/json/json_element.h"
#include "storage/formats/pipeline/block_reader.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class GraphMlReader final : public BlockSource {
 public:
  // Names of data that options.columns has mean what it says, and are marked in `use`. `schema`:
  // of the graph that the file goes into, whose kinds tell which edges are parallel.
  GraphMlReader(std::unique_ptr<ByteSource> source, const ImportOptions& options,
                ColumnUse* use = nullptr,
                std::shared_ptr<const Schema> schema = std::make_shared<const Schema>());
  ~GraphMlReader() override;

  // Blocks for ElementParser. Errors of the document are lines in them.
  Result<std::optional<Block>> Next() override;
  std::uint64_t bytes_read() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plexus::formats::internal
