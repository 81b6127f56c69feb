// Of the file only the holder of the directory's lock makes or deletes it.
#include "tools/server/socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>

#include "tools/cli/holder_socket.h"
#include "tools/server/server_log.h"
#include "tools/server/stop.h"

namespace plexus::tools::server {
namespace {

bool FileAt(const char* path, SocketFile& file) {
  struct stat status = {};
  if (lstat(path, &status) != 0) return false;
  file = {status.st_dev, status.st_ino, S_ISSOCK(status.st_mode)};
  return true;
}

}  // namespace

Result<std::unique_ptr<SocketServer>> SocketServer::Start(const std::string& directory,
                                                          Serve serve) {
  std::unique_ptr<SocketServer> server(new SocketServer());
  server->directory_ = directory;
  server->serve_ = std::move(serve);
  HolderAddress address;
  const auto fail = [&](const char* what) {
    return IoError(what, " ", directory, "/", kSocketName, ": ", std::strerror(errno));
  };
  if (!address.Make(directory)) return fail("cannot reach");
  server->listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (server->listening_ < 0) return fail("cannot make");
  if (SocketFile there; FileAt(address.path(), there)) {
    if (!there.is_socket)
      return FailedPrecondition(
          directory, "/", kSocketName,
          ": is no socket; without it other processes cannot write meanwhile");
    unlink(address.path());  // of a holder that was killed
  }
  // The mode of a socket is that of its making.
  const mode_t before = umask(0177);
  const int bound = bind(server->listening_, address.get(), address.size());
  umask(before);
  if (bound != 0) return fail("cannot bind");
  if (!FileAt(address.path(), server->file_)) return fail("cannot find");
  if (listen(server->listening_, 64) != 0) return fail("cannot listen on");
  if (pipe2(server->stop_, O_CLOEXEC) != 0) return fail("no pipe for");
  server->thread_ = std::thread([raw = server.get()] { raw->Accept(); });
  return server;
}

void SocketServer::Accept() {
  for (;;) {
    const Ready ready = AwaitInput(listening_, stop_[0], 60'000);
    if (ready == Ready::kStop) return;
    if (ready == Ready::kNothing) continue;
    const int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EMFILE || errno == ENFILE) usleep(50'000);
      continue;
    }
    // Processes of other users are turned away, whatever the mode of the file says.
    if (open_ >= kMostConnections || !IsOfThisUser(fd)) {
      close(fd);
      continue;
    }
    ++open_;
    std::thread([this, fd] {
      try {
        serve_(fd, stop_[0]);
      } catch (const std::exception& failure) {
        LogError("a connection ended: " + std::string(failure.what()));
      }
      close(fd);
      --open_;
    }).detach();
  }
}

void SocketServer::Stop() {
  if (!thread_.joinable()) return;
  const char byte = 1;
  [[maybe_unused]] const auto written = write(stop_[1], &byte, 1);
  thread_.join();
  // Another process may have made a file of that name meanwhile.
  SocketFile there;
  if (HolderAddress address; address.Make(directory_) && FileAt(address.path(), there) &&
                             there.device == file_.device && there.inode == file_.inode)
    unlink(address.path());
  close(listening_);
  while (open_ > 0) usleep(2'000);
  close(stop_[0]);
  close(stop_[1]);
}

SocketServer::~SocketServer() { Stop(); }

std::string ReadFirstLine(int fd, std::size_t most) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::string line;
  while (line.size() < most && std::chrono::steady_clock::now() < until) {
    pollfd one{fd, POLLIN, 0};
    if (poll(&one, 1, 1000) <= 0) continue;
    char byte;
    const ssize_t got = read(fd, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    if (byte == '\n') return line;
    line += byte;
  }
  return {};
}

}  // namespace plexus::tools::server
