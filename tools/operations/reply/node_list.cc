// Values by name, and nodes sorted by them; see node_list.h.
#include "tools/operations/reply/node_list.h"

#include <algorithm>
#include <compare>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include "algorithms/memory/visibility/visibility.h"
#include "engine/properties/properties.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/column_value.h"
#include "tools/operations/framework/time_limit.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

// 0: bools, 1: numbers, 2: texts, 3: nothing to sort by.
int Class(const NodeValue& value) {
  if (std::holds_alternative<bool>(value)) return 0;
  if (std::holds_alternative<std::string>(value)) return 2;
  if (std::holds_alternative<std::monostate>(value) ||
      std::holds_alternative<std::vector<std::string>>(value) ||
      std::holds_alternative<NodeJson>(value))
    return 3;
  return 1;
}

// REQUIRES a number. Exact: 64 bits of mantissa hold every integer and every double.
long double Number(const NodeValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return *whole;
  return std::get<double>(value);
}

std::partial_ordering Compare(const NodeValue& a, const NodeValue& b) {
  if (const auto order = Class(a) <=> Class(b); order != 0) return order;
  switch (Class(a)) {
    case 0:
      return int{std::get<bool>(a)} <=> int{std::get<bool>(b)};
    case 1:
      return Number(a) <=> Number(b);
    case 2:
      return std::get<std::string>(a) <=> std::get<std::string>(b);
    default:
      return std::partial_ordering::equivalent;
  }
}

void WriteView(ReplyWriter& json, const PropertyView& value) {
  switch (value.type()) {
    case PropertyType::kNull:
      return json.Raw("null");
    case PropertyType::kBool:
      return json.Value(*value.AsBool());
    case PropertyType::kInt:
      return json.Value(*value.AsInt());
    case PropertyType::kUint:
      return json.Value(*value.AsUint());
    case PropertyType::kDouble:
      return json.Value(*value.AsDouble());
    case PropertyType::kString:
      return json.Value(*value.AsString());
    case PropertyType::kList:
      json.BeginArray();
      for (std::size_t i = 0; i < value.size(); ++i) WriteView(json, value[i]);
      return json.EndArray();
    case PropertyType::kMap:
      json.BeginObject();
      for (std::size_t i = 0; i < value.size(); ++i) {
        json.Key(value.name(i));
        WriteView(json, value[i]);
      }
      return json.EndObject();
  }
}

NodeValue ValueOf(const PropertyView& value) {
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
      return std::string(*value.AsString());
    case PropertyType::kNull:
      return {};
    default:
      break;
  }
  std::ostringstream text;
  JsonWriter json(text);
  WriteView(json, value);
  return NodeJson{std::move(text).str()};
}

constexpr std::size_t kFewOf = 16;  // the first of that many times as many: no sort of all

// A merge sort that looks at the clock. False: the time was up, and what is sorted by then is left.
template <class T, class Before>
bool SortInTime(std::vector<T>& list, const Budget& budget, const Before& before) {
  constexpr std::size_t kBlock = 4096;
  const auto at = [&](std::size_t place) {
    return list.begin() + static_cast<std::ptrdiff_t>(std::min(place, list.size()));
  };
  const auto leave = [&](std::size_t sorted) {
    list.erase(at(sorted), list.end());
    return false;
  };
  for (std::size_t begin = 0; begin < list.size(); begin += kBlock) {
    std::sort(at(begin), at(begin + kBlock), before);
    if (begin + kBlock < list.size() && budget.Interrupted()) return leave(kBlock);
  }
  for (std::size_t run = kBlock; run < list.size(); run *= 2)
    for (std::size_t begin = 0; begin + run < list.size(); begin += 2 * run) {
      if (budget.Interrupted()) return leave(begin > 0 ? 2 * run : run);
      std::inplace_merge(at(begin), at(begin + run), at(begin + 2 * run), before);
    }
  return true;
}

std::vector<std::string> Tags(const Snapshot& snapshot, NodeId node) {
  std::vector<std::string> tags;
  snapshot.ForEachArc(
      Direction::kOut, node, ArcFilter::Kind(snapshot.schema(), builtin::kHasTag),
      [&](const Arc& arc) { tags.emplace_back(DisplayName(snapshot.key(arc.neighbor))); });
  std::ranges::sort(tags);
  const auto rest = std::ranges::unique(tags);
  tags.erase(rest.begin(), rest.end());
  return tags;
}

}  // namespace

void WriteNodeValue(ReplyWriter& json, const NodeValue& value, bool is_time) {
  if (const auto* whole = std::get_if<std::int64_t>(&value); whole && is_time)
    return json.Time(*whole);
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          json.Raw("null");
        } else if constexpr (std::is_same_v<Held, NodeJson>) {
          json.Raw(held.text);
        } else if constexpr (std::is_same_v<Held, std::vector<std::string>>) {
          json.BeginArray();
          for (const std::string& text : held) json.Value(text);
          json.EndArray();
        } else {
          json.Value(held);
        }
      },
      value);
}

std::vector<std::string> NamesInExpressions(const Schema& schema) {
  std::vector<std::string> names = {"kind", "key", "tag", "scope", "text"};
  for (const Column& column : schema.columns())
    if (!column.name.empty()) names.push_back(column.name);
  return names;
}

std::vector<std::string> NamesOfValues(const Schema& schema) {
  std::vector<std::string> names = NamesInExpressions(schema);
  for (const char* more : {"tags", "degree", "in_degree", "out_degree", "superseded_by"})
    names.emplace_back(more);
  return names;
}

Result<NodeColumn> NodeColumn::Named(const Snapshot& snapshot, const std::string& name,
                                     const NodeColumnOptions& options) {
  NodeColumn made;
  made.name_ = name;
  made.among_ = options.among;
  const std::pair<std::string_view, Field> fields[] = {
      {"kind", Field::kKind}, {"key", Field::kKey},     {"tags", Field::kTags},
      {"tag", Field::kTags},  {"scope", Field::kScope}, {"text", Field::kText}};
  for (const auto& [field_name, field] : fields)
    if (name == field_name) {
      made.field_ = field;
      return made;
    }
  if (const auto column = snapshot.schema().FindColumn(name); column && !name.empty()) {
    made.field_ = Field::kColumn;
    made.column_ = *column;
    made.type_ = snapshot.schema().columns()[*column].type;
    if (IsLaterColumn(*column)) made.path_ = {name};  // of nodes without a value, the property
    made.is_time_ = HoldsTimes(snapshot.schema(), *column);
    return made;
  }
  const std::pair<std::string_view, Direction> degrees[] = {
      {"degree", Direction::kBoth}, {"in_degree", Direction::kIn}, {"out_degree", Direction::kOut}};
  for (const auto& [degree_name, direction] : degrees)
    if (name == degree_name) {
      made.field_ = Field::kDegree;
      made.degree_filter_ = ArcFilter::Kinds(snapshot.schema(), options.degree_kinds);
      made.degree_direction_ = options.backward ? Opposite(direction) : direction;
      return made;
    }
  if (name == "superseded_by") {
    made.field_ = Field::kSupersededBy;
    made.now_ms_ = options.now_ms;
    return made;
  }
  made.field_ = Field::kProperty;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    made.path_.push_back(name.substr(begin, end - begin));
    if (made.path_.back().empty()) return Invalid(Quoted(name), " names no column and no property");
    begin = end + 1;
  }
  if (made.path_[0] == "props" && made.path_.size() > 1) made.path_.erase(made.path_.begin());
  return made;
}

bool NodeColumn::is_number() const {
  return field_ == Field::kDegree || (field_ == Field::kColumn && type_ != ColumnType::kString);
}

Result<NodeValue> NodeColumn::Of(const Snapshot& snapshot, NodeId node) const {
  switch (field_) {
    case Field::kKind:
      return snapshot.schema().node_kind(snapshot.node_kind(node)).name;
    case Field::kKey:
      return std::string(snapshot.key(node));
    case Field::kTags:
      return Tags(snapshot, node);
    case Field::kScope:
      return std::string(snapshot.scope(node));
    case Field::kDegree: {
      if (!among_) return snapshot.Degree(degree_direction_, node, degree_filter_);
      std::uint64_t degree = 0;
      snapshot.ForEachArc(degree_direction_, node, degree_filter_,
                          [&](const Arc& arc) { degree += among_->contains(arc.neighbor); });
      return degree;
    }
    case Field::kSupersededBy: {
      PLEXUS_ASSIGN(const std::optional<NodeId> by, memory::SupersededBy(snapshot, node, now_ms_));
      if (!by || (among_ && !among_->contains(*by))) return NodeValue();
      return std::string(snapshot.key(*by));
    }
    case Field::kColumn: {
      NodeValue value;
      formats::internal::VisitColumn(snapshot, node, column_, [&](auto found) {
        if constexpr (std::is_arithmetic_v<decltype(found)>)
          value = found;
        else
          value = std::string(found);
      });
      if (value.index() != 0 || path_.empty()) return value;
      break;
    }
    default:
      break;
  }
  const NodeField field = field_ == Field::kText ? NodeField::kText : NodeField::kProperties;
  Result<std::string> bytes = snapshot.Payload(node, field);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::kNotFound) return NodeValue();
    return std::unexpected(bytes.error());
  }
  if (field == NodeField::kText) return std::move(*bytes);
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(*bytes));
  std::optional<PropertyView> value = map.root();
  for (const std::string& part : path_)
    if (value) value = value->type() == PropertyType::kMap ? value->Find(part) : std::nullopt;
  return value ? ValueOf(*value) : NodeValue();
}

Result<NodeListReply> ListNodes(const Snapshot& snapshot, const NodeListRequest& request) {
  NodeListReply reply;
  const NodeSubset all = request.subset ? *request.subset : NodeSubset::Facts(snapshot);
  for (const NodeId node : all.ToList())
    if (snapshot.alive(node)) reply.nodes.push_back(node);
  reply.total = reply.nodes.size();
  const std::uint64_t top =
      request.top == 0 ? reply.total : std::min<std::uint64_t>(request.top, reply.total);
  if (request.sort.empty()) {
    reply.nodes.resize(top);
    return reply;
  }
  constexpr std::string_view kDescending = ":desc";
  const bool descending = request.sort.ends_with(kDescending);
  PLEXUS_ASSIGN(const NodeColumn column,
                NodeColumn::Named(
                    snapshot,
                    descending ? request.sort.substr(0, request.sort.size() - kDescending.size())
                               : request.sort,
                    request.columns));
  reply.sorted_by = column.name();
  struct Keyed {
    NodeValue value;
    NodeId node;
  };
  std::vector<Keyed> keyed;
  TimeLimit limit(request.budget);
  for (const NodeId node : reply.nodes) {
    if (limit.Up()) break;
    PLEXUS_ASSIGN(NodeValue value, column.Of(snapshot, node));
    reply.sorted |= Class(value) != 3;
    keyed.push_back({std::move(value), node});
  }
  reply.truncated = limit.was_up();
  const auto before = [&](const Keyed& a, const Keyed& b) {
    const bool none_a = Class(a.value) == 3, none_b = Class(b.value) == 3;
    if (none_a != none_b) return none_b;
    const auto order = Compare(a.value, b.value);
    if (order != 0) return descending ? order > 0 : order < 0;
    return a.node < b.node;
  };
  if (top < keyed.size() / kFewOf)
    std::partial_sort(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(top), keyed.end(),
                      before);
  else if (!SortInTime(keyed, request.budget, before))
    reply.truncated = true;
  const std::size_t listed = std::min<std::size_t>(top, keyed.size());
  reply.nodes.clear();
  for (std::size_t i = 0; i < listed; ++i) reply.nodes.push_back(keyed[i].node);
  return reply;
}

}  // namespace plexus::tools
