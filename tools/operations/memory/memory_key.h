// The key of a memory that is remembered by its text.
#pragma once

#include <string>

#include "engine/error.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

struct MemoryKey {
  std::string key;
  bool known = false;  // It is there already with this very text, and holds at the time asked for.
};

// The request's "key", or one of the first words of its "text", with "-2" behind it where another
// memory is called so, and a digest of the text where two are, or in a session of a scope: others'
// keys are not seen there. Two look-ups and those of equal digests. Errors: kInvalidArgument: an
// empty text, or a key of an index node. kAlreadyExists: the key given is another memory's, or of
// one that does not hold now. kCorruption: a text cannot be read.
Result<MemoryKey> KeyOfMemory(const Workspace& workspace, const Request& request);

}  // namespace plexus::tools
