// A query in words, taken apart as the graph's index of terms is: what search and recall ask with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

struct WordQuery {
  retrieval::PhraseQuery parsed;
  std::vector<std::string> terms;
  NodeSubset subset;   // what may be found, and holds every phrase in quotes
  NodeSubset holding;  // holds these, found or not; empty when there are none
  NodeSubset whole;    // holds a query of several words as it stands: one more word
  bool truncated = false;

  // As long as this lives.
  retrieval::Bm25Phrase phrase() const { return {"\"" + parsed.words + "\"", &whole}; }
};

// Of the request's parameter of that name. kInvalidArgument: it has no words to search for.
Result<WordQuery> ReadWordQuery(const Workspace& workspace, const Request& request,
                                std::string_view parameter, const retrieval::TermOptions& terms,
                                const NodeSubset& allowed);

// What to type where no text has a word of the query: words are met whole, and in what `terms`, the
// index's options, say.
std::string OtherWays(const Workspace& workspace, const Request& request, std::string_view words,
                      const retrieval::TermOptions& terms);

// The same, by the graph's own index of terms, for questions that have other ways to be asked, too;
// what is not indexed is noted. kFailedPrecondition: there is no index.
Result<WordQuery> ReadIndexedWords(Workspace& workspace, const Request& request,
                                   std::string_view parameter, const NodeSubset& allowed);

}  // namespace plexus::tools
