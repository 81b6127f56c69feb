// The name of a socket has 107 bytes at most.
#include "tools/cli/holder_socket.h"

#include <fcntl.h>
#include <unistd.h>

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

Result<int> ConnectToHolder(const std::string& directory) {
  HolderAddress address;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Fail(ErrorCode::kIo, "no socket");
  if (!address.Make(directory) || connect(fd, address.get(), HolderAddress::size()) != 0) {
    close(fd);
    return Fail(ErrorCode::kNotFound, "no server listens in " + directory);
  }
  return fd;
}

}  // namespace plexus::tools
