// What the script gives: dumps of a graph in RAM, made as far as they are asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {

class Expected {
 public:
  explicit Expected(std::uint64_t seed = 7) : seed_(seed), graph_(Graph::InMemory()) {
    digests_.push_back(DumpDigest(graph_->snapshot()));
  }
  // DumpDigest after batch `sequence`.
  std::uint64_t At(Sequence sequence) {
    while (digests_.size() <= sequence) {
      EXPECT_TRUE(graph_->Apply(ScriptBatch(digests_.size(), seed_)).has_value());
      digests_.push_back(DumpDigest(graph_->snapshot()));
    }
    return digests_[sequence];
  }

 private:
  std::uint64_t seed_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::uint64_t> digests_;
};

}  // namespace plexus::storage_internal::testing
