// Making a pool: who is in it, their tags and terms as tokens in order of rarity, their attributes.
#include "algorithms/memory/frontier/internal/surface/surface_pool.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/ledger/internal/inside_ledger.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"

#include <limits>
#include <optional>
#include <unordered_map>

#include "algorithms/memory/ledger/internal/trust.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/terms.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

constexpr std::size_t kGrain = 4096;  // rows of a block
constexpr std::uint32_t kExactTags = 64;

// Fills a pool in steps: Words (texts only), Count, Fill, Rank, Describe.
class PoolMaker {
 public:
  PoolMaker(const Snapshot& snapshot, const NeverComposedOptions& options, Executor& executor,
            SurfacePool& pool)
      : snapshot_(snapshot),
        options_(options),
        executor_(executor),
        pool_(pool),
        arcs_(ArcFilter::All()) {
    of_texts_ = options.terms == TermRule::kAscii || !retrieval::HasTerms(snapshot);
    const EdgeKindId tags[] = {builtin::kHasTag}, both[] = {builtin::kHasTag, builtin::kHasTerm};
    arcs_ =
        ArcFilter::Kinds(snapshot.schema(), of_texts_ ? std::span<const EdgeKindId>(tags) : both)
            .ValidAt(options.now_ms);
  }

  Status Make() {
    pool_.rows.assign(pool_.nodes.size(), {});
    pool_.first_word = snapshot_.node_count();
    pool_.terms.of_texts = of_texts_;
    if (of_texts_) {
      PLEXUS_TRY(ReadWords());
    } else {
      PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot_));
      if (!record.terms.stemmer.empty())
        pool_.stem_words = std::make_shared<const StemWords>(record.terms);
      FindTellingTerms();
    }
    PLEXUS_TRY(Count());
    Fill();
    PLEXUS_TRY(Rank());
    Describe();
    return {};
  }

 private:
  Status ReadWords() {
    std::optional<retrieval::TermSplitter> splitter;
    if (options_.terms == TermRule::kUnicode) {
      retrieval::TermOptions words = retrieval::TermOptions::Recommended();
      words.stemmer.clear();
      PLEXUS_ASSIGN(splitter, retrieval::TermSplitter::Make(words));
    }
    word_begins_.push_back(0);
    for (const NodeId v : pool_.nodes) {
      PLEXUS_ASSIGN(const std::string text, snapshot_.PayloadOrEmpty(v, NodeField::kText));
      PLEXUS_TRY(AddWords(text, splitter ? &*splitter : nullptr));
      word_begins_.push_back(static_cast<std::uint32_t>(words_.size()));
    }
    return {};
  }
  Status AddWords(const std::string& text, retrieval::TermSplitter* splitter) {
    if (!splitter) {
      for (const std::string& word : AsciiTerms(text)) words_.push_back(pool_.terms.Intern(word));
      return {};
    }
    PLEXUS_ASSIGN(const std::vector<retrieval::TermCount> counts, splitter->Count(text));
    for (const retrieval::TermCount& t : counts)
      if (IsTellingWord(t.term, false)) words_.push_back(pool_.terms.Intern(t.term));
    return {};
  }

  void FindTellingTerms() {
    telling_.assign(snapshot_.node_count(), 0);
    ParallelForEach(executor_, telling_.size(), std::size_t{1} << 16, [&](std::size_t v) {
      const auto node = static_cast<NodeId>(v);
      if (snapshot_.node_kind(node) == builtin::kTerm && snapshot_.alive(node))
        telling_[v] = IsTellingWord(DisplayName(snapshot_.key(node)), pool_.has_stems());
    });
  }

  // fn(tag or term) of a row, tags first, each once.
  template <class Fn>
  void ForEachSource(Row row, Fn&& fn) const {
    NodeId before = kNoNode;
    snapshot_.ForEachArc(Direction::kOut, pool_.nodes[row], arcs_, [&](const Arc& arc) {
      if (arc.neighbor == before) return;  // under another label
      before = arc.neighbor;
      if (arc.kind == builtin::kHasTag)
        fn(arc.neighbor, true);
      else if (telling_[arc.neighbor])
        fn(arc.neighbor, false);
    });
    if (!of_texts_) return;
    for (std::uint32_t i = word_begins_[row]; i < word_begins_[row + 1]; ++i)
      fn(pool_.first_word + words_[i], false);
  }

  Status Count() {
    ParallelForEach(executor_, pool_.rows.size(), kGrain, [&](std::size_t r) {
      MemberRow& row = pool_.rows[r];
      ForEachSource(static_cast<Row>(r), [&](std::uint32_t, bool tag) {
        row.tags += tag;
        row.terms += !tag;
      });
    });
    std::uint64_t total = 0;
    for (MemberRow& row : pool_.rows) {
      row.begin = static_cast<std::uint32_t>(total);
      total += row.tags + row.terms;
      pool_.most_tags = std::max(pool_.most_tags, row.tags);
    }
    if (total >= std::numeric_limits<std::uint32_t>::max() ||
        std::uint64_t{pool_.first_word} + pool_.terms.words.size() >= kMaxTokens)
      return Unsupported("the pool has too many tags and terms");
    pool_.tokens.resize(total);
    return {};
  }

  void Fill() {
    ParallelForEach(executor_, pool_.rows.size(), kGrain, [&](std::size_t r) {
      Token* to = pool_.tokens.data() + pool_.rows[r].begin;
      ForEachSource(static_cast<Row>(r), [&](std::uint32_t source, bool) { *to++ = source; });
    });
  }

  // Sources in order of carriers become ranks, and tokens of them.
  Status Rank() {
    std::vector<std::uint32_t> carriers(pool_.first_word + pool_.terms.words.size(), 0);
    for (const Token source : pool_.tokens) ++carriers[source];
    std::vector<std::uint32_t>& sources = pool_.sources;
    for (std::uint32_t s = 0; s < carriers.size(); ++s)
      if (carriers[s] > 0) sources.push_back(s);
    std::sort(sources.begin(), sources.end(), [&](std::uint32_t a, std::uint32_t b) {
      return carriers[a] != carriers[b] ? carriers[a] < carriers[b] : a < b;
    });
    std::vector<Token> token_of(carriers.size(), 0);
    for (std::uint32_t rank = 0; rank < sources.size(); ++rank) {
      const std::uint32_t s = sources[rank];
      pool_.carriers.push_back(carriers[s]);
      const bool tag = s < pool_.first_word && snapshot_.node_kind(s) != builtin::kTerm;
      const bool boundary = tag && IsBoundaryTag(DisplayName(snapshot_.key(s)));
      token_of[s] = rank << 2 | Token{boundary} << 1 | Token{tag};
    }
    ParallelForEach(executor_, pool_.rows.size(), kGrain, [&](std::size_t r) {
      const MemberRow& row = pool_.rows[r];
      Token* const first = pool_.tokens.data() + row.begin;
      Token* const middle = first + row.tags;
      Token* const last = middle + row.terms;
      for (Token* t = first; t != last; ++t) *t = token_of[*t];
      std::sort(first, middle);
      std::sort(middle, last);
    });
    MakeCells();
    return {};
  }

  // The commonest tags have a bit each.
  void MakeCells() {
    pool_.cells.assign(pool_.sources.size(), kNoCell);
    std::uint32_t exact = 0;
    for (std::uint32_t rank = static_cast<std::uint32_t>(pool_.sources.size()); rank-- > 0;) {
      if (pool_.carriers[rank] < 2) break;
      const std::uint32_t s = pool_.sources[rank];
      const bool tag = s < pool_.first_word && snapshot_.node_kind(s) != builtin::kTerm;
      pool_.cells[rank] =
          tag && exact < kExactTags ? static_cast<std::uint8_t>(exact++) : CellOf(rank, tag);
    }
  }

  void Describe() {
    pool_.trust.resize(pool_.rows.size());
    const NodeTypes type_of(snapshot_);
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    for (Row r = 0; r < pool_.count(); ++r) {
      const NodeId v = pool_.nodes[r];
      pool_.trust[r] = TrustOf(snapshot_, v);
      const std::string_view type = type_of(v);
      const auto [at, added] =
          numbers.try_emplace(type, static_cast<std::uint32_t>(pool_.types.size()));
      if (added) pool_.types.emplace_back(type);
      pool_.rows[r].type = at->second;
    }
    std::vector<std::uint8_t> wanted(pool_.sources.size(), 0);
    if (!options_.tags.empty())
      for (std::uint32_t rank = 0; rank < wanted.size(); ++rank)
        if (const std::uint32_t s = pool_.sources[rank]; s < pool_.first_word)
          wanted[rank] = IsWantedTag(DisplayName(snapshot_.key(s)), options_.tags);
    ParallelForEach(executor_, pool_.rows.size(), kGrain, [&](std::size_t r) {
      MemberRow& row = pool_.rows[r];
      const NodeId v = pool_.nodes[r];
      row.degree = static_cast<std::uint32_t>(pool_.ledger->events(v).size());
      row.outcomes = pool_.ledger->member_outcomes(v);
      row.wanted = options_.tags.empty();
      for (const Token t : pool_.tags(static_cast<Row>(r))) {
        row.boundaries += IsBoundary(t);
        row.wanted |= wanted[RankOf(t)] != 0;
      }
      pool_.SetSignature(static_cast<Row>(r));
    });
  }

  const Snapshot& snapshot_;
  const NeverComposedOptions& options_;
  Executor& executor_;
  SurfacePool& pool_;
  ArcFilter arcs_;
  bool of_texts_ = false;
  std::vector<std::uint32_t> words_, word_begins_;  // of texts, by row
  std::vector<std::uint8_t> telling_;               // by node
};

}  // namespace

SharedCounts SurfacePool::Shared(Row a, Row b) const {
  SharedCounts shared;
  shared.boundaries = rows[a].boundaries + rows[b].boundaries;
  const auto count = [](std::span<const Token> x, std::span<const Token> y, auto&& fn) {
    for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      const Token s = x[i], t = y[j];
      if (s == t) fn(s);
      i += s <= t;
      j += t <= s;
    }
  };
  count(tags(a), tags(b), [&](Token t) {
    ++shared.tags;
    shared.boundaries -= IsBoundary(t);
  });
  count(row_terms(a), row_terms(b), [&](Token) { ++shared.terms; });
  return shared;
}

std::string SurfacePool::Name(Token t) const {
  const std::uint32_t source = sources[RankOf(t)];
  if (terms.of_texts && !IsTag(t)) return terms.words[source - first_word];
  return std::string(DisplayName(snapshot->key(source)));
}

void SurfacePool::SetSignature(Row r) {
  MemberRow& row = rows[r];
  row.signature = {};
  std::uint32_t slack[2] = {0, 0};
  for (std::uint32_t i = 0; i < row.tags + row.terms; ++i) {
    const std::uint8_t cell = cells[RankOf(tokens[row.begin + i])];
    if (cell == kNoCell) continue;
    std::uint64_t& word = row.signature[cell / 64];
    const std::uint64_t bit = std::uint64_t{1} << (cell % 64);
    slack[i >= row.tags] += (word & bit) != 0;
    word |= bit;
  }
  row.tag_slack = static_cast<std::uint16_t>(std::min(slack[0], 65535u));
  row.term_slack = static_cast<std::uint8_t>(std::min(slack[1], 255u));
}

std::uint8_t CellOf(std::uint32_t rank, bool tag) {
  const std::uint32_t hash = (rank * 0x9E3779B1u) >> 25;  // 7 bits
  return static_cast<std::uint8_t>(tag ? 64 + hash : 192 + hash % 63);
}

bool IsBoundaryTag(std::string_view tag) {
  constexpr std::array<std::string_view, 11> kWords = {"accounting", "chain", "keeper", "oracle",
                                                       "pause",      "queue", "role",   "scope",
                                                       "settlement", "time",  "upgrade"};
  std::string lower(tag.substr(0, 16));
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower.starts_with("boundary-")) return true;
  return tag.size() == lower.size() &&
         std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

bool IsWantedTag(std::string_view tag, std::span<const std::string> wanted) {
  return TagFilter(wanted).Matches(tag);
}

Result<NodeSubset> PoolNodes(const Snapshot& snapshot, const NeverComposedOptions& options,
                             Executor& executor) {
  NodeSubset pool;
  if (options.pool) {
    pool = options.pool->Intersect(NodeSubset::Alive(snapshot));
  } else {
    VisibleOptions visible{.include_superseded = options.include_superseded,
                           .run = {.executor = &executor}};
    PLEXUS_ASSIGN(const auto seen, VisibleNodes(snapshot, options.now_ms, visible));
    constexpr NodeKindId kNoMemories[] = {builtin::kTurn, builtin::kEpisode};
    pool = seen->Except(NodeSubset::OfKinds(snapshot, kNoMemories));
  }
  return pool;
}

Result<SurfacePool> MakeSurfacePool(const Snapshot& snapshot, const NeverComposedOptions& options,
                                    Executor& executor) {
  SurfacePool pool;
  pool.snapshot = &snapshot;
  PLEXUS_ASSIGN(pool.ledger, LedgerInside(snapshot, options.inside, &executor));
  PLEXUS_ASSIGN(NodeSubset nodes, PoolNodes(snapshot, options, executor));
  NodeId band_end = snapshot.node_count();
  if (options.band && nodes.count() > options.band->pool_limit) {
    band_end = nodes.ToList()[options.band->pool_limit];
    pool.band_cut = true;
  }
  if (options.match == TagMatch::kBoth && !options.tags.empty()) {
    nodes = nodes.Intersect(TagCarriers(snapshot, options.tags, options.now_ms));
  }
  pool.nodes = nodes.ToList();
  pool.band_rows = static_cast<Row>(
      std::lower_bound(pool.nodes.begin(), pool.nodes.end(), band_end) - pool.nodes.begin());
  PLEXUS_TRY(PoolMaker(snapshot, options, executor, pool).Make());
  return pool;
}

}  // namespace plexus::memory::internal
