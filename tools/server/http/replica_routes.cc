// What a replica asks its source: which history it has, the records after one, what was forgotten,
// all files. And what others ask a replica: how far it is behind.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "storage/replica.h"
#include "tools/server/http/routes.h"
#include "tools/server/json_text.h"

namespace plexus::tools::server {
namespace {

std::string IdText(std::uint64_t high, std::uint64_t low) {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text;
}

}  // namespace

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
    exchange->Reply({200,
                     "application/json",
                     {},
                     ObjectText()
                         .Text("source", service_.follows()->source())
                         .Text("state", lag.state)
                         .Bool("connected", lag.connected)
                         .Number("sequence", here)
                         .Number("source_sequence", lag.source_sequence)
                         .Number("lag_records", lag.sequences)
                         .Raw("lag_seconds", seconds)
                         .Number("copies", lag.copies)
                         .object()});
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
    std::vector<std::string> nodes;
    for (const NodeId node : forgotten.nodes) nodes.push_back(std::to_string(node));
    return ObjectText()
        .Number("generation", forgotten.generation)
        .Raw("nodes", ArrayText(nodes))
        .object();
  }();
  if (!reply)
    Refuse(exchange, StatusOf(reply.error().code), reply.error());
  else
    exchange->Reply({200, "application/json", {}, *reply});
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
  Refuse(exchange, StatusOf(sent.error().code), sent.error());
}

void Routes::OnThread(const std::shared_ptr<HttpExchange>& exchange, std::atomic<int>& count,
                      int most, std::function<void()> work) {
  if (++count > most) {
    --count;
    return Refuse(exchange, 503, {ErrorCode::kResourceExhausted, "too many follow the changes"});
  }
  std::call_once(made_followers_, [&] {
    followers_ = std::make_unique<Workers>(kMostStreams + kMostPolls + kMostCopies);
  });
  followers_->Post([&count, work = std::move(work)] {
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
  if (!page) return Refuse(exchange, StatusOf(page.error().code), page.error());
  exchange->Reply({200, std::string(kChangesType), {}, *page});
}

}  // namespace plexus::tools::server
