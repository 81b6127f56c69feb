// What an import did, as JSON, as a page for people and as notes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/formats/follow.h"
#include "storage/formats/import.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {

// `columns`: how the user spells the parameter that names columns (--columns).
void WriteImportReport(ReplyWriter& json, const formats::ImportReport& report,
                       const std::optional<retrieval::IndexTermsReport>& terms, bool dry_run,
                       const std::optional<formats::FollowReport>& followed,
                       const std::vector<std::string>& warnings, const std::string& columns);

std::string ImportPage(const formats::ImportReport& report, double seconds);

// Edges that may be meant the other way round; "" for none.
std::string AmbiguousWarning(const formats::ImportReport& report);

// What a file got wrong is no slip of the request; a column that no file has is one.
Result<formats::ImportReport> Judged(const Request& request, Result<formats::ImportReport> report);

// What was refused, with what to type next, and what looks wrong.
void AddImportNotes(std::vector<Note>& notes, const formats::ImportReport& report,
                    const std::string& columns);

}  // namespace plexus::tools
