// A million memories: what a question costs as the graph grows.
//
// Makes the graph of memories.h in a directory, once (an import, as a user would), and asks rows of
// the registry on it, in process, as an open shell does. Prints for each row the median, the 99th
// percentile and the processor's median in milliseconds, how often it looked at the clock, the
// bytes of the reply as JSON, and the resident set after it. Loops that heed --max-seconds look
// every so many nodes or arcs, so looks are work, counted. Compare a run of 100,000 with one of
// 1,000,000: a local question may grow by a factor of two. A row that takes longer than the limit
// is asked once.
//
// Verified: no row refuses, but one that says that the graph is too large for it; the graph has the
// nodes of the generator; a text put is found by its word. Without a directory a second graph of
// ten times the memories is asked, too, and rows whose looks more than double are named; small: a
// local question must not be among them. Usage:
// million [DIRECTORY] [--memories N] [--rows A,B] [--times N] [--seconds S]
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/million/memories.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"

namespace {
thread_local std::uint64_t looks = 0;  // of this thread at the steady clock
}  // namespace

// In the place of the library's, for all that is linked here.
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  ++looks;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return time_point(seconds(now.tv_sec) + nanoseconds(now.tv_nsec));
}

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT
using tools::Access;
using tools::Workspace;

struct Arguments {
  std::string directory, rows;
  std::uint64_t memories = Small() ? 3'000 : 100'000;
  int times = Small() ? 3 : 40;
  double seconds = 25;
};

using Looks = std::map<std::string, std::uint64_t>;  // by row, the most of one asking

// Words in braces are made for each asking: {m} a memory, {i} its number, {words} two words of it,
// {scope} its scope, {hub} a hub.
struct Row {
  const char *name, *operation, *request;
  enum Reach { kOthers, kLocal, kWhole } reach = kOthers;  // kWhole: asked three times at most
};

constexpr Row kRows[] = {
    {"get", "get", R"({"key":["{m}"]})", Row::kLocal},
    {"neighbors", "neighbors", R"({"key":"{m}","top":20})", Row::kLocal},
    {"neighbors --scope", "neighbors", R"({"key":"{m}","top":20,"scope":["{scope}"]})",
     Row::kLocal},
    {"neighbors of a hub", "neighbors", R"({"key":"{hub}","top":20})"},
    {"neighborhood", "neighborhood", R"({"from":["{m}"],"hops":2,"max_nodes":1000})", Row::kLocal},
    {"path", "path", R"({"from":"{m}","to":"{hub}"})", Row::kLocal},
    {"search", "search", R"({"query":"{words}"})", Row::kLocal},
    {"search --scope", "search", R"({"query":"{words}","scope":["{scope}"]})", Row::kLocal},
    {"recall", "recall", R"({"words":"{words}"})", Row::kLocal},
    {"recall --scope", "recall", R"({"words":"{words}","scope":["{scope}"]})", Row::kLocal},
    {"recall --where", "recall", R"({"words":"{words}","where":"trust > 0.5"})", Row::kLocal},
    {"recall --plan lists", "recall", R"({"words":"{words}","plan":"lists"})", Row::kLocal},
    {"retrieve", "retrieve", R"({"words":"{words}"})", Row::kLocal},
    {"pagerank --seed --push 1e-4", "pagerank", R"({"seed":["{m}"],"push":0.0001,"top":20})",
     Row::kWhole},
    {"pagerank --seed", "pagerank", R"({"seed":["{m}"],"tolerance":0.0001,"top":20})", Row::kWhole},
    {"list", "list", R"({"top":20,"sort":"created_at"})"},
    {"ledger recent", "ledger_recent", "{}", Row::kLocal},
    {"ledger memory", "ledger_memory", R"({"key":"{m}"})", Row::kLocal},
    {"session", "session", R"({"key":"t{i}"})", Row::kLocal},
    {"concept recall", "concept_recall", R"({"seeds":["c{i}"],"hops":2,"dry_run":true})",
     Row::kLocal},
    {"conflicts candidates", "conflicts_candidates", R"({"key":"{m}"})", Row::kLocal},
    {"conflicts list", "conflicts_list", R"({"top":20})", Row::kWhole},
    {"decisions status", "decisions_status", R"({"keys":["d{i}"]})", Row::kLocal},
    {"bounty", "bounty", "{}", Row::kWhole},
    {"frontier --tags", "frontier", R"({"lens":"surface","tags":["tag1"]})", Row::kWhole},
    {"find", "find", R"({"words":"{words}"})", Row::kWhole},
    {"list --index", "list", R"({"top":20,"index":true})"},
    {"log", "log", "{}", Row::kLocal},
    {"kinds", "kinds", "{}", Row::kLocal},
    {"schema", "schema", "{}", Row::kLocal},
    {"ledger get", "ledger_get", R"({"event":"e{i}"})", Row::kLocal},
    {"ledger neighbors", "ledger_neighbors", R"({"key":"{m}"})", Row::kLocal},
    {"traverse", "traverse", R"({"from":["{m}"],"hops":2,"top":20})"},
    {"match", "match", R"({"pattern":"supports","from":["{m}"],"top":20})", Row::kLocal},
    {"conflicts chain", "conflicts_chain", R"({"key":"{m}"})", Row::kLocal},
    {"concept activate", "concept_activate", R"({"sources":["c{i}"],"dry_run":true})", Row::kLocal},
    {"concept search", "concept_search", "{}"},
    {"decisions ancestors", "decisions_ancestors", R"({"key":"d{i}"})"},
    {"decisions descendants", "decisions_descendants", R"({"key":"d{i}"})"},
    {"decisions suggest", "decisions_suggest", R"({"key":"d{i}"})"},
    {"similar --of", "similar", R"({"of":"{m}","top":20})"},
    {"distances", "distances", R"({"from":"{m}","top":20})", Row::kWhole},
    {"bfs", "bfs", R"({"from":["{m}"],"top":20})", Row::kWhole},
    {"ancestors", "ancestors", R"({"key":"{m}","top":20})", Row::kWhole},
    {"descendants", "descendants", R"({"key":"{m}","top":20})", Row::kWhole},
    {"flow", "flow", R"({"from":"{m}","to":"{hub}"})", Row::kWhole},
    {"decisions blocked", "decisions_blocked", "{}", Row::kWhole},
    {"decisions contradictions", "decisions_contradictions", "{}", Row::kWhole},
    {"decisions salience", "decisions_salience", R"({"top":20})", Row::kWhole},
    {"decisions queue", "decisions_queue", "{}", Row::kWhole},
    {"decisions compaction", "decisions_compaction", "{}", Row::kWhole},
    {"components", "components", "{}", Row::kWhole},
    {"communities", "communities", "{}", Row::kWhole},
    {"triangles", "triangles", "{}", Row::kWhole},
    {"kcore", "kcore", "{}", Row::kWhole},
    {"betweenness", "betweenness", "{}", Row::kWhole},
    {"closeness", "closeness", "{}", Row::kWhole},
    {"katz", "katz", "{}", Row::kWhole},
    {"eigenvector", "eigenvector", "{}", Row::kWhole},
    {"hits", "hits", "{}", Row::kWhole},
    {"cuts", "cuts", "{}", Row::kWhole},
    {"topo", "topo", R"({"kinds":["depends_on"]})", Row::kWhole},
    {"similar", "similar", R"({"top":20})", Row::kWhole},
    // What writes.
    {"put with text", "put", R"({"key":"new{i}","text":"fresh {words}"})", Row::kLocal},
    {"put without text", "put", R"({"key":"{m}","set":["trust=0.25"]})", Row::kLocal},
    {"link", "link", R"({"source":"{m}","kind":"supports","target":"{hub}"})", Row::kLocal},
    {"remember", "remember", R"({"text":"what {words} was on day {i}"})"},
    {"ledger record", "ledger_record", R"({"tool":"t","query":"{words}","member":["{m}"]})",
     Row::kLocal},
    {"ledger label", "ledger_label", R"({"event":"e{i}","type":"helpful"})", Row::kLocal},
    {"concept upsert", "concept_upsert", R"({"name":"c{i}"})", Row::kLocal},
    {"concept affect", "concept_affect", R"({"name":"c{i}","delta":0.5})", Row::kLocal},
    {"concept dampen", "concept_dampen", R"({"name":"c{i}","ratio":0.5})", Row::kLocal},
    {"concept relate", "concept_relate", R"({"source":"c{i}","kind":"evokes","target":"c1"})",
     Row::kLocal},
    {"concept episode", "concept_episode", R"({"summary":"{words} {i}","concepts":["c{i}"]})",
     Row::kLocal},
    {"recall --commit", "recall", R"({"words":"{words}","commit":true})", Row::kLocal},
    // What was written.
    {"history", "history", R"({"key":"{m}"})", Row::kWhole},
    {"history of a hub", "history", R"({"key":"{hub}"})", Row::kWhole},
    {"recall --as-of", "recall", R"({"words":"{words}","as_of":"{before}"})", Row::kLocal},
    {"diff of the last two", "diff", R"({"from":"{before}","to":"{last}"})", Row::kLocal},
    {"forest", "forest", "{}", Row::kWhole},
    {"dominators", "dominators", R"({"key":"{hub}"})", Row::kWhole},
    {"neighbors of a hub, all", "neighbors", R"({"key":"{hub}"})", Row::kWhole},
    {"retrieve --from a hub", "retrieve", R"({"words":"{words}","from":["{hub}"]})", Row::kWhole},
    {"conflicts duplicates", "conflicts_duplicates", "{}", Row::kWhole},
    {"stats", "stats", "{}", Row::kWhole},
    {"verify", "verify", "{}", Row::kWhole},
};

std::string Filled(std::string text, const Memories& memories, std::uint64_t draw,
                   Workspace& workspace) {
  const std::uint64_t memory = draw * 48'271 % memories.count();
  const Sequence last = workspace.graph().snapshot().sequence();
  const std::pair<std::string, std::string> words[] = {
      {"{m}", "m" + std::to_string(memory)},
      {"{i}", std::to_string(memory % (memories.count() / 20))},
      {"{words}", memories.Question(memory)},
      {"{scope}", Memories::Scope(memories.ScopeOf(memory))},
      {"{hub}", "m" + std::to_string(draw % Memories::kHubs)},
      {"{before}", std::to_string(last - std::min<Sequence>(last, 2))},
      {"{last}", std::to_string(last)}};
  for (const auto& [name, value] : words)
    for (std::size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), value);
  return text;
}

constexpr double kMostSeconds = 20;  // of a question about all, which is cut then

// The reply as JSON; empty when the graph is too large for the row, which is said then.
std::string Ask(Workspace& workspace, const Row& row, const std::string& json) {
  const tools::Operation* operation = tools::FindOperation(row.operation);
  if (!operation) Die(std::string("no operation ") + row.operation);
  tools::Request request = Must(tools::RequestFromJson(*operation, json), row.name);
  Must(request.Set("max_seconds", row.reach == Row::kWhole ? kMostSeconds : 100'000.0), row.name);
  Result<tools::Reply> reply = tools::Answer(workspace, request);
  if (!reply && !Small() && reply.error().code == ErrorCode::kResourceExhausted) {
    std::printf("%s\n", reply.error().ToString().c_str());
    return {};
  }
  if (!reply) Die(std::string(row.name) + " " + json + ": " + reply.error().ToString());
  std::ostringstream out;
  tools::JsonWriter writer(out);
  WriteReply(*reply, {}, writer);
  return std::move(out).str();
}

std::unique_ptr<Workspace> Open(const Arguments& arguments, Access access) {
  tools::WorkspaceOptions options;
  options.directory = arguments.directory;
  options.access = access;
  options.clock_ms = Memories::kNow;
  options.one_request = false;
  if (Small()) options.threads = 1;  // all looks are of this thread
  return Must(Workspace::Open(options), "opening");
}

void Make(const Arguments& arguments, const Memories& memories) {
  const std::string file = arguments.directory + ".jsonl";
  {
    std::ofstream out(file);
    memories.Write(out);
    if (!out.flush()) Die("writing " + file);
  }
  auto workspace = Open(arguments, Access::kCreate);
  const double seconds = Seconds([&] {
    Ask(*workspace, {"import", "import", ""}, R"({"files":[")" + file + R"("]})");
    Must(workspace->Close(), "closing");
  });
  std::printf("import: %.1f s of %.1f MB, peak %.0f MB\n", seconds,
              static_cast<double>(std::filesystem::file_size(file)) / 1e6, Megabytes("VmHWM:"));
  std::filesystem::remove(file);
}

bool Wanted(const Arguments& arguments, const std::string& name) {
  return arguments.rows.empty() ||
         ("," + arguments.rows + ",").find("," + name + ",") != std::string::npos;
}

std::uint64_t Measure(Workspace& workspace, const Arguments& arguments, const Memories& memories,
                      const Row& row) {
  QuestionTimes times{.of = CLOCK_PROCESS_CPUTIME_ID};
  const int most = row.reach == Row::kWhole ? std::min(arguments.times, 3) : arguments.times;
  double spent = 0;
  std::size_t bytes = 0;
  std::uint64_t most_looks = 0;
  // The first is not counted: it makes what the state keeps.
  for (int i = 0; i <= most && (i < 2 || spent < arguments.seconds); ++i) {
    const std::string json =
        Filled(row.request, memories, static_cast<std::uint64_t>(i) + 11, workspace);
    QuestionTimes first{.of = CLOCK_PROCESS_CPUTIME_ID};
    QuestionTimes& taken = i == 0 ? first : times;
    const std::uint64_t before = looks;
    bytes = std::max(bytes, taken.Time([&] { return Ask(workspace, row, json); }).size());
    if (i > 0) most_looks = std::max(most_looks, looks - before);
    spent += taken.clock.back();
    if (i == 0 && first.clock[0] > arguments.seconds) {
      times = first;
      break;
    }
  }
  std::printf("%-30s %10.2f %10.2f %10.2f %9llu %11zu %8.0f\n", row.name, 1e3 * Median(times.clock),
              1e3 * Quantile(times.clock, 0.99), 1e3 * Median(times.processor),
              static_cast<unsigned long long>(most_looks), bytes, Megabytes("VmRSS:"));
  std::fflush(stdout);
  return most_looks;
}

void Verify(Workspace& workspace, const Memories& memories) {
  const Snapshot snapshot = workspace.graph().snapshot();
  const std::uint64_t least = memories.count() + memories.count() / 10 * 2 + memories.count() / 20;
  Require(snapshot.CountNodes(Plane::kFact) >= least, "the graph has the generator's nodes");
  Ask(workspace, {"put", "put", ""}, R"({"key":"verified","text":"quicksilver of the last hour"})");
  const std::string found = Ask(workspace, {"search", "search", ""}, R"({"query":"quicksilver"})");
  Require(found.find("\"verified\"") != std::string::npos, "a text put is found by its word");
}

Arguments Read(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&]() -> std::string {
      if (++i == count) Die(word + " needs a value");
      return words[i];
    };
    if (word == "--memories")
      arguments.memories = std::strtoull(value().c_str(), nullptr, 10);
    else if (word == "--rows")
      arguments.rows = value();
    else if (word == "--times")
      arguments.times = std::atoi(value().c_str());
    else if (word == "--seconds")
      arguments.seconds = std::atof(value().c_str());
    else
      arguments.directory = word;
  }
  if (arguments.memories < 1000) Die("--memories: at least 1000");
  return arguments;
}

Looks AskAll(const Arguments& arguments) {
  const Memories memories(arguments.memories);
  if (!Database::Exists(arguments.directory)) Make(arguments, memories);
  const auto start = Clock::now();
  auto workspace = Open(arguments, Access::kWrite);
  std::printf("opening: %.2f s, %u nodes\n", SecondsSince(start),
              workspace->graph().snapshot().node_count());
  std::printf("%-30s %10s %10s %10s %9s %11s %8s\n", "row", "median ms", "p99 ms", "cpu ms",
              "looks", "bytes", "MB");
  Looks all;
  for (const Row& row : kRows)
    if (Wanted(arguments, row.name)) all[row.name] = Measure(*workspace, arguments, memories, row);
  Verify(*workspace, memories);
  Must(workspace->Close(), "closing");
  return all;
}

// Counted, not timed: the same on any machine.
void TellGrowth(const Looks& small, const Looks& large) {
  constexpr std::uint64_t kFew = 16;  // a list that is one step longer
  std::printf("looks that more than double with ten times the memories:\n");
  for (const Row& row : kRows) {
    if (!small.contains(row.name)) continue;
    const std::uint64_t before = small.at(row.name), after = large.at(row.name);
    if (after <= 2 * before + kFew) continue;
    std::printf("  %-30s %9llu %9llu\n", row.name, static_cast<unsigned long long>(before),
                static_cast<unsigned long long>(after));
    if (Small())
      Require(row.reach != Row::kLocal,
              std::string(row.name) + ": looks of ten times the memories");
  }
}

void TellNotAsked() {
  std::string names;
  for (const tools::Operation& operation : tools::AllOperations())
    if (std::ranges::none_of(kRows,
                             [&](const Row& row) { return operation.name == row.operation; }))
      names += " " + operation.name;
  std::printf("not asked:%s\n", names.c_str());
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments = Read(count, words);
  const TempFolder folder("million");
  if (!arguments.directory.empty()) {
    AskAll(arguments);
  } else {
    arguments.directory = folder / "graph";
    const Looks looks_of = AskAll(arguments);
    arguments.directory = folder / "large";
    arguments.memories *= 10;
    TellGrowth(looks_of, AskAll(arguments));
    TellNotAsked();
  }
  return FailedChecks() == 0 ? 0 : 1;
}
