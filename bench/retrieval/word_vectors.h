// Vectors of texts from vectors of words: their mean, in which frequent words count little.
//
//   v(text) = mean over its words w of  a / (a + p(w)) * v(w),  a = 0.001, p(w) the share of w
//             among all words of the passages; without its part along the first principal component
//             of the passages' vectors; of unit length
//
// Source: Arora, Liang, Ma, "A simple but tough-to-beat baseline for sentence embeddings", ICLR
// 2017.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/retrieval/dataset.h"
#include "engine/error.h"
#include "engine/graph.h"

namespace plexus::bench {

class WordVectors {
 public:
  // words.txt, a word a line, and words.fvecs of a folder (bench/word_vectors.sh): those of words
  // that the data has. Errors: kIo; kInvalidArgument: files of another form.
  static Result<WordVectors> Read(const std::string& folder, const RetrievalData& data);

  std::size_t dimensions() const { return dimensions_; }
  // Empty: no word is known.
  std::vector<float> Of(std::string_view text) const;

 private:
  std::vector<double> MeanOf(std::string_view text) const;
  void FindCommonPart(const RetrievalData& data);

  std::size_t dimensions_ = 0;
  std::unordered_map<std::string, std::vector<float>> vectors_;
  std::unordered_map<std::string, double> shares_;
  std::vector<double> common_;  // The component that is taken out.
};

// The vectors of all passages, in the space "words".
void AddWordVectors(Graph& graph, const RetrievalData& data, const WordVectors& words);

}  // namespace plexus::bench
