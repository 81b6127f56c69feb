// Two lists, one fusion, one event.
#include "algorithms/memory/recall.h"

#include <algorithm>
#include <utility>

#include "algorithms/memory/internal/ledger_read.h"
#include "algorithms/memory/internal/trust.h"
#include "algorithms/retrieval/nearest_neighbors.h"
#include "algorithms/retrieval/rank_fusion.h"
#include "engine/out_of_memory.h"
#include "engine/schema.h"

namespace plexus {

namespace {

// How far down each list the fusion looks: what stands lower in both cannot rise far.
std::size_t ListLength(std::size_t top) {
  constexpr std::size_t kLeast = 100;
  return top == 0 ? 0 : std::max(kLeast, 4 * top);
}

std::vector<RecallHit> Fused(const std::vector<RecallHit>& words,
                             const std::vector<RecallHit>& vectors, std::size_t top) {
  std::vector<NodeId> lists[2];
  for (const RecallHit& hit : words) lists[0].push_back(hit.node);
  for (const RecallHit& hit : vectors) lists[1].push_back(hit.node);
  std::vector<RecallHit> by_node[2] = {words, vectors};
  for (auto& list : by_node) std::ranges::sort(list, {}, &RecallHit::node);
  std::vector<RecallHit> hits;
  for (const FusedNode& fused : FuseRanks(lists)) {
    if (top > 0 && hits.size() == top) break;
    RecallHit hit{.node = fused.node, .score = fused.score};
    for (const auto& list : by_node) {
      const auto at = std::ranges::lower_bound(list, hit.node, {}, &RecallHit::node);
      if (at == list.end() || at->node != hit.node) continue;
      if (at->words) hit.words = at->words;
      if (at->similarity) hit.similarity = at->similarity;
    }
    hits.push_back(hit);
  }
  return hits;
}

}  // namespace

Result<RecallResult> Recall(const Snapshot& snapshot, const RecallQuestion& question,
                            const RecallOptions& options) try {
  const bool by_words = !question.terms.empty(), by_vector = !question.vector.empty();
  if (!by_words && !by_vector)
    return Fail(ErrorCode::kInvalidArgument, "recall by what? it has neither words nor a vector");
  const std::size_t length = by_words && by_vector ? ListLength(options.top) : options.top;
  RecallResult result;
  std::vector<RecallHit> words, vectors;
  if (by_words) {
    Bm25Options bm25;
    bm25.top = length;
    bm25.subset = options.subset;
    bm25.phrases = question.phrases;
    bm25.run = options.run;
    PLEXUS_ASSIGN(const Bm25Result found, Bm25(snapshot, question.terms, bm25));
    for (const Bm25Match& match : found.matches)
      words.push_back({.node = match.node, .score = match.score, .words = match.score});
    result.truncated |= found.truncated;
  }
  if (by_vector) {
    NearestOptions nearest;
    nearest.top = length;
    nearest.subset = options.subset;
    nearest.run = options.run;
    PLEXUS_ASSIGN(const NearestResult found,
                  Nearest(snapshot, question.space, question.vector, nearest));
    for (const NearestHit& hit : found.nodes)
      vectors.push_back({.node = hit.node, .score = hit.similarity, .similarity = hit.similarity});
    result.truncated |= found.truncated;
  }
  result.hits = !by_vector  ? std::move(words)
                : !by_words ? std::move(vectors)
                            : Fused(words, vectors, options.top);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

std::string PreviewOf(std::string_view text) {
  constexpr std::size_t kBytes = 160;
  std::string preview(text.substr(0, kBytes));
  if (text.size() > kBytes) {
    std::size_t end = kBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    preview.resize(end);
    preview += "...";
  }
  for (char& c : preview)
    if (c == '\n' || c == '\r') c = ' ';
  return preview;
}

Result<NewEvent> EventOfRecall(const Snapshot& snapshot, std::span<const RecallHit> hits,
                               std::string_view query, std::int64_t now_ms) try {
  NewEvent event;
  event.tool = "recall";
  event.mode = kDefaultEventMode;
  event.query = query;
  event.created_at = now_ms;
  for (const RecallHit& hit : hits.first(std::min(hits.size(), kMaxEventMembers))) {
    NewMember member;
    member.key = snapshot.key(hit.node);
    member.role = event.members.empty() ? "primary" : "supporting";
    member.rank = static_cast<double>(event.members.size());
    member.score = hit.score;
    member.trust = memory_internal::TrustOf(snapshot, hit.node);
    PLEXUS_ASSIGN(
        const std::string text,
        memory_internal::StoredPayload(snapshot, snapshot.payload_ref(hit.node, NodeField::kText)));
    if (IsValidUtf8(text)) member.preview = PreviewOf(text);
    event.members.push_back(std::move(member));
  }
  return event;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
