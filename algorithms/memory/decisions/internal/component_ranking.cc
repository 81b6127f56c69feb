// Members by component, then each component once, from those that nothing reaches.
#include "algorithms/memory/decisions/internal/component_ranking.h"

#include <algorithm>
#include <cmath>

namespace plexus::memory::internal {
namespace {

constexpr double kRoundingStep = 1e-15;  // of a value: below it steps are rounding
constexpr std::uint64_t kPollEvery = 4096;

class Ranking {
 public:
  Ranking(const CsrView& out, const CsrView& in, std::span<const std::uint32_t> components,
          const ComponentRankingOptions& options)
      : in_(in),
        components_(components),
        options_(options),
        count_(out.node_count()),
        values_(count_, 1.0),
        sent_(count_, 0.0),
        strengths_(count_, 0.0) {
    for (NodeId v = 0; v < count_; ++v)
      for (std::uint32_t i = out.offsets[v]; i < out.offsets[v + 1]; ++i)
        strengths_[v] += static_cast<double>(out.weight(i));
  }

  ComponentRanking Run() {
    GroupMembers();
    ComponentRanking result;
    for (std::size_t c = first_.size() - 1; c-- > 0 && !truncated_;) {
      const std::span<const NodeId> members =
          std::span(members_).subspan(first_[c], first_[c + 1] - first_[c]);
      if (members.size() > 1) {
        Iterate(members);
      } else {
        values_[members[0]] = 1 + Sum(members[0]);
        Send(members[0]);
      }
      if (polled_++ % kPollEvery == 0 && options_.budget.Interrupted()) truncated_ = true;
    }
    result.truncated = truncated_;
    double sum = 0;
    for (const double value : values_) sum += value;
    for (double& value : values_) value /= sum;
    result.scores = std::move(values_);
    return result;
  }

 private:
  void GroupMembers() {
    std::uint32_t count = 0;
    for (const std::uint32_t c : components_) count = std::max(count, c + 1);
    first_.assign(count + std::size_t{1}, 0);
    for (const std::uint32_t c : components_) ++first_[c + std::size_t{1}];
    for (std::size_t c = 0; c < count; ++c) first_[c + 1] += first_[c];
    std::vector<std::uint32_t> at(first_.begin(), first_.end());
    members_.resize(count_);
    for (NodeId v = 0; v < count_; ++v) members_[at[components_[v]]++] = v;
  }
  void Send(NodeId v) { sent_[v] = options_.damping * values_[v]; }

  // What arrives at v. The share of an arc is rounded by itself: rows whose weights differ by a
  // factor send the same.
  double Sum(NodeId v) {
    terms_.clear();
    for (std::uint32_t i = in_.offsets[v]; i < in_.offsets[v + 1]; ++i) {
      const NodeId u = in_.neighbors[i];
      if (strengths_[u] > 0)
        terms_.push_back(sent_[u] * (static_cast<double>(in_.weight(i)) / strengths_[u]));
    }
    if (terms_.size() > 2 && sorted_) std::ranges::sort(terms_);
    double sum = 0;
    for (const double term : terms_) sum += term;
    return sum;
  }

  // All members from the values before. They begin below the fixed point and only grow, as sums
  // round the same way, so they come to rest at values that no step changes. These are what every
  // node gets to whom the same comes, in the cycle and outside: both tie to the last bit. A large
  // cycle ends at the tolerance: the error of a member is passed on with the factor 1 / (1 - d) at
  // most, that of a step to the end with d / (1 - d).
  void Iterate(std::span<const NodeId> members) {
    sorted_ = members.size() <= kSortedCycle;
    const double d = options_.damping;
    const double least =
        sorted_ ? 0
                : std::max(kRoundingStep, d > 0 ? options_.tolerance * (1 - d) * (1 - d) / d : 1.0);
    // So many from nothing to there, and as many again.
    const double most = d > 0 ? 20 + 2 * std::log(kRoundingStep) / std::log(d) : 2;
    for (double done = 0; done < most; ++done) {
      for (const NodeId v : members) Send(v);
      bool settled = true;  // of each member by itself, so that their order does not count
      next_.clear();
      for (const NodeId v : members) {
        next_.push_back(1 + Sum(v));
        settled = settled && std::abs(next_.back() - values_[v]) <= least * next_.back();
      }
      for (std::size_t m = 0; m < members.size(); ++m) values_[members[m]] = next_[m];
      if (settled) break;
      polled_ += members.size();
      if (polled_ >= kPollEvery) {
        polled_ %= kPollEvery;
        if (options_.budget.Interrupted()) truncated_ = true;
        if (truncated_) break;
      }
    }
    sorted_ = true;
  }

  const CsrView& in_;
  const std::span<const std::uint32_t> components_;
  const ComponentRankingOptions& options_;
  const NodeId count_;
  std::vector<double> values_, sent_, strengths_;  // sent: d * value
  std::vector<std::uint32_t> first_;               // of each component, in members_
  std::vector<NodeId> members_;
  std::vector<double> terms_, next_;
  bool sorted_ = true, truncated_ = false;
  std::uint64_t polled_ = 0;
};

}  // namespace

ComponentRanking RankByComponents(const CsrView& out, const CsrView& in,
                                  std::span<const std::uint32_t> components,
                                  const ComponentRankingOptions& options) {
  if (components.empty()) return {};
  return Ranking(out, in, components, options).Run();
}

}  // namespace plexus::memory::internal
