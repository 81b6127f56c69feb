// Never-composed sets by brute force: every pair, every triple, sets of shared nodes.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "tests/reference/oracles.h"

namespace plexus::reference {

namespace {

// Shared nodes by their rank in the documented order of adding: falling df, then falling id.
using Rank = std::uint32_t;

struct Tables {
  std::vector<std::vector<Rank>> has;  // by fact, ascending
  std::vector<NodeId> nodes;           // by rank: those of df >= 2
  std::vector<double> weights;
  std::set<std::pair<NodeId, NodeId>> links;
  std::vector<std::set<NodeId>> events;
};

Tables MakeTables(const FrontierInput& input) {
  Tables tables;
  std::vector<std::set<NodeId>> has(input.facts.size());
  std::map<NodeId, int> df;
  for (const auto& [fact, t] : input.has)
    if (input.facts[fact] && has[fact].insert(t).second) ++df[t];
  for (const auto& [t, count] : df)
    if (count >= 2) tables.nodes.push_back(t);
  std::ranges::sort(tables.nodes,
                    [&](NodeId x, NodeId y) { return df[x] != df[y] ? df[x] > df[y] : x > y; });
  std::map<NodeId, Rank> ranks;
  for (const NodeId t : tables.nodes) {
    ranks[t] = static_cast<Rank>(tables.weights.size());
    tables.weights.push_back(1.0 / std::log(1.0 + df[t]));
  }
  for (const auto& [a, b] : input.links) tables.links.insert(std::minmax(a, b));
  for (const auto& members : input.events)
    tables.events.emplace_back(members.begin(), members.end());
  for (const auto& list : has) {
    auto& mine = tables.has.emplace_back();
    for (const NodeId t : list)
      if (const auto rank = ranks.find(t); rank != ranks.end()) mine.push_back(rank->second);
    std::ranges::sort(mine);
  }
  return tables;
}

std::vector<Rank> Shared(const Tables& tables, NodeId a, NodeId b) {
  std::vector<Rank> shared;
  std::ranges::set_intersection(tables.has[a], tables.has[b], std::back_inserter(shared));
  return shared;
}

bool Masked(const Tables& tables, const std::vector<NodeId>& members) {
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j)
      if (tables.links.contains({members[i], members[j]})) return true;
  for (const auto& event : tables.events)
    if (std::all_of(members.begin(), members.end(), [&](NodeId v) { return event.contains(v); }))
      return true;
  return false;
}

void Consider(const FrontierInput& input, const Tables& tables, std::vector<NodeId> members,
              std::vector<FrontierRow>& rows) {
  if (!input.anchors.empty() &&
      std::none_of(members.begin(), members.end(), [&](NodeId v) { return input.anchors[v]; }))
    return;
  FrontierRow row{std::move(members), 0, {}};
  std::vector<bool> shares(row.members.size(), false);
  for (std::size_t i = 0; i < row.members.size(); ++i)
    for (std::size_t j = i + 1; j < row.members.size(); ++j) {
      double score = 0;
      for (Rank t : Shared(tables, row.members[i], row.members[j])) score += tables.weights[t];
      if (score > 0) shares[i] = shares[j] = true;
      row.score += score;
    }
  if (row.members.size() == 3) row.score /= 3;
  if (std::find(shares.begin(), shares.end(), false) != shares.end()) return;
  rows.push_back(std::move(row));
}

void Explain(const Tables& tables, FrontierRow& row) {
  const double pairs = row.members.size() == 2 ? 1 : 3;
  for (std::size_t i = 0; i < row.members.size(); ++i)
    for (std::size_t j = i + 1; j < row.members.size(); ++j)
      for (Rank t : Shared(tables, row.members[i], row.members[j]))
        row.shares[tables.nodes[t]] += tables.weights[t] / pairs;
}

}  // namespace

std::vector<FrontierRow> Frontier(const FrontierInput& input, int arity, std::size_t top) {
  const Tables tables = MakeTables(input);
  std::vector<FrontierRow> rows;
  const auto n = static_cast<NodeId>(input.candidates.size());
  for (NodeId a = 0; a < n; ++a)
    for (NodeId b = a + 1; b < n; ++b) {
      if (!input.candidates[a] || !input.candidates[b]) continue;
      if (arity == 2) Consider(input, tables, {a, b}, rows);
      for (NodeId c = b + 1; arity == 3 && c < n; ++c)
        if (input.candidates[c]) Consider(input, tables, {a, b, c}, rows);
    }
  std::sort(rows.begin(), rows.end(), [](const FrontierRow& x, const FrontierRow& y) {
    return x.score != y.score ? x.score > y.score : x.members < y.members;
  });
  std::vector<FrontierRow> kept;
  for (FrontierRow& row : rows) {
    if (top != 0 && kept.size() == top) break;
    if (Masked(tables, row.members)) continue;
    Explain(tables, row);
    kept.push_back(std::move(row));
  }
  return kept;
}

}  // namespace plexus::reference
