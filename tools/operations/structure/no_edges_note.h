// A note of a question that no edge takes part in: mostly a selection that was meant for the list.
#pragma once

#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// Of questions about the graph's structure, after Workspace::Look. O(selected nodes and edges).
void NoteNoEdges(Workspace& workspace, const Request& request, const Budget& budget);

}  // namespace plexus::tools
