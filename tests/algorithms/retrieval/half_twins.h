// Two graphs that do the same: one has an f16 space and is given the values as they are, the other
// an f32 space and gets them rounded. What they answer must be the same.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tests/algorithms/retrieval/hostile_vectors.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {

class Twins {
 public:
  explicit Twins(std::uint32_t dimensions) : dimensions_(dimensions) {
    for (const VectorElement element : kVectorElements) {
      graphs_.push_back(Graph::InMemory());
      WriteBatch batch(kNow);
      batch.DefineSpace({"default", dimensions, Metric::kCosine, Prefilter::kNone, element});
      EXPECT_TRUE(graphs_.back()->Apply(batch));
      EXPECT_EQ(graphs_.back()->snapshot().space(SpaceId{})->layout().element, element);
    }
  }

  Snapshot full() const { return graphs_[0]->snapshot(); }
  Snapshot half() const { return graphs_[1]->snapshot(); }

  // fill(batch, element) for both.
  template <class Fill>
  void Apply(Fill&& fill) {
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      WriteBatch batch(kNow);
      fill(batch, kVectorElements[i]);
      EXPECT_TRUE(graphs_[i]->Apply(batch));
    }
  }
  void Set(const std::vector<std::pair<std::string, std::vector<float>>>& vectors) {
    Apply([&](WriteBatch& batch, VectorElement element) {
      for (const auto& [key, values] : vectors)
        batch.SetVector(
            batch.UpsertNode(key, builtin::kMemory), batch.SpaceNamed("default"),
            element == VectorElement::kF16 ? values : Rounded(values, VectorElement::kF16));
    });
  }

  // Ordinary, tiny (halves below 2^-14 and what rounds to zero), large, zeros, and ties.
  std::vector<float> Random(std::mt19937_64& random) {
    const auto pick = random() % 12;
    if (pick == 0 && !last_.empty()) return last_;
    const float scale = pick == 1   ? 0.0f
                        : pick == 2 ? 1e-6f
                        : pick == 3 ? 1e-9f
                        : pick == 4 ? 1e-3f
                        : pick == 5 ? 1e4f
                                    : 1.0f;
    last_ = Normal(random, dimensions_, scale);
    for (float& x : last_) x = std::clamp(x, -65519.0f, 65519.0f);
    return last_;
  }
  void AddAtRandom(std::mt19937_64& random, std::size_t count) {
    std::vector<std::pair<std::string, std::vector<float>>> more;
    for (std::size_t i = 0; i < count; ++i)
      more.emplace_back("n" + std::to_string(count_++), Random(random));
    Set(more);
  }
  // Replaces, removes and adds.
  void ChangeAtRandom(std::mt19937_64& random, bool compact) {
    std::vector<std::pair<std::string, std::vector<float>>> again;
    std::vector<std::string> removed;
    for (std::size_t i = 0; i < count_ / 5; ++i)
      again.emplace_back("n" + std::to_string(random() % count_), Random(random));
    for (std::size_t i = 0; i < count_ / 10; ++i)
      removed.push_back("n" + std::to_string(random() % count_));
    Set(again);
    Apply([&](WriteBatch& batch, VectorElement) {
      for (const std::string& key : removed)
        batch.RemoveNode(batch.UpsertNode(key, builtin::kMemory));
    });
    for (const auto& graph : graphs_) {
      if (compact) {
        EXPECT_TRUE(graph->Compact());
      }
    }
    AddAtRandom(random, 20);
  }

 private:
  std::uint32_t dimensions_;
  std::size_t count_ = 0;
  std::vector<float> last_;
  std::vector<std::unique_ptr<Graph>> graphs_;  // as kVectorElements: f32, f16
};

}  // namespace plexus::testing
