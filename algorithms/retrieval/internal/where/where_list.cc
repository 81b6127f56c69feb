// Lengths first, the shortest list then; see where_tree.h. Sets: nodes that a batch touched are
// tested again, the others stay what they were.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/common/internal/node_order.h"
#include "algorithms/retrieval/internal/where/where_tree.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

using common_internal::NodeOrder;

namespace {

constexpr std::uint64_t kNoList = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostKey = std::numeric_limits<std::uint64_t>::max();

struct KeyRange {
  std::uint64_t first = 0, last = kMostKey;  // both inside; first > last: empty
};
constexpr KeyRange kEmptyRange{1, 0};

class Lists {
 public:
  Lists(const Snapshot& snapshot, bool make_orders) : s_(snapshot), make_(make_orders) {
    has_tag_ = ArcFilter::Kind(snapshot.schema(), builtin::kHasTag);
  }

  // Entries, about; kNoList: the test bounds nothing.
  std::uint64_t Length(const WhereTest& test) {
    switch (test.form) {
      case WhereForm::kAnd: {
        std::uint64_t least = kNoList;
        for (const WhereTest& part : test.parts) least = std::min(least, Length(part));
        return least;
      }
      case WhereForm::kOr: {
        std::uint64_t sum = 0;
        for (const WhereTest& part : test.parts) {
          const std::uint64_t length = Length(part);
          if (length == kNoList) return kNoList;
          sum += length;
        }
        return sum;
      }
      default: {
        std::uint64_t sum = 0;
        return Visit(test, [&](std::uint64_t length, auto&&) { sum += length; }) ? sum : kNoList;
      }
    }
  }

  // REQUIRES Length(test) != kNoList.
  void Fill(const WhereTest& test, std::vector<NodeId>& nodes) {
    if (test.form == WhereForm::kAnd) {
      const WhereTest* shortest = nullptr;
      std::uint64_t least = kNoList;
      for (const WhereTest& part : test.parts)
        if (const std::uint64_t length = Length(part); length < least) {
          least = length;
          shortest = &part;
        }
      Fill(*shortest, nodes);
    } else if (test.form == WhereForm::kOr) {
      for (const WhereTest& part : test.parts) Fill(part, nodes);
    } else {
      Visit(test, [&](std::uint64_t, auto&& fill) { fill(nodes); });
    }
  }

 private:
  // list(length, fill) for every list that together hold what the leaf is true of; false: none do.
  template <class Fn>
  bool Visit(const WhereTest& test, Fn&& list) {
    const bool equal =
        test.form == WhereForm::kCompare && test.comparison == WhereComparison::kEqual;
    if (test.field == WhereField::kColumn)
      return test.path.empty() && VisitColumn(test, list);  // else properties count, too
    if (!equal && test.form != WhereForm::kIn) return false;
    if (test.field == WhereField::kScope) return VisitScope(test, equal, list);
    if (test.field == WhereField::kText || test.field == WhereField::kProperty) return false;
    if (test.field == WhereField::kKind && !Order(std::nullopt)) return false;
    ForEachString(test, equal, [&](const std::string& name) {
      if (test.field == WhereField::kKind)
        VisitKind(name, list);
      else if (test.field == WhereField::kKey)
        VisitKey(name, list);
      else
        VisitTag(name, list);
    });
    return true;
  }

  template <class Fn>
  static void ForEachString(const WhereTest& test, bool equal, Fn&& fn) {
    if (equal) {
      fn(std::get<std::string>(test.value.value));
    } else {
      for (const std::string& text : test.list.strings) fn(text);
    }
  }

  template <class Fn>
  void VisitKind(const std::string& name, Fn&& list) {
    if (const auto kind = s_.schema().FindNodeKind(name))
      VisitRange(*Order(std::nullopt), {std::uint64_t{*kind}, std::uint64_t{*kind}}, list);
  }

  // A node's own key, or "kind:name" of an index node, whatever the ":" that parts it.
  template <class Fn>
  void VisitKey(const std::string& shown, Fn&& list) {
    const auto offer = [&](std::optional<NodeId> node) {
      if (node) list(1, [&](std::vector<NodeId>& nodes) { nodes.push_back(*node); });
    };
    offer(s_.Find(shown));
    for (std::size_t at = shown.find(':'); at != std::string::npos; at = shown.find(':', at + 1))
      offer(s_.Find(IndexKey(shown.substr(0, at), shown.substr(at + 1))));
  }

  template <class Fn>
  void VisitTag(const std::string& name, Fn&& list) {
    const auto tag = s_.Find(IndexKey(s_.schema().node_kind(builtin::kTag).name, name));
    if (!tag) return;
    list(s_.Degree(Direction::kIn, *tag, has_tag_), [&](std::vector<NodeId>& nodes) {
      s_.ForEachArc(Direction::kIn, *tag, has_tag_,
                    [&](const Arc& arc) { nodes.push_back(arc.neighbor); });
    });
  }

  template <class Fn>
  bool VisitScope(const WhereTest& test, bool equal, Fn&& list) {
    bool has_default = false;  // also where none is stored
    ForEachString(test, equal,
                  [&](const std::string& name) { has_default |= name == builtin::kDefaultScope; });
    if (has_default) return false;
    const auto order = Order(builtin::kScope);
    if (!order) return false;
    ForEachString(test, equal,
                  [&](const std::string& name) { VisitRange(*order, StringRange(name), list); });
    return true;
  }

  template <class Fn>
  bool VisitColumn(const WhereTest& test, Fn&& list) {
    const bool compares =
        test.form == WhereForm::kCompare && test.comparison != WhereComparison::kNotEqual;
    if (!compares && test.form != WhereForm::kIn && test.form != WhereForm::kExists) return false;
    if (compares && test.type == ColumnType::kString && test.comparison != WhereComparison::kEqual)
      return false;  // the order of strings is that of their ids
    const auto order = Order(test.column);
    if (!order) return false;
    if (test.form == WhereForm::kExists) {
      VisitRange(*order, {}, list);
    } else if (test.type == ColumnType::kString) {
      ForEachString(test, compares,
                    [&](const std::string& text) { VisitRange(*order, StringRange(text), list); });
    } else if (compares) {
      VisitRange(*order, Range(test, test.comparison, test.value), list);
    } else {
      for (const WhereValue& number : test.list.numbers)
        VisitRange(*order, Range(test, WhereComparison::kEqual, number), list);
      for (const std::int64_t time : test.list.times)
        VisitRange(*order, Range(test, WhereComparison::kEqual, {time, {}}), list);
    }
    return true;
  }

  KeyRange StringRange(const std::string& text) const {
    const auto id = s_.FindString(text);
    return id ? KeyRange{*id, *id} : kEmptyRange;
  }

  // Keys of an order of numbers that hold at least what lies so to the value.
  KeyRange Range(const WhereTest& test, WhereComparison comparison, const WhereValue& value) const {
    // The value's key, or those next to it where its type cannot hold it.
    std::uint64_t low, high;
    const auto* whole = std::get_if<std::int64_t>(&value.value);
    const auto* large = std::get_if<std::uint64_t>(&value.value);
    const auto* number = std::get_if<double>(&value.value);
    if (test.type == ColumnType::kF64) {
      const double near = whole   ? static_cast<double>(*whole)
                          : large ? static_cast<double>(*large)
                                  : *number;
      const double infinity = std::numeric_limits<double>::infinity();
      const auto key = [](double bound) {
        return common_internal::NodeOrder::KeyOf(ColumnType::kF64,
                                                 std::bit_cast<std::uint64_t>(bound));
      };
      low = key(std::nextafter(near, -infinity));
      high = key(std::nextafter(near, infinity));
    } else {
      const auto key = [](std::int64_t bound) {
        return common_internal::NodeOrder::KeyOf(ColumnType::kI64,
                                                 std::bit_cast<std::uint64_t>(bound));
      };
      const auto bound = [](double at) {
        return at >= 0x1p63   ? std::numeric_limits<std::int64_t>::max()
               : at < -0x1p63 ? std::numeric_limits<std::int64_t>::min()
                              : static_cast<std::int64_t>(at);
      };
      if (value.time_ms) {
        low = high = key(*value.time_ms);
      } else if (whole) {
        low = high = key(*whole);
      } else if (large) {
        low = high = key(std::numeric_limits<std::int64_t>::max());
      } else {
        low = key(bound(std::floor(*number)));
        high = key(bound(std::ceil(*number)));
      }
    }
    switch (comparison) {
      case WhereComparison::kLess:
      case WhereComparison::kLessOrEqual:
        return {0, high};
      case WhereComparison::kGreater:
      case WhereComparison::kGreaterOrEqual:
        return {low, kMostKey};
      default:
        return {low, high};
    }
  }

  template <class Fn>
  static void VisitRange(const common_internal::NodeOrder& order, KeyRange range, Fn&& list) {
    if (range.first > range.last) return;
    const std::uint64_t first = order.Rank({range.first, 0});
    const std::uint64_t last =
        range.last == kMostKey ? order.size() : order.Rank({range.last + 1, 0});
    list(last - first, [&](std::vector<NodeId>& nodes) {
      order.ForEach(first, last, false, [&](common_internal::NodeOrder::Entry entry) {
        nodes.push_back(entry.node);
        return true;
      });
    });
  }

  // Null: it is not kept, and none is made.
  std::shared_ptr<const common_internal::NodeOrder> Order(std::optional<ColumnId> column) {
    if (!make_) return common_internal::NodeOrder::Kept(s_, column);
    return column ? common_internal::NodeOrder::OfColumn(s_, *column)
                  : common_internal::NodeOrder::OfKinds(s_);
  }

  const Snapshot& s_;
  const bool make_;
  ArcFilter has_tag_;
};

}  // namespace

std::optional<std::vector<NodeId>> ShortestList(const Snapshot& snapshot, const WhereTest& root,
                                                bool make_orders, std::uint64_t most) {
  Lists lists(snapshot, make_orders);
  if (lists.Length(root) > most) return std::nullopt;
  std::vector<NodeId> nodes;
  lists.Fill(root, nodes);
  std::ranges::sort(nodes);
  const auto rest = std::ranges::unique(nodes);
  nodes.erase(rest.begin(), rest.end());
  return nodes;
}

bool WhereSet::CanKeep(const WhereExpression& expression) {
  return expression.tree_->timeless && expression.tree_->root.cost <= WhereCost::kRow;
}

std::uint32_t WhereSet::PlaceOf(const WhereExpression& expression) {
  return static_cast<std::uint32_t>(std::hash<std::string>()(expression.tree_->text) % kPlaces);
}

WhereSet::WhereSet(const WhereExpression& expression, NodeSubset nodes, NodeSubset facts)
    : expression_(expression), nodes_(std::move(nodes)), facts_(std::move(facts)) {}

std::shared_ptr<const WhereSet> WhereSet::Find(const Snapshot& snapshot,
                                               const WhereExpression& expression) {
  auto kept = FindDerived<WhereSet>(snapshot, PlaceOf(expression));
  if (!kept || kept->expression_.tree_->text != expression.tree_->text) return nullptr;
  return kept;
}

std::shared_ptr<const WhereSet> WhereSet::Keep(const Snapshot& snapshot,
                                               const WhereExpression& expression,
                                               NodeSubset nodes) {
  std::vector<std::uint64_t> words(nodes.word_count());
  for (const NodeId v : nodes.ToList())
    if (snapshot.is_fact(v)) words[v / 64] |= std::uint64_t{1} << (v % 64);
  NodeSubset facts(nodes.capacity(), std::move(words));
  std::shared_ptr<const WhereSet> made(
      new WhereSet(expression, std::move(nodes), std::move(facts)));
  ReplaceDerived<WhereSet>(snapshot, made, PlaceOf(expression));
  return made;
}

std::shared_ptr<const Carried> WhereSet::Carry(const Snapshot& now,
                                               const StateChanges& changes) const {
  std::vector<NodeId> touched = changes.nodes;
  for (const StateChanges::Column& c : changes.columns) touched.push_back(c.node);
  for (const StateChanges::Edge& e : changes.edges)
    if (e.kind == builtin::kHasTag) touched.push_back(e.source);
  for (NodeId v = changes.first_new; v < now.node_count(); ++v) touched.push_back(v);
  std::ranges::sort(touched);
  const auto repeated = std::ranges::unique(touched);
  touched.erase(repeated.begin(), repeated.end());
  WhereOptions options;
  options.index_nodes = true;
  options.run.executor = &SerialExecutor();
  const auto found = EvaluateWhereOf(now, expression_.tree_->root, options, touched);
  if (!found) return nullptr;
  std::vector<NodeSubset::Change> members, facts;
  for (const NodeId v : touched) {
    members.push_back({v, std::ranges::binary_search(*found, v)});
    facts.push_back({v, members.back().member && now.is_fact(v)});
  }
  return std::shared_ptr<const WhereSet>(new WhereSet(
      expression_, nodes_.With(now.node_count(), members), facts_.With(now.node_count(), facts)));
}

std::uint64_t WhereSet::size_bytes() const {
  return sizeof(*this) + expression_.tree_->text.capacity() + nodes_.size_bytes() +
         facts_.size_bytes();
}

}  // namespace plexus::retrieval::internal
