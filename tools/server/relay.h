// A second `serve --mcp` on a directory: its lines go to the process that holds it, as if that were
// asked itself. When the holder ends, this process takes its place or finds the next one.
#pragma once

#include <functional>
#include <string>

#include "engine/error.h"

namespace plexus::tools::server {

// The code of the line by which a holder refuses a whole connection.
inline constexpr int kConnectionRefused = -32001;

struct RelayOptions {
  std::string hello;  // the first line of a connection
  int in = -1, out = -1, stop = -1;
  std::function<bool()> ended = {};
  // A descriptor that lines are sent to: of the holder, or of this process, which then is it.
  std::function<Result<int>()> connect = {};
};

// Copies lines both ways until the input ends. Requests whose answers a holder took with it are
// answered with an error that says so; subscriptions are made again with the next one. The first
// connection is `fd`. Returns an error when there is no next one, or the holder refuses.
Status Relay(int fd, const RelayOptions& options);

}  // namespace plexus::tools::server
