// A member read again: its tokens, then its attributes.
#include "algorithms/memory/frontier/internal/surface/kept_pool.h"

#include <algorithm>
#include <utility>

#include "algorithms/memory/ledger/internal/trust.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

KeptPool::KeptPool(SurfacePool&& pool, const NeverComposedOptions& options)
    : pool_(std::move(pool)), options_(options), is_gone_(pool_.count(), 0) {
  token_of_.reserve(pool_.sources.size());
  for (std::uint32_t rank = 0; rank < pool_.sources.size(); ++rank) {
    const std::uint32_t source = pool_.sources[rank];
    const bool tag =
        source < pool_.first_word && pool_.snapshot->node_kind(source) != builtin::kTerm;
    const bool boundary = tag && IsBoundaryTag(DisplayName(pool_.snapshot->key(source)));
    token_of_.emplace(std::uint64_t{source} << 1 | tag,
                      rank << 2 | Token{boundary} << 1 | Token{tag});
  }
}

void KeptPool::Move(const Snapshot& snapshot, std::shared_ptr<const LedgerIndex> ledger) {
  pool_.snapshot = &snapshot;
  pool_.ledger = std::move(ledger);
}

// The token of a tag or term; a new one has a place in signatures at once.
bool KeptPool::TokenOf(NodeId source, bool tag, Token& token) {
  const auto at = token_of_.find(std::uint64_t{source} << 1 | tag);
  if (at != token_of_.end()) {
    token = at->second;
    return true;
  }
  const auto rank = static_cast<std::uint32_t>(pool_.sources.size());
  if (rank >= kMaxTokens - 1) return false;
  const bool boundary = tag && IsBoundaryTag(DisplayName(pool_.snapshot->key(source)));
  token = rank << 2 | Token{boundary} << 1 | Token{tag};
  token_of_.emplace(std::uint64_t{source} << 1 | tag, token);
  pool_.sources.push_back(source);
  pool_.carriers.push_back(0);
  pool_.cells.push_back(CellOf(rank, tag));
  return true;
}

bool KeptPool::ReadTokens(NodeId node, std::vector<Token>& tags, std::vector<Token>& terms,
                          std::string& why) {
  constexpr EdgeKindId kKinds[] = {builtin::kHasTag, builtin::kHasTerm};
  const ArcFilter filter =
      ArcFilter::Kinds(pool_.snapshot->schema(), kKinds).ValidAt(options_.now_ms);
  NodeId before = kNoNode;
  bool room = true;
  pool_.snapshot->ForEachArc(Direction::kOut, node, filter, [&](const Arc& arc) {
    const bool tag = arc.kind == builtin::kHasTag;
    if (arc.neighbor == before || !room) return;
    before = arc.neighbor;
    if (!tag && !IsTellingWord(DisplayName(pool_.snapshot->key(arc.neighbor)), pool_.has_stems()))
      return;
    Token token = 0;
    room = TokenOf(arc.neighbor, tag, token);
    (tag ? tags : terms).push_back(token);
  });
  if (!room) why = "too many tags and terms";
  std::sort(tags.begin(), tags.end());
  std::sort(terms.begin(), terms.end());
  return room;
}

// A token that one member had has no bit in signatures. It may be shared now.
void KeptPool::GiveCell(Token token) {
  std::uint8_t& cell = pool_.cells[RankOf(token)];
  if (cell != kNoCell) return;
  cell = CellOf(RankOf(token), IsTag(token));
  const std::uint32_t source = pool_.sources[RankOf(token)];
  if (pool_.terms.of_texts && !IsTag(token)) return;  // no word becomes shared here
  const ArcFilter filter = ArcFilter::Kind(pool_.snapshot->schema(),
                                           IsTag(token) ? builtin::kHasTag : builtin::kHasTerm);
  pool_.snapshot->ForEachArc(Direction::kIn, source, filter, [&](const Arc& arc) {
    const Row row = pool_.RowOf(arc.neighbor);
    if (row < pool_.count() && !is_gone_[row]) pool_.SetSignature(row);
  });
}

bool KeptPool::Follow(NodeId node, bool inside, Row& row, std::string& why) {
  row = pool_.RowOf(node);
  const bool known = row < pool_.count();
  if (!inside) {
    if (known && !is_gone_[row]) {
      is_gone_[row] = 1;
      ++gone_;
      pool_.rows[row].wanted = false;
      pool_.rows[row].signature = {};
      pool_.rows[row].tag_slack = 0;
      pool_.rows[row].term_slack = 0;
      pool_.rows[row].tags = pool_.rows[row].terms = pool_.rows[row].boundaries = 0;
    }
    return true;
  }
  if (!known) {
    if (!pool_.nodes.empty() && node < pool_.nodes.back()) {
      why = "an old node became a member";
      return false;
    }
    row = pool_.count();
    pool_.nodes.push_back(node);
    pool_.rows.emplace_back();
    pool_.trust.push_back(0);
    is_gone_.push_back(1);
    ++gone_;
    pool_.rows[row].begin = static_cast<std::uint32_t>(pool_.tokens.size());
  }
  if (is_gone_[row]) {
    is_gone_[row] = 0;
    --gone_;
  }
  MemberRow& r = pool_.rows[row];
  std::vector<Token> tags, terms;
  if (pool_.terms.of_texts) {
    if (!known || r.tags + r.terms == 0) {
      why = "a text is new";
      return false;
    }
    const auto same = pool_.row_terms(row);
    terms.assign(same.begin(), same.end());
    std::vector<Token> none;
    if (!ReadTokens(node, tags, none, why)) return false;
  } else if (!ReadTokens(node, tags, terms, why)) {
    return false;
  }
  if (!std::ranges::equal(tags, pool_.tags(row)) ||
      !std::ranges::equal(terms, pool_.row_terms(row))) {
    if (tags.size() > pool_.most_tags) {
      why = "a memory has more tags than any before";
      return false;
    }
    r.begin = static_cast<std::uint32_t>(pool_.tokens.size());
    r.tags = static_cast<std::uint32_t>(tags.size());
    r.terms = static_cast<std::uint32_t>(terms.size());
    pool_.tokens.insert(pool_.tokens.end(), tags.begin(), tags.end());
    pool_.tokens.insert(pool_.tokens.end(), terms.begin(), terms.end());
    for (const Token t : tags) GiveCell(t);
    for (const Token t : terms) GiveCell(t);
  }
  pool_.trust[row] = TrustOf(*pool_.snapshot, node);
  const std::string type(NodeTypes(*pool_.snapshot)(node));
  const auto at = std::find(pool_.types.begin(), pool_.types.end(), type);
  if (at == pool_.types.end()) {
    why = "a type is new";
    return false;
  }
  r.type = static_cast<std::uint32_t>(at - pool_.types.begin());
  r.degree = static_cast<std::uint32_t>(pool_.ledger->events(node).size());
  r.outcomes = pool_.ledger->member_outcomes(node);
  r.boundaries = 0;
  r.wanted = options_.tags.empty();
  for (const Token t : pool_.tags(row)) {
    r.boundaries += IsBoundary(t);
    r.wanted |= IsWantedTag(pool_.Name(t), options_.tags);
  }
  pool_.SetSignature(row);
  return true;
}

}  // namespace plexus::memory::internal
