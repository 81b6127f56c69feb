// What operations that write share: the dry run, and how a change is reported.
#pragma once

#include <string>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/write_batch.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// dry_run, expect_sequence.
Parameter DryRunParameter();
Parameter ExpectSequenceParameter();
// Whether the request is of an operation that takes dry_run, and says so.
bool IsDryRun(const Request& request);
// Words of a dry run below its answer; else none.
std::string DryRunClosing(const Request& request);
// Operation::access of an operation that takes dry_run and writes to a graph that must be there, or
// is made. A dry run only reads, and takes an empty graph where none exists and one would be
// made.
Access ChangesGraph(const Request& request);
Access MakesGraph(const Request& request);
// How the graph would be open if the request were no dry run.
Access AccessToWrite(const Request& request);

// A batch at the workspace's time, with the request's expect_sequence where the row has it.
WriteBatch MakeBatch(const Workspace& workspace, const Request& request);
// Applies the batch, or asks what it would do where the request says dry_run: its report then has
// the graph's own sequence. The snapshot is that of the graph afterwards. As CheckTime.
Result<PreviewResult> ApplyOrPreview(Workspace& workspace, const Request& request,
                                     const WriteBatch& batch);
// Applies the batch if `write`. The graph's sequence afterwards. kFailedPrecondition when what the
// batch comes from was cut short: part of an answer is shown, and never written. As CheckTime.
Result<Sequence> ApplyIf(bool write, bool truncated, Workspace& workspace, const Request& request,
                         const WriteBatch& batch);
// Operation::access of an operation that writes when its flag `apply` is given.
Access WritesWhenApplied(const Request& request);

// The members of a change's reply, in the language of shape.h; and such a reply.
extern const char* const kChangeShape;
Reply ChangeReply(const Request& request, const ApplyReport& report);
// Both together.
Result<Reply> Change(Workspace& workspace, const Request& request, const WriteBatch& batch);

}  // namespace plexus::tools
