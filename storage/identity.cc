// The anchor says which graph it is, the inode which folder.
#include "storage/replica.h"

#include <sys/stat.h>

#include "engine/out_of_memory.h"
#include "storage/encoding/anchor.h"

namespace plexus::replica {

using namespace storage_internal;

Result<GraphIdentity> IdentifyGraph(const std::string& directory) try {
  struct stat folder = {};
  if (stat(directory.c_str(), &folder) != 0) return NotFound(directory, ": does not exist");
  PLEXUS_ASSIGN(const Anchor anchor, ReadAnchor(directory, Files()));
  return GraphIdentity{anchor.graph_id.high, anchor.graph_id.low, folder.st_dev, folder.st_ino};
}
PLEXUS_CATCH_NO_MEMORY

Result<Sequence> ClosedSequence(const std::string& directory) try {
  PLEXUS_ASSIGN(const Anchor anchor, ReadAnchor(directory, Files()));
  if (!anchor.clean)
    return FailedPrecondition(directory, ": is open, or its last writer did not end");
  return anchor.sequence;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::replica
