// Expressions and scans, against a look at every node.
#include <algorithm>
#include <set>

#include "algorithms/retrieval/scan.h"
#include "tests/service/check.h"

namespace plexus::service_test {
using namespace builtin;

std::string Checker::Where(Chance& chance) const {
  if (allowed_.victims != Victims::kExact && victims_) return "";
  const double trust = static_cast<double>(chance.Below(33)) / 32;
  const std::string tag = TagName(chance.Below(kTags));
  const std::int64_t since = DrawTime(chance);
  const std::string word = Word(chance.Below(kWords) / 4);
  const bool reads_texts = !allowed_.no_texts && !allowed_.unreadable && chance.OneIn(2);
  const std::string text = "(trust >= " + std::to_string(trust) + " or tag = '" + tag +
                           "') and (created_at < " + std::to_string(since) +
                           " or scope = 'team' or exists access_count)" +
                           (reads_texts ? " and text like '%" + word + "%'" : "");
  const auto found = retrieval::EvaluateWhere(snapshot_, text);
  if (!found) return text + ": " + found.error().ToString();
  const double told = std::stod(std::to_string(trust));
  std::set<NodeId> expected;
  for (const auto& [key, id] : ids_) {
    const WorldNode& n = world_.nodes.at(key);
    const bool first = (n.trust && *n.trust >= told) || n.tags.contains(tag);
    const bool second = n.created_at < since || n.scope == "team" || n.count.has_value();
    const bool third = !reads_texts || (n.text && n.text->find(word) != std::string::npos);
    if (first && second && third) expected.insert(id);
  }
  for (NodeId v = 0; v < snapshot_.node_count(); ++v)
    if (expected.contains(v) != found->nodes.contains(v))
      return text + (expected.contains(v) ? " lacks " : " has ") + KeyOf(v);
  return "";
}

std::string Checker::Scan(Chance& chance) const {
  if (allowed_.victims == Victims::kIgnored) return "";
  retrieval::NodeScan scan;
  const bool by_trust = chance.OneIn(2);
  scan.column = by_trust ? kTrust : kCreatedAt;
  if (by_trust)
    scan.from = static_cast<double>(chance.Below(33)) / 32;
  else
    scan.to = DrawTime(chance);
  scan.descending = chance.OneIn(2);
  scan.limit = 7;
  std::vector<NodeId> seen;
  for (bool more = true; more && seen.size() <= ids_.size();) {
    const auto page = retrieval::ScanNodes(snapshot_, scan);
    if (!page) return "scan: " + page.error().ToString();
    seen.insert(seen.end(), page->nodes.begin(), page->nodes.end());
    scan.after = page->last;
    more = page->more;
  }
  std::vector<std::pair<double, NodeId>> all;
  for (const auto& [key, id] : ids_) {
    const WorldNode& n = world_.nodes.at(key);
    if (by_trust && n.trust && *n.trust >= std::get<double>(*scan.from))
      all.emplace_back(*n.trust, id);
    if (!by_trust && n.created_at < std::get<std::int64_t>(*scan.to))
      all.emplace_back(static_cast<double>(n.created_at), id);
  }
  std::sort(all.begin(), all.end());
  if (scan.descending) std::reverse(all.begin(), all.end());
  if (seen.size() != all.size())
    return "scan: " + std::to_string(seen.size()) + " nodes instead of " +
           std::to_string(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (seen[i] != all[i].second) return "scan: the order at " + std::to_string(i);
  return "";
}

}  // namespace plexus::service_test
