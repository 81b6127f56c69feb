// Keeping the index of terms, shared by `terms` and `import --terms`.
#pragma once

#include "algorithms/term_index.h"
#include "engine/error.h"
#include "tools/json_writer.h"
#include "tools/session.h"

namespace plexus::tools {

// Makes the terms of the session's graph, as it is now, agree with its texts. REQUIRES
// a session that may write.
Result<IndexTermsReport> UpdateTerms(Session& session, IndexTermsOptions options);

// "texts", "changed", "linked", "unlinked", into an open object.
void WriteTermFields(JsonWriter& json, const IndexTermsReport& report);
void PrintTerms(const IndexTermsReport& report);

}  // namespace plexus::tools
