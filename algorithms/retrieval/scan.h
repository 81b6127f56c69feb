// Nodes found by an expression over their fields (EvaluateWhere) or by kind and column (ScanNodes);
// their payloads in stored order; removing many.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

// --- Where: the nodes that satisfy an expression over their fields, columns and properties.
//
//   kind = 'memory' and created_at >= '2026-01-31' and not tag in ('draft', 'old')
//   trust > 0.5 and (text like '%leopard%' or exists props.source)
//
//   expression = conjunction { "or" conjunction }
//   conjunction = test { "and" test }
//   test       = "not" test | "(" expression ")" | "exists" name
//              | name ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) value
//              | name [ "not" ] "in" "(" value { "," value } ")"
//              | name [ "not" ] ( "like" | "ilike" ) 'pattern'
//   name       = part { "." part }; a part is letters, digits and "_", or anything in double
//                quotes (a quote inside written twice)
//   value      = 'text' (a quote inside written twice) | number | true | false
//
// Words of the language are read in any case; "==" is "=", "<>" is "!=". Strings compare by their
// bytes. In a pattern "%" is any text, "_" any one character, "\" takes the next as it is; `ilike`
// has no regard to case, of letters of all scripts: it compares folded texts (terms.h), so "_"
// is a character of these.
//
// A name is, whichever is there first: a field (kind, key, tag, scope, text), a column of the
// graph, a property. (Of a node without a value in category, stakes, confidence, outcome,
// memory_type or stability its property of that name.) "props.NAME" is always the property; further
// parts lead into nested maps.
//   kind   the kind's name; one that the graph does not know is an error
//   key    the node's key; of an index node "kind:name" (tag:rust)
//   tag    of none, one or several tags: a test holds when it does for one of them, "!=" and
//          "not ..." when it holds for none. No order.
//   scope  "user" where none is stored
//   text   the stored text
// Times are columns of whole numbers, or such properties: milliseconds since 1970. A string that
// is a time ('2026-11', '7d'; engine/times.h) means its milliseconds next to a whole number.
//
// Three values, as in SQL: a test of what a node does not have is neither true nor false, and a
// value of another type than the one it is compared with counts as missing (so do lists, maps and
// null). "not" of it is neither, "and" is false if one side is, "or" true if one is. Nodes of which
// the whole is true are selected. `exists` is true or false.
//
// Idea: sub-expressions that a sorted order, a posting list or the key table answers (columns,
// kind, scope, tag, key) give a list that holds all that can be true; the shortest one is read, the
// rest of the nodes are never looked at. Of those in it, what is in RAM is tested first, then
// properties and texts are fetched, each at most once.

struct WhereLimits {
  static constexpr std::size_t kMaxBytes = 65'536;  // Of an expression.
  static constexpr std::size_t kMaxDepth = 64;      // Of parentheses and "not".
  static constexpr std::size_t kMaxTests = 1'024;
  static constexpr std::size_t kMaxValues = 8'192;  // In all lists together.
  static constexpr std::size_t kMaxPatternBytes = 256;
};

struct WhereOptions;
struct WhereResult;
namespace internal {
class WhereSet;
}  // namespace internal

// A compiled expression. It is immutable, and valid for graphs whose schema continues the one it
// was compiled with. A property whose name becomes a column later stays a property.
class WhereExpression {
 public:
  // Times before now ('7d') count from now_ms; kNoTime: there are none.
  // Complexity: O(bytes).
  // Errors: kInvalidArgument: not of the form above, an unknown kind, a value that the name cannot
  //   have, over a limit. The message names the place as a 1-based byte; its second line is the
  //   expression around that place, its third a caret below it. kResourceExhausted: no memory.
  // Threads: thread-safe.
  static Result<WhereExpression> Compile(std::string_view text, const Schema& schema,
                                         std::int64_t now_ms = kNoTime);

  // Names that are taken for properties although "props." does not stand before them, each once, in
  // order: a misspelt column is among them.
  std::vector<std::string> BareProperties() const;

 private:
  friend Result<WhereResult> EvaluateWhere(const Snapshot& snapshot,
                                           const WhereExpression& expression,
                                           const WhereOptions& options);
  friend class internal::WhereSet;
  struct Tree;
  explicit WhereExpression(std::shared_ptr<const Tree> tree);
  std::shared_ptr<const Tree> tree_;
};

struct WhereOptions {
  // Nodes that may be selected. Null: alive facts, with `index_nodes` alive nodes of both planes.
  // Removed nodes are never selected.
  const NodeSubset* subset = nullptr;
  bool index_nodes = false;
  // Makes sorted orders of columns and kinds that are not kept with the graph yet, O(nodes log
  // nodes) each, and keeps the sets of the last few expressions that no text, property or time
  // before now decides. It pays in a program that keeps the graph open.
  bool make_orders = false;
  std::int64_t now_ms = kNoTime;  // Of an expression that is compiled here.
  RunOptions run = {};            // budget: only the deadline and the cancel flag.
};

struct WhereResult {
  NodeSubset nodes;
  std::uint64_t looked_at = 0;   // Nodes of the list that was read; 0: the set was kept.
  std::uint64_t texts = 0;       // Texts fetched.
  std::uint64_t properties = 0;  // Property maps fetched.
};

// Computes: the nodes of which the expression is true. A purged text or property map is missing.
// Complexity: O(nodes of the list that was read * tests + bytes fetched), and O(n * m) for a
//   pattern of m bytes on a text of n bytes.
// Memory: one bit a node, four bytes a selected node, one text or property map a thread.
// Errors: kCancelled: the budget ran out, as a part of a set is no answer. kCorruption: from the
//   payload store, or stored properties. kResourceExhausted: no memory.
// Threads: thread-safe, parallel over nodes. The same set at any thread count.
Result<WhereResult> EvaluateWhere(const Snapshot& snapshot, const WhereExpression& expression,
                                  const WhereOptions& options = {});
// Compiles and evaluates.
Result<WhereResult> EvaluateWhere(const Snapshot& snapshot, std::string_view text,
                                  const WhereOptions& options = {});

// --- ScanNodes: nodes by kind, by tag and by a range of a column's values, page by page.
//
//   NodeScan scan;
//   scan.kind = builtin::kNode;
//   scan.column = builtin::kCreatedAt;
//   scan.to = monday;                      // before it
//   Result<NodePage> page = ScanNodes(snapshot, scan);
//   scan.after = page->last;               // while page->more

using ColumnValue = std::variant<double, std::int64_t, std::string>;

// The end of a page. It is valid in later snapshots: nodes that stay are neither skipped nor
// repeated.
struct NodeScanPosition {
  std::uint64_t key = 0;  // Of the column's value, or 0.
  NodeId node = 0;
  bool operator==(const NodeScanPosition&) const = default;
};

struct NodeScan {
  std::optional<NodeKindId> kind = {};
  std::optional<NodeId> tag = {};  // Nodes with a has_tag edge to this one.
  // Nodes with a value in this column, in its order. Absent: in the order of ids.
  std::optional<ColumnId> column = {};
  std::optional<ColumnValue> from = {};    // Values not less than this.
  std::optional<ColumnValue> to = {};      // Values less than this.
  std::optional<ColumnValue> equals = {};  // The only bound for a column of strings.
  bool descending = false;                // The exact reverse order.
  bool facts_only = true;                 // No tags, events, terms, outcomes.
  std::uint64_t limit = 100;              // Nodes of a page. 0: all.
  std::optional<NodeScanPosition> after = {};  // The end of the page before.
};

struct NodePage {
  std::vector<NodeId> nodes;  // Alive.
  bool more = false;          // There may be more behind `last`.
  NodeScanPosition last;      // Of the last node. Without one the scan's own `after`.
};

// Computes: one page of the matching nodes, maybe an empty one. Ascending and descending scans
//   return the same nodes.
// Complexity: O(log nodes + nodes read) of the range, the kind or the tag, whichever is the
//   shortest. The first scan of an order takes O(nodes log nodes). Orders by column and by kind are
//   kept with the state, and changes carry them.
// Errors: kInvalidArgument: no such kind, tag or column; a bound without a column, of another type
//   than the column or not a number; `from` or `to` for strings. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<NodePage> ScanNodes(const Snapshot& snapshot, const NodeScan& scan);

// --- The payloads of many nodes, read in the order in which they are stored.

// Computes: calls fn(node, bytes) once for each of `nodes` that has a payload of the field, by
//   rising reference; the bytes are valid during the call. An error of one payload
//   (PayloadStore::Get) is handed to fn. One pass over the store instead of a search a node.
// Complexity: O(nodes log nodes + bytes). Memory: O(nodes).
// Errors: the store's own (closed, I/O): not all were called. kResourceExhausted: no memory.
// Threads: thread-safe; fn is called by the calling thread.
using EachNodePayload = std::function<void(NodeId, Result<std::string_view>)>;
Status ForEachPayload(const Snapshot& snapshot, std::span<const NodeId> nodes, NodeField field,
                      const EachNodePayload& fn);

// --- RemoveNodes removes the nodes that a scan finds and a test accepts. RemoveExpired removes
// nodes past their time to live.
//
// Every batch is made from the newest snapshot and requires that nothing was written since
// (WriteBatch::ExpectSequence). A node that another writer changes in between is tested again.

struct RemoveOptions {
  // Time of the batches, as of a WriteBatch. For RemoveExpired also the present; kNoTime: the
  // graph's clock (GraphOptions::now_ms), else its last time.
  std::int64_t now_ms = kNoTime;
  bool purge = false;                // PurgeNode for RemoveNode. A database follows with Scrub.
  std::uint64_t batch_nodes = 1000;  // Nodes tested for each batch, at least 1.
  Durability durability = Durability::kDefault;
  Progress* progress = nullptr;
};

struct RemoveReport {
  std::uint64_t removed = 0;
  Sequence sequence = 0;  // Of the graph, after the last batch.
};

using NodeTest = std::function<bool(const Snapshot&, NodeId)>;

// Computes: the removal of all nodes of `scan` that pass `test` (none: all of them). `scan.limit`
//   is not read. Each batch is atomic. Other writers may write between batches.
// Complexity: that of the scan, and one batch each `batch_nodes`.
// Errors: those of ScanNodes and Graph::Apply. kConflict: others wrote 100 times in a row between a
//   node's test and its removal. kCancelled: the progress was cancelled. Earlier batches stay
//   applied.
Result<RemoveReport> RemoveNodes(Graph& graph, const NodeScan& scan, const RemoveOptions& options,
                                 const NodeTest& test = {});

// Nodes of `kind` whose `since` is `ttl_ms` or more before now_ms. Nodes without a value stay.
struct TimeToLive {
  NodeKindId kind{};
  std::int64_t ttl_ms = 0;  // Not negative.
  ColumnId since = builtin::kCreatedAt;
};
// Computes: RemoveNodes for the nodes past their time to live.
// Errors: those of RemoveNodes.
Result<RemoveReport> RemoveExpired(Graph& graph, std::span<const TimeToLive> lives,
                                   const RemoveOptions& options);

}  // namespace plexus::retrieval
