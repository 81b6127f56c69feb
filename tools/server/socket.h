// DIR/serve.sock: how a second process on a directory reaches the one that holds it.
//
// The first line of a connection is an object that says what it is for; MCP lines follow. The
// socket has mode 0600, so that it is for processes of the same user. A directory whose path is
// too long for a socket's name is reached through a descriptor of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "engine/error.h"

namespace plexus::tools::server {

// Which file a name is.
struct SocketFile {
  std::uint64_t device = 0, inode = 0;
  bool is_socket = false;
};

class SocketServer {
 public:
  // `serve` runs on a thread of its own for each connection, and owns no descriptor: it is closed
  // behind it. kIo: the socket cannot be made.
  using Serve = std::function<void(int fd, int stop)>;
  static Result<std::unique_ptr<SocketServer>> Start(const std::string& directory, Serve serve);
  ~SocketServer();  // as Stop
  // No new connections; those that are open end when what is under way is answered.
  void Stop();

 private:
  static constexpr int kMostConnections = 256;
  SocketServer() = default;
  void Accept();

  std::string directory_;
  Serve serve_;
  SocketFile file_;  // that Start made
  int listening_ = -1;
  int stop_[2] = {-1, -1};
  std::atomic<int> open_ = 0;
  std::thread thread_;
};

// One line without its end, read byte by byte, so that what follows stays where it is. "" at the
// end, or when it is longer than that or takes longer than a few seconds.
std::string ReadFirstLine(int fd, std::size_t most);

}  // namespace plexus::tools::server
