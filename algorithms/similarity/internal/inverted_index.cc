// Building an InvertedIndex: read each fact's index neighbours, count df over all facts,
// order the terms, keep the candidates' rows, sign them.
#include "algorithms/similarity/internal/inverted_index.h"

#include <cmath>

#include "engine/vocabulary.h"

namespace plexus::similarity::internal {

namespace {

constexpr std::size_t kGrain = 8192;
constexpr std::uint32_t kNoTerm = std::numeric_limits<std::uint32_t>::max();

Result<ArcFilter> SharedKinds(const Snapshot& snapshot, const GraphFilter& given) {
  const auto& all = snapshot.schema().edge_kinds();
  EdgeKinds kinds = given.kinds;
  for (EdgeKindId kind : kinds) {
    if (kind >= all.size() || all[kind].name.empty())
      return Invalid("edge kind ", kind, " is not defined in this graph");
    if (all[kind].plane != Plane::kIndex)
      return Invalid("edge kind '", all[kind].name,
                     "' joins facts; what is shared are index nodes "
                     "(has_tag, has_term, mentions ...)");
  }
  if (!kinds.given())
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k].plane == Plane::kIndex && k != builtin::kMember && k != builtin::kLabels &&
          !all[k].name.empty())
        kinds.push_back(static_cast<EdgeKindId>(k));
  ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), kinds);
  return given.valid_at == kNoTime ? filter : filter.ValidAt(given.valid_at);
}

// The neighbours of the facts of one block of nodes.
struct Block {
  std::vector<NodeId> facts;          // those that have any
  std::vector<std::uint32_t> counts;  // parallel
  std::vector<NodeId> neighbors;      // row after row, ascending, each once
};

Block ReadBlock(const Snapshot& snapshot, const ArcFilter& filter, NodeId first, NodeId last) {
  Block block;
  for (NodeId v = first; v < last; ++v) {
    if (!snapshot.alive(v) || !snapshot.is_fact(v)) continue;
    const std::size_t begin = block.neighbors.size();
    snapshot.ForEachArc(Direction::kBoth, v, filter, [&](const Arc& arc) {
      block.neighbors.push_back(arc.neighbor);  // facts among them are left out later
    });
    const auto from = block.neighbors.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::adjacent_find(from, block.neighbors.end(), std::greater_equal<>()) !=
        block.neighbors.end()) {
      std::sort(from, block.neighbors.end());
      block.neighbors.erase(std::unique(from, block.neighbors.end()), block.neighbors.end());
    }
    if (block.neighbors.size() == begin) continue;
    block.facts.push_back(v);
    block.counts.push_back(static_cast<std::uint32_t>(block.neighbors.size() - begin));
  }
  return block;
}

std::vector<Block> ReadAll(const Snapshot& snapshot, const ArcFilter& filter, Executor& executor) {
  const NodeId n = snapshot.node_count();
  std::vector<Block> blocks((n + kGrain - 1) / kGrain);
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    blocks[begin / kGrain] =
        ReadBlock(snapshot, filter, static_cast<NodeId>(begin), static_cast<NodeId>(end));
  });
  return blocks;
}

// Gives the terms, in their order, weights and bits; returns node -> term.
template <class Weight>
std::vector<std::uint32_t> PlaceTerms(const std::vector<std::uint32_t>& df, InvertedIndex& index,
                                      Weight&& weight) {
  const std::size_t terms = index.term_nodes.size();
  index.weights.resize(terms);
  index.units.resize(terms);
  std::vector<std::uint32_t> places(df.size(), kNoTerm);
  std::uint64_t postings = 0;
  for (std::size_t i = 0; i < terms; ++i) {
    const NodeId t = index.term_nodes[i];
    places[t] = static_cast<std::uint32_t>(i);
    index.weights[i] = weight(t);
    index.units[i] = static_cast<std::uint32_t>(std::ceil(index.weights[i] * kUnit));
    if (i + 64 < terms) postings += df[t];
  }
  // Words: the last for the 64 commonest, the others a third of the remaining postings.
  index.cells.resize(terms);
  std::array<std::uint32_t, kWords> used{};
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < terms; ++i) {
    std::size_t word = kWords - 1;
    if (i + 64 < terms) {
      word = static_cast<std::size_t>(before * (kWords - 1) / postings);
      before += df[index.term_nodes[i]];
    }
    index.cells[i] = static_cast<std::uint8_t>(word * 64 + used[word]++ % 64);
    index.word_units[word] = std::max(index.word_units[word], index.units[i]);
  }
  return places;
}

// Terms from the rarest to the commonest; returns node -> term.
std::vector<std::uint32_t> OrderTerms(const Snapshot& snapshot, const std::vector<Block>& blocks,
                                      InvertedIndex& index) {
  const NodeId node_count = snapshot.node_count();
  std::vector<std::uint32_t> df(node_count, 0);
  for (const Block& block : blocks)
    for (NodeId t : block.neighbors) ++df[t];
  for (NodeId t = 0; t < node_count; ++t)
    if (df[t] >= 2 && snapshot.alive(t) && !snapshot.is_fact(t)) index.term_nodes.push_back(t);
  std::stable_sort(index.term_nodes.begin(), index.term_nodes.end(),
                   [&](NodeId a, NodeId b) { return df[a] < df[b]; });
  return PlaceTerms(df, index,
                    [&](NodeId t) { return 1.0 / std::log(1.0 + static_cast<double>(df[t])); });
}

// A candidate and where its neighbours lie.
struct RowSource {
  NodeId node;
  std::uint32_t count;  // terms, once known
  const NodeId* first;
  const NodeId* last;
};

std::vector<RowSource> Candidates(const std::vector<Block>& blocks, const NodeSubset* subset) {
  std::vector<RowSource> rows;
  for (const Block& block : blocks) {
    const NodeId* at = block.neighbors.data();
    for (std::size_t i = 0; i < block.facts.size(); ++i) {
      if (!subset || subset->contains(block.facts[i]))
        rows.push_back({block.facts[i], 0, at, at + block.counts[i]});
      at += block.counts[i];
    }
  }
  return rows;
}

void Sign(const InvertedIndex& index, std::span<const IndexEntry> row, Signature& out) {
  out = {};
  for (const IndexEntry& e : row) {
    const std::size_t word = index.cells[e.term] >> 6;
    const std::uint64_t bit = std::uint64_t{1} << (index.cells[e.term] & 63);
    if (out.words[word] & bit) out.slack[word] = AddUnits(out.slack[word], index.units[e.term]);
    out.words[word] |= bit;
  }
  for (std::size_t k = kWords - 1; k-- > 0;)
    out.slack[k] = AddUnits(out.slack[k], out.slack[k + 1]);
}

void FillRow(InvertedIndex& index, const RowSource& source,
             const std::vector<std::uint32_t>& places, std::uint32_t row) {
  IndexEntry* const begin = index.entries.data() + index.begins[row];
  IndexEntry* at = begin;
  for (const NodeId* t = source.first; t != source.last; ++t)
    if (places[*t] != kNoTerm) *at++ = {places[*t], 0};
  std::sort(begin, at, [](const IndexEntry& a, const IndexEntry& b) { return a.term < b.term; });
  std::uint32_t suffix_weight = 0;
  for (IndexEntry* e = at; e-- != begin;)
    e->suffix_weight = suffix_weight = AddUnits(suffix_weight, index.units[e->term]);
  Sign(index, {begin, at}, index.signatures[row]);
}

void CountWedges(InvertedIndex& index) {
  std::vector<std::uint64_t> lengths(index.term_count(), 0);
  for (const IndexEntry& e : index.entries) ++lengths[e.term];
  for (std::uint64_t length : lengths) {
    const std::uint64_t pairs = length < 2 ? 0 : length * (length - 1) / 2;
    index.wedges = index.wedges + pairs < pairs ? ~std::uint64_t{0} : index.wedges + pairs;
  }
}

// Rows of the sources that have terms, in their order.
Status LayRows(std::vector<RowSource>& sources, const std::vector<std::uint32_t>& places,
               InvertedIndex& index, Executor& executor) {
  if (sources.size() >= std::size_t{1} << 31)
    return Unsupported("frontier takes fewer than 2^31 candidates");

  index.nodes.reserve(sources.size());
  index.begins.assign(1, 0);
  index.begins.reserve(sources.size() + 1);
  std::uint64_t total = 0;
  for (const RowSource& s : sources) {
    index.nodes.push_back(s.node);
    total += s.count;
    index.begins.push_back(static_cast<std::uint32_t>(total));
  }
  if (total > Limits::kMaxArcs)
    return Unsupported("frontier takes fewer than 2^32 arcs at index nodes");
  index.entries = AlignedArray<IndexEntry>(total);
  index.signatures = AlignedArray<Signature>(sources.size());
  ParallelForEach(executor, sources.size(), kGrain, [&](std::size_t i) {
    FillRow(index, sources[i], places, static_cast<std::uint32_t>(i));
  });
  CountWedges(index);
  return {};
}

}  // namespace

double InvertedIndex::PairScore(std::uint32_t a, std::uint32_t b) const {
  const IndexEntry* const begin_a = entries.data() + begins[a];
  const IndexEntry* const begin_b = entries.data() + begins[b];
  const IndexEntry* x = entries.data() + begins[a + 1];
  const IndexEntry* y = entries.data() + begins[b + 1];
  double sum = 0;
  while (x != begin_a && y != begin_b) {
    const std::uint32_t s = x[-1].term, t = y[-1].term;
    if (s == t) sum += weights[s];
    x -= s >= t;
    y -= t >= s;
  }
  return sum;
}

Result<InvertedIndex> MakeInvertedIndex(const Snapshot& snapshot, const GraphFilter& filter,
                                        const NodeSubset* anchors, Executor& executor) {
  PLEXUS_ASSIGN(const ArcFilter shared, SharedKinds(snapshot, filter));
  const std::vector<Block> blocks = ReadAll(snapshot, shared, executor);
  InvertedIndex index;
  const std::vector<std::uint32_t> places = OrderTerms(snapshot, blocks, index);

  std::vector<RowSource> sources = Candidates(blocks, filter.subset);
  ParallelForEach(executor, sources.size(), kGrain, [&](std::size_t i) {
    for (const NodeId* t = sources[i].first; t != sources[i].last; ++t)
      sources[i].count += places[*t] != kNoTerm;
  });
  std::erase_if(sources, [](const RowSource& s) { return s.count == 0; });
  if (anchors)
    index.anchors = static_cast<std::uint32_t>(
        std::stable_partition(sources.begin(), sources.end(),
                              [&](const RowSource& s) { return anchors->contains(s.node); }) -
        sources.begin());
  PLEXUS_TRY(LayRows(sources, places, index, executor));
  return index;
}

Result<InvertedIndex> MakeInvertedIndex(const CsrView& rows, std::span<const double> shares,
                                        Executor& executor) {
  InvertedIndex index;
  std::vector<std::uint32_t> df(rows.node_count(), 0);
  for (const NodeId t : rows.neighbors) ++df[t];
  for (NodeId t = 0; t < rows.node_count(); ++t)
    if (df[t] >= 2 && shares[t] > 0) index.term_nodes.push_back(t);
  std::stable_sort(index.term_nodes.begin(), index.term_nodes.end(), [&](NodeId a, NodeId b) {
    return shares[a] != shares[b] ? shares[a] > shares[b] : df[a] < df[b];
  });
  const std::vector<std::uint32_t> places =
      PlaceTerms(df, index, [&](NodeId t) { return shares[t]; });
  std::vector<RowSource> sources;
  for (NodeId v = 0; v < rows.node_count(); ++v) {
    const NodeId* const first = rows.neighbors.data() + rows.offsets[v];
    RowSource source{v, 0, first, first + rows.degree(v)};
    for (const NodeId* t = source.first; t != source.last; ++t)
      source.count += places[*t] != kNoTerm;
    if (source.count > 0) sources.push_back(source);
  }
  PLEXUS_TRY(LayRows(sources, places, index, executor));
  return index;
}

}  // namespace plexus::similarity::internal
