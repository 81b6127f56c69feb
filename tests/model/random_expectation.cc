// Choosing what a batch expects: mostly what is there, so that some batches are applied and some
// refused.
#include <bit>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/vocabulary.h"
#include "tests/model/random_batch.h"

namespace plexus::model {

namespace {

class Expecter {
 public:
  Expecter(std::mt19937_64& rng, const RandomOptions& o, const Model& before, WriteBatch& w)
      : rng_(rng), o_(o), before_(before), w_(w) {}

  bool One() {
    switch (Below(7)) {
      case 0:
        return SequenceIs();
      case 1:
      case 2:
        return Existence();
      case 3:
      case 4:
        return Column();
      default:
        return EdgeIs();
    }
  }

 private:
  std::uint64_t Below(std::uint64_t n) { return rng_() % n; }
  bool Likely() { return Below(8) != 0; }
  std::string AnyKey() {
    switch (Below(10)) {
      case 0:
        return IndexKey("tag", "t" + std::to_string(Below(4)));
      case 1:
        return IndexKey("event", "e" + std::to_string(Below(4)));
      default:
        return "k" + std::to_string(Below(static_cast<std::uint64_t>(o_.keys)));
    }
  }
  const Node* Find(const std::string& key) const {
    const auto it = before_.ids.find(key);
    return it == before_.ids.end() ? nullptr : &before_.nodes[it->second];
  }

  bool SequenceIs() {
    const Sequence expected = before_.sequence + (Likely() ? 0u : 1u);
    w_.ExpectSequence(expected);
    return expected == before_.sequence;
  }

  bool Existence() {
    const std::string key = AnyKey();
    const Node* node = Find(key);
    const bool exists = node && node->alive;
    const bool expected = exists == Likely();
    NodeRef ref = w_.Node(key);
    if (expected)
      w_.ExpectNode(ref);
    else
      w_.ExpectNoNode(ref);
    return exists == expected;
  }

  bool Column() {
    const char* names[] = {"stability", "stakes", "access_count", "created_at", "scope"};
    const std::uint64_t which = Below(5);
    const std::string key = AnyKey();
    std::optional<Value> has;
    if (const Node* node = Find(key))
      if (const auto it = node->columns.find(names[which]); it != node->columns.end())
        has = it->second;
    std::optional<Value> expected = has;
    if (!Likely()) {  // often something else
      expected.reset();
      if (Below(2))
        expected = which == 4  ? Value{0, "a"}
                   : which < 2 ? Value{std::bit_cast<std::uint64_t>(0.25), ""}
                               : Value{1, ""};
    }
    NodeRef ref = w_.Node(key);
    const ColumnRef column = w_.ColumnNamed(names[which]);
    if (which == 4) {
      w_.ExpectString(ref, column,
                      expected ? std::optional<std::string_view>(expected->text) : std::nullopt);
      return expected == has;
    }
    if (which >= 2) {
      w_.ExpectI64(
          ref, column,
          expected ? std::optional(std::bit_cast<std::int64_t>(expected->bits)) : std::nullopt);
      return expected == has;
    }
    w_.ExpectF64(ref, column,
                 expected ? std::optional(std::bit_cast<double>(expected->bits)) : std::nullopt);
    if (!expected || !has) return !expected && !has;
    return std::bit_cast<double>(expected->bits) == std::bit_cast<double>(has->bits);  // 0 is -0
  }

  bool EdgeIs() {
    const char* kinds[] = {"link", "supports", "contradicts", "friends", "keeps"};
    EdgeId id{0, kinds[Below(5)], 0, ""};
    std::string source = AnyKey(), target = AnyKey();
    if (!before_.edges.empty() && Below(2)) {
      id =
          std::next(before_.edges.begin(), static_cast<std::ptrdiff_t>(Below(before_.edges.size())))
              ->first;
      source = before_.nodes[id.source].key;
      target = before_.nodes[id.target].key;
    }
    const EdgeKind& kind = before_.edge_kind(id.kind);
    const auto a = before_.ids.find(source), b = before_.ids.find(target);
    bool exists = false;
    if (a != before_.ids.end() && b != before_.ids.end()) {
      id.source = a->second;
      id.target = b->second;
      if (kind.symmetric && id.source > id.target) std::swap(id.source, id.target);
      exists = before_.edges.contains(id);
    }
    std::string given = id.kind;
    if (kind.symmetric ? Below(2) == 0 : !kind.inverse.empty() && Below(2)) {
      std::swap(source, target);
      if (!kind.symmetric) given = kind.inverse;
    }
    const bool expected = exists == Likely();
    NodeRef from = w_.Node(source);
    NodeRef to = w_.Node(target);
    if (expected)
      w_.ExpectEdge(from, w_.EdgeKindNamed(given), to, id.label);
    else
      w_.ExpectNoEdge(from, w_.EdgeKindNamed(given), to, id.label);
    return exists == expected;
  }

  std::mt19937_64& rng_;
  const RandomOptions& o_;
  const Model& before_;
  WriteBatch& w_;
};

}  // namespace

bool AddExpectation(std::mt19937_64& rng, const RandomOptions& options, const Model& before,
                    WriteBatch& batch) {
  return Expecter(rng, options, before, batch).One();
}

}  // namespace plexus::model
