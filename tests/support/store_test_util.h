// What the storage tests share: scratch directories, a script of varied batches,
// and a dump of everything a snapshot shows, so that "the same" means all of it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/graph.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"
#include "storage/database.h"
#include "tests/support/fails_with.h"

namespace plexus::storage_internal::testing {

using plexus::testing::FailsWith;

// A directory that is gone with the object.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  std::string path(const std::string& name = "db") const { return root_ + "/" + name; }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

// Batch `number` (from 1) of a script: nodes with text, properties, tags, columns
// and vectors; edges with labels, times and properties; updates, unlinks, removals.
// Vectors are f32 with the seed 7, else f16. Depends on `number` and `seed` only. Its time is 1000
// * number.
WriteBatch ScriptBatch(std::uint64_t number, std::uint64_t seed = 7);

// Which of some bytes stand in which files below a directory: "file: their beginning".
std::vector<std::string> Found(const std::string& directory,
                               const std::vector<std::string>& secrets);

// A FlexBuffers map {"note": note}.
std::string PropertyMap(const std::string& note);

// Nodes, columns, payloads, vectors and edges as text; kErrors shows a payload that
// cannot be read as its error code.
std::string Dump(const Snapshot& snapshot);
// FNV-1a of the dump, for children to tell their parents.
std::uint64_t DumpDigest(const Snapshot& snapshot);

// The dump after each of the first `count` batches, [0] = empty, on a graph in RAM.
std::vector<std::string> ScriptDumps(std::uint64_t count, std::uint64_t seed = 7);

std::unique_ptr<Database> MustOpen(const std::string& directory, const OpenOptions& options = {});
OpenOptions Create();
OpenOptions ReadOnly();
// Applies batches `from` to `to` of the script.
void ApplyScript(Database& db, std::uint64_t from, std::uint64_t to, std::uint64_t seed = 7);

// Verify finds nothing.
void ExpectSound(Database& db, const VerifyOptions& options = {});

// Pulls what is new into a graph, `most` records at a time; not `all`: once.
void Pull(Database& from, Graph& to, std::uint64_t most, bool all = true);

// Regular files below a directory, sorted.
std::vector<std::string> FilesBelow(const std::string& directory);
std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& bytes);
void CopyTree(const std::string& from, const std::string& to);

// An environment variable as a number, or the default.
std::uint64_t EnvNumber(const char* name, std::uint64_t otherwise);

template <class T>
bool SameBytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Says stop at report number `most`.
class CountedReports final : public Progress {
 public:
  bool Report(std::string_view, std::uint64_t, std::uint64_t) override { return ++count < most; }
  int count = 0, most = 1 << 30;
};

// The value; an error ends the test.
template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return *std::move(result);
}

#define PLEXUS_OK(expr)                                                   \
  do {                                                                    \
    auto&& plexus_ok_ = (expr);                                           \
    ASSERT_TRUE(plexus_ok_.has_value()) << plexus_ok_.error().ToString(); \
  } while (false)

}  // namespace plexus::storage_internal::testing
