// Words for stems: what members of a set say where the index has the stem of it.
//
// An index with stems joins members by "rotat"; people and models read "rotation". Private to
// algorithms/memory.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "algorithms/retrieval/terms.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

class StemWords {
 public:
  explicit StemWords(retrieval::TermOptions index) : index_(std::move(index)) {}
  // By stem the word that most of the nodes have in text or key; of several the shortest, then the
  // first one. What cannot be read has no words. Thread-safe.
  std::map<std::string, std::string> Of(const Snapshot& snapshot,
                                        std::span<const NodeId> nodes) const;

 private:
  const retrieval::TermOptions index_;
  mutable std::mutex mutex_;
  mutable std::optional<retrieval::TermSplitter> stems_, words_;  // Made at the first question.
};

}  // namespace plexus::memory::internal
