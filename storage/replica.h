// Replicas: a durable copy of a graph, its source, that continues by the source's feed.
//
// It begins with the source's files (Database::SendFiles, ReceiveFiles, SwapIn), and is opened with
// OpenOptions::replica_of, else only read-only. Then again and again: ChangesSince at the source,
// Follow here. Where the source has another generation (a purge of words, a hard purge), Forgotten
// there and Forget here take the same nodes and strings out, so nothing that was purged stays.
// Where the source has trimmed what would come next, the files are taken once more.
//
// What is checked, so that a replica never shows what its source did not have: the graph's id, the
// marks of its writers (CheckSource), and, while the generation is the same, the source's running
// hash after the last record that was taken, which is stored with that record (Follow). Not seen
// is a source that was set back and rewritten (another generation) behind the same marks.
//
// Promote makes a replica a writer, with a new mark: its old source lacks that, so it is refused.
//
// Threads: free functions need a directory that no database has open, but for ReceiveFiles,
// which may run while the replica is open.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/types.h"
#include "storage/database.h"

namespace plexus::replica {

// --- Which graph a directory holds, up to which record, and which directory that is.

struct GraphIdentity {
  std::uint64_t high = 0, low = 0;          // of the graph, in its copies as well
  std::uint64_t device = 0, directory = 0;  // of the folder, links followed; moves keep it
  bool operator==(const GraphIdentity&) const = default;
};

// Takes no lock, writes nothing. O(the anchor file). Errors: kNotFound: there is no graph; kIo;
// kCorruption; kUnsupported: a newer format.
Result<GraphIdentity> IdentifyGraph(const std::string& directory);

// The number of the last record of a graph that was closed; the same. Errors: kFailedPrecondition:
// it is open, or its last writer did not end; those of IdentifyGraph.
Result<Sequence> ClosedSequence(const std::string& directory);

// --- What a replica knows of its source.

// A writer after the first: the records after `after` are its own.
struct HistoryMark {
  std::uint64_t high = 0, low = 0;
  Sequence after = 0;
  bool operator==(const HistoryMark&) const = default;
};

// Which history a database has, and how far.
struct GraphLineage {
  std::uint64_t format = 0;             // the newest that its program writes
  std::uint64_t high = 0, low = 0;      // the graph's id
  std::vector<HistoryMark> marks = {};  // oldest first; the first writer has none
  std::uint64_t generation = 0;         // Changes::generation
  Sequence floor = 0, sequence = 0;     // of history; the last record that is durable
  std::string source = {};              // of a replica
  std::uint64_t source_generation = 0;  // of a replica; 0: not known
  // Of a replica: the record that proves the source. Beyond `sequence` when a crash left a part of
  // a page: the next page has to end there.
  Sequence proof = 0;
};

// Nodes and interned strings of which a generation has nothing but the id. A replica that ends
// below `floor`, the source's history floor, may need these strings until it has copied the files.
struct ForgottenIds {
  std::uint64_t generation = 0;
  std::vector<NodeId> nodes = {};
  std::vector<StringId> strings = {};
  Sequence floor = 0;
};

// Whether a replica may go on with this source, or begin again with its files. Names what
// differs. O(marks). Errors: kFailedPrecondition: another graph, or a history that is not the
// replica's; kUnsupported: a newer format; kNotFound: the source lacks records of the replica.
Status CheckSource(const GraphLineage& replica, const GraphLineage& source);

// A page of the feed as bytes, and back. O(bytes). Errors: kCorruption: they are none, or not
// whole; kResourceExhausted.
Result<std::string> EncodeChanges(const Changes& changes);
Result<Changes> DecodeChanges(std::string_view bytes);

// Of Database:
//   ReadLineage()   any thread. Errors: kIo.
//   Forgotten()     of the source. Waits only for a rewrite that has just switched. O(nodes +
//                   strings).
//   Follow(changes) of a replica: replays them. kFailedPrecondition: they do not follow what it
//                   has, or come from another generation; kConflict: the source's running hash is
//                   not the one that was taken: its history forked. Scrubs what they purge.
//   Forget(ids)     of a replica: readers see none of them after one fsync, also where a crash
//                   follows; then the log is written again without them, as HardPurge does.
//   SendFiles(send) the files of one moment, in pieces; words that wait are forgotten first. From
//                   the first call of `send` on they are held open, and the database is not used:
//                   it may be written, closed and deleted. An error of `send` ends it.
//   Promote()       of a replica: it has no source and a new mark. kFailedPrecondition: it is none.

// Writes the files that SendFiles sent into `directory`, next to those in force; `read` returns the
// next piece, "" at the end. Refuses a directory that holds something else (kAlreadyExists) and
// other graphs' files (kFailedPrecondition). After an error, or a crash, the next writing open
// removes them. Returns the generation that SwapIn takes. O(bytes).
Result<std::uint64_t> ReceiveFiles(const std::string& directory, const std::string& source,
                                   const std::function<Result<std::string>()>& read,
                                   Progress* progress = nullptr);
// The received files take the place of those in force: old or new after a crash. The next open
// recovers them, as after a crash of the source.
Status SwapIn(const std::string& directory, std::uint64_t generation);

}  // namespace plexus::replica
