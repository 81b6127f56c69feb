// hnswlib is compiled into an unnamed namespace: a host may link another version of it, whose
// classes have the same names and another layout. The headers that it includes come first, so that
// they stay outside. Its prefetches read behind its lists, so they are switched off with its
// distances. Its pool of marks loses one when memory runs out, so the pool is ours.
#include "algorithms/retrieval/internal/vectors/hnsw_graph.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <queue>
#include <random>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "algorithms/retrieval/internal/vectors/distance_kernels.h"
#include "engine/out_of_memory.h"

#define NO_MANUAL_VECTORIZATION
namespace {
#define VisitedListPool ItsVisitedListPool
#include <hnswlib/visited_list_pool.h>
#undef VisitedListPool

// Marks of visited rows, for as many searches as run at once. What is not given back stays here.
namespace hnswlib {
class VisitedListPool {
 public:
  VisitedListPool(int, int rows) : rows_(rows) {}
  // A graph that fails to be made gives its first memory back only if this one does not throw.
  static void* operator new(std::size_t bytes) {
    void* const memory = std::malloc(bytes);
    if (!memory) throw std::bad_alloc();
    return memory;
  }
  static void operator delete(void* memory) { std::free(memory); }

  VisitedList* getFreeVisitedList() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      all_.reserve(all_.size() + 1);
      free_.reserve(all_.size() + 1);  // so that giving back needs no memory
      all_.push_back(std::make_unique<VisitedList>(rows_));
      free_.push_back(all_.back().get());
    }
    VisitedList* const found = free_.back();
    free_.pop_back();
    found->reset();
    return found;
  }
  void releaseVisitedList(VisitedList* list) {
    const std::lock_guard lock(mutex_);
    free_.push_back(list);
  }

 private:
  int rows_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<VisitedList>> all_;
  std::vector<VisitedList*> free_;
};
}  // namespace hnswlib
#include <hnswlib/hnswlib.h>
}  // namespace

namespace plexus::retrieval::internal {

namespace {

struct Measure {
  const RowKernels* kernels;
  std::size_t dimensions;
  Metric metric;
};

float Distance(const void* a, const void* b, const void* of) {
  const Measure& measure = *static_cast<const Measure*>(of);
  const auto* const x = static_cast<const float*>(a);
  const Rows y{static_cast<const float*>(b), measure.dimensions, 1};
  double found = 0;
  if (measure.metric == Metric::kL2) {
    measure.kernels->distance(x, measure.dimensions, y, &found);
  } else {
    measure.kernels->dot(x, measure.dimensions, y, &found);
    found = 1 - found;
  }
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (std::isnan(found)) return kLargest;
  return static_cast<float>(
      std::clamp(found, -static_cast<double>(kLargest), static_cast<double>(kLargest)));
}

class Space final : public hnswlib::SpaceInterface<float> {
 public:
  explicit Space(const HnswOptions& options)
      : measure_{&PickRowKernels(options.level), options.dimensions, options.metric} {}
  std::size_t get_data_size() override { return measure_.dimensions * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return &Distance; }
  void* get_dist_func_param() override { return &measure_; }

 private:
  Measure measure_;
};

// Its constructor loses what it allocated when it runs out of memory, so a graph begins small; and
// its own way to grow leaves it broken then, so it grows here.
class Index final : public hnswlib::HierarchicalNSW<float> {
 public:
  static constexpr std::size_t kFirst = 64;
  Index(Space& space, const HnswOptions& options)
      : HierarchicalNSW(&space, kFirst, options.links, options.build_width, options.seed) {}

  void Reserve(std::size_t count) {
    if (count <= max_elements_) return;
    constexpr std::size_t kMost = std::numeric_limits<int>::max();  // it counts rows in an int
    if (count > kMost) throw std::bad_alloc();
    const std::size_t most =
        std::min(kMost, std::max(count, cur_element_count + cur_element_count / 4));
    auto pool = std::make_unique<hnswlib::VisitedListPool>(1, static_cast<int>(most));
    std::vector<std::mutex> locks(most);
    element_levels_.resize(most);
    data_level0_memory_ = Grown(data_level0_memory_, most * size_data_per_element_);
    linkLists_ = Grown(linkLists_, most * sizeof(char*));
    link_list_locks_.swap(locks);
    delete visited_list_pool_;
    visited_list_pool_ = pool.release();
    max_elements_ = most;
  }

  std::uint64_t size_bytes() const {
    std::uint64_t bytes = max_elements_ * (size_data_per_element_ + sizeof(char*) +
                                           sizeof(std::mutex) + sizeof(int) + sizeof(short)) +
                          max_update_element_locks * sizeof(std::mutex);
    for (std::size_t i = 0; i < cur_element_count; ++i)
      bytes += static_cast<std::uint64_t>(element_levels_[i]) * size_links_per_element_;
    return bytes;
  }

 private:
  template <class T>
  static T* Grown(T* memory, std::size_t bytes) {
    void* const grown = std::realloc(memory, bytes);
    if (!grown) throw std::bad_alloc();
    return static_cast<T*>(grown);
  }
};

// The library's own words for no memory, and for what should not happen.
Error ErrorOf(const std::runtime_error& thrown) {
  const std::string_view text = thrown.what();
  if (text.starts_with("Not enough memory")) return OutOfMemory().error();
  return {ErrorCode::kInternal, "hnswlib: " + std::string(text)};
}

}  // namespace

struct HnswGraph::Graph {
  explicit Graph(const HnswOptions& options)
      : given(options), space(options), index(space, options) {}

  // The vector as distances want it.
  const float* Prepare(const float* values, std::vector<float>& room) const {
    if (given.metric != Metric::kCosine) return values;
    double square = 0;
    ScalarRowKernels().dot(values, given.dimensions, {values, given.dimensions, 1}, &square);
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    room.resize(given.dimensions);
    for (std::size_t i = 0; i < room.size(); ++i)
      room[i] = static_cast<float>(static_cast<double>(values[i]) * scale);
    return room.data();
  }

  HnswOptions given;
  Space space;
  Index index;
};

HnswGraph::HnswGraph(const HnswOptions& options) try : graph_(std::make_unique<Graph>(options)) {
} catch (const std::runtime_error&) {
  throw std::bad_alloc();
}
HnswGraph::~HnswGraph() = default;

void HnswGraph::Reserve(std::size_t count) { graph_->index.Reserve(count); }

Status HnswGraph::Add(const float* values, std::uint32_t name) {
  return OrNoMemory([&]() -> Status {
    try {
      Index& index = graph_->index;
      index.Reserve(index.cur_element_count + 1);
      std::vector<float> room;
      index.addPoint(graph_->Prepare(values, room), name);
      index.label_lookup_.clear();  // for replacing, which is not done
      return {};
    } catch (const std::runtime_error& thrown) {
      return std::unexpected(ErrorOf(thrown));
    }
  });
}

Result<std::vector<std::uint32_t>> HnswGraph::Search(const float* query, std::size_t width) const {
  try {
    std::vector<float> room;
    auto found = graph_->index.searchKnn(graph_->Prepare(query, room), width);
    std::vector<std::uint32_t> names(found.size());
    for (std::size_t i = names.size(); i-- > 0; found.pop())
      names[i] = static_cast<std::uint32_t>(found.top().second);
    return names;
  } catch (const std::runtime_error& thrown) {
    return std::unexpected(ErrorOf(thrown));
  }
}

std::size_t HnswGraph::size() const { return graph_->index.cur_element_count; }
std::uint64_t HnswGraph::size_bytes() const { return graph_->index.size_bytes(); }

}  // namespace plexus::retrieval::internal
