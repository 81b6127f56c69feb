// put: one node as it shall be, by hand.
//
// It means what a node's line of JSON lines means: what is not named stays, tags and properties are
// replaced as a whole, a node that is not there is made.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/times.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/given_values.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/memory/kept_rules.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

ColumnRef RefOf(WriteBatch& batch, const Schema& schema, ColumnId column) {
  return column < builtin::kFirstUserColumn ? ColumnRef(column)
                                            : batch.ColumnNamed(schema.columns()[column].name);
}

Result<ColumnId> FindColumn(const Schema& schema, const std::string& option,
                            const std::string& name) {
  if (const auto column = schema.FindColumn(name); column && !name.empty()) return *column;
  std::vector<std::string> names;
  for (const Column& column : schema.columns())
    if (!column.name.empty()) names.push_back(column.name);
  return Invalid(option, ": no column ", Quoted(name), DidYouMean(name, names),
                 " (a line {\"column\":...} for import makes one; other data goes to props)");
}

// "COLUMN=VALUE", in the column's type.
Status SetColumn(Workspace& workspace, const Request& request, WriteBatch& batch, NodeRef node,
                 const std::string& given) {
  const std::string option = request.Name("set");
  const Schema& schema = workspace.schema();
  const std::size_t equal = given.find('=');
  if (equal == std::string::npos || equal == 0)
    return Invalid(option, ": ", Quoted(given), " is not COLUMN=VALUE");
  const std::string name = given.substr(0, equal), value = given.substr(equal + 1);
  PLEXUS_ASSIGN(const ColumnId column, FindColumn(schema, option, name));
  const auto refuse = [&](const char* what) {
    return Invalid(option, ": column ", Quoted(name), " takes ", what, ", not ", Quoted(value),
                   (value.empty() ? "; " + request.Name("clear") + " takes a value away" : ""));
  };
  const ColumnRef ref = RefOf(batch, schema, column);
  switch (schema.columns()[column].type) {
    case ColumnType::kF64: {
      const auto number = ParseNumber(value);
      if (!number) return refuse("a finite number");
      batch.SetF64(node, ref, *number);
      return {};
    }
    case ColumnType::kI64: {
      std::int64_t number = 0;
      const bool whole = !value.empty() && value.find_first_not_of("0123456789", value[0] == '-') ==
                                               std::string::npos;
      const Result<std::int64_t> time =
          ParseTime(value, IsTimeColumn(column) ? workspace.now_ms() : kNoTime);
      if (IsTimeColumn(column) || !whole) {
        if (!time && whole)
          return Invalid(option, ": column ", Quoted(name), ": ", time.error().message);
        if (!time) return refuse(IsTimeColumn(column) ? "a time" : "a whole number or a time");
        number = *time;
        if (IsTimeColumn(column)) WarnOfSeconds(workspace, option + " " + name, number);
      } else {
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size() || number == kNoTime)
          return refuse("a whole number of 64 bits");
      }
      batch.SetI64(node, ref, number);
      return {};
    }
    case ColumnType::kString:
      if (value.empty()) return refuse("a text");
      batch.SetString(node, ref, value);
      return {};
  }
  return {};
}

// Of two values of one column the first would be lost.
Status CheckSetOnce(const Request& request) {
  std::set<std::string_view> columns;
  for (const std::string& given : request.List("set")) {
    const std::string_view column = std::string_view(given).substr(0, given.find('='));
    if (!columns.insert(column).second)
      return Invalid(request.Name("set"), ": column ", Quoted(column), " is given twice");
  }
  return {};
}

// The node that the key means; a new one is an index node where the kind says so, else a fact.
Result<NodeRef> Target(Workspace& workspace, const Request& request, WriteBatch& batch) {
  const std::string &key = request.Text("key"), &kind = request.Text("kind");
  const Schema& schema = workspace.schema();
  const auto known_kind = schema.FindNodeKind(kind);
  const bool index =
      !kind.empty() && known_kind && schema.node_kind(*known_kind).plane == Plane::kIndex;
  const auto meant = MeantNode(workspace.snapshot(), key);
  if (meant && !(index && workspace.snapshot().is_fact(*meant))) {
    const NodeKindId is = workspace.snapshot().node_kind(*meant);
    if (!workspace.snapshot().is_fact(*meant) && !kind.empty() && known_kind != is)
      return Invalid(request.Name("kind"), ": ", Quoted(key), " is an index node of kind ",
                     schema.node_kind(is).name, ", which stays");
    if (!workspace.snapshot().is_fact(*meant) && kind.empty())
      workspace.notes().push_back({Quoted(key) + " is an index node of kind " +
                                   schema.node_kind(is).name + ", and no fact"});
    const NodeRef node = NodeRef::Id(*meant);
    if (workspace.snapshot().is_fact(*meant) && !kind.empty())
      batch.UpsertNode(node, batch.NodeKindNamed(kind));
    else
      batch.UpsertNode(node);
    return node;
  }
  const std::string outcome = schema.node_kind(builtin::kOutcome).name;
  if (known_kind == builtin::kOutcome || key.starts_with(outcome + kIndexSeparator))
    return Invalid("an outcome is of an event: ",
                   request.Command("ledger_label", workspace.directory()), " makes it");
  if (index) {
    const std::string before = kind + ":";
    const std::string_view name =
        key.starts_with(before) ? std::string_view(key).substr(before.size()) : key;
    const NodeRef node = batch.IndexNode(*known_kind, name);
    batch.UpsertNode(node);
    return node;
  }
  return kind.empty() ? batch.UpsertNode(key) : batch.UpsertNode(key, batch.NodeKindNamed(kind));
}

// Exactly these tags.
Status ReplaceTags(const Workspace& workspace, const Request& request, WriteBatch& batch,
                   NodeRef node, const std::vector<std::string>& tags) {
  PLEXUS_TRY(CheckTags(request));
  const Snapshot& snapshot = workspace.snapshot();
  if (!node.local())
    snapshot.ForEachArc(Direction::kOut, node.index(),
                        ArcFilter::Kind(snapshot.schema(), builtin::kHasTag), [&](const Arc& arc) {
                          const std::string_view name = DisplayName(snapshot.key(arc.neighbor));
                          if (std::ranges::find(tags, name) != tags.end()) return;
                          const Edge edge = snapshot.edge(arc, node.index());
                          batch.Unlink(node, builtin::kHasTag, NodeRef::Id(arc.neighbor),
                                       snapshot.string(edge.label));
                        });
  for (const std::string& tag : tags) {
    WriteBatch::EdgeInput edge;
    edge.source = node;
    edge.kind = builtin::kHasTag;
    edge.target = batch.IndexNode(builtin::kTag, tag);
    batch.Link(edge);
  }
  return {};
}

Status Clear(Workspace& workspace, const Request& request, WriteBatch& batch, NodeRef node) {
  for (const std::string& name : request.List("clear")) {
    const auto set_as_well = [&](const std::string& given) {
      return given.size() > name.size() && given.starts_with(name) && given[name.size()] == '=';
    };
    const bool is_parameter = name == "text" || name == "tags" || name == "props";
    if (is_parameter ? request.Given(name) : std::ranges::any_of(request.List("set"), set_as_well))
      return Invalid(request.Name("clear"), ": ", Quoted(name), " is given as well");
    if (name == "text") {
      batch.ClearPayload(node, NodeField::kText);
    } else if (name == "props") {
      batch.ClearPayload(node, NodeField::kProperties);
    } else if (name == "tags") {
      PLEXUS_TRY(ReplaceTags(workspace, request, batch, node, {}));
    } else {
      PLEXUS_ASSIGN(const ColumnId column,
                    FindColumn(workspace.schema(), request.Name("clear"), name));
      batch.ClearColumn(node, RefOf(batch, workspace.schema(), column));
    }
  }
  return {};
}

// A node that ends before it begins is never visible: a slip of the hand.
Status CheckValidTimes(const Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  const auto node = MeantNode(snapshot, request.Text("key"));
  bool given = false;
  const auto time_of = [&](std::string_view name, ColumnId column) {
    std::optional<std::int64_t> time =
        node && snapshot.alive(*node) ? snapshot.i64(column, *node) : std::nullopt;
    if (std::ranges::find(request.List("clear"), name) != request.List("clear").end()) time.reset();
    for (const std::string& set : request.List("set"))
      if (set.size() > name.size() && set.starts_with(name) && set[name.size()] == '=') {
        const Result<std::int64_t> read =
            ParseTime(std::string_view(set).substr(name.size() + 1), workspace.now_ms());
        if (read) time = *read;
        given = true;
      }
    return time;
  };
  const auto from = time_of("valid_from", builtin::kValidFrom),
             until = time_of("valid_until", builtin::kValidUntil);
  if (!given || !from || !until || *from < *until) return {};
  return Invalid(request.Name("set"), ": valid_from ", IsoTime(*from),
                 " is not before valid_until ", IsoTime(*until),
                 ": the node would never be visible");
}

Result<Reply> RunPut(Workspace& workspace, const Request& request) {
  NoteNewNodeKind(workspace, request.Text("kind"));
  WriteBatch batch = MakeBatch(workspace, request);
  PLEXUS_ASSIGN(const NodeRef node, Target(workspace, request, batch));
  PLEXUS_TRY(CheckSetOnce(request));
  for (const std::string& given : request.List("set"))
    PLEXUS_TRY(SetColumn(workspace, request, batch, node, given));
  PLEXUS_TRY(CheckValidTimes(workspace, request));
  if (request.Given("text")) {
    if (request.Text("text").empty())
      batch.ClearPayload(node, NodeField::kText);
    else
      batch.SetPayload(node, NodeField::kText, request.Text("text"));
  }
  if (request.Given("props")) {
    PLEXUS_ASSIGN(const std::string bytes,
                  formats::internal::PropertiesFromJson(request.Text("props")));
    if (bytes.empty())
      batch.ClearPayload(node, NodeField::kProperties);
    else
      batch.SetPayload(node, NodeField::kProperties, bytes);
  }
  if (request.Given("tags"))
    PLEXUS_TRY(ReplaceTags(workspace, request, batch, node, request.List("tags")));
  PLEXUS_TRY(Clear(workspace, request, batch, node));
  PLEXUS_TRY(KeepTerms(workspace, batch));
  return Change(workspace, request, batch);
}

}  // namespace

void AddPut(Rows& rows) {
  rows.push_back(
      {.name = "put",
       .group = "Change",
       .title = "Add or change a node",
       .summary = "Create or update one node: kind, text, tags, columns, properties",
       .effect = Effect::kWrite,
       .parameters = {Text("key", "KEY", "the node's key; a new node when there is none")
                          .Named(Means::kKey)
                          .Positional(),
                      Text("kind", "KIND", "its kind (default: keep, or node when new)")
                          .Named(Means::kNodeKind),
                      Text("text", "TEXT", "its text (default: keep)").MayBeEmpty(),
                      List("tags", "A,B", "all of its tags; they replace the old ones"),
                      Repeated("set", "COLUMN=VALUE",
                               "a column's value, such as trust=0.8 or valid_until=2026-12-31"),
                      Text("props", "JSON", "an object: all of its properties"),
                      List("clear", "A,B", "take away: columns, text, tags, props"),
                      CheckParameter(), ExpectSequenceParameter(), DryRunParameter()},
       .reply = kChangeShape,
       .examples = {{"plexus put --db g m1 --kind memory --text \"Payouts stop at night.\" "
                     "--tags queue,payout --set trust=0.8",
                     "a memory, made or brought up to date; durable when it returns"},
                    {"plexus put --db g d2 --set outcome=success --dry-run",
                     "what it would change, without changing it"}},
       .run = RunPut,
       .access = MakesGraph});
}

}  // namespace plexus::tools
