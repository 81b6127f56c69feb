// SurfacePool: the members of a frontier as dense arrays, and what two of them share.
//
// A member's row lists its tags, then its terms, each from the rarest to the commonest of the pool
// (ties by id). A Signature holds them as bits: a word for the 64 commonest tags, two words that
// the other tags share, a word that the terms share. Common bits, plus the slack of those that fell
// on a taken bit, bound what two rows share.
// Private to algorithms/memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/surface/stem_words.h"
#include "algorithms/memory/frontier/internal/surface/surface_terms.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

using Row = std::uint32_t;
// (rank << 2) | boundary << 1 | tag. Ranks rise with the number of carriers.
using Token = std::uint32_t;
inline constexpr std::uint32_t kMaxTokens = std::uint32_t{1} << 30;
inline constexpr std::uint8_t kNoCell = 255;  // of a token of one carrier: not shared
inline constexpr bool IsTag(Token t) { return t & 1; }
inline constexpr bool IsBoundary(Token t) { return t & 2; }
inline constexpr std::uint32_t RankOf(Token t) { return t >> 2; }

struct alignas(64) MemberRow {
  std::array<std::uint64_t, 4> signature{};  // words 0 to 2: tags, 3: terms
  std::uint32_t begin = 0;                   // of its tokens
  std::uint32_t tags = 0, terms = 0;         // their numbers
  std::uint32_t boundaries = 0;              // of its tags
  std::uint32_t degree = 0;                  // events
  std::uint32_t type = 0;
  OutcomeSet outcomes = 0;
  std::uint16_t tag_slack = 0;  // 65535: that or more
  std::uint8_t term_slack = 0;
  bool wanted = false;  // carries a wanted tag
};

// What two rows have in common, counted.
struct SharedCounts {
  std::uint32_t tags = 0, terms = 0, boundaries = 0;  // boundaries: of the union
  bool tied() const { return tags > 0 || terms > 0; }
};

struct SurfacePool {
  const Snapshot* snapshot = nullptr;
  std::shared_ptr<const LedgerIndex> ledger;
  std::vector<NodeId> nodes;  // by row; ascending
  std::vector<MemberRow> rows;
  std::vector<double> trust;  // by row, as stored
  std::vector<Token> tokens;
  std::vector<std::uint32_t> carriers;  // by rank
  std::vector<std::uint32_t> sources;   // by rank: a tag's or term's node, or a text term's number
  std::vector<std::uint8_t> cells;      // by rank: word * 64 + bit of a signature, or kNoCell
  TermTable terms;
  std::shared_ptr<const StemWords> stem_words;  // of an index with stems
  std::uint32_t first_word = 0;                 // sources from here on are numbers in `terms`
  std::vector<std::string> types;
  std::uint32_t most_tags = 0;  // of a row
  Row band_rows = 0;            // the first ones, whose vectors are compared
  bool band_cut = false;        // there were more

  bool has_stems() const { return stem_words != nullptr; }
  Row count() const { return static_cast<Row>(nodes.size()); }
  std::span<const Token> tags(Row r) const { return {tokens.data() + rows[r].begin, rows[r].tags}; }
  std::span<const Token> row_terms(Row r) const {
    return {tokens.data() + rows[r].begin + rows[r].tags, rows[r].terms};
  }
  double novelty(Row r) const { return 1 / (1 + static_cast<double>(rows[r].degree)); }
  SharedCounts Shared(Row a, Row b) const;
  bool Composed(Row a, Row b) const {
    return rows[a].degree > 0 && rows[b].degree > 0 && ledger->Composed(nodes[a], nodes[b]);
  }
  // The row of a node; count() when it is no member.
  Row RowOf(NodeId node) const {
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), node);
    return at != nodes.end() && *at == node ? static_cast<Row>(at - nodes.begin()) : count();
  }
  std::string Name(Token t) const;
  std::string_view type(Row r) const { return types[rows[r].type]; }
  void SetSignature(Row r);  // and slack, of its tokens
};

// The members: `options.pool`, or the visible facts but turns and episodes. With TagMatch::kBoth
// only carriers of wanted tags. Keeps the snapshot's address.
// Errors: kCorruption: from the payload store. kUnsupported: too many tags and terms. Throws
// std::bad_alloc.
Result<SurfacePool> MakeSurfacePool(const Snapshot& snapshot, const NeverComposedOptions& options,
                                    Executor& executor);
// The nodes that MakeSurfacePool starts from.
Result<NodeSubset> PoolNodes(const Snapshot& snapshot, const NeverComposedOptions& options,
                             Executor& executor);

// The cell of a tag or term that has no bit of its own.
std::uint8_t CellOf(std::uint32_t rank, bool tag);
bool IsBoundaryTag(std::string_view tag);
bool IsWantedTag(std::string_view tag, std::span<const std::string> wanted);

}  // namespace plexus::memory::internal
