// The first question after an append: one durable writer, one reader on fresh snapshots.
//
// The writer appends batches of 8 memories (text and its terms, tags, a vector, 3 edges, now and
// then one that supersedes another or expires), each acknowledged after fsync. The reader takes the
// newest snapshot and asks five questions, then asks them again on the same snapshot: visible
// nodes, BM25, the nearest 10 among the visible, 3 hops of traversal, and a recall-like
// combination. Each is a `first` and an `again`; the ratio of their medians says what freshness
// costs. At last another question of each sort, of other data, is asked on the same snapshot
// (`other`): its rows are not in the caches either, so what `first` takes beyond `again` and
// `other` does, too, is not the snapshot's being new. Then PageRank is refreshed after a batch and
// run from nothing, and the bytes of a batch are written and synced bare. Verified: on every eighth
// snapshot all answers equal those of a copy of the state that has nothing kept.
// PLEXUS_BENCH_NODES: memories of the larger graph; PLEXUS_BENCH_ROUNDS: snapshots asked. Needs a
// real file system under PLEXUS_BENCH_DIR.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "algorithms/traversal/traversal.h"
#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "engine/monitoring/monitoring.h"
#include "engine/state.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kBatch = 8, kDimensions = 32, kTerms = 6, kVocabulary = 20'000, kTags = 200;
constexpr const char* kQuestions[] = {"visible", "bm25", "nearest", "traverse", "recall"};
constexpr std::size_t kQuestionCount = std::size(kQuestions);

double MsSince(Clock::time_point start) { return 1e3 * SecondsSince(start); }

std::string Key(std::uint64_t memory) { return "m" + std::to_string(memory); }
std::string Term(std::uint64_t term) { return "w" + std::to_string(term); }
std::vector<float> Vector(std::uint64_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::normal_distribution<float> value;
  std::vector<float> values(kDimensions);
  for (float& v : values) v = value(random);
  return values;
}

// Memories made one after the other, the same for the same seed.
class Memories {
 public:
  std::uint64_t count() const { return made_; }
  void Add(WriteBatch& batch, std::size_t memories) {
    const SpaceRef space = batch.SpaceNamed("text");
    for (std::size_t i = 0; i < memories; ++i, ++made_) {
      const NodeRef node = batch.UpsertNode(Key(made_), NodeKindRef(builtin::kMemory));
      std::string text;
      for (std::size_t t = 0; t < kTerms; ++t) {
        const double u = std::uniform_real_distribution<double>(0, 1)(random_);
        const auto term =
            static_cast<std::uint64_t>(u * u * kVocabulary);  // some words more than others
        text += Term(term) + ' ';
        batch.Link(node, builtin::kHasTerm, batch.IndexNode(builtin::kTerm, Term(term)),
                   static_cast<float>(1 + random_() % 3));
      }
      batch.SetPayload(node, NodeField::kText, text);
      batch.Link(node, builtin::kHasTag,
                 batch.IndexNode(builtin::kTag, "t" + std::to_string(random_() % kTags)));
      batch.SetVector(node, space, Vector(made_));
      if (random_() % 50 == 0) batch.SetI64(node, builtin::kValidUntil, batch.time_ms() + 100'000);
      if (random_() % 50 == 0) batch.SetI64(node, builtin::kValidFrom, batch.time_ms());
      if (made_ == 0) continue;
      for (int e = 0; e < 3; ++e) {  // near ones rather than old ones
        const std::uint64_t back =
            1 + random_() % std::min<std::uint64_t>(made_, e == 0 ? made_ : 1000);
        constexpr EdgeKindId kKinds[] = {builtin::kRelatesTo, builtin::kCauses, builtin::kSupports};
        batch.Link(node, kKinds[e], batch.Node(Key(made_ - back)),
                   static_cast<float>(1 + random_() % 100) / 100.0f);
      }
      if (random_() % 10 == 0)
        batch.Link(node, builtin::kSupersedes, batch.Node(Key(made_ - 1 - random_() % made_)));
    }
  }

 private:
  std::uint64_t made_ = 0;
  std::mt19937_64 random_{7};
};

// The answers to one round of questions, for comparing.
struct Answers {
  std::shared_ptr<const NodeSubset> visible;
  std::vector<NodeId> newest;
  std::vector<std::pair<NodeId, double>> bm25, nearest, traverse, recall;
  bool operator==(const Answers& o) const {
    return *visible == *o.visible && newest == o.newest && bm25 == o.bm25 && nearest == o.nearest &&
           traverse == o.traverse && recall == o.recall;
  }
};

class Asker {
 public:
  // Searches from the newest memories but `back` nodes.
  Asker(const Snapshot& snapshot, std::uint64_t round, NodeId back = 0)
      : s_(snapshot), executor_(ExecutorOf(1)), query_(Vector(round * 31 + 5)) {
    for (std::uint64_t t = 0; t < 3; ++t)
      terms_.push_back(Term((round * 97 + t * 4001) % (kVocabulary / 2) + kVocabulary / 4));
    for (NodeId v = s_.node_count() - std::min(s_.node_count(), back);
         v-- > 0 && seeds_.size() < 3;)
      if (s_.alive(v) && s_.node_kind(v) == builtin::kMemory) seeds_.push_back({v, 1.0});
  }
  void Ask(std::size_t question) {
    switch (question) {
      case 0: {  // the set, and the newest of it
        answers_.visible = Visible();
        answers_.newest.clear();
        for (NodeId v = s_.node_count(); v-- > 0 && answers_.newest.size() < 1000;)
          if (answers_.visible->contains(v)) answers_.newest.push_back(v);
        break;
      }
      case 1:
        answers_.bm25 = Bm25Among(20);
        break;
      case 2:
        answers_.nearest = NearestAmong();
        break;
      case 3: {
        const auto visible = Visible();
        traversal::TraverseOptions options;
        options.hops = 3;
        options.direction = Direction::kBoth;
        options.top = 50;
        options.filter.subset = visible.get();
        options.run.executor = &executor_;
        answers_.traverse.clear();
        for (const traversal::TraverseHit& hit :
             Must(traversal::Traverse(s_, seeds_, options), "traverse").hits)
          answers_.traverse.push_back({hit.node, hit.score});
        break;
      }
      default: {
        answers_.recall = Bm25Among(10);
        for (const auto& hit : NearestAmong()) answers_.recall.push_back(hit);
        const std::size_t found = answers_.recall.size();
        for (std::size_t i = 0; i < found; ++i)
          s_.ForEachArc(Direction::kBoth, answers_.recall[i].first, facts_, [&](const Arc& arc) {
            answers_.recall.push_back({arc.neighbor, static_cast<double>(arc.weight)});
          });
      }
    }
  }
  const Answers& answers() const { return answers_; }

 private:
  using Hits = std::vector<std::pair<NodeId, double>>;
  std::shared_ptr<const NodeSubset> Visible() {
    return memory::VisibleNodes(s_, s_.time_ms(), {.run = {.executor = &executor_}}).value();
  }
  Hits Bm25Among(std::size_t top) {
    const auto visible = Visible();
    Hits hits;
    for (const retrieval::Bm25Hit& m :
         Must(retrieval::Bm25(
                  s_, terms_,
                  {.top = top, .subset = visible.get(), .run = {.executor = &executor_}}),
              "bm25")
             .hits)
      hits.push_back({m.node, m.score});
    return hits;
  }
  Hits NearestAmong() {
    const auto visible = Visible();
    Hits hits;
    for (const retrieval::NearestHit& n :
         Must(retrieval::Nearest(
                  s_, SpaceId{}, query_,
                  {.top = 10, .subset = visible.get(), .run = {.executor = &executor_}}),
              "nearest")
             .hits)
      hits.push_back({n.node, n.similarity});
    return hits;
  }

  const Snapshot& s_;
  Executor& executor_;
  std::vector<float> query_;
  std::vector<std::string> terms_;
  std::vector<NodeWeight> seeds_;
  ArcFilter facts_ = ArcFilter::Kinds(s_.schema(), {});
  Answers answers_;
};

struct Figures {
  std::array<std::vector<double>, kQuestionCount> first, again, other;  // ms
  std::vector<double> apply;
  double from_nothing = 0;
  std::uint64_t derived_bytes = 0;
};

void Load(Database& database, Memories& memories, std::uint64_t count) {
  WriteBatch define(kBenchTime);
  define.DefineSpace({"text", kDimensions, Metric::kCosine});
  Must(database.graph().Apply(define), "defining a space");
  while (memories.count() < count) {
    WriteBatch batch(kBenchTime);
    memories.Add(batch, std::min<std::uint64_t>(10'000, count - memories.count()));
    Must(database.graph().Apply(batch, {.durability = Durability::kNone}), "loading");
  }
  Must(database.graph().Compact(), "compacting");
}

// One reader beside the writer, until it has asked `rounds` fresh snapshots.
void Read(const Graph& graph, std::size_t rounds, Figures& figures) {
  Sequence last = 0;
  for (std::size_t round = 0; round <= rounds;) {
    const Snapshot snapshot = graph.snapshot();
    if (snapshot.sequence() == last) {
      std::this_thread::yield();
      continue;
    }
    last = snapshot.sequence();
    Asker first(snapshot, round), again(snapshot, round), other(snapshot, round + 50'021, 3'000);
    for (auto* asker : {&first, &again, &other}) {
      auto& times = asker == &first   ? figures.first
                    : asker == &again ? figures.again
                                      : figures.other;
      for (std::size_t q = 0; q < kQuestionCount; ++q) {
        const auto start = Clock::now();
        asker->Ask(q);
        const double ms = MsSince(start);
        if (round > 0)
          times[q].push_back(ms);
        else if (asker == &first)
          figures.from_nothing += ms;
      }
    }
    Require(first.answers() == again.answers(), "asked again, the same answers");
    if (round % 8 == 0) {
      const Snapshot bare(std::make_shared<const FrozenState>(snapshot.state()));
      Asker anew(bare, round);
      for (std::size_t q = 0; q < kQuestionCount; ++q) anew.Ask(q);
      Require(first.answers() == anew.answers(),
              "what is carried answers as what is made from nothing");
    }
    figures.derived_bytes = metrics::MeasureBytes(snapshot).derived;
    ++round;
  }
}

// Medians of a few refreshes after one batch each, and of runs from nothing; in ms.
std::pair<double, double> RefreshPageRanks(Graph& graph, Memories& memories, std::int64_t time) {
  pagerank::PageRankOptions options;
  options.tolerance = 1e-8;
  Snapshot before = graph.snapshot();
  std::vector<double> scores = Must(pagerank::PageRank(before, options), "PageRank").scores,
                      refreshed, anew;
  for (int i = 0; i < 5; ++i) {
    WriteBatch batch(time + i);
    memories.Add(batch, kBatch);
    Must(graph.Apply(batch), "append");
    const Snapshot now = graph.snapshot();
    pagerank::PageRankResult fresh, whole;
    refreshed.push_back(1e3 * Seconds([&] {
                          fresh = Must(pagerank::RefreshPageRank(now, {scores, &before}, options),
                                       "refresh");
                        }));
    anew.push_back(1e3 *
                   Seconds([&] { whole = Must(pagerank::PageRank(now, options), "PageRank"); }));
    double apart = 0;
    for (std::size_t v = 0; v < whole.scores.size(); ++v)
      apart += std::abs(whole.scores[v] - fresh.scores[v]);
    Require(apart <= 2 * options.tolerance, "a refresh is as near as a run from nothing");
    scores = fresh.scores;
    before = now;
  }
  return {Median(refreshed), Median(anew)};
}

// Median of appending and syncing so many bytes to a plain file.
double BareSyncs(const std::string& path, std::uint64_t bytes, int times) {
  const RawFile file(path, bytes);
  std::vector<double> ms;
  for (int i = 0; i < times; ++i) ms.push_back(1e3 * Seconds([&] { file.Append(); }));
  return Median(ms);
}

void Fresh(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const auto rounds = static_cast<std::size_t>(Size("PLEXUS_BENCH_ROUNDS", 100, 9));
  for (auto _ : state) {
    TempFolder folder("fresh");
    OpenOptions options;
    options.create = true;
    options.graph.durability = Durability::kSync;
    options.graph.maintenance = Maintenance::kBackground;
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto database = Must(Database::Open(folder / "db", options), "opening");
    Memories memories;
    Load(*database, memories, count);
    Must(database->graph().WaitDurable(database->snapshot().sequence()), "syncing");
    const std::uint64_t tail = database->stats().tail_bytes;

    Figures figures;
    std::atomic<bool> done{false};
    std::thread reader([&] {
      Read(database->graph(), rounds, figures);
      done = true;
    });
    std::int64_t time = kBenchTime + 1;
    const auto start = Clock::now();
    for (; !done; time += 10) {
      WriteBatch batch(time);
      memories.Add(batch, kBatch);
      const auto began = Clock::now();
      Must(database->graph().Apply(batch), "append");
      figures.apply.push_back(MsSince(began));
    }
    reader.join();
    state.SetIterationTime(MsSince(start) / 1000);
    const std::uint64_t bytes =
        (database->stats().tail_bytes - std::min(tail, database->stats().tail_bytes)) /
        figures.apply.size();

    for (std::size_t q = 0; q < kQuestionCount; ++q) {
      const double first = Median(figures.first[q]) * 1000, again = Median(figures.again[q]) * 1000,
                   other = Median(figures.other[q]) * 1000;
      const std::string name = kQuestions[q];
      state.counters[name + "_us"] = first;
      state.counters[name + "_again_us"] = again;
      state.counters[name + "_other_us"] = other;
      state.counters[name + "_ratio"] = first / again;
    }
    state.counters["from_nothing_ms"] = figures.from_nothing;
    state.counters["apply_p50_ms"] = Median(figures.apply);
    state.counters["apply_p99_ms"] = Quantile(figures.apply, 0.99);
    state.counters["batches"] = static_cast<double>(figures.apply.size());
    state.counters["bytes/batch"] = static_cast<double>(bytes);
    state.counters["bare_sync_p50_ms"] =
        BareSyncs(folder / "raw", std::max<std::uint64_t>(bytes, 1), Small() ? 5 : 200);
    state.counters["derived_mb"] = static_cast<double>(figures.derived_bytes) / 1e6;
    const auto [refresh, anew] = RefreshPageRanks(database->graph(), memories, time);
    state.counters["pagerank_refresh_ms"] = refresh;
    state.counters["pagerank_ms"] = anew;
    Must(database->Close(), "closing");
  }
}
BENCHMARK(Fresh)
    ->ArgName("memories")
    ->Arg(Size("PLEXUS_BENCH_FEW", 10'000, 300))
    ->Arg(Size("PLEXUS_BENCH_NODES", 1'000'000, 3'000))
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace plexus::bench
