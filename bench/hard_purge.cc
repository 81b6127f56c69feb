// What it takes to forget one of many memories: time, memory and bytes written.
//
// MEMORIES memories with a text of some 200 bytes, 3 tags, 12 terms, a vector of 64 floats
// and a link to the one before are appended, PER_BATCH a batch, and closed with a
// checkpoint. Then the database is opened, and one memory from its middle is purged: by Purge, by
// HardPurge, and by HardPurge once more after the history was trimmed at its half. For each it
// prints seconds, by how much the resident set rose at most above what it was (the kernel's VmHWM,
// reset before), and the bytes written.
// Verified: the purged key and text are in no file, everybody else's text is.
// Usage: hard_purge [MEMORIES [PER_BATCH]], default 200,000 and 100. Exit 1 when an answer is
// wrong.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "bench/support.h"
#include "bench/timing.h"
#include "engine/vocabulary.h"
#include "storage/database.h"

namespace {

using namespace plexus;         // NOLINT: a program of one file
using namespace plexus::bench;  // NOLINT

constexpr int kTerms = 12, kTags = 3, kVocabulary = 20'000, kDimensions = 64;

std::string Text(int i) {
  std::string text = "the memory with the number x" + std::to_string(i) + "x:";
  std::mt19937 random(static_cast<unsigned>(i));
  while (text.size() < 200) text += " word" + std::to_string(random() % kVocabulary);
  return text;
}

void Fill(const std::string& directory, int memories, int per_batch) {
  OpenOptions options;
  options.create = true;
  options.graph.durability = Durability::kBuffered;
  auto database = Must(Database::Open(directory, options), "making the database");
  for (int first = 0; first < memories; first += per_batch) {
    WriteBatch batch(first + 1);
    batch.DefineSpace({"text", kDimensions, Metric::kCosine});
    const NameRef space = batch.SpaceNamed("text");
    for (int i = first; i < std::min(memories, first + per_batch); ++i) {
      std::mt19937 random(static_cast<unsigned>(i));
      const NodeRef node =
          batch.UpsertNode("memory-" + std::to_string(i) + "-", NameRef(builtin::kMemory));
      batch.SetPayload(node, NodeField::kText, Text(i));
      for (int t = 0; t < kTerms; ++t)
        batch.Link(
            node, builtin::kHasTerm,
            batch.IndexNode(builtin::kTerm, "word" + std::to_string(random() % kVocabulary)));
      // One of its own, which goes with it.
      batch.Link(node, builtin::kHasTerm,
                 batch.IndexNode(builtin::kTerm, "x" + std::to_string(i) + "x"));
      for (int t = 0; t < kTags; ++t)
        batch.Link(node, builtin::kHasTag,
                   batch.IndexNode(builtin::kTag, "tag" + std::to_string(random() % 200)));
      std::vector<float> vector(kDimensions);
      for (float& v : vector) v = static_cast<float>(random()) / 4294967296.0f - 0.5f;
      batch.SetVector(node, space, vector);
      if (i > 0)
        batch.Link(node, builtin::kTemporal, batch.Node("memory-" + std::to_string(i - 1) + "-"));
    }
    Must(database->graph().Apply(batch), "appending");
  }
  Must(database->Checkpoint(), "checkpoint");
  Must(database->Close(), "closing");
}

// Files of `directory` that hold `bytes`.
int FilesWith(const std::string& directory, const std::string& bytes) {
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    found += all.find(bytes) != std::string::npos;
  }
  return found;
}

std::uint64_t BytesWritten() {
  std::ifstream io("/proc/self/io");
  for (std::string word; io >> word;)
    if (word == "wchar:") {
      std::uint64_t value = 0;
      io >> value;
      return value;
    }
  return 0;
}

template <class Forget>
bool Measure(const std::string& directory, const char* what, int which, bool key_too,
             Forget&& forget) {
  auto database = Must(Database::Open(directory, {}), "opening");
  ForgetPeak();
  const double before = Megabytes("VmRSS:");
  const std::uint64_t wrote = BytesWritten();
  const double seconds =
      Seconds([&] { forget(*database, "memory-" + std::to_string(which) + "-"); });
  const double more = Megabytes("VmHWM:") - before;
  std::printf("%-22s %6.2f s, %5.0f MB resident and %5.0f MB more at most, %5.0f MB written\n",
              what, seconds, before, more, static_cast<double>(BytesWritten() - wrote) / 1e6);
  const Snapshot now = database->snapshot();
  bool right = FilesWith(directory, "number x" + std::to_string(which) + "x:") == 0 &&
               FilesWith(directory, "\x1fx" + std::to_string(which) + "x") == 0;
  if (key_too) right = right && FilesWith(directory, "memory-" + std::to_string(which) + "-") == 0;
  for (const int other : {which - 1, which + 1}) {
    const auto node = now.Find("memory-" + std::to_string(other) + "-");
    right = right && node && now.Payload(*node, NodeField::kText) == Text(other);
  }
  Must(database->Close(), "closing");
  return Require(right,
                 std::string(what) + ": what was purged is in no file, what was not is there");
}

}  // namespace

int main(int argc, char** argv) {
  const int memories = argc > 1 ? std::atoi(argv[1]) : Small() ? 2'000 : 200'000;
  const int per_batch = argc > 2 ? std::atoi(argv[2]) : 100;
  if (argc > 3 || memories < 1000 || per_batch < 1) {
    std::fprintf(stderr, "usage: hard_purge [MEMORIES, 1,000 or more [PER_BATCH]]\n");
    return 2;
  }
  const TempFolder folder("hard-purge");
  const std::string directory = folder / "db";
  Fill(directory, memories, per_batch);
  const auto soft = [](Database& database, const std::string& key) {
    const std::string_view keys[] = {key};
    Must(database.Purge(keys, 1'000'000'000), "purging");
  };
  const auto hard = [](Database& database, const std::string& key) {
    const NodeId node[] = {*database.snapshot().Find(key)};
    Must(database.HardPurge(node), "purging");
  };
  bool right = Measure(directory, "Purge", memories / 4, false, soft);
  right = Measure(directory, "HardPurge", memories / 2, true, hard) && right;
  {
    auto database = Must(Database::Open(directory, {}), "opening");
    Must(database->Trim(database->snapshot().sequence() / 2), "trimming");
    Must(database->Close(), "closing");
  }
  return Measure(directory, "HardPurge, trimmed", memories * 3 / 4, true, hard) && right ? 0 : 1;
}
