// The symmetric kind of undirected files, as it is defined.
#include "storage/formats/base/linked_kind.h"

#include <string>

namespace plexus::formats::internal {

EdgeKind LinkedKind() {
  EdgeKind kind;
  kind.name = std::string(kLinkedKind);
  kind.symmetric = true;
  return kind;
}

}  // namespace plexus::formats::internal
