// Resamples, then Markdown.
#include "bench/frontier_eval/report.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <random>
#include <set>

namespace plexus::bench {

namespace {

constexpr std::size_t kResamples = 1000;

std::string Label(const Evaluation& e) {
  char text[32];
  std::snprintf(text, sizeof text, " at %.0f %%", 100 * e.share);
  return e.history + text;
}

// Another one each time: this asks more than a comparison with any of them.
const Measured& BestOther(const Evaluation& e, std::size_t depth) {
  const Measured* best = nullptr;
  for (std::size_t r = 1; r < e.rankings.size(); ++r) {
    const Measured& m = e.rankings[r];
    if (m.name.find(" without ") != m.name.npos) continue;
    if (!best || m.hits[depth] > best->hits[depth]) best = &m;
  }
  return best ? *best : e.rankings[0];
}

void PrintBestOthers(const std::vector<const Evaluation*>& of) {
  const char* first = of[0]->rankings[0].name.c_str();
  std::printf("\n| history and cut |");
  for (const std::size_t k : kDepths)
    std::printf(" %s@%zu (95 %%) | best other | %s has more |", first, k, first);
  std::printf(" %s, CPU s |\n|---|", first);
  for (std::size_t d = 0; d < kDepths.size(); ++d) std::printf("---|---|---|");
  std::printf("---:|\n");
  for (const Evaluation* e : of) {
    const Measured& own = e->rankings[0];
    std::printf("| %s |", Label(*e).c_str());
    for (std::size_t d = 0; d < kDepths.size(); ++d) {
      const Measured& other = BestOther(*e, d);
      std::printf(" %zu (%.0f to %.0f) | %s %zu | %.0f to %.0f |", own.hits[d], own.sure[d].low,
                  own.sure[d].high, other.name.c_str(), other.hits[d], other.behind[d].low,
                  other.behind[d].high);
    }
    std::printf(" %.2f |\n", own.seconds);
  }
}

}  // namespace

Evaluation Measure(const std::vector<Ranking>& rankings, const std::set<FileSet>& positives,
                   std::size_t files, int arity) {
  Evaluation evaluation;
  evaluation.arity = arity;
  evaluation.positives = positives.size();
  std::vector<std::vector<bool>> hit(rankings.size());
  for (std::size_t r = 0; r < rankings.size(); ++r) {
    Measured measured;
    measured.name = rankings[r].name;
    measured.seconds = rankings[r].seconds;
    for (const RankedSet& set : rankings[r].sets)
      hit[r].push_back(positives.contains(FileSet(set.files.begin(), set.files.begin() + arity)));
    for (std::size_t d = 0; d < kDepths.size(); ++d) {
      measured.listed[d] = std::min(kDepths[d], hit[r].size());
      measured.hits[d] = static_cast<std::size_t>(std::count(
          hit[r].begin(), hit[r].begin() + static_cast<std::ptrdiff_t>(measured.listed[d]), true));
    }
    evaluation.rankings.push_back(std::move(measured));
  }

  // hits[ranking][depth][resample]
  std::vector<std::array<std::vector<double>, kDepths.size()>> hits(rankings.size());
  std::mt19937_64 random(1);
  std::vector<double> draws(files);
  for (std::size_t sample = 0; sample < kResamples && files > 0; ++sample) {
    std::fill(draws.begin(), draws.end(), 0);
    for (std::size_t i = 0; i < files; ++i) ++draws[random() % files];
    for (std::size_t r = 0; r < rankings.size(); ++r) {
      double all = 0, good = 0;
      std::size_t at = 0;
      for (std::size_t d = 0; d < kDepths.size(); ++d) {
        for (; at < evaluation.rankings[r].listed[d]; ++at) {
          double weight = 1;
          for (int m = 0; m < arity; ++m)
            weight *= draws[rankings[r].sets[at].files[static_cast<std::size_t>(m)]];
          all += weight;
          good += hit[r][at] ? weight : 0;
        }
        hits[r][d].push_back(all > 0 ? good / all * static_cast<double>(at) : 0);
      }
    }
  }
  for (std::size_t r = 0; r < rankings.size() && files > 0; ++r)
    for (std::size_t d = 0; d < kDepths.size(); ++d) {
      evaluation.rankings[r].sure[d] = Middle(hits[r][d]);
      std::vector<double> more;
      for (std::size_t s = 0; s < kResamples; ++s) more.push_back(hits[0][d][s] - hits[r][d][s]);
      evaluation.rankings[r].behind[d] = Middle(std::move(more));
    }
  return evaluation;
}

void PrintEvaluation(const Evaluation& e) {
  std::printf("\n%s, %s: %zu first together later", Label(e).c_str(),
              e.arity == 2 ? "pairs" : "triples", e.positives);
  if (e.candidates > 0 && e.positives > 0)
    std::printf(" of %zu candidates (1 of %.0f)", e.candidates,
                static_cast<double>(e.candidates) / static_cast<double>(e.positives));
  std::printf("\n\n");
  std::printf("| ranking |");
  for (const std::size_t k : kDepths)
    std::printf(" hits@%zu | 95 %% | %s has more |", k, e.rankings[0].name.c_str());
  std::printf("\n|---|");
  for (std::size_t d = 0; d < kDepths.size(); ++d) std::printf("---:|---:|---:|");
  std::printf("\n");
  for (const Measured& m : e.rankings) {
    std::printf("| %s |", m.name.c_str());
    for (std::size_t d = 0; d < kDepths.size(); ++d) {
      std::printf(" %zu", m.hits[d]);
      if (m.listed[d] < kDepths[d]) std::printf(" of %zu", m.listed[d]);
      std::printf(" | %.0f to %.0f | %.0f to %.0f |", m.sure[d].low, m.sure[d].high,
                  m.behind[d].low, m.behind[d].high);
    }
    std::printf("\n");
  }
}

void PrintSummary(const std::vector<Evaluation>& all, int arity) {
  std::vector<const Evaluation*> of;
  for (const Evaluation& e : all)
    if (e.arity == arity) of.push_back(&e);
  if (of.empty()) return;
  std::set<double> shares;  // each cut once, however many histories have it
  for (const Evaluation* e : of) shares.insert(e->share);
  const double middle = *std::next(shares.begin(), static_cast<std::ptrdiff_t>(shares.size() / 2));
  std::vector<std::string> names;
  for (const Measured& m : of[0]->rankings) names.push_back(m.name);

  std::printf("\n| %s: hits at 100 / 1000 |", arity == 2 ? "pairs" : "triples");
  std::size_t columns = 0;
  for (const Evaluation* e : of)
    if (e->share == middle) std::printf(" %s |", Label(*e).c_str()), ++columns;
  std::printf("\n|---|");
  while (columns-- > 0) std::printf("---|");
  std::printf("\n");
  for (std::size_t r = 0; r < names.size(); ++r) {
    std::printf("| %s |", names[r].c_str());
    for (const Evaluation* e : of)
      if (e->share == middle)
        std::printf(" %zu / %zu |", e->rankings[r].hits[0], e->rankings[r].hits[1]);
    std::printf("\n");
  }

  std::printf("\n| %s against, over %zu histories and cuts |", names[0].c_str(), of.size());
  for (const std::size_t k : kDepths)
    std::printf(" ahead@%zu | equal | behind | ahead beyond chance | behind beyond chance |", k);
  std::printf("\n|---|");
  for (std::size_t d = 0; d < kDepths.size(); ++d) std::printf("---:|---:|---:|---:|---:|");
  std::printf("\n");
  for (std::size_t r = 1; r < names.size(); ++r) {
    std::printf("| %s |", names[r].c_str());
    for (std::size_t d = 0; d < kDepths.size(); ++d) {
      std::array<int, 5> counts{};
      for (const Evaluation* e : of) {
        const std::size_t own = e->rankings[0].hits[d], other = e->rankings[r].hits[d];
        ++counts[own > other ? 0 : own == other ? 1 : 2];
        counts[3] += e->rankings[r].behind[d].low > 0;
        counts[4] += e->rankings[r].behind[d].high < 0;
      }
      for (const int count : counts) std::printf(" %d |", count);
    }
    std::printf("\n");
  }
  PrintBestOthers(of);
}

}  // namespace plexus::bench
