// Words counted, their rows read, one component found by the power method.
#include "bench/retrieval/word_vectors.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <utility>

#include "algorithms/retrieval/terms.h"
#include "bench/support.h"

namespace plexus::bench {
namespace {

constexpr double kWeight = 1e-3;
constexpr int kRounds = 50;

std::vector<std::string> WordsOf(std::string_view text) {
  retrieval::TermSplitter splitter = Must(retrieval::TermSplitter::Make(), "splitter");
  return Must(splitter.Split(text), "words");
}

// False: there was nothing to bring to unit length.
bool Normalize(std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  if (!(sum > 0)) return false;
  for (double& x : v) x /= std::sqrt(sum);
  return true;
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Result<WordVectors> WordVectors::Read(const std::string& folder, const RetrievalData& data) {
  WordVectors words;
  std::uint64_t all = 0;
  for (const Passage& passage : data.passages)
    for (std::string& word : WordsOf(passage.text)) {
      ++all;
      ++words.shares_[std::move(word)];
    }
  for (auto& [word, share] : words.shares_) share /= static_cast<double>(all);
  for (const Question& question : data.questions)
    for (const std::string& word : WordsOf(question.text)) words.shares_.emplace(word, 0);
  std::ifstream names(folder + "/words.txt"), rows(folder + "/words.fvecs", std::ios::binary);
  if (!names || !rows)
    return Fail(ErrorCode::kIo, "cannot read words.txt and words.fvecs of " + folder);
  std::vector<float> row;
  for (std::string word; std::getline(names, word);) {
    std::int32_t dimensions = 0;
    rows.read(reinterpret_cast<char*>(&dimensions), sizeof dimensions);
    if (!rows || dimensions <= 0 || dimensions > 4096 ||
        (words.dimensions_ != 0 && words.dimensions_ != static_cast<std::size_t>(dimensions)))
      return Fail(ErrorCode::kInvalidArgument, folder + "/words.fvecs has no row for " + word);
    words.dimensions_ = static_cast<std::size_t>(dimensions);
    row.resize(words.dimensions_);
    rows.read(reinterpret_cast<char*>(row.data()),
              static_cast<std::streamsize>(row.size() * sizeof(float)));
    if (!rows)
      return Fail(ErrorCode::kInvalidArgument, folder + "/words.fvecs ends within " + word);
    if (words.shares_.contains(word)) words.vectors_.emplace(word, row);
  }
  words.FindCommonPart(data);
  return words;
}

std::vector<double> WordVectors::MeanOf(std::string_view text) const {
  std::vector<double> sum(dimensions_);
  for (const std::string& word : WordsOf(text)) {
    const auto vector = vectors_.find(word);
    const auto share = shares_.find(word);
    if (vector == vectors_.end()) continue;
    const double weight = kWeight / (kWeight + (share == shares_.end() ? 0 : share->second));
    for (std::size_t i = 0; i < dimensions_; ++i) sum[i] += weight * vector->second[i];
  }
  Normalize(sum);
  return sum;
}

void WordVectors::FindCommonPart(const RetrievalData& data) {
  std::vector<std::vector<double>> rows;
  for (const Passage& passage : data.passages) rows.push_back(MeanOf(passage.text));
  std::vector<double> component(dimensions_, 1);
  for (int round = 0; round < kRounds && Normalize(component); ++round) {
    std::vector<double> next(dimensions_);
    for (const auto& row : rows) {
      const double along = Dot(row, component);
      for (std::size_t i = 0; i < dimensions_; ++i) next[i] += along * row[i];
    }
    component = std::move(next);
  }
  Normalize(component);
  common_ = std::move(component);
}

std::vector<float> WordVectors::Of(std::string_view text) const {
  std::vector<double> mean = MeanOf(text);
  const double along = Dot(mean, common_);
  for (std::size_t i = 0; i < dimensions_; ++i) mean[i] -= along * common_[i];
  if (!Normalize(mean)) return {};
  return {mean.begin(), mean.end()};
}

void AddWordVectors(Graph& graph, const RetrievalData& data, const WordVectors& words) {
  WriteBatch batch(3);
  const auto dimensions = static_cast<std::uint32_t>(words.dimensions());
  batch.DefineSpace({.name = "words", .dimensions = dimensions, .metric = Metric::kCosine});
  for (std::size_t p = 0; p < data.passages.size(); ++p)
    if (const std::vector<float> vector = words.Of(data.passages[p].text); !vector.empty())
      batch.SetVector(NodeRef::Id(static_cast<NodeId>(p)), batch.SpaceNamed("words"), vector);
  Must(graph.Apply(batch), "word vectors");
  Must(graph.Compact(), "compaction");
}

}  // namespace plexus::bench
