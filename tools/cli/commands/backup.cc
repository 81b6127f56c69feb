// backup and restore: a verified copy, and a graph made from one.
#include <string>

#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/operations/json_writer.h"

namespace plexus::tools {
namespace {

Result<int> Answer(const Globals& globals, const char* what, const std::string& directory,
                   Sequence sequence) {
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("directory", directory);
    json.Field("sequence", sequence);
    json.EndObject();
    Out() << '\n';
  } else {
    Out() << what << ' ' << directory << " at sequence " << sequence << '\n';
  }
  return kDone;
}

// The sequence that a finished copy holds, read back from it.
Result<Sequence> SequenceOf(const std::string& directory) {
  storage::OpenOptions options;
  options.read_only = true;
  PLEXUS_ASSIGN(const auto database, storage::Database::Open(directory, options));
  return database->snapshot().sequence();
}

Result<int> RunBackup(const Globals& globals, const std::string& to) {
  if (!globals.as_of.empty())
    return Fail(ErrorCode::kInvalidArgument, "--as-of reads the past; a backup is of the present");
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  {
    const SignalGuard guard;
    PLEXUS_TRY(session->database().Backup(to, session->progress()));
  }
  PLEXUS_TRY(session->Close());
  PLEXUS_ASSIGN(const Sequence sequence, SequenceOf(to));
  return Answer(globals, "backed up to", to, sequence);
}

Result<int> RunRestore(const Globals& globals, const std::string& from) {
  if (globals.db.empty())
    return Fail(ErrorCode::kInvalidArgument, "restore to where? --db DIR names the new directory");
  {
    const SignalGuard guard;
    ProgressBar bar(!globals.quiet);
    PLEXUS_TRY(storage::Database::Restore(from, globals.db, &bar));
  }
  PLEXUS_ASSIGN(const Sequence sequence, SequenceOf(globals.db));
  return Answer(globals, "restored", globals.db, sequence);
}

}  // namespace

void AddBackup(Cli& cli) {
  static std::string to;
  cli.Add("Care", "backup", "Copy the graph to a new directory and verify the copy",
          [](const Globals& globals) { return RunBackup(globals, to); })
      .Option("--to", "DIR", to, "a directory that does not exist yet")
      .Required()
      .Example("plexus backup --db g --to backups/g-2026-11-21",
               "a whole, verified copy, also while others write")
      .Example("plexus backup --db g --to /mnt/other/g --json", "on another disk, for a script");

  static std::string from;
  cli.Add("Care", "restore", "Make a new graph from a backup and verify it",
          [](const Globals& globals) { return RunRestore(globals, from); })
      .Option("--from", "DIR", from, "a backup, or a graph that nobody has open")
      .Required()
      .Example("plexus restore --db g2 --from backups/g-2026-11-21", "g2 must not exist yet")
      .Example("plexus restore --db g2 --from g --json", "a copy of a closed graph");
}

}  // namespace plexus::tools
