// An HTTP/1.1 server that knows no route: it reads requests within limits, hands each to a handler
// on a worker, and sends what comes back, whole or as a stream of pieces. Boost.Beast stays in
// http_beast.cc.
//
// A request is refused before a handler sees it: with a Transfer-Encoding (411), with two lengths
// or not exactly one Host (400), with a header or a body that is too long (431, 413), or where
// there are too many (503). Each step has a deadline.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "tools/server/http/spooled_body.h"
#include "tools/server/workers.h"

namespace plexus::tools::server {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;
  std::string target;  // as it was sent
  HttpHeaders headers;
  std::string body;
  std::shared_ptr<SpooledBody> spooled = {};  // in place of `body`, where options.spools said so
  std::string peer = {};                      // the address that it came from

  // The first of that name, in any case; "" where there is no such header.
  std::string_view Header(std::string_view name) const;
  bool Has(std::string_view name) const;
};

// Whether two names of headers or hosts are equal, in any case.
bool SameName(std::string_view a, std::string_view b);
// The target up to '?'.
inline std::string_view PathOf(std::string_view target) {
  return target.substr(0, target.find('?'));
}

struct HttpReply {
  int status = 200;
  std::string type = "application/json";
  HttpHeaders headers = {};
  std::string body = {};
};
HttpReply JsonReply(int status, std::string body, HttpHeaders headers = {});
// {"error":..}; 401 and 503 with the headers that belong to them.
HttpReply ErrorReply(int status, const Error& error, HttpHeaders headers = {});
// The head of a stream of events.
HttpReply EventStream();

// One request under way. Thread-safe.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual const HttpRequest& request() const = 0;
  // The whole answer. Either this or Begin, once.
  virtual void Reply(HttpReply reply) = 0;
  // An answer in pieces. Send waits while the client is slow; false: it is gone.
  virtual void Begin(HttpReply head) = 0;
  virtual bool Send(std::string piece) = 0;
  virtual void End() = 0;
  // Closes at once: a stream ends without its last chunk, so that it is known not to be whole.
  virtual void Abort() = 0;
  // True once the client went away.
  virtual const std::atomic<bool>& gone() const = 0;
  // Called when it goes away, or at once when it has gone.
  virtual void OnGone(std::function<void()> call) = 0;
};

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  bool listens = true;     // on that port; else there is only what Take is given
  std::size_t max_header = 16 << 10, max_body = 4 << 20;
  std::size_t max_bodies = 64 << 20;  // bytes of all bodies under way
  // Bodies that go to a file, such as imports: for whom, where it is one; how long, how many at a
  // time, and how many of one of them.
  std::function<std::optional<std::string>(const HttpRequest&)> spools = {};
  // On a thread that may wait for a disk.
  std::function<std::shared_ptr<SpooledBody>()> make_spooled = SpooledBody::Make;
  std::uint64_t max_spooled = std::uint64_t{4} << 30;
  std::size_t max_spools = 4, max_spools_of_one = 2;
  std::size_t max_connections = 1024, max_waiting = 256, max_streams = 64;
  // Such a body has no time as a whole: it ends after spool_seconds without 64 KiB of it.
  int header_seconds = 5, body_seconds = 10, spool_seconds = 30, idle_seconds = 30,
      write_seconds = 30;
  int keep_alive_seconds = 15;  // a comment on a stream that is silent
};

class HttpServer {
 public:
  using Handler = std::function<void(std::shared_ptr<HttpExchange>)>;
  // Sees a request before its body is read, on the thread of the loop: must not wait. A reply is
  // the answer, such as to who may not ask.
  using Early = std::function<std::optional<HttpReply>(const HttpRequest&)>;
  // Listens; requests are answered from here on. `workers` have to be stopped before it is
  // destroyed. kInvalidArgument, kIo: an address that cannot be listened on.
  static Result<std::unique_ptr<HttpServer>> Start(const HttpOptions& options, Workers& workers,
                                                   Handler handler, Early early = {});
  virtual ~HttpServer() = default;  // as Stop
  virtual std::uint16_t port() const = 0;
  // Serves a connected socket of a file, which it closes. `before`: what was read of it already.
  virtual void Take(int fd, std::string before) = 0;
  virtual std::size_t connections() const = 0;
  // No new requests; what is under way has that long.
  virtual void Stop(int milliseconds) = 0;
};

// A server of what has Handle, Early and SpoolsFor. Both must outlive it.
template <class Paths>
Result<std::unique_ptr<HttpServer>> StartFor(Paths& paths, HttpOptions options, Workers& workers) {
  options.spools = [&](const HttpRequest& request) { return paths.SpoolsFor(request); };
  return HttpServer::Start(
      options, workers, [&](std::shared_ptr<HttpExchange> exchange) { paths.Handle(exchange); },
      [&](const HttpRequest& request) { return paths.Early(request); });
}

}  // namespace plexus::tools::server
