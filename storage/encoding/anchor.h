// Anchor: the small file next to RocksDB that says what must be there.
//
// RocksDB can lose a file through one flipped bit of its MANIFEST and open without
// a word (README.md). The anchor is written by temporary name, fsync, rename and
// fsync of the directory; its digest covers all of it. After a clean close it lists
// every file of the generation with its size and a digest, and the log's last
// sequence and running hash: all must match. While a writer is open or after a
// crash it holds lower bounds: the newest checkpoint and a point of the log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/types.h"
#include "storage/base/digest.h"
#include "storage/base/files.h"
#include "storage/encoding/format_versions.h"

namespace plexus::storage_internal {

inline constexpr char kAnchorName[] = "anchor";

struct AnchorFile {
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t digest = 0;  // of the whole file, or of its last kTailBytes
  bool whole = false;
  bool operator==(const AnchorFile&) const = default;
};
inline constexpr std::uint64_t kTailBytes = 64 << 10;

// A writer after the first: its records are those after `after`.
struct AnchorMark {
  std::uint64_t high = 0, low = 0;
  Sequence after = 0;
  bool operator==(const AnchorMark&) const = default;
};

// In a generation that was received and is not in force yet: its anchor.
inline constexpr char kReceivedAnchorName[] = "received.anchor";

struct Anchor {
  GraphId graph_id;
  std::uint64_t generation = 1;
  bool clean = false;
  Sequence sequence = 0;
  std::uint64_t log_hash = 0;
  std::uint64_t checkpoint_id = 0;  // 0 = none yet
  Sequence checkpoint_sequence = 0;
  std::uint64_t checkpoint_digest = 0;  // of its manifest
  Sequence floor_sequence = 0;
  std::uint64_t floor_hash = 0;
  std::vector<AnchorFile> files;  // when clean
  bool no_purges = false;         // when clean: no marks of purges; false also when not known
  std::string source = {};        // of a replica
  std::vector<AnchorMark> marks = {};
  std::uint64_t begun = 0;  // of files that came from a source: its generation, until first opened
  bool operator==(const Anchor&) const = default;
};

std::string EncodeAnchor(const Anchor& anchor);
Result<Anchor> DecodeAnchor(ByteSpan bytes, std::string_view where);

// kNotFound when the directory has none.
Result<Anchor> ReadAnchor(const std::string& directory, const Files& files);
// What a directory without an anchor is: damage if there is a database, whose anchor is gone
// (kCorruption), or no database (kNotFound).
Error NoAnchor(const std::string& directory);
// Old or new after a crash, never half. Durable on return unless it is clean: after a power
// loss the open one before it may be back, which causes a recovery and loses nothing.
Status WriteAnchor(const std::string& directory, const Anchor& anchor, const Files& files);

// The directory of a generation, e.g. DIR/generation-1.
std::string GenerationPath(const std::string& directory, std::uint64_t generation);
// The number of a plain name that GenerationPath makes; 0 for any other.
std::uint64_t GenerationOf(std::string_view name);

// kFailedPrecondition unless the anchor, the lock and the files of `generation` are regular files
// (0: of none), those in a real directory.
Status MustBePlain(const std::string& directory, std::uint64_t generation, const Files& files);

// Scratch folders that a crash may leave in a graph's directory.
inline constexpr const char* kScratchNames[] = {"bulk.tmp", "checkpoint.tmp", "export.tmp",
                                                "export.tmp.tmp"};

// The folder of a graph that `path` names or lies in, links resolved; "" when none exists.
std::string GraphAround(const std::string& path);

// kInvalidArgument when `path` lies in the folder of a graph, deeper than itself being one.
Status MustBeOutside(const std::string& path);

// Removes what a graph consists of from `directory`, and nothing else.
Status RemoveGraph(const std::string& directory, const Files& files);

// Lists the files of a closed generation that matter to RocksDB, with digests.
Result<std::vector<AnchorFile>> ListGeneration(const std::string& path, const Files& files);
// A sorted file of the right size whose end is not what it was.
struct ChangedFile {
  std::string name;
  std::string message;  // of the error that it is
};
// kCorruption names the first file that is missing, changed or too many. With `changed`,
// sorted files of the right size go there: RocksDB knows whether they hold only derived data.
Status CompareGeneration(const std::string& path, const std::vector<AnchorFile>& expected,
                         const Files& files, std::vector<ChangedFile>* changed = nullptr);

// The running hash before the first record: it ties a log to its graph.
std::uint64_t FirstHash(const GraphId& id);

}  // namespace plexus::storage_internal
