// backup, restore: a verified copy, and a graph made from one.
#include <string>

#include "storage/replica.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {
namespace {

Result<Reply> CopyReply(const char* what, const std::string& directory, Sequence sequence) {
  Reply reply([directory, sequence](ReplyWriter& json) {
    json.Field("directory", directory);
    json.Field("sequence", sequence);
  });
  reply.page = what + (" " + directory) + " at sequence " + std::to_string(sequence) + "\n";
  return reply;
}

Result<Reply> RunBackup(Workspace& workspace, const Request& request) {
  if (request.Given("as_of"))
    return Invalid(request.Name("as_of"), " cannot go with a backup, which is of the present");
  PLEXUS_TRY(workspace.database().Backup(request.Text("to"), workspace.timed_progress()));
  PLEXUS_TRY(workspace.Close());
  PLEXUS_ASSIGN(const Sequence sequence, replica::ClosedSequence(request.Text("to")));
  return CopyReply("backed up to", request.Text("to"), sequence);
}

Result<Reply> RunRestore(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(workspace.CheckDirectory());
  const std::string& from = request.Text("from");
  PLEXUS_TRY(Database::Restore(from, workspace.directory(), workspace.timed_progress()));
  PLEXUS_ASSIGN(const Sequence sequence,
                replica::ClosedSequence(from));  // others may have the new one open
  return CopyReply("restored", workspace.directory(), sequence);
}

}  // namespace

void AddBackup(Rows& rows) {
  rows.push_back({.name = "backup",
                  .group = "Care",
                  .title = "Back up",
                  .summary = "Copy the graph to a new directory and verify the copy",
                  .parameters = {Text("to", "DIR", "a directory that does not exist yet")
                                     .Named(Means::kPath)
                                     .OrPositional()},
                  .reply = "directory:s, sequence:n",
                  .examples = {{"plexus backup --db g --to backups/g-2026-11-21",
                                "a whole, verified copy, also while others write"},
                               {"plexus backup --db g --to /mnt/other/g --json",
                                "on another disk, for a script"}},
                  .run = RunBackup,
                  .reach = Reach::kDirectory,
                  .interruptible = true});
  rows.push_back(
      {.name = "restore",
       .group = "Care",
       .title = "Restore",
       .summary = "Make a new graph from a backup and verify it",
       .effect = Effect::kWrite,
       .parameters = {Text("from", "DIR", "a backup, or a graph that no process has open")
                          .Named(Means::kFile)
                          .OrPositional()},
       .reply = "directory:s, sequence:n",
       .examples = {{"plexus restore --db g2 --from backups/g-2026-11-21", "g2 must not exist yet"},
                    {"plexus restore --db g2 --from g --json", "a copy of a closed graph"}},
       .run = RunRestore,
       .access = OpensNothing,
       .reach = Reach::kDirectory});
}

}  // namespace plexus::tools
