// undo: one more row of edit.cc.
#pragma once

#include "tools/operations/operation.h"

namespace plexus::tools {

Operation UndoRow();

}  // namespace plexus::tools
