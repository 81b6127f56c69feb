// ImportCheck: what a file would make of the graph, while it is only being checked.
//
// A check parses everything and applies nothing. The parsers use the schema as the file has made it
// so far; what only the graph can refuse is predicted here, from a snapshot and from what the
// pieces note:
// an edge whose kind wants an endpoint of a fact kind, and a node that takes another kind than its
// edges want: kinds that the file states. (An edge that the files themselves take back, or that
// goes as its other end is removed, still holds its ends to their kinds: do that in an import of
// its own. The line named may then be one that such a node makes bad.) The first pass finds out
// whether the file has such edges at all; only then a second pass keeps the kinds of nodes. Memory
// of the first pass is constant. Values by themselves are checked before (WriteBatch::CheckValues).
// A property map that grows too large over several records, and a validity that several of them
// turn round, are found while they are applied.
//
// Take is called by one thread at a time, schema() and watches_kinds() by any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/mutex.h"
#include "engine/snapshot.h"
#include "storage/formats/import.h"
#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

class ImportCheck {
 public:
  // Of files that go into `now`. Begin forgets everything else.
  explicit ImportCheck(Snapshot now) { Begin(std::move(now)); }
  void Begin(Snapshot now);

  // The schema behind the pieces taken so far.
  std::shared_ptr<const Schema> schema() const {
    MutexLock lock(mutex_);
    return schema_;
  }
  bool watches_kinds() const { return watches_kinds_; }
  // Whether the graph has the node or the file has stated its kind. Not during Take of
  // a piece that states one.
  bool Knows(const std::string& node) const { return kinds_.contains(node) || now_.Find(node); }

  // What the importer itself will define. kAlreadyExists: with other traits.
  Status Define(const EdgeKind& kind);
  // What comes next, in the order of the files. An error is what the graph would return for the
  // piece; nothing of it counts then.
  Status Take(const Piece& piece);

  // True when the files must be looked at once more: Take begins again.
  bool NeedsSecondPass();

 private:
  void SetSchema(std::shared_ptr<const Schema> schema) {
    const MutexLock lock(mutex_);
    schema_ = std::move(schema);
  }
  Status CheckWanted(const Piece& piece);
  // What is known of a node's kind: as stated so far, or as an edge has wanted it.
  struct NodeKindSoFar {
    std::string kind;
    bool held = false;   // by an edge of the file
    bool freed = false;  // removed by the file, with the edges that the graph has
  };
  std::string KindOf(const std::string& node) const;
  Status CheckRetyped(const Piece& piece) const;
  const std::string& KindInGraph(const std::string& node) const;
  bool ReleasesKind(const Piece& piece) const;
  bool HeldByGraph(const std::string& node, const std::string& kind) const;

  Snapshot now_;
  mutable Mutex mutex_;
  std::shared_ptr<const Schema> schema_ PLEXUS_GUARDED_BY(mutex_);
  bool watches_kinds_ = false, kinds_wanted_ = false, kinds_stated_ = false;
  std::unordered_map<std::string, NodeKindSoFar> kinds_;
  std::unordered_map<std::string, std::string> piece_kinds_;  // of the piece being checked
  bool second_pass_ = false;
};

// StubCheck: ends of edges that nothing states, found while files are checked.
//
// An edge's end, an event's member or a vector's node may be a name that the graph does not have
// and that no record of the files states: a stub. Imports make stubs and count them, unless
// ImportOptions::strict says that they are errors. Memory: the keys that the files state, and
// those that are missing. Take is called by one thread at a time.
class StubCheck {
 public:
  // What a piece of `file` states and names. `lines`: as Block::lines, may be null.
  void Take(const std::string& file, const std::vector<std::uint64_t>* lines, const Piece& piece,
            const Snapshot& graph);
  // The records that name a missing node first, in the order of the files.
  std::vector<ImportError> Missing() const;

 private:
  struct Place {
    std::size_t file = 0;  // in files_
    std::uint64_t line = 0;
  };
  std::vector<std::string> files_;
  std::unordered_set<std::string> stated_;
  std::unordered_map<std::string, Place> missing_;
};

// How many nodes the graph has that `before` had not and of which nothing but their edges is
// known. O(new nodes).
std::uint64_t CountStubs(const Snapshot& before, const Snapshot& after);

}  // namespace plexus::formats::internal
