// Rows of tf-idf times rows of signs, on Eigen, a wave of facts at a time; see
// vectors.h.
#include "algorithms/retrieval/vectors.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "algorithms/common/internal/stoppable_executor.h"
#include "engine/out_of_memory.h"
#include "engine/vectors/half.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

constexpr std::size_t kNodeGrain = 4096;   // nodes, when terms are counted
constexpr std::size_t kFactsPerTask = 64;  // facts a task
constexpr std::uint32_t kNotATerm = 0xFFFFFFFFu;

using Values = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

bool IsDocument(const Snapshot& snapshot, NodeId node) {
  return snapshot.alive(node) && snapshot.is_fact(node);
}

std::uint64_t HashOf(std::uint64_t seed, std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3u; };
  for (int i = 0; i < 8; ++i) add(static_cast<unsigned char>(seed >> (8 * i)));
  for (const char c : key) add(static_cast<unsigned char>(c));
  return hash;
}

// One term of one text.
struct Weighted {
  std::uint64_t hash;  // of the term
  double weight;       // w(d, t)
};

// The terms of one snapshot, numbered in order of their keys.
class Vocabulary {
 public:
  Vocabulary(const Snapshot& snapshot, std::uint64_t seed, Executor& executor)
      : s_(snapshot), filter_(ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm)) {
    CountDocuments(executor);
    std::vector<std::uint32_t> df(s_.node_count(), 0);
    ParallelForEach(executor, s_.node_count(), kNodeGrain,
                    [&](std::size_t v) { df[v] = CountPostings(static_cast<NodeId>(v)); });
    std::vector<NodeId> terms;
    for (NodeId v = 0; v < s_.node_count(); ++v)
      if (df[v] > 0) terms.push_back(v);
    std::sort(terms.begin(), terms.end(),
              [&](NodeId a, NodeId b) { return s_.key(a) < s_.key(b); });
    rank_.assign(s_.node_count(), kNotATerm);
    hash_.resize(terms.size());
    idf_.resize(terms.size());
    ParallelForEach(executor, terms.size(), kNodeGrain, [&](std::size_t r) {
      rank_[terms[r]] = static_cast<std::uint32_t>(r);
      hash_[r] = HashOf(seed, s_.key(terms[r]));
      idf_[r] = std::log(1 + static_cast<double>(documents_) / df[terms[r]]);
    });
  }

  std::uint64_t documents() const { return documents_; }
  std::uint64_t terms() const { return hash_.size(); }

  // The terms of a fact in order of key; parallel arcs add up.
  void Read(NodeId node, std::vector<std::pair<std::uint32_t, double>>& scratch,
            std::vector<Weighted>& out) const {
    scratch.clear();
    s_.ForEachArc(Direction::kOut, node, filter_, [&](const Arc& arc) {
      if (rank_[arc.neighbor] != kNotATerm) scratch.emplace_back(rank_[arc.neighbor], arc.weight);
    });
    std::stable_sort(scratch.begin(), scratch.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    out.clear();
    for (std::size_t i = 0; i < scratch.size();) {
      const std::uint32_t rank = scratch[i].first;
      double tf = 0;
      for (; i < scratch.size() && scratch[i].first == rank; ++i) tf += scratch[i].second;
      out.push_back(Weigh(rank, tf));
    }
  }

  // The same for terms by name.
  std::vector<Weighted> Find(std::span<const TermCount> terms) const {
    std::vector<std::pair<std::uint32_t, double>> found;
    for (const TermCount& term : terms) {
      const auto node = s_.Find(IndexKey(s_.schema().node_kind(builtin::kTerm).name, term.term));
      if (node && rank_[*node] != kNotATerm) found.emplace_back(rank_[*node], term.count);
    }
    std::sort(found.begin(), found.end());
    std::vector<Weighted> out;
    for (const auto& [rank, tf] : found) out.push_back(Weigh(rank, tf));
    return out;
  }

 private:
  Weighted Weigh(std::uint32_t rank, double tf) const {
    return {hash_[rank], std::log1p(tf) * idf_[rank]};
  }

  void CountDocuments(Executor& executor) {
    documents_ = ParallelReduce<std::uint64_t>(
        executor, s_.node_count(), kNodeGrain, 0,
        [&](std::size_t begin, std::size_t end) {
          std::uint64_t count = 0;
          for (std::size_t v = begin; v < end; ++v) {
            const auto node = static_cast<NodeId>(v);
            if (!IsDocument(s_, node)) continue;
            bool any = false;
            s_.ForEachArc(Direction::kOut, node, filter_,
                          [&](const Arc&) { return any = true, false; });
            count += any;
          }
          return count;
        },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }

  // df, of nodes that are terms.
  std::uint32_t CountPostings(NodeId term) const {
    std::uint32_t count = 0;
    NodeId last = kNoNode;
    if (!s_.alive(term)) return 0;
    s_.ForEachArc(Direction::kIn, term, filter_, [&](const Arc& arc) {
      if (arc.neighbor != last && IsDocument(s_, arc.neighbor)) ++count;
      last = arc.neighbor;
    });
    return count;
  }

  const Snapshot& s_;
  const ArcFilter filter_;
  std::uint64_t documents_ = 0;
  std::vector<std::uint32_t> rank_;  // by NodeId
  std::vector<std::uint64_t> hash_;  // by rank
  std::vector<double> idf_;          // by rank
};

// Sums rows of signs; holds the scratch memory of a task.
class Projector {
 public:
  explicit Projector(std::uint32_t dimensions) : sum_(dimensions), signs_(dimensions) {}

  // The projection at unit length, or false for nothing.
  bool Project(std::span<const Weighted> terms,
               Eigen::Ref<Eigen::RowVectorXf, 0, Eigen::InnerStride<1>> out) {
    sum_.setZero();
    for (const Weighted& term : terms) {
      FillSigns(term.hash);
      sum_ += term.weight * signs_;
    }
    const double length = sum_.norm();
    if (!(length > 0)) return false;
    out = (sum_ / length).cast<float>();
    return true;
  }

 private:
  void FillSigns(std::uint64_t state) {
    std::uint64_t word = 0;
    for (Eigen::Index j = 0; j < signs_.size(); ++j, word >>= 1) {
      if (j % 64 == 0) {  // SplitMix64
        state += 0x9E3779B97F4A7C15u;
        word = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
        word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
        word ^= word >> 31;
      }
      signs_[j] = 2.0 * static_cast<double>(word & 1) - 1.0;
    }
  }

  Eigen::RowVectorXd sum_, signs_;
};

Status Check(const Snapshot& snapshot, const TextVectorOptions& options) {
  if (options.dimensions < 1 || options.dimensions > Limits::kMaxDimensions)
    return Invalid("text vectors: ", options.dimensions, " dimensions; 1 to ",
                   Limits::kMaxDimensions);
  const auto space = snapshot.schema().FindSpace(options.space);
  if (!space) return {};
  const std::uint32_t has = snapshot.schema().spaces()[*space].dimensions;
  if (has != options.dimensions)
    return Invalid("the vector space '", options.space, "' has ", has, " dimensions, not ",
                   options.dimensions);
  const VectorElement element = snapshot.schema().spaces()[*space].element;
  if (options.element.value_or(element) != element)
    return Invalid("the vector space '", options.space, "' has ", VectorElementName(element),
                   " values, not ", VectorElementName(*options.element));
  const Prefilter old = snapshot.schema().spaces()[*space].prefilter;
  if (options.prefilter.value_or(old) != old)
    return Invalid("the vector space '", options.space, "' has the pre-filter ", PrefilterName(old),
                   ", not ", PrefilterName(*options.prefilter));
  return {};
}

class Maker {
 public:
  // `stored`: the space as it is, null if it does not exist. `halting`: whose budget may
  // leave the vocabulary undone.
  Maker(const Snapshot& snapshot, const VectorView* stored, const TextVectorOptions& options,
        Executor& executor, common_internal::StoppableExecutor& stoppable)
      : s_(snapshot),
        options_(options),
        executor_(executor),
        vocabulary_(snapshot, options.seed, stoppable),
        stored_(stored),
        element_(stored ? stored->layout().element
                        : options.element.value_or(VectorElement::kF32)) {
    report_.truncated = stoppable.stopped();
  }

  Result<TextVectorReport> Run(const std::function<Status(const WriteBatch&)>& apply) {
    if (report_.truncated) return report_;
    report_.documents = vocabulary_.documents();
    report_.terms = vocabulary_.terms();
    const std::size_t wave = std::max<std::size_t>(options_.batch_floats / options_.dimensions, 1);
    WriteBatch batch(options_.now_ms);
    std::vector<NodeId> nodes;
    for (NodeId v = 0; v < s_.node_count(); ++v) {
      if (IsDocument(s_, v) && (!options_.subset || options_.subset->contains(v)))
        nodes.push_back(v);
      if (nodes.size() < wave && v + 1 < s_.node_count()) continue;
      if (options_.run.budget.Interrupted()) {
        report_.truncated = true;
        return report_;
      }
      Compare(nodes);
      Fill(batch, nodes);
      nodes.clear();
      if (options_.progress && !options_.progress->Report("making vectors", v + 1, s_.node_count()))
        return Cancelled("making vectors cancelled");
      if (batch.empty()) continue;
      PLEXUS_TRY(apply(batch));
      batch.Clear();
    }
    return report_;
  }

 private:
  enum class Outcome : std::uint8_t { kWithout, kRemoved, kSame, kChanged, kAdded };

  void Compare(const std::vector<NodeId>& nodes) {
    values_.resize(static_cast<Eigen::Index>(nodes.size()), options_.dimensions);
    outcomes_.assign(nodes.size(), Outcome::kWithout);
    ParallelFor(executor_, nodes.size(), kFactsPerTask, [&](std::size_t begin, std::size_t end) {
      Projector projector(options_.dimensions);
      std::vector<std::pair<std::uint32_t, double>> scratch;
      std::vector<Weighted> terms;
      VectorBuffer stored_values;
      for (std::size_t i = begin; i < end; ++i) {
        vocabulary_.Read(nodes[i], scratch, terms);
        auto row = values_.row(static_cast<Eigen::Index>(i));
        const bool made = projector.Project(terms, row);
        if (element_ == VectorElement::kF16)  // as it will be kept
          for (float& value : row) value = FloatFromHalf(HalfFromFloat(value));
        const std::span<const float> old =
            stored_ ? stored_->vector(nodes[i], stored_values) : std::span<const float>();
        const bool same =
            made && !old.empty() && std::memcmp(old.data(), row.data(), old.size_bytes()) == 0;
        outcomes_[i] = !made         ? (old.empty() ? Outcome::kWithout : Outcome::kRemoved)
                       : old.empty() ? Outcome::kAdded
                       : same        ? Outcome::kSame
                                     : Outcome::kChanged;
      }
    });
  }

  void Fill(WriteBatch& batch, const std::vector<NodeId>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Outcome outcome = outcomes_[i];
      report_.without += outcome == Outcome::kWithout || outcome == Outcome::kRemoved;
      report_.removed += outcome == Outcome::kRemoved;
      report_.same += outcome == Outcome::kSame;
      report_.changed += outcome == Outcome::kChanged;
      report_.added += outcome == Outcome::kAdded;
      if (outcome == Outcome::kWithout || outcome == Outcome::kSame) continue;
      const NodeRef node = NodeRef::Id(nodes[i]);
      batch.ExpectNode(node);  // one that was removed meanwhile does not come back
      if (outcome == Outcome::kRemoved) {
        batch.ClearVector(node, batch.SpaceNamed(options_.space));
        continue;
      }
      if (!stored_ && !defined_) {
        batch.DefineSpace({options_.space, options_.dimensions, Metric::kCosine,
                           options_.prefilter.value_or(Prefilter::kNone), element_});
        defined_ = true;
      }
      batch.SetVector(node, batch.SpaceNamed(options_.space),
                      {values_.row(static_cast<Eigen::Index>(i)).data(), options_.dimensions});
    }
  }

  const Snapshot& s_;
  const TextVectorOptions& options_;
  Executor& executor_;
  const Vocabulary vocabulary_;
  const VectorView* const stored_;
  const VectorElement element_;
  bool defined_ = false;
  Values values_;  // of the wave, a row a fact
  std::vector<Outcome> outcomes_;
  TextVectorReport report_;
};

}  // namespace

Result<TextVectorReport> MakeTextVectors(
    const Snapshot& snapshot, const TextVectorOptions& options,
    const std::function<Status(const WriteBatch&)>& apply) try {
  PLEXUS_TRY(Check(snapshot, options));
  const VectorView* stored = nullptr;
  if (const auto id = snapshot.schema().FindSpace(options.space))
    PLEXUS_SET(stored, snapshot.vectors(*id));
  Executor& executor = options.run.executor ? *options.run.executor : DefaultExecutor();
  common_internal::StoppableExecutor stoppable(executor, options.run.budget);
  return Maker(snapshot, stored, options, executor, stoppable).Run(apply);
}
PLEXUS_CATCH_NO_MEMORY

Result<QueryVector> TextVector(const Snapshot& snapshot, std::span<const TermCount> terms,
                               const TextVectorOptions& options) try {
  PLEXUS_TRY(Check(snapshot, options));
  Executor& executor = options.run.executor ? *options.run.executor : DefaultExecutor();
  common_internal::StoppableExecutor stoppable(executor, options.run.budget);
  const Vocabulary vocabulary(snapshot, options.seed, stoppable);
  QueryVector query;
  query.truncated = stoppable.stopped();
  if (query.truncated) return query;
  const std::vector<Weighted> found = vocabulary.Find(terms);
  Eigen::RowVectorXf values(options.dimensions);
  query.known = found.size();
  if (Projector(options.dimensions).Project(found, values))
    query.values.assign(values.begin(), values.end());
  return query;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
