// NodeLinkReader: node-link JSON cut into elements.
//
//   {"directed": false, "multigraph": false, "graph": {}, "nodes": [{"id": 1, ...}, ...],
//    "links": [{"source": 1, "target": 2, ...}, ...]}
//
// NetworkX calls the second list "links" or (since 3.6) "edges", graph documents of LangChain and
// neo4j "relationships"; d3 and others write only the two lists. adjacency_data of NetworkX has a
// list "adjacency" instead, behind the nodes: of each node the list of its neighbours, as objects
// with the neighbour's "id" and what the edge has. Edges are read from the first of these that
// holds any: "links" or "edges", "relationships", "adjacency". What else the document holds is not
// read; lists and objects, unless they are empty or "graph", are named in warnings. Members may
// come in any order. The reader finds where each element of a list begins and ends and leaves the
// rest to the element parser, so that one long line costs as much as many short ones and nothing
// is held but the element being cut. Source: networkx.readwrite.json_graph.node_link_data and
// adjacency_data.
//
// The same reader cuts a JSON array of records into lines without a letter before them, for the
// parsers of JSON objects (What::kArray). So it does the lists of an answer in an object:
// {"results":[...],"relations":[...],"count":2}, as Mem0 prints it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/formats/base/json_tree.h"
#include "storage/formats/json/json_element.h"
#include "storage/formats/pipeline/block_reader.h"

namespace plexus::formats::internal {

class NodeLinkReader final : public BlockSource {
 public:
  enum class What { kDocument, kArray };

  // `known`: what a reader of the same document said about its edges when it was done. Without it
  // the edges of a document are found, but its lines are not those to parse.
  NodeLinkReader(std::unique_ptr<ByteSource> source, std::size_t block_bytes,
                 std::size_t record_limit, What what = What::kDocument,
                 std::optional<ElementDefaults> known = std::nullopt);

  // Blocks for ElementParser. Errors of the document are lines in them.
  Result<std::optional<Block>> Next() override;
  std::uint64_t bytes_read() const override { return bytes_read_; }

  // What the document says about its edges; complete after the last block.
  const ElementDefaults& defaults() const { return defaults_; }
  // Whether nothing that may come changes them.
  bool knows_defaults() const;
  // Of an array: what ended it early.
  struct Broken {
    std::uint64_t line = 0;
    std::string reason;
    bool after_elements = false;
  };
  const std::optional<Broken>& array_error() const { return array_error_; }
  // The member of an answer that holds rows.
  static bool IsRowsOfAnswer(std::string_view key);

 private:
  enum class State {
    kStart,
    kMember,
    kAfterMember,
    kElement,
    kAfterElement,
    kNeighbour,
    kAfterNeighbour,
    kTail,
    kDone
  };

  int Peek() {  // -1 at the end
    return at_ < size_ ? static_cast<unsigned char>(buffer_[at_]) : ReadMore();
  }
  int ReadMore();
  int Get();
  int SkipBlanks();  // the character behind them, not taken
  // Takes what comes before the next stop, as far as it was read already.
  std::string_view TakeRun(const std::array<bool, 256>& stops);
  bool Expect(char c, std::string_view what);
  void Step();
  void Fail(std::string_view reason);  // the document ends here
  void Member();
  void AnswerMember(const std::string& key);
  State AfterList() const {
    return what_ == What::kArray && !wrapped_ ? State::kTail : State::kAfterMember;
  }
  void Flag(std::string_view key, std::size_t begin);
  std::size_t BytesOfValue() const;
  // Appends one value to the line, and `close`. Of one that is too long nothing, or an error.
  enum class TooLong : std::uint8_t { kError, kNothing };
  bool CutValue(std::string_view close = {}, TooLong too_long = TooLong::kError);
  void TakeComma(State next);
  bool ListEnds();
  void Element();
  void Neighbour();
  void KeepId(std::size_t begin);
  bool ReadsList(std::string_view key);
  void Unread(std::string_view key);
  bool CutString(std::string& out);

  std::unique_ptr<ByteSource> source_;
  const std::size_t block_bytes_, record_limit_;
  const What what_;
  const std::optional<ElementDefaults> known_;
  const bool keeps_ids_;  // an "adjacency" has no other way to name a node
  std::unique_ptr<char[]> buffer_;
  std::size_t at_ = 0, size_ = 0;
  Status failed_;  // of the source
  std::uint64_t bytes_read_ = 0, line_ = 1;

  State state_ = State::kStart;
  bool first_ = true;     // in the object or the list
  bool wrapped_ = false;  // the lists of an answer
  char sort_ = 'N';
  std::string_view list_;   // of edges, which is being read
  bool has_lists_ = false;  // of nodes or edges
  std::uint64_t nodes_ = 0, elements_ = 0;
  std::uint64_t comma_ = 0;  // the byte of the last one, from 1 on
  std::uint64_t row_ = 0;    // of the adjacency
  std::vector<std::string> ids_;
  JsonParser json_;
  std::optional<Broken> array_error_;
  std::set<std::string, std::less<>> seen_;
  ElementDefaults defaults_;
  ElementLines lines_;
};

}  // namespace plexus::formats::internal
