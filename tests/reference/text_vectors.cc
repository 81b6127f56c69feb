// Text vectors as their formula is printed: the whole matrix of tf-idf times the whole
// matrix of signs, each made element by element.
#include <Eigen/Dense>
#include <cmath>

#include "tests/reference/oracles.h"

namespace plexus::reference {

namespace {

double Sign(std::uint64_t seed, const std::string& key, std::uint32_t dimension) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(seed >> (8 * i) & 0xFF);
  bytes += key;
  std::uint64_t state = 14695981039346656037u;  // FNV-1a, 64 bits
  for (const char c : bytes) {
    state ^= static_cast<unsigned char>(c);
    state *= 1099511628211u;
  }
  std::uint64_t word = 0;  // SplitMix64: its value number dimension / 64 + 1
  for (std::uint32_t i = 0; i <= dimension / 64; ++i) {
    state += 0x9E3779B97F4A7C15u;
    word = state;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    word ^= word >> 31;
  }
  return (word >> (dimension % 64) & 1) ? 1.0 : -1.0;
}

}  // namespace

std::vector<std::vector<double>> TextVectors(
    const std::vector<std::map<std::string, double>>& texts, std::uint32_t dimensions,
    std::uint64_t seed) {
  std::map<std::string, double> df;
  double documents = 0;
  for (const auto& text : texts) {
    documents += !text.empty();
    for (const auto& [term, tf] : text) ++df[term];
  }
  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(texts.size()),
                                                  static_cast<Eigen::Index>(df.size()));
  Eigen::MatrixXd signs(static_cast<Eigen::Index>(df.size()), dimensions);
  Eigen::Index t = 0;
  for (const auto& [term, count] : df) {
    for (std::size_t d = 0; d < texts.size(); ++d)
      if (texts[d].contains(term))
        weights(static_cast<Eigen::Index>(d), t) =
            std::log(1 + texts[d].at(term)) * std::log(1 + documents / count);
    for (std::uint32_t j = 0; j < dimensions; ++j) signs(t, j) = Sign(seed, "term\x1f" + term, j);
    ++t;
  }
  const Eigen::MatrixXd projected = weights * signs;
  std::vector<std::vector<double>> vectors(texts.size());
  for (std::size_t d = 0; d < texts.size(); ++d) {
    const Eigen::RowVectorXd row = projected.row(static_cast<Eigen::Index>(d));
    if (!texts[d].empty() && row.norm() > 1e-9) {
      const Eigen::RowVectorXd unit = row / row.norm();
      vectors[d].assign(unit.begin(), unit.end());
    }
  }
  return vectors;
}

}  // namespace plexus::reference
