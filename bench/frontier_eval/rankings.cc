// Every set of a pool, scored in ten ways at once.
#include "bench/frontier_eval/rankings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace plexus::bench {

namespace {

constexpr std::size_t kBaselines = 4, kTerms = 5;
constexpr std::array<const char*, kBaselines> kBaselineNames = {
    "common neighbours", "Adamic-Adar", "preferential attachment", "jaccard"};
constexpr std::array<const char*, kTerms> kTermNames = {"anchor", "bridge", "novelty", "trust",
                                                        "adjustment"};

// The best of what was pushed.
class Best {
 public:
  explicit Best(std::size_t depth) : depth_(depth) {}
  void Push(const RankedSet& set) {
    if (full_ && !Better(set, bar_)) return;
    sets_.push_back(set);
    if (sets_.size() >= 4 * depth_) Cut();
  }
  std::vector<RankedSet> Take() {
    Cut();
    std::sort(sets_.begin(), sets_.end(), Better);
    return std::move(sets_);
  }

 private:
  static bool Better(const RankedSet& x, const RankedSet& y) {
    return x.score != y.score ? x.score > y.score : x.files < y.files;
  }
  void Cut() {
    if (sets_.size() <= depth_) return;
    std::nth_element(sets_.begin(), sets_.begin() + static_cast<std::ptrdiff_t>(depth_ - 1),
                     sets_.end(), Better);
    sets_.resize(depth_);
    bar_ = *std::max_element(sets_.begin(), sets_.end(), Better);
    full_ = true;
  }
  std::size_t depth_;
  bool full_ = false;
  RankedSet bar_;
  std::vector<RankedSet> sets_;
};

bool Tells(const std::string& word) {
  static const std::set<std::string> stop = {
      "about", "after", "again",   "against", "because", "before", "between", "could", "every",
      "first", "from",  "have",    "into",    "memory",  "needs",  "should",  "their", "there",
      "these", "thing", "through", "using",   "where",   "which",  "while",   "would"};
  return word.size() >= 5 && !stop.contains(word) &&
         word.find_first_not_of("0123456789") != word.npos;
}

bool IsBoundary(std::string tag) {
  static const std::set<std::string> words = {"time",  "chain",  "role",       "oracle",
                                              "queue", "keeper", "settlement", "upgrade",
                                              "pause", "scope",  "accounting"};
  for (char& c : tag)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return words.contains(tag) || tag.starts_with("boundary-");
}

std::size_t Shared(const FileSet& a, const FileSet& b, std::size_t most) {
  std::size_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size() && shared < most;) {
    const std::uint32_t x = a[i], y = b[j];
    shared += x == y;
    i += x <= y;
    j += y <= x;
  }
  return shared;
}

struct PairValues {
  std::array<double, kBaselines> baselines{};
  double anchor = 0, bridge = 0;
  bool composed = false, tied = false;
};

class Ranker {
 public:
  explicit Ranker(const Dataset& data) : neighbors_(data.size()), degree_(data.size()) {
    std::vector<std::set<std::uint32_t>> sets(data.size());
    for (const FileSet& event : data.events)
      for (const std::uint32_t a : event) {
        ++degree_[a];
        for (const std::uint32_t b : event)
          if (a != b) sets[a].insert(b);
      }
    std::map<std::string, std::uint32_t> numbers;
    const auto number = [&](const std::vector<std::string>& names, auto&& keep) {
      FileSet list;
      for (const std::string& name : names)
        if (keep(name))
          list.push_back(
              numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second);
      std::sort(list.begin(), list.end());
      return list;
    };
    for (std::size_t file = 0; file < data.size(); ++file) {
      neighbors_[file].assign(sets[file].begin(), sets[file].end());
      tags_.push_back(number(data.tags[file], [](const std::string&) { return true; }));
      boundaries_.push_back(number(data.tags[file], IsBoundary));
      terms_.push_back(number(data.terms[file], Tells));
    }
  }

  PairValues Values(std::uint32_t a, std::uint32_t b) const {
    PairValues v;
    const FileSet &na = neighbors_[a], &nb = neighbors_[b];
    double common = 0;
    for (std::size_t i = 0, j = 0; i < na.size() && j < nb.size();) {
      const std::uint32_t x = na[i], y = nb[j];
      if (x == y) {
        common += 1;
        v.baselines[1] += 1 / std::log(static_cast<double>(neighbors_[x].size()));
      }
      i += x <= y;
      j += y <= x;
    }
    const double sizes = static_cast<double>(na.size() + nb.size());
    v.baselines[0] = common;
    v.baselines[2] = static_cast<double>(na.size()) * static_cast<double>(nb.size());
    v.baselines[3] = sizes > common ? common / (sizes - common) : 0;
    v.composed = std::binary_search(na.begin(), na.end(), b);

    const auto tags = static_cast<double>(Shared(tags_[a], tags_[b], 1000));
    const auto terms = static_cast<double>(Shared(terms_[a], terms_[b], 5));
    const auto united = static_cast<double>(tags_[a].size() + tags_[b].size()) - tags;
    const auto boundaries = static_cast<double>(boundaries_[a].size() + boundaries_[b].size() -
                                                Shared(boundaries_[a], boundaries_[b], 1000));
    v.tied = tags > 0 || terms > 0;
    v.anchor = 0.45 * tags + 0.25 * terms;
    v.bridge = 0.30 * (united > 0 ? 1 - tags / united : 0) + 0.25 * std::min(boundaries / 4, 1.0) +
               0.15 * (terms > 0) + 0.10 * (tags > 0);
    return v;
  }
  double novelty(std::uint32_t file) const { return 1 / (1 + static_cast<double>(degree_[file])); }

 private:
  std::vector<FileSet> neighbors_, tags_, boundaries_, terms_;
  std::vector<std::size_t> degree_;  // events
};

class Rankings {
 public:
  explicit Rankings(std::size_t depth) : best_(kBaselines + 1 + kTerms, Best(depth)) {}

  // The surface terms, each with its weight in it.
  void Push(RankedSet set, const std::array<double, kBaselines>& baselines,
            const std::array<double, kTerms>& terms, bool admitted, double threshold) {
    for (std::size_t i = 0; i < kBaselines; ++i) {
      set.score = baselines[i];
      best_[i].Push(set);
    }
    double full = 0;
    for (const double term : terms) full += term;
    if (!admitted) return;
    set.score = full;
    if (full >= threshold) best_[kBaselines].Push(set);
    for (std::size_t without = 0; without < kTerms; ++without) {
      set.score = 0;
      for (std::size_t i = 0; i < kTerms; ++i) set.score += i == without ? 0 : terms[i];
      best_[kBaselines + 1 + without].Push(set);
    }
  }
  std::vector<Ranking> Take() {
    std::vector<Ranking> rankings;
    for (std::size_t i = 0; i < kBaselines; ++i)
      rankings.push_back({kBaselineNames[i], best_[i].Take()});
    rankings.push_back({"surface", best_[kBaselines].Take()});
    for (std::size_t i = 0; i < kTerms; ++i)
      rankings.push_back(
          {std::string("surface without ") + kTermNames[i], best_[kBaselines + 1 + i].Take()});
    return rankings;
  }

 private:
  std::vector<Best> best_;
};

}  // namespace

std::vector<Ranking> RankAll(const Dataset& data, const std::vector<std::uint32_t>& pool, int arity,
                             std::size_t depth, std::size_t& candidates) {
  const Ranker ranker(data);
  Rankings rankings(depth);
  candidates = 0;
  const std::size_t n = pool.size();
  if (arity == 2) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const PairValues v = ranker.Values(pool[i], pool[j]);
        if (v.composed) continue;
        ++candidates;
        const double novelty = (ranker.novelty(pool[i]) + ranker.novelty(pool[j])) / 2;
        rankings.Push({0, {pool[i], pool[j]}}, v.baselines,
                      {v.anchor, 2 * v.bridge, 1.5 * novelty, 0.5, 0}, v.tied, 1.6);
      }
    return rankings.Take();
  }
  std::vector<PairValues> values(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      values[i * n + j] = values[j * n + i] = ranker.Values(pool[i], pool[j]);
  std::vector<bool> in_pool(data.size());
  for (const std::uint32_t file : pool) in_pool[file] = true;
  std::set<FileSet> together;
  for (const FileSet& event : data.events) {
    FileSet inside;
    for (const std::uint32_t file : event)
      if (in_pool[file]) inside.push_back(file);
    for (std::size_t i = 0; i < inside.size(); ++i)
      for (std::size_t j = i + 1; j < inside.size(); ++j)
        for (std::size_t k = j + 1; k < inside.size(); ++k)
          together.insert({inside[i], inside[j], inside[k]});
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = j + 1; k < n; ++k) {
        if (together.contains({pool[i], pool[j], pool[k]})) continue;
        ++candidates;
        const PairValues &a = values[i * n + j], &b = values[i * n + k], &c = values[j * n + k];
        std::array<double, kBaselines> baselines{};
        for (std::size_t s = 0; s < kBaselines; ++s)
          baselines[s] = a.baselines[s] + b.baselines[s] + c.baselines[s];
        const auto ties = [](const PairValues& v) { return v.tied || v.composed; };
        const bool admitted = int{ties(a)} + int{ties(b)} + int{ties(c)} >= 2;
        const double novelty =
            (ranker.novelty(pool[i]) + ranker.novelty(pool[j]) + ranker.novelty(pool[k])) / 3;
        rankings.Push({0, {pool[i], pool[j], pool[k]}}, baselines,
                      {(a.anchor + b.anchor + c.anchor) / 3,
                       2 * (a.bridge + b.bridge + c.bridge) / 3, 1.5 * novelty, 0.5, 0},
                      admitted, 0);
      }
  return rankings.Take();
}

}  // namespace plexus::bench
