// Which way edges are followed where kinds may be named by their inverse names.
//
// A question by an inverse name (caused_by) is one about the same edges with their ends swapped:
// along caused_by is against causes. Where edges count either way the two names mean the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/schema.h"
#include "engine/types.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// Whether kinds that are named so are followed backward; symmetric ones go with any.
// kInvalidArgument: no such kind, or some go one way and some the other.
Result<bool> IsBackward(const Schema& schema, std::span<const std::string> names);

// `asked` along kinds that are named so, as a direction along the kinds that are stored. Both ways
// take any names. kInvalidArgument as IsBackward.
Result<Direction> AsStored(const Schema& schema, std::span<const std::string> names,
                           Direction asked);
// The kinds that only their inverse names are given of: a step along one of them is one against its
// edge.
Result<std::vector<EdgeKindId>> TurnedKinds(const Schema& schema,
                                            std::span<const std::string> names);
// "direction" of an edge as one of its ends sees it, and, from its target, "inverse": the name that
// its kind has from there, if any.
void WriteDirection(ReplyWriter& json, const Schema& schema, EdgeKindId kind, Direction seen);

}  // namespace plexus::tools
