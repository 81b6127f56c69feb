// Lengths by node, sums by block and group: all of them once, then those that changed.
#include "algorithms/retrieval/internal/term_lengths.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/arrays/paged_array.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

namespace {

// As lengths_ has it.
float LengthOf(const Snapshot& snapshot, const ArcFilter& filter, bool of_events, NodeId node) {
  const bool counts =
      of_events ? snapshot.node_kind(node) == builtin::kEvent : snapshot.is_fact(node);
  if (!counts || !snapshot.alive(node)) return 0.0f;
  double length = 0;
  bool any = false;
  snapshot.ForEachArc(Direction::kOut, node, filter, [&](const Arc& arc) {
    length += arc.weight;
    any = true;
  });
  return any && length == 0 ? -0.0f : static_cast<float>(length);
}

bool HasTerms(float length) { return length > 0 || std::signbit(length); }

std::size_t Pieces(std::size_t count, std::size_t of) { return (count + of - 1) / of; }

// values[at] and those after it, up to `most`.
template <class Array>
double SumOf(const Array& values, std::size_t at, std::size_t most) {
  double sum = 0;
  for (const std::size_t end = std::min(values.size(), at + most); at < end; ++at)
    sum += static_cast<double>(values[at]);
  return sum;
}

}  // namespace

void TermLengths::Total(double sum) {
  average_ = documents_ ? sum / static_cast<double>(documents_) : 0;
}

std::shared_ptr<const TermLengths> TermLengths::Of(const Snapshot& snapshot,
                                                   common_internal::StoppableExecutor& executor,
                                                   bool of_events) {
  if (auto known = FindDerived<TermLengths>(snapshot, of_events)) return known;
  auto made = Make(snapshot, executor, of_events);
  return executor.stopped() ? made : KeepDerived<TermLengths>(snapshot, std::move(made), of_events);
}

std::shared_ptr<const TermLengths> TermLengths::Make(const Snapshot& snapshot, Executor& executor,
                                                     bool of_events) {
  constexpr std::size_t kGrain = 4 * kBlock;
  const std::size_t n = snapshot.node_count();
  const ArcFilter filter = ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
  std::vector<float> lengths(n, 0.0f);
  std::vector<double> blocks(Pieces(n, kBlock), 0.0);
  auto made = std::make_shared<TermLengths>();
  made->of_events_ = of_events;
  made->documents_ = ParallelReduce<std::uint64_t>(
      executor, n, kGrain, 0,
      [&](std::size_t begin, std::size_t end) {
        std::uint64_t documents = 0;
        for (std::size_t v = begin; v < end; ++v) {
          lengths[v] = LengthOf(snapshot, filter, of_events, static_cast<NodeId>(v));
          documents += HasTerms(lengths[v]);
        }
        for (std::size_t v = begin; v < end; v += kBlock)
          blocks[v / kBlock] = SumOf(lengths, v, kBlock);
        return documents;
      },
      std::plus<>());
  for (std::size_t b = 0; b < blocks.size(); b += kGroup)
    made->groups_.push_back(SumOf(blocks, b, kGroup));
  PagedArray<float> all_lengths;
  all_lengths.Append(lengths);
  PagedArray<double> all_blocks;
  all_blocks.Append(blocks);
  made->lengths_ = all_lengths.Publish();
  made->blocks_ = all_blocks.Publish();
  made->Total(SumOf(made->groups_, 0, made->groups_.size()));
  return made;
}

std::shared_ptr<const Carried> TermLengths::Carry(const Snapshot& now,
                                                  const StateChanges& changes) const {
  std::vector<NodeId> touched = changes.nodes;
  for (NodeId v = changes.first_new; v < now.node_count(); ++v) touched.push_back(v);
  for (const StateChanges::Edge& e : changes.edges)
    if (e.kind == builtin::kHasTerm) touched.push_back(e.source);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());

  const ArcFilter filter = ArcFilter::Kind(now.schema(), builtin::kHasTerm);
  PagedArray<float> lengths(lengths_, 0.0f);
  auto made = std::make_shared<TermLengths>();
  made->of_events_ = of_events_;
  made->documents_ = documents_;
  std::vector<std::size_t> blocks;  // with another sum
  for (const NodeId v : touched) {
    const float before = lengths[v], after = LengthOf(now, filter, of_events_, v);
    made->documents_ +=
        static_cast<std::uint64_t>(HasTerms(after)) - static_cast<std::uint64_t>(HasTerms(before));
    if (v < lengths.size() && before == after && std::signbit(before) == std::signbit(after))
      continue;
    lengths.Set(v, after);
    if (blocks.empty() || blocks.back() != v / kBlock) blocks.push_back(v / kBlock);
  }
  PagedArray<double> sums(blocks_, 0.0);
  made->groups_ = groups_;
  made->groups_.resize(Pieces(Pieces(lengths.size(), kBlock), kGroup), 0.0);
  for (const std::size_t b : blocks) sums.Set(b, SumOf(lengths, b * kBlock, kBlock));
  std::size_t summed = made->groups_.size();
  for (const std::size_t b : blocks)
    if (b / kGroup != summed) {
      summed = b / kGroup;
      made->groups_[summed] = SumOf(sums, summed * kGroup, kGroup);
    }
  made->lengths_ = lengths.Publish();
  made->blocks_ = sums.Publish();
  made->Total(SumOf(made->groups_, 0, made->groups_.size()));
  return made;
}

std::uint64_t TermLengths::size_bytes() const {
  return sizeof(*this) + lengths_.size_bytes() + blocks_.size_bytes() +
         groups_.capacity() * sizeof(double);
}

}  // namespace plexus::retrieval::internal
