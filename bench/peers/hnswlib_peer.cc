// peer_hnswlib: hnswlib, header only, compiled here with the bench's own flags.
//
// Cosine is the inner product of unit vectors; M 16, efConstruction 100, built once on all
// threads and kept beside the input. recall: the smallest ef of a ladder that finds 99 %
// of the exact answer. nearest-inside: the ten best inside a subset by over-fetching, the
// usual way: ask for more and more of the whole, drop what is outside, until 99 % of the
// exact answer is found. A query is one thread's work.
#include <hnswlib/hnswlib.h>

#include <cmath>
#include <memory>
#include <thread>

#include "bench/peers/peer.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file
using Index = hnswlib::HierarchicalNSW<float>;

std::vector<float> Unit(const float* row, std::uint32_t dimensions) {
  double sum = 0;
  for (std::uint32_t i = 0; i < dimensions; ++i)
    sum += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  const double scale = sum == 0 ? 0 : 1 / std::sqrt(sum);
  std::vector<float> unit(dimensions);
  for (std::uint32_t i = 0; i < dimensions; ++i)
    unit[i] = static_cast<float>(static_cast<double>(row[i]) * scale);
  return unit;
}

std::unique_ptr<Index> LoadIndex(Peer& peer, const Vectors& vectors,
                                 hnswlib::InnerProductSpace& space) {
  const std::string file = peer / "hnswlib.index";
  if (!Exists(file)) {
    Index made(&space, vectors.count(), 16, 100);
    std::vector<std::thread> pool;
    for (int t = 0; t < peer.threads(); ++t)
      pool.emplace_back([&, t] {
        for (std::size_t i = static_cast<std::size_t>(t); i < vectors.count();
             i += static_cast<std::size_t>(peer.threads()))
          made.addPoint(Unit(vectors.row(i), vectors.dimensions).data(), i);
      });
    for (std::thread& thread : pool) thread.join();
    made.saveIndex(file);
  }
  return peer.Load([&] { return std::make_unique<Index>(&space, file); });
}

class Searcher {
 public:
  Searcher(const Index& index, const Vectors& vectors, bool inside)
      : index_(index), inside_(inside), member_(vectors.count()) {
    for (std::uint32_t i : vectors.subset) member_[i] = true;
    for (std::size_t q = 0; q < vectors.query_count(); ++q)
      queries_.push_back(Unit(vectors.query(q), vectors.dimensions));
  }
  void operator()(std::size_t q, std::size_t fetch, Answer& answer) const {
    auto found = index_.searchKnn(queries_[q].data(), fetch);
    std::vector<Entry> entries;
    for (; !found.empty(); found.pop())
      if (!inside_ || member_[found.top().second])
        entries.push_back({1.0 - static_cast<double>(found.top().first),
                           static_cast<std::uint32_t>(found.top().second)});
    AppendBest(std::move(entries), kNearestTop, false, answer);
  }
  double Recall(std::size_t fetch, const Answer& exact) const {
    std::size_t hits = 0, wanted = 0;
    for (std::size_t q = 0, j = 0; q < queries_.size(); ++q) {
      Answer found;
      (*this)(q, fetch, found);
      const auto m = static_cast<std::size_t>(exact[j]);
      for (std::size_t b = 0; b < m; ++b, ++wanted)
        for (std::size_t a = 1; a < found.size(); a += 2) hits += found[a] == exact[j + 1 + 2 * b];
      j += 1 + 2 * m;
    }
    return static_cast<double>(hits) / static_cast<double>(wanted);
  }

 private:
  const Index& index_;
  bool inside_;
  std::vector<bool> member_;
  std::vector<std::vector<float>> queries_;
};

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv, "hnswlib 0.6.2, our -O3");
  const bool inside = peer.work() == "recall-inside";
  if (!inside && peer.work() != "recall") return peer.Finish();
  const Vectors vectors = ReadVectors(peer.folder());
  hnswlib::InnerProductSpace space(vectors.dimensions);
  const auto index = LoadIndex(peer, vectors, space);
  const Searcher search(*index, vectors, inside);
  const Answer exact = ReadArray<double>(peer / (inside ? "nearest-inside.f64" : "nearest.f64"));
  // Up to everything: then the search is as good as the index lets it be.
  std::size_t ef = 16, fetch = kNearestTop;
  double recall = 0;
  for (;; ef = std::min(2 * ef, vectors.count())) {
    index->setEf(ef);
    fetch = inside ? ef : kNearestTop;
    recall = search.Recall(fetch, exact);
    if (recall >= 0.99 || ef >= vectors.count()) break;
  }
  peer.Queries(vectors.query_count(),
               [&](std::size_t q, Answer& answer) { search(q, fetch, answer); });
  peer.Note("M 16, ef " + std::to_string(ef) +
            (inside ? ", over-fetching " + std::to_string(fetch) : "") + ", recall " +
            std::to_string(recall) + ", 1 thread");
  return peer.Finish();
}
