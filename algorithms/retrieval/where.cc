// EvaluateWhere: a list to read, what RAM decides, then what has to be fetched; see scan.h.
//
// Nodes are taken in blocks. A test that needs a text or properties first answers "not read"; the
// nodes whose truth hangs on it are fetched together, in the order of the payload store.
#include "algorithms/retrieval/scan.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stoppable_executor.h"
#include "algorithms/retrieval/internal/where/where_tree.h"
#include "engine/out_of_memory.h"
#include "engine/properties/properties.h"
#include "engine/state.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

using internal::WhereComparison;
using internal::WhereField;
using internal::WhereForm;
using internal::WhereScalar;
using internal::WhereSet;
using internal::WhereTest;
using internal::WhereTruth;

constexpr std::size_t kBlockNodes =
    1024;  // nodes a block; a multiple of 64, so that words are its own
constexpr std::size_t kFetchesPerLook = 128;  // fetched payloads between two looks at the budget

WhereTruth Not(WhereTruth truth) {
  return truth == WhereTruth::kNeither ? truth
         : truth == WhereTruth::kTrue  ? WhereTruth::kFalse
                                       : WhereTruth::kTrue;
}
WhereTruth Truth(bool holds) { return holds ? WhereTruth::kTrue : WhereTruth::kFalse; }

// What of a node was fetched. `missing`: it has none.
struct Fetched {
  bool read = false, missing = false;
  std::string_view text;
  const PropertyMap* properties = nullptr;
};

// One node under an expression. `needs`: the field that a test asked for and that was not read.
class NodeTruth {
 public:
  NodeTruth(const Snapshot& snapshot, const ArcFilter& has_tag) : s_(snapshot), has_tag_(has_tag) {}

  void Begin(NodeId node) {
    node_ = node;
    fetched_[0] = fetched_[1] = {};
    needs.reset();
  }
  Fetched& fetched(NodeField field) { return fetched_[static_cast<int>(field)]; }

  // nullopt: it hangs on what was not read. `only_true`: neither counts as false.
  std::optional<WhereTruth> Of(const WhereTest& test, bool only_true) {
    switch (test.form) {
      case WhereForm::kAnd:
      case WhereForm::kOr: {
        const bool is_and = test.form == WhereForm::kAnd;
        const WhereTruth decides = Truth(!is_and);
        bool neither = false;
        for (const WhereTest& part : test.parts) {
          const auto truth = Of(part, only_true);
          if (!truth) return std::nullopt;  // later parts cost no less
          if (*truth == decides) return decides;
          neither |= *truth == WhereTruth::kNeither;
          if (neither && is_and && only_true) return WhereTruth::kFalse;
        }
        return neither ? WhereTruth::kNeither : Not(decides);
      }
      case WhereForm::kNot: {
        const auto truth = Of(test.parts[0], false);
        return truth ? std::optional(Not(*truth)) : std::nullopt;
      }
      default:
        return test.field == WhereField::kTag ? OfTags(test) : OfLeaf(test);
    }
  }

  std::optional<NodeField> needs;

 private:
  static WhereTruth Tested(const WhereTest& test, const WhereScalar& have) {
    if (test.form == WhereForm::kExists)
      return Truth(!std::holds_alternative<std::monostate>(have));
    if (test.form == WhereForm::kIn) return internal::IsIn(have, test.list);
    if (test.form == WhereForm::kLike) {
      const std::string_view* text = std::get_if<std::string_view>(&have);
      return text ? Truth(test.pattern.Matches(*text)) : WhereTruth::kNeither;
    }
    const auto order = internal::CompareWhere(have, test.value);
    return order ? Truth(internal::Holds(test.comparison, *order)) : WhereTruth::kNeither;
  }

  std::optional<WhereTruth> OfTags(const WhereTest& test) const {
    const bool unlike =
        test.form == WhereForm::kCompare && test.comparison == WhereComparison::kNotEqual;
    bool found = false;
    s_.ForEachArc(Direction::kOut, node_, has_tag_, [&](const Arc& arc) {
      const WhereScalar name = DisplayName(s_.key(arc.neighbor));
      found = (Tested(test, name) == WhereTruth::kTrue) != unlike;
      return !found;
    });
    return Truth(found != unlike);
  }

  std::optional<WhereTruth> OfLeaf(const WhereTest& test) {
    switch (test.field) {
      case WhereField::kKind:
        return Tested(test, std::string_view(s_.schema().node_kind(s_.node_kind(node_)).name));
      case WhereField::kKey:
        return OfKey(test);
      case WhereField::kScope:
        return Tested(test, s_.scope(node_));
      case WhereField::kColumn: {
        const WhereScalar have = ColumnOf(test);
        const bool other = std::holds_alternative<std::monostate>(have) && !test.path.empty();
        return other ? OfProperty(test) : Tested(test, have);
      }
      case WhereField::kText:
        return OfText(test);
      default:
        return OfProperty(test);
    }
  }

  WhereTruth OfKey(const WhereTest& test) {
    const std::string_view key = s_.key(node_);
    const std::size_t at = key.find(kIndexSeparator);
    if (at == std::string_view::npos) return Tested(test, key);
    shown_.assign(key);
    shown_[at] = ':';
    return Tested(test, std::string_view(shown_));
  }

  WhereScalar ColumnOf(const WhereTest& test) const {
    switch (test.type) {
      case ColumnType::kF64:
        if (const auto value = s_.f64(test.column, node_)) return *value;
        return {};
      case ColumnType::kI64:
        if (const auto value = s_.i64(test.column, node_)) return *value;
        return {};
      case ColumnType::kString:
        if (const auto value = s_.string_column(test.column, node_)) return s_.string(*value);
        return {};
    }
    return {};
  }

  // What was read of the field; null: it has to be.
  const Fetched* Read(NodeField field) {
    Fetched& fetched = fetched_[static_cast<int>(field)];
    if (!fetched.read && !s_.payload_ref(node_, field)) fetched.read = fetched.missing = true;
    if (fetched.read) return &fetched;
    needs = field;
    return nullptr;
  }

  std::optional<WhereTruth> OfText(const WhereTest& test) {
    const Fetched* text = Read(NodeField::kText);
    if (!text) return std::nullopt;
    return Tested(test, text->missing ? WhereScalar() : WhereScalar(text->text));
  }

  std::optional<WhereTruth> OfProperty(const WhereTest& test) {
    const Fetched* map = Read(NodeField::kProperties);
    if (!map) return std::nullopt;
    std::optional<PropertyView> value;
    if (!map->missing) {
      value = map->properties->root();
      for (const std::string& name : test.path)
        if (value) value = value->type() == PropertyType::kMap ? value->Find(name) : std::nullopt;
    }
    if (test.form == WhereForm::kExists) return Truth(value && !value->is_null());
    return Tested(test, value ? Scalar(*value) : WhereScalar());
  }

  static WhereScalar Scalar(const PropertyView& value) {
    switch (value.type()) {
      case PropertyType::kBool:
        return *value.AsBool();
      case PropertyType::kInt:
        return *value.AsInt();
      case PropertyType::kUint:
        return *value.AsUint();
      case PropertyType::kDouble:
        return *value.AsDouble();
      case PropertyType::kString:
        return *value.AsString();
      default:
        return {};
    }
  }

  const Snapshot& s_;
  const ArcFilter& has_tag_;
  NodeId node_ = kNoNode;
  Fetched fetched_[kNodeFieldCount];
  std::string shown_;
};

class Evaluator {
 public:
  Evaluator(const Snapshot& snapshot, const WhereTest& root, const WhereOptions& options)
      : s_(snapshot), root_(root), options_(options) {
    has_tag_ = ArcFilter::Kind(snapshot.schema(), builtin::kHasTag);
  }

  Result<WhereResult> Run() {
    WhereResult result;
    PLEXUS_ASSIGN(const Blocks chosen, Choose(nullptr, result.looked_at));
    std::vector<std::uint64_t> words((std::size_t{s_.node_count()} + 63) / 64, 0);
    for (const std::vector<NodeId>& block : chosen)
      for (const NodeId node : block) words[node / 64] |= std::uint64_t{1} << (node % 64);
    result.nodes = NodeSubset(s_.node_count(), std::move(words));
    result.texts = reads_[static_cast<int>(NodeField::kText)];
    result.properties = reads_[static_cast<int>(NodeField::kProperties)];
    return result;
  }

  Result<std::vector<NodeId>> Of(const std::vector<NodeId>& list) {
    std::uint64_t looked_at = 0;
    PLEXUS_ASSIGN(const Blocks chosen, Choose(&list, looked_at));
    std::vector<NodeId> nodes;
    for (const std::vector<NodeId>& block : chosen)
      nodes.insert(nodes.end(), block.begin(), block.end());
    std::ranges::sort(nodes);
    return nodes;
  }

 private:
  using Blocks = std::vector<std::vector<NodeId>>;

  // `given`: null, or the nodes to read.
  Result<Blocks> Choose(const std::vector<NodeId>* given, std::uint64_t& looked_at) {
    common_internal::StoppableExecutor executor(common_internal::Pick(options_.run.executor),
                                                options_.run.budget);
    std::optional<std::vector<NodeId>> shortest;
    if (!given) {
      std::uint64_t most = s_.node_count() / 2;  // a longer list costs more to sort than it saves
      const bool few = options_.subset && options_.subset->count() <= most;
      if (few) most = options_.subset->count();
      shortest = internal::ShortestList(s_, root_, options_.make_orders, most);
      if (!shortest && few) shortest = options_.subset->ToList();
    }
    const std::vector<NodeId>* const list = shortest ? &*shortest : given;
    looked_at = list ? list->size() : s_.node_count();
    Blocks chosen((looked_at + kBlockNodes - 1) / kBlockNodes);
    ParallelFor(executor, looked_at, kBlockNodes, [&](std::size_t begin, std::size_t end) {
      Block(begin, end, list, chosen[begin / kBlockNodes]);
    });
    if (error_) return std::unexpected(std::move(*error_));
    if (executor.stopped() || stopped_)
      return Cancelled("where: stopped before all nodes were tested");
    return chosen;
  }

  bool May(NodeId node) const {
    if (node >= s_.node_count() || !s_.alive(node)) return false;
    if (options_.subset) return options_.subset->contains(node);
    return options_.index_nodes || s_.is_fact(node);
  }

  void Block(std::size_t begin, std::size_t end, const std::vector<NodeId>* list,
             std::vector<NodeId>& chosen) {
    NodeTruth truth(s_, has_tag_);
    std::vector<NodeId> waiting[kNodeFieldCount];
    for (std::size_t i = begin; i < end; ++i) {
      if (i % kFetchesPerLook == 0 && options_.run.budget.Interrupted()) stopped_ = true;
      if (stopped_) return;
      const NodeId node = list ? (*list)[i] : static_cast<NodeId>(i);
      if (!May(node)) continue;
      truth.Begin(node);
      const auto is = truth.Of(root_, true);
      if (is == WhereTruth::kTrue) chosen.push_back(node);
      if (!is) waiting[static_cast<int>(*truth.needs)].push_back(node);
    }
    for (const NodeField field : {NodeField::kProperties, NodeField::kText})
      Fetch(field, waiting[static_cast<int>(field)], truth, chosen);
  }

  // What hangs on a second field too is fetched by itself, after the walk over the first.
  void Fetch(NodeField field, std::span<const NodeId> waiting, NodeTruth& truth,
             std::vector<NodeId>& chosen) {
    if (waiting.empty()) return;
    reads_[static_cast<int>(field)] += waiting.size();
    std::vector<NodeId> rest;
    std::size_t read = 0;
    const auto take = [&](NodeId node, Result<std::string_view> bytes) {
      if (read++ % kFetchesPerLook == 0 && options_.run.budget.Interrupted()) stopped_ = true;
      if (stopped_) return;
      truth.Begin(node);
      PropertyMap map;
      if (const Status put = Put(field, std::move(bytes), truth, map); !put)
        return Refuse(put.error(), node);
      const auto is = truth.Of(root_, true);
      if (is == WhereTruth::kTrue) chosen.push_back(node);
      if (!is) rest.push_back(node);
    };
    if (const Status walked = ForEachPayload(s_, waiting, field, take); !walked)
      return Refuse(walked.error(), waiting[0]);
    for (std::size_t i = 0; i < rest.size() && !stopped_; ++i) {
      if (i % kFetchesPerLook == 0 && options_.run.budget.Interrupted()) stopped_ = true;
      FetchBoth(rest[i], truth, chosen);
    }
  }

  void FetchBoth(NodeId node, NodeTruth& truth, std::vector<NodeId>& chosen) {
    truth.Begin(node);
    PropertyMap map;
    Result<std::string> bytes[kNodeFieldCount];
    for (const NodeField field : {NodeField::kProperties, NodeField::kText}) {
      Result<std::string>& own = bytes[static_cast<int>(field)];
      own = s_.Payload(node, field);
      ++reads_[static_cast<int>(field)];
      Result<std::string_view> view =
          own ? Result<std::string_view>(*own) : std::unexpected(own.error());
      if (const Status put = Put(field, std::move(view), truth, map); !put)
        return Refuse(put.error(), node);
    }
    if (truth.Of(root_, true) == WhereTruth::kTrue) chosen.push_back(node);
  }

  static Status Put(NodeField field, Result<std::string_view> bytes, NodeTruth& truth,
                    PropertyMap& map) {
    Fetched& fetched = truth.fetched(field);
    fetched.read = true;
    if (!bytes) {
      if (bytes.error().code != ErrorCode::kNotFound) return std::unexpected(bytes.error());
      fetched.missing = true;
    } else if (field == NodeField::kText) {
      fetched.text = *bytes;
    } else {
      PLEXUS_ASSIGN(map, PropertyMap::Read(*bytes));
      fetched.properties = &map;
    }
    return {};
  }

  // Of several the one of the first node.
  void Refuse(const Error& error, NodeId node) {
    const std::lock_guard lock(mutex_);
    if (error_ && error_node_ <= node) return;
    error_ = error;
    error_node_ = node;
  }

  const Snapshot& s_;
  const WhereTest& root_;
  const WhereOptions& options_;
  ArcFilter has_tag_;
  std::atomic<std::uint64_t> reads_[kNodeFieldCount] = {};
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::optional<Error> error_;
  NodeId error_node_ = kNoNode;
};

}  // namespace

Result<std::vector<NodeId>> internal::EvaluateWhereOf(const Snapshot& snapshot,
                                                      const WhereTest& root,
                                                      const WhereOptions& options,
                                                      const std::vector<NodeId>& list) {
  return Evaluator(snapshot, root, options).Of(list);
}

Result<WhereResult> EvaluateWhere(const Snapshot& snapshot, const WhereExpression& expression,
                                  const WhereOptions& options) try {
  const WhereTest& root = expression.tree_->root;
  const bool keep = options.make_orders && WhereSet::CanKeep(expression);
  auto kept = keep ? WhereSet::Find(snapshot, expression) : nullptr;
  // Of few nodes not all are tested, so that their set is not kept.
  if (!kept && (!keep || (options.subset && options.subset->count() < snapshot.node_count() / 8)))
    return Evaluator(snapshot, root, options).Run();
  WhereResult result;
  if (!kept) {
    WhereOptions of_all = options;
    of_all.subset = nullptr;
    of_all.index_nodes = true;
    PLEXUS_ASSIGN(result, Evaluator(snapshot, root, of_all).Run());
    kept = WhereSet::Keep(snapshot, expression, std::move(result.nodes));
  }
  result.nodes = options.subset        ? kept->nodes().Intersect(*options.subset)
                 : options.index_nodes ? kept->nodes()
                                       : kept->facts();
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<WhereResult> EvaluateWhere(const Snapshot& snapshot, std::string_view text,
                                  const WhereOptions& options) {
  PLEXUS_ASSIGN(const WhereExpression expression,
                WhereExpression::Compile(text, snapshot.schema(), options.now_ms));
  return EvaluateWhere(snapshot, expression, options);
}

Status ForEachPayload(const Snapshot& snapshot, std::span<const NodeId> nodes, NodeField field,
                      const EachNodePayload& fn) try {
  std::vector<std::pair<std::uint64_t, NodeId>> wanted;
  for (const NodeId node : nodes)
    if (const PayloadRef ref = snapshot.payload_ref(node, field))
      wanted.emplace_back(ref.bits, node);
  std::ranges::sort(wanted);
  const auto repeated = std::ranges::unique(wanted);
  wanted.erase(repeated.begin(), repeated.end());
  std::vector<PayloadRef> refs;
  refs.reserve(wanted.size());
  for (const auto& [bits, node] : wanted) refs.push_back(PayloadRef{bits});
  const auto take = [&](std::size_t i, Result<std::string_view> bytes) {
    fn(wanted[i].second, std::move(bytes));
  };
  if (const auto& store = snapshot.state().payload_store) return store->GetEach(refs, take);
  for (std::size_t i = 0; i < refs.size(); ++i) take(i, NotFound("there is no payload store"));
  return {};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
