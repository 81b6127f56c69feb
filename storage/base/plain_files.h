// A graph's folder may come from anybody: packed by a stranger, or shared with one. What is
// at the name of a file of ours may be a link out of it, or a pipe that blocks who opens it.
// Here is what looks before it reads, writes or removes. Internal; thread-safe.
#pragma once

#include <string>

#include "engine/error.h"

namespace plexus::storage_internal {

// kFailedPrecondition, with the path and what is there, unless it is a regular file or
// nothing.
Status MustBePlainFile(const std::string& path);

// The same of a directory.
Status MustBePlainDirectory(const std::string& path);

// kNotFound or kIo, with what errno `error` means.
std::unexpected<Error> SystemError(const std::string& path, int error);
// A descriptor for reading a regular file, never of what a link leads to; does not wait for a
// pipe's other end. kNotFound, kIo, or as MustBePlainFile.
Result<int> OpenPlainFile(const std::string& path);

// Before a new file is made at `path`: takes away a link (of either kind), a pipe or a device,
// so that only a file of this name is written to.
Status MakeWay(const std::string& path);

// Removes the files in `path` and it, or what else is at that name. No link is followed.
// kFailedPrecondition when there is a directory in it, which is none of ours. Fine when absent.
Status RemoveFolder(const std::string& path);

}  // namespace plexus::storage_internal
