// MCP as lines: standard input and output, or a connection of a socket.
//
// One thread reads; requests run on the workers. A request that writes runs by itself among those
// of its connection: what follows it waits, so that lines sent one behind the other are answered as
// if they had been sent one after the other. Reads run at the same time, a few of a connection;
// what waits is bounded, and reading waits with it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "engine/error.h"
#include "tools/server/mcp/protocol.h"
#include "tools/server/workers.h"

namespace plexus::tools::server {

inline constexpr std::size_t kMaxLine = std::size_t{8} << 20;

struct LineOptions {
  int in = -1, out = -1;
  int stop = -1;  // readable: reading ends
  Caller caller = {};
  std::function<bool()> ended = {};  // asked once a second: the parent is gone
  std::string before = {};           // what was read of `in` already
};

// Returns when the input ends, `stop` is readable or the reader is gone; requests under way are
// answered first.
void ServeLines(Protocol& protocol, Workers& workers, const LineOptions& options);

// Writes what poll said can be taken, without blocking: what a socket takes, or a little. -1 and
// errno: nothing.
ssize_t WriteSome(int fd, std::string_view text);
// Writes everything, never blocking longer than that for each piece. False: the reader is gone.
bool WriteAll(int fd, std::string_view text, int milliseconds);

// The code of the line by which a holder refuses a whole connection.
inline constexpr int kConnectionRefused = -32001;

struct RelayOptions {
  std::string hello;  // the first line of a connection
  int in = -1, out = -1, stop = -1;
  std::function<bool()> ended = {};
  // A descriptor that lines are sent to: of the holder, or of this process, which then is it.
  std::function<Result<int>()> connect = {};
};

// A second `serve --mcp` on a directory: its lines go to the process that holds it, as if that were
// asked itself. When the holder ends, this process takes its place or finds the next one.
// (relay.cc)
//
// Copies lines both ways until the input ends. Requests whose answers a holder took with it are
// answered with an error that says so; subscriptions are made again with the next one. The first
// connection is `fd`. Returns an error when there is no next one, or the holder refuses.
Status Relay(int fd, const RelayOptions& options);

}  // namespace plexus::tools::server
