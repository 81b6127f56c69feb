// The change feed as JSON: what a batch is about, by keys. Names of index nodes stay out.
#include <set>

#include "tools/server/http/routes.h"
#include "tools/server/json_text.h"

namespace plexus::tools::server {
namespace {

constexpr std::size_t kMostOfBatch = 1000;

std::string BatchJson(const Record& record, const Snapshot& snapshot) {
  std::set<NodeId> nodes, removed;
  for (std::size_t i = 0; i < record.node_kinds.size(); ++i)
    nodes.insert(record.first_node + static_cast<NodeId>(i));
  for (const NodeChange& change : record.node_changes)
    (change.what == NodeChange::kSetKind || change.what == NodeChange::kRevive ? nodes : removed)
        .insert(change.node);
  for (const ColumnChange& change : record.columns) nodes.insert(change.node);
  for (const PayloadChange& change : record.payload_changes) nodes.insert(change.node);
  for (const VectorChange& change : record.vectors) nodes.insert(change.node);
  const auto is_fact = [&](NodeId node) {
    return node < snapshot.node_count() && snapshot.is_fact(node);
  };
  bool all = true;
  const auto keys = [&](const std::set<NodeId>& of, const std::set<NodeId>& without) {
    std::vector<std::string> list;
    for (const NodeId node : of) {
      if (!is_fact(node) || without.contains(node)) continue;
      if (list.size() == kMostOfBatch) {
        all = false;
        break;
      }
      list.push_back(QuotedJson(snapshot.key(node)));
    }
    return ArrayText(list);
  };
  ObjectText batch;
  batch.Number("sequence", record.sequence).Raw("time_ms", std::to_string(record.time_ms));
  batch.Raw("nodes", keys(nodes, removed)).Raw("removed", keys(removed, {}));
  std::vector<std::string> edges;
  for (const EdgeChange& edge : record.edges) {
    if (!is_fact(edge.source) || !is_fact(edge.target)) continue;
    if (edges.size() == kMostOfBatch) {
      all = false;
      break;
    }
    ObjectText one;
    one.Text("source", snapshot.key(edge.source))
        .Text("kind", snapshot.schema().edge_kind(edge.kind).name)
        .Text("target", snapshot.key(edge.target));
    if (edge.tombstone()) one.Bool("removed", true);
    edges.push_back(one.object());
  }
  batch.Raw("edges", ArrayText(edges));
  if (!all) batch.Bool("truncated", true);
  return batch.object();
}

}  // namespace

Result<std::string> ChangesJson(Service& service, Sequence since, std::uint64_t most,
                                Sequence* next, std::vector<std::string>* batches) {
  ChangesOptions options;
  options.max_records = most;
  PLEXUS_ASSIGN(const Changes changes, service.ChangesSince(since, options));
  PLEXUS_ASSIGN(const Snapshot snapshot, service.snapshot());
  std::vector<std::string> list;
  for (const Record& record : changes.records) list.push_back(BatchJson(record, snapshot));
  *next = changes.next;
  const std::string reply = ObjectText()
                                .Raw("changes", ArrayText(list))
                                .Number("next", changes.next)
                                .Bool("more", changes.has_more)
                                .Number("generation", changes.generation)
                                .object();
  if (batches) *batches = std::move(list);
  return reply;
}

void Routes::Follow(const std::shared_ptr<HttpExchange>& exchange, Sequence next,
                    std::uint64_t limit) {
  const auto ended = [&] { return stopping_ || exchange->gone(); };
  while (!ended()) {
    std::vector<std::string> batches;
    Sequence after = next;
    if (!ChangesJson(service_, next, limit, &after, &batches)) break;
    for (const std::string& batch : batches)
      if (!exchange->Send("id: " + std::to_string(++next) + "\ndata: " + batch + "\n\n")) return;
    next = after;
    if (batches.empty()) (void)service_.AwaitChange(next, 500, ended);
  }
  exchange->End();
}

}  // namespace plexus::tools::server
