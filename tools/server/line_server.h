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

#include "tools/server/mcp/protocol.h"
#include "tools/server/workers.h"

namespace plexus::tools::server {

inline constexpr std::size_t kMaxLine = std::size_t{8} << 20;

struct LineOptions {
  int in = -1, out = -1;
  int stop = -1;  // readable: reading ends
  Caller caller = {};
  std::function<bool()> ended = {};  // asked once a second: the parent is gone
  int write_ms = 30'000;             // a reader that takes nothing so long is given up
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

}  // namespace plexus::tools::server
