// ScopedJournal: where batches of a scope's part of a graph go: into the whole graph, as the scope.
//
// A record is stated again by key and name, with expectations that what it touches is still of the
// scopes, so nothing comes between. Refused, with nothing written: a key that another scope has or
// had, what holds a word that others share, an event of others, another scope, and a purge. A tag
// or term that others have already is linked without a word. The refusal of a key says that it is
// taken, and nothing of who has it.
//
// It is the part's payload store, too. Not thread-safe but for Get.
#pragma once

#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/graph.h"
#include "engine/record.h"
#include "engine/schema.h"
#include "engine/write_batch.h"

namespace plexus::tools {

// Defines an edge kind of the one graph in the other, whose schema this is, unless it has a kind of
// that name. Ends of user kinds are left open: their ids differ. The whole graph checks its own.
void DefineMissing(EdgeKind kind, const Schema& schema, WriteBatch& batch);

class ScopedJournal final : public Journal, public PayloadStore {
 public:
  ScopedJournal(Graph& whole, std::vector<std::string> scopes)
      : whole_(whole), scopes_(std::move(scopes)) {}
  // What record ids are of.
  void set_part(const Graph* part) { part_ = part; }

  // While it lives records are copies of what the whole graph has, and stay here.
  class Copying {
   public:
    explicit Copying(ScopedJournal& journal) : journal_(journal) { journal_.copying_ = true; }
    ~Copying() { journal_.copying_ = false; }
    Copying(const Copying&) = delete;

   private:
    ScopedJournal& journal_;
  };

  Status Append(std::span<const Record> group, Durability durability) override;
  Status WaitDurable(Sequence) override { return {}; }  // Append waited as it was asked
  Result<std::string> Get(PayloadRef ref) const override;
  // About what its records take, those that later ones replaced, too.
  std::uint64_t held_bytes() const { return held_; }

  // The index node of a record that the program keeps of the whole graph (graph_record.h). What the
  // part says of one stays in the part.
  static bool IsRecord(std::string_view key);

 private:
  Graph& whole_;
  std::vector<std::string> scopes_;
  const Graph* part_ = nullptr;
  bool copying_ = false;
  std::uint64_t held_ = 0;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, std::string> payloads_;  // by PayloadRef bits
};

}  // namespace plexus::tools
