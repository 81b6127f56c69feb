// A client of HTTP/1.1 for one server: a connection that is kept, one request at a time, each step
// with a deadline. No TLS. Not thread-safe, but for `stop`, which is asked every 100 ms and ends
// what waits (kCancelled).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/error.h"

namespace plexus::tools::server {

struct HttpUrl {
  std::string host, port, path;  // the path without '/' at its end
};
// "http://HOST[:PORT][/PATH]". kInvalidArgument: another form.
Result<HttpUrl> ParseUrl(std::string_view text);

class HttpClient {
 public:
  using Stop = std::function<bool()>;
  // `token`: of Bearer; "" for none. kIo: there is no connection.
  static Result<std::unique_ptr<HttpClient>> Connect(const HttpUrl& url, const std::string& token,
                                                     Stop stop);
  virtual ~HttpClient() = default;

  // Sends the request and reads the head of its answer within `milliseconds`; its status.
  virtual Result<int> Begin(std::string_view target, std::string_view accept, int milliseconds) = 0;
  // The next piece of the body, "" at its end; each within the milliseconds.
  virtual Result<std::string> NextPiece() = 0;

  struct Answer {
    int status = 0;
    std::string body;
  };
  // All of an answer. kResourceExhausted: its body passes `most`.
  Result<Answer> Get(std::string_view target, std::string_view accept, int milliseconds,
                     std::uint64_t most);
};

}  // namespace plexus::tools::server
