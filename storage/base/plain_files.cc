// lstat, O_NOFOLLOW and unlinkat.
#include "storage/base/plain_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace plexus::storage_internal {

namespace {

const char* Named(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return S_ISREG(mode) ? "a file" : "a device";
}

std::unexpected<Error> Wrong(const std::string& path, mode_t mode, const char* expected) {
  return FailedPrecondition(path, ": is ", Named(mode), ", where a graph has ", expected,
                            " of its own; nothing was done");
}

Status MustBe(const std::string& path, mode_t type, const char* expected) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0 || (status.st_mode & S_IFMT) == type) return {};
  return Wrong(path, status.st_mode, expected);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace

std::unexpected<Error> SystemError(const std::string& path, int error) {
  return Fail(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
              path + ": " + std::strerror(error));
}

Status MustBePlainFile(const std::string& path) { return MustBe(path, S_IFREG, "a file"); }

Status MustBePlainDirectory(const std::string& path) {
  return MustBe(path, S_IFDIR, "a directory");
}

Result<int> OpenPlainFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) {
    const int error = errno;
    PLEXUS_TRY(MustBePlainFile(path));
    return SystemError(path, error);
  }
  struct stat status = {};
  const int error = fstat(descriptor, &status) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(status.st_mode)) return descriptor;
  close(descriptor);
  if (error != 0) return SystemError(path, error);
  return Wrong(path, status.st_mode, "a file");
}

Status MakeWay(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return {};
  if (S_ISREG(status.st_mode) && status.st_nlink == 1) return {};
  if (unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return SystemError(path, errno);
}

Status RemoveFolder(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return SystemError(path, errno);
  }
  if (!S_ISDIR(status.st_mode)) {
    if (unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return SystemError(path, errno);
  }
  const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
  if (opened < 0) return SystemError(path, errno);
  const std::unique_ptr<DIR, CloseDirectory> directory(fdopendir(opened));
  if (!directory) {
    const int error = errno;
    close(opened);
    return SystemError(path, error);
  }
  // All are looked at before one goes.
  std::vector<std::string> names;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (fstatat(opened, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
      return FailedPrecondition(path, "/", name,
                                ": is a directory that no graph made; nothing was removed");
    names.push_back(name);
  }
  for (const std::string& name : names)
    if (unlinkat(opened, name.c_str(), 0) != 0 && errno != ENOENT)
      return SystemError(path + "/" + name, errno);
  if (rmdir(path.c_str()) != 0 && errno != ENOENT) return SystemError(path, errno);
  return {};
}

}  // namespace plexus::storage_internal
