// What every peer's program is built from: inputs, answers, timed trials.
//
//   peer_NAME WORK FOLDER ANSWER TRIALS
//
// reads the input that peer_prepare wrote into FOLDER, does WORK that many times, prints
// one "key: value" a line (version, note, load, time, ...) and writes what it found to
// ANSWER ("-": nowhere). run.sh compares answers before it looks at a time. Depends on
// std only, so that no peer shares a process with Plexus or its thread pool.
//
// Inputs are raw little-endian arrays, one a file, named after content and type
// ("sources.u32"), so that programs in other languages read them in a line. Answers are
// arrays of f64; `width` numbers an entry, lists preceded by their length:
//   load, open    nodes, arcs, a number only the right arcs give
//   pagerank      a score a node, sum 1            components, leiden   a label a node
//   forest, cuts, dominators, flow   connectivity.h
//   triangles to order               connectivity.h
//   bfs           per start, a depth a node, -1 where unreached
//   traverse, nearest, similar   per query: count, then (id, score) ...  best first
//   closeness     per start: closeness, not scaled, and harmonic
//   hits          a hub score a node, sum 1, then the authorities
//   pairs         count, then (a, b, score) ...    best first, a < b
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace plexus::peers {

using Answer = std::vector<double>;

[[noreturn]] void Die(const std::string& what);

// All of a file as an array; ends the program when it is absent or not a multiple of T.
template <class T>
std::vector<T> ReadArray(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) Die(path + ": cannot be read");
  const auto bytes = static_cast<std::size_t>(in.tellg());
  if (bytes % sizeof(T))
    Die(path + ": " + std::to_string(bytes) + " bytes, no multiple of " +
        std::to_string(sizeof(T)));
  std::vector<T> values(bytes / sizeof(T));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes));
  if (!in) Die(path + ": cannot be read");
  return values;
}
template <class T>
void WriteArray(const std::string& path, std::span<const T> values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size_bytes()));
  if (!out.flush()) Die(path + ": cannot be written");
}
template <class T>
void WriteArray(const std::string& path, const std::vector<T>& values) {
  WriteArray(path, std::span<const T>(values));
}
template <class T>
T ReadNumber(const std::string& path) {
  const auto values = ReadArray<T>(path);
  if (values.size() != 1) Die(path + ": one number expected");
  return values[0];
}
bool Exists(const std::string& path);

// Directed arcs by (source, target); edges of symmetric kinds are there both ways.
struct Arcs {
  std::uint32_t nodes = 0;
  std::vector<std::uint32_t> sources, targets;
  std::vector<float> weights;  // empty = all 1
  float weight(std::size_t i) const { return weights.empty() ? 1.0f : weights[i]; }
};
Arcs ReadArcs(const std::string& folder);
// The same edges read as undirected: every pair once, source < target, with the sum of the
// weights between them; edges of symmetric kinds count once. No loops.
Arcs ReadPairs(const std::string& folder);
std::vector<std::uint32_t> Offsets(const Arcs& arcs);  // nodes + 1, rows by source

// Facts with tags and events (pairs); lists by fact, ascending.
struct Sharing {
  std::uint32_t facts = 0, tags = 0, events = 0;
  std::vector<std::uint32_t> fact, tag;          // one an entry
  std::vector<std::uint32_t> event, event_fact;  // one an entry
  std::vector<double> weight;                    // by tag: 1 / ln(1 + df), 0 when df < 2
};
Sharing ReadSharing(const std::string& folder);

struct Vectors {
  std::uint32_t dimensions = 0;
  std::vector<float> rows, queries;
  std::vector<std::uint32_t> subset;  // ascending row numbers
  std::size_t count() const { return rows.size() / dimensions; }
  std::size_t query_count() const { return queries.size() / dimensions; }
  const float* row(std::size_t i) const { return rows.data() + i * dimensions; }
  const float* query(std::size_t i) const { return queries.data() + i * dimensions; }
};
Vectors ReadVectors(const std::string& folder);

inline constexpr double kDamping = 0.85, kTrueError = 1e-6;
inline constexpr int kHops = 4;
inline constexpr std::size_t kTraverseTop = 100, kPairsTop = 1000, kNearestTop = 10,
                             kSimilarTop = 100;

// Best first, ties by ids; appended as one list of an Answer.
struct Entry {
  double score;
  std::uint32_t a, b = 0;
  bool operator<(const Entry& other) const {
    if (score != other.score) return score > other.score;
    return a != other.a ? a < other.a : b < other.b;
  }
};
void AppendBest(std::vector<Entry> entries, std::size_t top, bool pairs, Answer& answer);

// A work of a program; the note says how it is done ("": run() says it).
struct Work {
  std::string name, note;
  std::function<void()> run;
};

class Peer {
 public:
  // Prints usage and ends the program unless there are four arguments.
  Peer(int argc, char** argv, const std::string& version);
  const std::string& work() const { return work_; }
  const std::string& folder() const { return folder_; }
  std::string operator/(const std::string& file) const { return folder_ + "/" + file; }
  int threads() const { return threads_; }  // PEERS_THREADS, 2
  void Note(const std::string& text) const { std::printf("note: %s\n", text.c_str()); }

  // Times fn() as the loading of a work that is about something else.
  template <class Fn>
  auto Load(Fn&& fn) const {
    const auto start = Now();
    auto loaded = fn();
    std::printf("load: %.6f\n", Since(start));
    return loaded;
  }
  // Times run() TRIALS times; answer(result) makes the answer, outside the time.
  template <class Run, class ToAnswer>
  void Trials(Run&& run, ToAnswer&& answer) {
    for (int i = 0; i < trials_; ++i) {
      const auto start = Now();
      auto result = run();
      std::printf("time: %.9f\n", Since(start));
      std::fflush(stdout);
      if (i == 0 && answer_ != "-") WriteArray(answer_, Answer(answer(result)));
    }
    done_ = true;
  }
  template <class Run>
  void Trials(Run&& run) {
    Trials(run, [](const Answer& answer) { return answer; });
  }
  // For works of many queries: run(i) appends to the answer of query i; prints the median
  // and the 99th percentile of single queries beside the total.
  template <class Run>
  void Queries(std::size_t count, Run&& run) {
    std::vector<double> each(count);
    // Memory for the answers is touched before any time is taken: a page that the host hands
    // out during a query of some microseconds would be most of it.
    Answer answer(count * 256);
    auto ask = [&] {
      answer.clear();
      for (std::size_t i = 0; i < count; ++i) {
        const auto start = Now();
        run(i, answer);
        each[i] = Since(start);
      }
      return std::span<const double>(answer);
    };
    Trials(ask, [](std::span<const double> all) { return Answer(all.begin(), all.end()); });
    if (count == 0) return;
    std::sort(each.begin(), each.end());
    std::printf("query_median: %.9f\nquery_p99: %.9f\n", each[count / 2], each[count * 99 / 100]);
  }
  // Runs the work that was asked for; false: it is none of these.
  bool RunOneOf(const std::vector<Work>& works) const;
  int Finish() const;  // exit code; 3 and a message when the work was none of this peer's

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::time_point Now() { return Clock::now(); }
  static double Since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::string work_, folder_, answer_;
  int trials_ = 1, threads_ = 2;
  bool done_ = false;
};

}  // namespace plexus::peers
