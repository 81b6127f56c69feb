// NodeLinkReader: node-link JSON cut into elements.
//
//   {"directed": false, "multigraph": false, "graph": {}, "nodes": [{"id": 1, ...}, ...],
//    "links": [{"source": 1, "target": 2, ...}, ...]}
//
// NetworkX calls the second list "links" or (3.4 and later) "edges"; d3 and others write only the
// two lists. Members may come in any order. The reader finds where each element of a list begins
// and ends and leaves the rest to the element parser, so that one long line costs no more than many
// short ones and nothing is held but the element being cut. Source:
// networkx.readwrite.json_graph.node_link_data.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "storage/formats/json/json_element.h"
#include "storage/formats/pipeline/block_reader.h"

namespace plexus::formats_internal {

class NodeLinkReader final : public BlockSource {
 public:
  NodeLinkReader(std::unique_ptr<ByteSource> source, std::size_t block_bytes,
                 std::size_t record_limit);

  // Blocks for ElementParser. Errors of the document are lines in them.
  Result<std::optional<Block>> Next() override;
  std::uint64_t bytes_read() const override { return bytes_read_; }

  // What the document says about its edges; complete after the last block.
  const ElementDefaults& defaults() const { return defaults_; }

 private:
  enum class State { kStart, kMember, kAfterMember, kElement, kAfterElement, kTail, kDone };

  int Peek();  // -1 at the end
  int Get();
  int SkipBlanks();  // the character behind them, not taken
  bool Expect(char c, std::string_view what);
  void Step();
  void Fail(std::string_view reason);  // the document ends here
  void Member();
  void Flag(std::string_view key, std::size_t begin);
  bool CutValue();  // appends one value to the line
  bool CutString(std::string& out);

  std::unique_ptr<ByteSource> source_;
  const std::size_t block_bytes_, record_limit_;
  std::unique_ptr<char[]> buffer_;
  std::size_t at_ = 0, size_ = 0;
  Status failed_;  // of the source
  std::uint64_t bytes_read_ = 0, line_ = 1;

  State state_ = State::kStart;
  bool first_ = true;  // in the object or the list
  char sort_ = 'N';
  std::uint64_t nodes_ = 0;
  std::set<std::string, std::less<>> seen_;
  ElementDefaults defaults_;
  ElementLines lines_;
};

}  // namespace plexus::formats_internal
