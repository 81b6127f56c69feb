// TokenLists: lists of rows that share a token, cut by the next common one: what joins by shared
// tokens have in common.
//
// A row lists its tokens in one order for all rows, the rarest first. An item is a row at its last
// common token. A list is cut into one of every token that an item may have next in common; the
// join says how far that is, by what the pair must still reach (prefix filter: Bayardo, Ma,
// Srikant, "Scaling up all pairs similarity search", 2007). Of a pair at least one row is a probe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plexus::common_internal {

// How many pairs of `items` rows have one of the probes among them; at most that.
inline std::uint64_t JoinPairs(std::uint64_t items, std::uint64_t probes) {
  return items < 2 ? 0 : std::min(probes * (items - 1), items * (items - 1) / 2);
}

template <class Item>
struct TokenLists {
  std::vector<std::uint32_t> tokens, begins;  // of `items`; one more than tokens
  std::vector<Item> items;
  std::span<const Item> list(std::size_t i) const {
    return {items.data() + begins[i], begins[i + 1] - begins[i]};
  }
};

// Scratch of a thread.
class TokenCutter {
 public:
  explicit TokenCutter(std::size_t tokens) : counts_(tokens) {}

  // Cuts `items` into `out`. `walk(i, take)` calls take(token, item) for each token that items[i]
  // may have next in common, with the item there. An item of a new list costs `item_cost`
  // comparisons of a pair; false when that does not halve the pairs, unless there are more than
  // `always` items, and `out` is then of no use. Lists of one row or without a probe are left out;
  // lists ascend by token.
  // Complexity: O(tokens walked * log).
  template <class Item, class Probe, class Walk>
  bool Cut(std::span<const Item> items, std::uint64_t item_cost, std::size_t always, Probe&& probe,
           Walk&& walk, TokenLists<Item>& out) {
    out.tokens.clear();
    out.begins.clear();
    // Probes first: where none is, the others need not be counted.
    std::uint64_t probes = 0;
    for (const bool now : {true, false}) {
      if (!now && probes == items.size()) break;
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (probe(items[i]) != now) continue;
        probes += now;
        walk(i, [&](std::uint32_t token, const Item&) {
          Count& count = counts_[token];
          if (count.probes == 0 && !now) return;
          if (count.items++ == 0) out.tokens.push_back(token);
          count.probes += now;
        });
      }
    }
    std::sort(out.tokens.begin(), out.tokens.end());
    std::uint64_t after = 0;
    std::uint32_t size = 0;
    std::size_t kept = 0;
    for (const std::uint32_t token : out.tokens) {
      Count& count = counts_[token];
      const std::uint32_t n = count.items;
      if (n < 2) {
        count = {};
        continue;
      }
      after += JoinPairs(n, count.probes) + n * item_cost;
      out.tokens[kept++] = token;
      out.begins.push_back(size);
      count.items = size + 1;  // where the next item goes, plus one
      size += n;
    }
    out.tokens.resize(kept);
    out.begins.push_back(size);
    const bool pays = after < JoinPairs(items.size(), probes) / 2 || items.size() > always;
    out.items.resize(pays ? size : 0);
    for (std::size_t i = 0; pays && i < items.size(); ++i)
      walk(i, [&](std::uint32_t token, const Item& item) {
        if (counts_[token].items > 0) out.items[counts_[token].items++ - 1] = item;
      });
    for (const std::uint32_t token : out.tokens) counts_[token] = {};
    return pays;
  }

 private:
  struct Count {
    std::uint32_t items = 0, probes = 0;
  };
  std::vector<Count> counts_;  // by token, zero between cuts
};

}  // namespace plexus::common_internal
