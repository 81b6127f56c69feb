// The rows of a list in a reply.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cli/reply_tree.h"

namespace plexus::tools {

// A row of a list: its object, and for a list in a list the object around it.
struct ReplyRow {
  const TreeNode* outer = nullptr;
  const TreeNode* inner = nullptr;
  bool first = true;  // of its outer one
  std::size_t number = 1;

  // "event/query" is a field of the object "event".
  const TreeNode* Find(const std::string& field) const {
    if (const std::size_t slash = field.find('/'); slash != std::string::npos) {
      const TreeNode* object = inner->Find(field.substr(0, slash));
      return object ? object->Find(field.substr(slash + 1)) : nullptr;
    }
    if (const TreeNode* found = inner->Find(field)) return found;
    return outer && first ? outer->Find(field) : nullptr;
  }
};

// Of "nodes", or of "sets/nodes": the elements of a list in the elements of a list.
std::vector<ReplyRow> RowsOf(const TreeNode& root, const std::string& list);

}  // namespace plexus::tools
