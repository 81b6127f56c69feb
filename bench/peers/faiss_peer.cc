// peer_faiss: FAISS, as Debian builds it: static, generic instructions, reference BLAS.
//
// Cosine is the inner product of rows and queries brought to length 1. nearest: flat index,
// a query at a time; nearest-batch: all queries in one call; nearest-inside: flat with a
// selector. (HNSW is hnswlib's part: building FAISS's takes minutes in this build.)
#include <faiss/IndexFlat.h>
#include <faiss/impl/IDSelector.h>
#include <omp.h>

#include <cmath>
#include <memory>

#include "bench/peers/peer.h"

namespace {

using namespace plexus::peers;  // NOLINT: a program of one file

std::vector<float> Unit(const std::vector<float>& rows, std::uint32_t dimensions) {
  std::vector<float> unit(rows);
  for (std::size_t at = 0; at < rows.size(); at += dimensions) {
    double sum = 0;
    for (std::uint32_t i = 0; i < dimensions; ++i)
      sum += static_cast<double>(rows[at + i]) * static_cast<double>(rows[at + i]);
    const double scale = sum == 0 ? 0 : 1 / std::sqrt(sum);
    for (std::uint32_t i = 0; i < dimensions; ++i)
      unit[at + i] = static_cast<float>(static_cast<double>(rows[at + i]) * scale);
  }
  return unit;
}

void Search(const faiss::Index& index, const float* queries, std::size_t count,
            const faiss::SearchParameters* parameters, Answer& answer) {
  std::vector<float> scores(count * kNearestTop);
  std::vector<faiss::Index::idx_t> ids(count * kNearestTop);
  index.search(static_cast<faiss::Index::idx_t>(count), queries, kNearestTop, scores.data(),
               ids.data(), parameters);
  for (std::size_t q = 0; q < count; ++q) {
    std::vector<Entry> entries;
    for (std::size_t k = q * kNearestTop; k < (q + 1) * kNearestTop; ++k)
      if (ids[k] >= 0)
        entries.push_back({static_cast<double>(scores[k]), static_cast<std::uint32_t>(ids[k])});
    AppendBest(std::move(entries), kNearestTop, false, answer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv,
            "FAISS " + std::to_string(FAISS_VERSION_MAJOR) + "." +
                std::to_string(FAISS_VERSION_MINOR) + "." + std::to_string(FAISS_VERSION_PATCH) +
                ", Debian's generic build, reference BLAS");
  omp_set_num_threads(peer.threads());
  const Vectors vectors = ReadVectors(peer.folder());
  const std::vector<float> unit = Unit(vectors.rows, vectors.dimensions),
                           queries = Unit(vectors.queries, vectors.dimensions);
  const std::string& work = peer.work();
  const auto index = peer.Load([&] {
    auto made = std::make_unique<faiss::IndexFlatIP>(vectors.dimensions);
    made->add(static_cast<faiss::Index::idx_t>(vectors.count()), unit.data());
    return made;
  });
  const std::vector<faiss::Index::idx_t> members(vectors.subset.begin(), vectors.subset.end());
  const faiss::IDSelectorBatch selector(members.size(), members.data());
  faiss::SearchParameters inside;
  inside.sel = const_cast<faiss::IDSelectorBatch*>(&selector);
  if (work == "nearest" || work == "nearest-inside")
    peer.Queries(vectors.query_count(), [&](std::size_t q, Answer& answer) {
      Search(*index, queries.data() + q * vectors.dimensions, 1,
             work == "nearest" ? nullptr : &inside, answer);
    });
  if (work == "nearest-batch")
    peer.Trials([&] {
      Answer answer;
      Search(*index, queries.data(), vectors.query_count(), nullptr, answer);
      return answer;
    });
  peer.Note("IndexFlatIP on unit rows" +
            std::string(work == "nearest-batch" ? ", one call for all queries" : ""));
  return peer.Finish();
}
