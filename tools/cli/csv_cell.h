// One cell of a CSV line.
#pragma once

#include <string>

#include "tools/cli/reply_tree.h"

namespace plexus::tools {

// Texts and keys as they are, everything else as JSON; quoted where it must be. "" for null.
std::string CsvCell(const TreeNode* cell, const Snapshot& snapshot);

}  // namespace plexus::tools
