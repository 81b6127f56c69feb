// The key of a memory that is remembered by its text.
#pragma once

#include <string>

#include "engine/error.h"
#include "tools/operations/request.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {

struct MemoryKey {
  std::string key;
  bool known = false;  // It is there already, with this very text.
};

// The request's "key", or one of the first words of its "text", with a number behind it where
// another memory is called so. Errors: kInvalidArgument: an empty text, or a key of an index node.
// kAlreadyExists: the key given is another memory's. kCorruption: a text cannot be read.
Result<MemoryKey> KeyOfMemory(const Workspace& workspace, const Request& request);

}  // namespace plexus::tools
