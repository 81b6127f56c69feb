// KeptPool: a SurfacePool that follows changes of single members.
//
// A row keeps its number; tokens of a changed row go to the end of the array. A member that leaves
// stays as a row that is worth nothing and pairs with none. New tags and terms get ranks after all
// others: order by rarity is what makes a join fast, and no join is made on a kept pool.
// Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/surface/surface_pool.h"
#include "algorithms/memory/frontier/internal/surface/surface_score.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

class KeptPool {
 public:
  KeptPool(SurfacePool&& pool, const NeverComposedOptions& options);

  const SurfacePool& pool() const { return pool_; }
  std::uint64_t members() const { return pool_.count() - gone_; }

  // The state from which Follow reads. Keeps the address.
  void Move(const Snapshot& snapshot, std::shared_ptr<const LedgerIndex> ledger);
  // Brings the row of `node` up to date; `inside`: it is a member now. False: that cannot be done
  // here, and the pool is of no use. `row`: what was changed; count() when none exists.
  bool Follow(NodeId node, bool inside, Row& row, std::string& why);

 private:
  bool ReadTokens(NodeId node, std::vector<Token>& tags, std::vector<Token>& terms,
                  std::string& why);
  void GiveCell(Token token);
  bool TokenOf(NodeId source, bool tag, Token& token);

  SurfacePool pool_;
  const NeverComposedOptions& options_;
  std::unordered_map<std::uint64_t, Token> token_of_;  // by 2 x source + is a tag
  std::uint64_t gone_ = 0;
  std::vector<std::uint8_t> is_gone_;  // by row
};

}  // namespace plexus::memory::internal
