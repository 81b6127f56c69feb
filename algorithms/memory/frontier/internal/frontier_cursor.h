// Cursors of never-composed pages: where a page ended, of which question, of which state.
//
// Text: version, sequence, time, digest of the question, score, members and a digest of
// all before it, in hexadecimal between dots. The digest covers every option but top, cursor, time
// and budget. Private to algorithms/memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/memory/frontier/frontier.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

struct PageEnd {
  double score = 0;
  std::vector<NodeId> members;
};

std::string WriteCursor(const Snapshot& snapshot, const NeverComposedOptions& options,
                        const PageEnd& end);
// Nothing for the first page. kInvalidArgument: it is no cursor, or one of another sequence, time
// or question.
Result<std::optional<PageEnd>> ReadCursor(const Snapshot& snapshot,
                                          const NeverComposedOptions& options);

}  // namespace plexus::memory::internal
