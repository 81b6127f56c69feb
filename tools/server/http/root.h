// Many graphs: a directory whose folders are graphs, each opened at its first request.
//
//   GET /graphs              names; POST /graphs {"name":N} makes one; DELETE /graphs/N drops it
//   ANY /graphs/N/PATH       PATH of that graph: /graphs/anna/mcp, /graphs/anna/v1/recall
//   GET /health, /ready, /metrics, /openapi.json     of the server
//
// At most so many are open, and the process takes at most so much memory: who was asked the longest
// ago is closed first, unless it is in use. Making and dropping needs the right admin.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tools/server/http/routes.h"
#include "tools/server/server.h"

namespace plexus::tools::server {

struct RootOptions {
  std::string directory;
  std::size_t max_open = 64;
  std::uint64_t max_resident = std::uint64_t{1} << 30;  // bytes of the process
  std::vector<std::string> tools = {"memory"};
  double max_seconds = 60;
};

class Root {
 public:
  // kNotFound: there is no such directory.
  static Result<std::unique_ptr<Root>> Open(const RootOptions& options, AccessRules rules);
  std::optional<HttpReply> Early(const HttpRequest& request);
  // HttpOptions::spools.
  std::optional<std::string> SpoolsFor(const HttpRequest& request) const;
  void Handle(const std::shared_ptr<HttpExchange>& exchange);
  std::size_t open() const;
  // Ends streams; no other graph is opened, and /ready is no longer.
  void BeginStop();
  // Ends streams and closes all graphs.
  Status Close();

 private:
  struct Graph;
  struct Busy;
  Root(RootOptions options, AccessRules rules)
      : options_(std::move(options)), rules_(std::move(rules)) {}
  void List(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller);
  void Make(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller);
  void Drop(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
            const std::string& name);
  Result<std::shared_ptr<Graph>> Find(const std::string& name, bool create);
  Result<std::shared_ptr<Graph>> OpenGraph(const std::string& name, bool create);
  void ToGraph(const std::shared_ptr<HttpExchange>& exchange, const Caller& caller,
               const std::string& name, std::string_view target);
  void CloseIdle();
  void RemoveFiles(HttpExchange& exchange, const std::string& name);
  void Refuse(HttpExchange& exchange, int status, ErrorCode code, std::string why);
  bool MayMakeAndDrop(HttpExchange& exchange, const Caller& caller);
  bool IsReady() const;
  std::string Metrics() const;
  std::string GraphPath(const std::string& name) const { return options_.directory + "/" + name; }

  const RootOptions options_;
  const AccessRules rules_;
  HttpCounts counts_;
  mutable std::mutex mutex_;
  std::condition_variable free_;
  std::set<std::string> busy_;   // names that a thread opens, closes or drops, without mutex_
  std::list<std::string> used_;  // the last one first
  struct Entry {
    std::shared_ptr<Graph> graph;
    std::list<std::string>::iterator at;
  };
  std::map<std::string, Entry> graphs_;
  bool closed_ = false;
};

// Letters, digits, '.', '_', '-'; at most 100, the first no dot.
bool IsGraphName(std::string_view name);

}  // namespace plexus::tools::server
