// "line" of a hit: of a text of several lines the one that has most of the query's words.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

class MatchingLine {
 public:
  // Of terms, as the snapshot's index has them; without any nothing is ever written.
  static Result<MatchingLine> Make(const Snapshot& snapshot, std::span<const std::string> query);
  // The first of those with most words of the query. Nothing is written of a text of one line, or
  // without such a word. Not thread-safe.
  void Write(ReplyWriter& json, std::string_view text) const;

 private:
  explicit MatchingLine(retrieval::TermSplitter splitter) : splitter_(std::move(splitter)) {}
  mutable retrieval::TermSplitter splitter_;  // has buffers of its own
  std::vector<std::string> query_;  // ascending
};

}  // namespace plexus::tools
