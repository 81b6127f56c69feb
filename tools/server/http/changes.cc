// The change feed as JSON: what a batch is about, by keys; names of index nodes stay out. What a
// replica asks its source: which history it has, the records after one, what was forgotten, all
// files. And what others ask a replica: how far it is behind.
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>
#include <utility>

#include "storage/replica.h"
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

std::string IdText(std::uint64_t high, std::uint64_t low) {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text;
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

std::string LineageJson(const replica::GraphLineage& lineage) {
  std::vector<std::string> marks;
  for (const replica::HistoryMark& mark : lineage.marks)
    marks.push_back(
        ObjectText().Text("id", IdText(mark.high, mark.low)).Number("after", mark.after).object());
  return ObjectText()
      .Number("format", lineage.format)
      .Text("graph", IdText(lineage.high, lineage.low))
      .Raw("marks", ArrayText(marks))
      .Number("generation", lineage.generation)
      .Number("floor", lineage.floor)
      .Number("sequence", lineage.sequence)
      .Text("source", lineage.source)
      .object();
}

std::string FollowMetrics(const FollowStatus::Lag& lag) {
  const auto gauge = [](const char* name, const char* help, const std::string& value) {
    return std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " gauge\n" + name +
           " " + value + "\n";
  };
  return gauge("plexus_replica_lag_records", "Records of the source that are not here.",
               std::to_string(lag.sequences)) +
         gauge("plexus_replica_lag_seconds", "Since the replica last had all of its source.",
               std::to_string(lag.seconds)) +
         gauge("plexus_replica_connected", "1: the source answers.", lag.connected ? "1" : "0") +
         gauge("plexus_replica_copies", "Copies of all files that were taken.",
               std::to_string(lag.copies));
}

bool Routes::ReplicaRoute(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
                          std::string_view path) {
  if (path == "/v1/following") {
    if (!service_.follows())
      return Refuse(exchange, 404, {ErrorCode::kNotFound, "this graph follows no source"}), true;
    const Sequence here = service_.sequence();
    const FollowStatus::Lag lag = service_.follows()->Now(here);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3f", lag.seconds);
    exchange->Reply(JsonReply(200, ObjectText()
                                       .Text("source", service_.follows()->source())
                                       .Text("state", lag.state)
                                       .Bool("connected", lag.connected)
                                       .Number("sequence", here)
                                       .Number("source_sequence", lag.source_sequence)
                                       .Number("lag_records", lag.sequences)
                                       .Raw("lag_seconds", seconds)
                                       .Number("copies", lag.copies)
                                       .object()));
    return true;
  }
  if (path != "/v1/history" && path != "/v1/forgotten" && path != "/v1/files") return false;
  if (!caller.wall.empty() || !caller.may_read) {
    Refuse(exchange, 403, {ErrorCode::kFailedPrecondition, "a replica is one of the whole graph"});
    return true;
  }
  if (path == "/v1/files") {
    OnThread(exchange, copying_, kMostCopies, [this, exchange] { SendFiles(exchange); });
    return true;
  }
  const auto reply = [&]() -> Result<std::string> {
    if (path == "/v1/history") {
      PLEXUS_ASSIGN(const replica::GraphLineage lineage, service_.ReadLineage());
      return LineageJson(lineage);
    }
    PLEXUS_ASSIGN(const replica::ForgottenIds forgotten, service_.Forgotten());
    std::vector<std::string> nodes, strings;
    for (const NodeId node : forgotten.nodes) nodes.push_back(std::to_string(node));
    for (const StringId id : forgotten.strings) strings.push_back(std::to_string(id));
    return ObjectText()
        .Number("generation", forgotten.generation)
        .Raw("nodes", ArrayText(nodes))
        .Raw("strings", ArrayText(strings))
        .Number("floor", forgotten.floor)
        .object();
  }();
  if (!reply)
    Refuse(exchange, reply.error());
  else
    exchange->Reply(JsonReply(200, *reply));
  return true;
}

void Routes::SendFiles(const std::shared_ptr<HttpExchange>& exchange) {
  bool begun = false;
  const auto send = [&](std::string_view piece) -> Status {
    if (!std::exchange(begun, true)) exchange->Begin({200, "application/octet-stream", {}, {}});
    if (!stopping_ && exchange->Send(std::string(piece))) return {};
    return Cancelled("who took the files is gone");
  };
  const Status sent = service_.SendFiles(send);
  if (sent) return exchange->End();
  if (begun) return exchange->Abort();
  Refuse(exchange, sent.error());
}

void Routes::OnThread(const std::shared_ptr<HttpExchange>& exchange, std::atomic<int>& count,
                      int most, std::function<void()> work) {
  if (++count > most) {
    --count;
    return Refuse(exchange, 503, {ErrorCode::kResourceExhausted, "too many follow the changes"});
  }
  followers_.Post([&count, work = std::move(work)] {
    work();
    --count;
  });
}

void Routes::SendPage(const std::shared_ptr<HttpExchange>& exchange, Sequence since,
                      const ChangesOptions& options, int wait_ms, std::uint64_t generation) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  const auto ended = [&] { return stopping_ || exchange->gone(); };
  Result<Changes> changes = service_.ChangesSince(since, options);
  const auto same = [&] {
    return generation == kAnyGeneration || changes->generation == generation;
  };
  while (changes && changes->records.empty() && same() && !ended() &&
         std::chrono::steady_clock::now() < until) {
    if (service_.AwaitChange(since, 250, ended) != since)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // visible, and not durable yet
    changes = service_.ChangesSince(since, options);
  }
  const Result<std::string> page =
      changes ? replica::EncodeChanges(*changes) : std::unexpected(changes.error());
  if (!page) return Refuse(exchange, page.error());
  exchange->Reply({200, std::string(kChangesType), {}, *page});
}

}  // namespace plexus::tools::server
