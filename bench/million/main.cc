// A million memories: what a question costs as the graph grows.
//
// Makes the graph of memories.h in a directory, once (an import, as a user would), and asks rows of
// the registry on it, in process, as an open shell does. Prints for each row the median, the 99th
// percentile and the processor's median in milliseconds, the bytes of the reply as JSON, and the
// resident set after it. Compare a run of 100,000 with one of 1,000,000: a local question may grow
// by a factor of two. A row that takes longer than the limit is asked once.
//
// Verified: no row refuses, the graph has the nodes of the generator, and a text put is found by
// its word. Usage: million DIRECTORY [--memories N] [--rows A,B] [--times N] [--seconds S]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/million/memories.h"
#include "bench/support.h"
#include "bench/timing.h"
#include "tools/operations/registry.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/operations/request_json.h"
#include "tools/operations/workspace.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT
using tools::Access;
using tools::Workspace;

struct Arguments {
  std::string directory, rows;
  std::uint64_t memories = Small() ? 10'000 : 100'000;
  int times = Small() ? 3 : 40;
  double seconds = 25;
};

// Words in braces are made for each asking: {m} a memory, {i} its number, {words} two words of it,
// {scope} its scope, {hub} a hub.
struct Row {
  const char *name, *operation, *request;
  bool once = false;  // about the whole graph: asked three times at most
};

constexpr Row kRows[] = {
    {"get", "get", R"({"key":["{m}"]})"},
    {"neighbors", "neighbors", R"({"key":"{m}","top":20})"},
    {"neighbors --scope", "neighbors", R"({"key":"{m}","top":20,"scope":["{scope}"]})"},
    {"neighbors of a hub", "neighbors", R"({"key":"{hub}","top":20})"},
    {"neighborhood", "neighborhood", R"({"from":["{m}"],"hops":2,"max_nodes":1000})"},
    {"path", "path", R"({"from":"{m}","to":"{hub}"})"},
    {"search", "search", R"({"query":"{words}"})"},
    {"search --scope", "search", R"({"query":"{words}","scope":["{scope}"]})"},
    {"recall", "recall", R"({"words":"{words}"})"},
    {"recall --scope", "recall", R"({"words":"{words}","scope":["{scope}"]})"},
    {"recall --where", "recall", R"({"words":"{words}","where":"trust > 0.5"})"},
    {"recall --plan recall", "recall", R"({"words":"{words}","plan":"recall"})"},
    {"recall --plan recall --scope", "recall",
     R"({"words":"{words}","plan":"recall","scope":["{scope}"]})"},
    {"retrieve", "retrieve", R"({"words":"{words}"})"},
    {"pagerank --seed --push 1e-4", "pagerank", R"({"seed":["{m}"],"push":0.0001,"top":20})", true},
    {"pagerank --seed", "pagerank", R"({"seed":["{m}"],"tolerance":0.0001,"top":20})", true},
    {"list", "list", R"({"top":20,"sort":"created_at"})"},
    {"ledger recent", "ledger_recent", "{}"},
    {"ledger memory", "ledger_memory", R"({"key":"{m}"})"},
    {"session", "session", R"({"key":"t{i}"})"},
    {"concept recall", "concept_recall", R"({"seeds":["c{i}"],"hops":2,"dry_run":true})"},
    {"conflicts candidates", "conflicts_candidates", R"({"key":"{m}"})"},
    {"conflicts list", "conflicts_list", R"({"top":20})", true},
    {"decisions status", "decisions_status", R"({"keys":["d{i}"]})"},
    {"bounty", "bounty", "{}", true},
    {"frontier --tags", "frontier", R"({"lens":"surface","tags":["tag1"]})", true},
    {"find", "find", R"({"words":"{words}"})", true},
    {"history", "history", R"({"key":"{m}"})", true},
    {"history of a hub", "history", R"({"key":"{hub}"})", true},
    {"diff of the last two", "diff", R"({"from":"{before}","to":"{last}"})", true},
    {"stats", "stats", "{}", true},
    // What writes.
    {"put with text", "put", R"({"key":"new{i}","text":"fresh {words}"})"},
    {"put without text", "put", R"({"key":"{m}","set":["trust=0.25"]})"},
    {"link", "link", R"({"source":"{m}","kind":"supports","target":"{hub}"})"},
    {"recall --commit", "recall", R"({"words":"{words}","commit":true})"},
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
      {"{before}", std::to_string(last - 2)},
      {"{last}", std::to_string(last)}};
  for (const auto& [name, value] : words)
    for (std::size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), value);
  return text;
}

// The reply as JSON.
std::string Ask(Workspace& workspace, const Row& row, const std::string& json) {
  const tools::Operation* operation = tools::FindOperation(row.operation);
  if (!operation) Die(std::string("no operation ") + row.operation);
  const tools::Request request = Must(tools::RequestFromJson(*operation, json), row.name);
  Result<tools::Reply> reply = tools::Answer(workspace, request);
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

void Measure(Workspace& workspace, const Arguments& arguments, const Memories& memories,
             const Row& row) {
  QuestionTimes times{.of = CLOCK_PROCESS_CPUTIME_ID};
  const int most = row.once ? std::min(arguments.times, 3) : arguments.times;
  double spent = 0;
  std::size_t bytes = 0;
  // The first is not counted: it makes what the state keeps.
  for (int i = 0; i <= most && (i < 2 || spent < arguments.seconds); ++i) {
    const std::string json =
        Filled(row.request, memories, static_cast<std::uint64_t>(i) + 11, workspace);
    QuestionTimes first{.of = CLOCK_PROCESS_CPUTIME_ID};
    QuestionTimes& taken = i == 0 ? first : times;
    bytes = std::max(bytes, taken.Time([&] { return Ask(workspace, row, json); }).size());
    spent += taken.clock.back();
    if (i == 0 && first.clock[0] > arguments.seconds) {
      times = first;
      break;
    }
  }
  std::printf("%-30s %10.2f %10.2f %10.2f %11zu %8.0f\n", row.name, 1e3 * Median(times.clock),
              1e3 * Quantile(times.clock, 0.99), 1e3 * Median(times.processor), bytes,
              Megabytes("VmRSS:"));
  std::fflush(stdout);
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

}  // namespace

int main(int count, char** words) {
  Arguments arguments = Read(count, words);
  const TempFolder folder("million");
  if (arguments.directory.empty()) arguments.directory = folder / "graph";
  const Memories memories(arguments.memories);
  if (!Database::Exists(arguments.directory)) Make(arguments, memories);
  const auto start = Clock::now();
  auto workspace = Open(arguments, Access::kWrite);
  std::printf("opening: %.2f s, %u nodes\n", SecondsSince(start),
              workspace->graph().snapshot().node_count());
  std::printf("%-30s %10s %10s %10s %11s %8s\n", "row", "median ms", "p99 ms", "cpu ms", "bytes",
              "MB");
  for (const Row& row : kRows)
    if (Wanted(arguments, row.name)) Measure(*workspace, arguments, memories, row);
  Verify(*workspace, memories);
  Must(workspace->Close(), "closing");
  return FailedChecks() == 0 ? 0 : 1;
}
