// A candidate of the never-composed frontier, as replies have it.
#pragma once

#include <string>

#include "algorithms/memory/frontier/frontier.h"
#include "engine/snapshot.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// Its shape: an object. `of_every_lens`: what a lens may lack is optional.
std::string CandidateShape(bool of_every_lens = false);
// Its members, inside of an object.
void WriteCandidate(ReplyWriter& json, const Snapshot& snapshot,
                    const memory::NeverComposedSet& set);

}  // namespace plexus::tools
