// SpooledBody: a request's body that is too long for memory, in a file without a name.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace plexus::tools::server {

class SpooledBody {
 public:
  // Null: the folder of temporary files cannot hold one.
  static std::shared_ptr<SpooledBody> Make() {
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
    if (failed) return nullptr;
    int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {  // a file system without such files
      std::string name = folder / "plexus-body-XXXXXX";
      fd = mkostemp(name.data(), O_CLOEXEC);
      if (fd >= 0) unlink(name.c_str());
    }
    return fd < 0 ? nullptr : std::shared_ptr<SpooledBody>(new SpooledBody(fd));
  }
  virtual ~SpooledBody() { close(fd_); }
  SpooledBody(const SpooledBody&) = delete;
  SpooledBody& operator=(const SpooledBody&) = delete;

  // False: the disk is full.
  virtual bool Write(std::string_view text) {
    const char* bytes = text.data();
    std::size_t count = text.size();
    while (count > 0) {
      const ssize_t written = write(fd_, bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes += written;
      count -= static_cast<std::size_t>(written);
    }
    return true;
  }
  // From its beginning.
  int fd() const {
    lseek(fd_, 0, SEEK_SET);
    return fd_;
  }

 protected:
  explicit SpooledBody(int fd) : fd_(fd) {}

 private:
  const int fd_;
};

}  // namespace plexus::tools::server
