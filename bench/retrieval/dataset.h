// Passages, links between them, and questions whose evidence is known.
//
// JSON lines, each an object, in any order; ids are texts:
//   {"passage":"p1","text":"...","title":"..."}          title: before the text, if there is one
//   {"link":["p1","p2"],"weight":1}                      weight: above 0, at most 1
//   {"question":"Who ...?","evidence":["p1","p9"],"id":"q7"}     id: the text if none exists
// Links and evidence are passages of the file. convert.py makes such lines of public sets. A
// passage's id is the key of its node, so a question names it by that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"

namespace plexus::bench {

struct Passage {
  std::string id, text;
};
struct PassageLink {
  std::uint32_t source = 0, target = 0;  // Numbers of passages.
  float weight = 1;
};
struct Question {
  std::string text;
  std::vector<std::uint32_t> evidence;  // Ascending.
  std::string id = {};
};
// Half of the questions tune, the others are reported: by the FNV-1a of the id.
bool IsReported(const Question& question);

struct RetrievalData {
  std::vector<Passage> passages;
  std::vector<PassageLink> links;
  std::vector<Question> questions;
};

// Errors: kInvalidArgument names the line: no object, a member that is not known, an id that stands
// twice or is not there, a question without evidence. kIo.
Result<RetrievalData> ParseRetrievalData(std::string_view lines);
Result<RetrievalData> ReadRetrievalData(const std::string& file);

// Small and made up: passages of some topics in words of their own, with links to passages of other
// topics. A question has rare words of one passage; the second piece of evidence is linked from it
// and shares none of them.
RetrievalData MakeRetrievalData(std::uint64_t seed, std::size_t passages, std::size_t questions);

// The passages as a graph in RAM, with terms, vectors of the texts in the space "text", and links
// as edges relates_to; node i is passage i.
// Words by their stems; "": as they are.
inline constexpr const char* kStemmer = "english";
std::unique_ptr<Graph> MakePassageGraph(const RetrievalData& data,
                                        const std::string& stemmer = kStemmer);

}  // namespace plexus::bench
