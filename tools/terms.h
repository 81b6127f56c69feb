// Keeping the index of terms, shared by `terms` and `import --terms`.
#pragma once

#include "algorithms/term_index.h"
#include "engine/error.h"
#include "tools/json_writer.h"
#include "tools/session.h"

namespace plexus::tools {

// Makes the terms of the session's graph, as it is now, agree with its texts, and when all of
// them do, records it (term_record.h). REQUIRES a session that may write.
Result<IndexTermsReport> UpdateTerms(Session& session, IndexTermsOptions options);
// The same after a write, for what was written since the session was opened, as the graph's
// index was made. Where the index missed texts before, all are looked at.
Result<IndexTermsReport> FollowTexts(Session& session);
// "12 facts have a text that is not indexed ..." on stderr, unless --quiet or there are none.
void NoteNotIndexed(const Globals& globals, std::uint64_t count);

// "texts", "changed", "linked", "unlinked", into an open object.
void WriteTermFields(JsonWriter& json, const IndexTermsReport& report);
void PrintTerms(const IndexTermsReport& report);

}  // namespace plexus::tools
