// The name of a socket has 107 bytes at most.
#include "tools/cli/holder_socket.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace plexus::tools {

HolderAddress::~HolderAddress() {
  if (directory_ >= 0) close(directory_);
}

bool HolderAddress::Make(const std::string& directory) {
  std::string path = directory + "/" + std::string(kSocketName);
  if (path.size() >= sizeof name_.sun_path) {
    directory_ = open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory_ < 0) return false;
    path = "/proc/self/fd/" + std::to_string(directory_) + "/" + std::string(kSocketName);
  }
  name_.sun_family = AF_UNIX;
  std::memcpy(name_.sun_path, path.c_str(), path.size() + 1);
  return true;
}

bool IsOfThisUser(int socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

Result<int> ConnectToHolder(const std::string& directory) {
  const auto none = [&] { return NotFound("no server listens in ", directory); };
  const std::string path = directory + "/" + std::string(kSocketName);
  const int file = open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return none();
  struct stat status = {};
  const bool is_socket = fstat(file, &status) == 0 && S_ISSOCK(status.st_mode);
  // By the descriptor, so that it is the file that was looked at.
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::snprintf(name.sun_path, sizeof name.sun_path, "/proc/self/fd/%d", file);
  const int fd = is_socket ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
  const bool connected = fd >= 0 &&
                         connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
                         IsOfThisUser(fd);
  close(file);
  if (connected) return fd;
  if (fd >= 0) close(fd);
  return none();
}

}  // namespace plexus::tools
