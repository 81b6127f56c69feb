// Cursors of lists: where a page ended, as text.
//
// SEQUENCE.POSITION.DIGEST: the state that was asked, how far into its list the next page begins,
// and a digest of both and of the question. A list of one state is always the same, so a position
// is a number. The digest finds damage and other questions; it has no secret.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/memory/internal/fnv.h"
#include "engine/error.h"
#include "engine/types.h"

namespace plexus::memory::internal {

std::string CursorAt(Sequence sequence, std::uint64_t position, const DigestText& question);

// kInvalidArgument: no cursor, or one of another question. kFailedPrecondition: of another state;
// the message names its sequence.
Result<std::uint64_t> PositionOf(std::string_view cursor, Sequence sequence,
                                 const DigestText& question);

// The state that a cursor is of. kInvalidArgument: it is none.
Result<Sequence> SequenceOf(std::string_view cursor);

}  // namespace plexus::memory::internal
