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

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/mutex.h"
#include "engine/snapshot.h"
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

}  // namespace plexus::formats::internal
