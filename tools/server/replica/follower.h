// Follower: keeps a replica's directory at the state of its source, over HTTP.
//
// It looks first which history the source has, then asks for the records after its own, and waits
// there for the next. What the source forgot meanwhile is forgotten before records are taken; what
// it has trimmed is made good by a copy of all files next to those in force. After an error it
// tries again, with pauses from 0.1 to 5 s; each change of state is one line in the log. One
// thread.
#pragma once

#include <memory>
#include <string>

#include "storage/replica.h"
#include "tools/server/http/http_client.h"
#include "tools/server/service.h"

namespace plexus::tools::server {

// The token in a file that only its owner may read; "" without a file. kInvalidArgument: it is
// none.
Result<std::string> ReadTokenFile(const std::string& file);

class Follower {
 public:
  // `stop` ends what waits. kInvalidArgument: `source` is no address.
  static Result<std::unique_ptr<Follower>> Make(const std::string& source, std::string token,
                                                std::string directory, HttpClient::Stop stop);
  const std::shared_ptr<FollowStatus>& status() const { return status_; }

  // The first files, where the directory has no replica yet; tries until there are some, or only
  // once. What no later try would change is an error at once: the directory holds something else.
  Status Begin(bool once);
  // Follows until it is asked to end (kCancelled); `once`: until it has all, or the first error.
  Status Run(Service& service, bool once);

 private:
  Follower(HttpUrl url, std::string token, std::string directory, HttpClient::Stop stop,
           std::shared_ptr<FollowStatus> status)
      : url_(std::move(url)),
        token_(std::move(token)),
        directory_(std::move(directory)),
        stop_(std::move(stop)),
        status_(std::move(status)) {}
  Result<std::unique_ptr<HttpClient>> Connect() const;
  Result<HttpClient::Answer> Ask(HttpClient& client, const std::string& path,
                                 std::string_view accept, int milliseconds) const;
  Result<replica::GraphLineage> AskHistory(HttpClient& client) const;
  // All files, next to those in force; the generation to swap in.
  Result<std::uint64_t> Copy();
  // One connection.
  Status Follow(Service& service, bool once);
  // A page, and what comes before it. False: the source has no more.
  Result<bool> Step(HttpClient& client, Service& service);
  Status Renew(Service& service);
  // After an error: says so once, and waits. kCancelled: it is asked to end.
  Status Pause(const Error& error);

  const HttpUrl url_;
  const std::string token_, directory_;
  const HttpClient::Stop stop_;
  const std::shared_ptr<FollowStatus> status_;
  int pause_ms_ = 0;
  bool was_connected_ = false;
};

}  // namespace plexus::tools::server
