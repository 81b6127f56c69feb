// Splits each line as its text was split for the index.
#include "tools/operations/retrieve/matching_line.h"

#include <algorithm>

#include "algorithms/retrieval/terms.h"

namespace plexus::tools {

Result<MatchingLine> MatchingLine::Make(const Snapshot& snapshot,
                                        std::span<const std::string> query) {
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(retrieval::TermSplitter splitter, retrieval::TermSplitter::Make(record.terms));
  MatchingLine made(std::move(splitter));
  made.query_.assign(query.begin(), query.end());
  std::ranges::sort(made.query_);
  return made;
}

void MatchingLine::Write(ReplyWriter& json, std::string_view text) const {
  if (text.find('\n') == std::string_view::npos || query_.empty()) return;
  std::string_view best;
  std::ptrdiff_t most = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const Result<std::vector<retrieval::TermCount>> terms = splitter_.Count(line);
    if (!terms) continue;
    const auto met = std::ranges::count_if(*terms, [&](const retrieval::TermCount& count) {
      return std::ranges::binary_search(query_, count.term);
    });
    if (met <= most) continue;
    most = met;
    best = line;
  }
  if (most > 0) json.Field("line", best);
}

}  // namespace plexus::tools
