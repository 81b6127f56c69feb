// The one order of things: open, answer, write the reply, close, print; what went wrong is heard
// before anything is said to be done.
#include "tools/cli/run.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "tools/cli/exit_code.h"
#include "tools/cli/line_limit.h"
#include "tools/cli/output.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/remote.h"
#include "tools/cli/shell.h"
#include "tools/cli/signals.h"
#include "tools/cli/tables.h"
#include "tools/operations/batch_progress.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

// The bar, and a line on standard error for each batch that is durable.
class CommandProgress final : public BatchProgress {
 public:
  explicit CommandProgress(const CommandLine& line) : line_(line), bar_(!line.globals.quiet) {}

  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    return bar_.Report(phase, done, total);
  }
  void BatchDone(const std::string& json, const std::string& words) override {
    if (line_.globals.quiet) return;
    bar_.End();
    const bool as_json = line_.globals.format == Format::kJson;
    std::fputs(((as_json ? json : words) + "\n").c_str(), stderr);
    std::fflush(stderr);
  }
  std::int64_t ClockMs() override { return ClockOf(*line_.request).value_or(tools::ClockMs()); }
  void End() { bar_.End(); }

 private:
  const CommandLine& line_;
  ProgressBar bar_;
};

// Whether there were any.
bool PrintNotes(Workspace& workspace, const GlobalOptions& globals) {
  const std::vector<Note> notes = std::exchange(workspace.notes(), {});
  for (const Note& note : notes) {
    if (note.level == Note::kError)
      PrintError(Error{ErrorCode::kInvalidArgument, note.text});
    else if (note.level == Note::kWarning)
      PrintWarning(note.text);
    else if (!globals.quiet && (note.level != Note::kForPeople || globals.format == Format::kTable))
      PrintNote(note.text);
  }
  return !notes.empty();
}

// The one place where a reply becomes bytes: while its graph is open, as it reads texts from there.
// Says whether nothing was to be listed.
Result<bool> WriteOut(Reply& reply, const std::vector<std::string>& warnings,
                      const CommandLine& line, std::ostream& out) {
  const Format format = line.globals.format;
  if (reply.stream && (format == Format::kTable || !reply.members)) {
    if (format != Format::kTable)
      return Invalid("this reply has a format of its own; leave --json and --format out");
    // A file on standard output: half of it is none.
    LineLimit file(out, line.request->Given("max_bytes") ? reply.limit.bytes : 0, false);
    PLEXUS_TRY(reply.stream(file));
    if (!file.cut()) return false;
    return Exhausted(line.request->Name("max_bytes"), ": what was written is not all there is");
  }
  if (format == Format::kJson) {
    JsonWriter json(out);
    WriteReply(reply, warnings, json);
    out << '\n';
    return false;
  }
  LineLimit lines(out, reply.limit.bytes, format == Format::kCsv);
  if (format == Format::kTable && (reply.own_table || !reply.page.empty())) {
    lines << (reply.page.empty() ? reply.own_table() : reply.page);
    reply.cut = lines.cut();
    return false;
  }
  if (reply.quiet && format == Format::kTable) return false;
  TreeWriter tree;
  WriteReply(reply, {}, tree);
  if (format == Format::kCsv) {
    PrintCsv(*line.request, tree, lines);
    reply.cut |= lines.cut();
    return false;
  }
  // A reply that only a failure explains shows no empty table.
  lines << reply.headline;
  const bool any = PrintTables(*line.request, tree, {line.globals.names, TerminalWidth()}, lines);
  reply.cut |= lines.cut();
  out << reply.closing;
  return !any && reply.headline.empty() && reply.closing.empty() && !reply.failure;
}

// What can be refused before a graph is opened, or made.
Status CheckUse(const Request& request, Format format) {
  if (format != Format::kTable && request.Has("output") && !request.Given("output"))
    return Invalid(format == Format::kCsv
                       ? "--format before 'export' is the reply's; write it behind, or add --output"
                       : "--json with export needs --output FILE: stdout holds one of them");
  return CheckCommon(request);
}

// Writes the reply, ends what is open, says what else is to be known, prints. `end` may be
// null; what was written in vain is not shown.
int Finish(Result<Reply> reply, Workspace& workspace, const CommandLine& line,
           const std::function<Status()>& end) {
  std::ostringstream held;
  std::ostream& out = end ? held : Out();
  Result<bool> empty = false;
  const bool stopped = reply && reply->truncated;  // which a table does not say by itself
  if (reply && end) empty = WriteOut(*reply, workspace.warnings(), line, out);
  if (end)
    if (const Status ended = end(); reply && !ended) reply = std::unexpected(ended.error());
  for (const std::string& warning : workspace.warnings()) PrintWarning(warning);
  const bool noted = PrintNotes(workspace, line.globals);
  if (!reply) return PrintFailure(reply.error(), line);
  if (!end) empty = WriteOut(*reply, workspace.warnings(), line, out);
  if (!empty) return PrintFailure(empty.error(), line);
  if (end) Out() << held.view();
  if ((reply->cut || stopped) && line.globals.format != Format::kJson)
    PrintWarning("the reply is cut: " + line.request->Name("max_bytes") + " or " +
                 line.request->Name("max_seconds") + " ended it");
  if (*empty && !noted && !line.globals.quiet) PrintNote("nothing to list");
  if (const Status printed = FlushOut(); !printed) return PrintFailure(printed.error(), line);
  if (!reply->failure) return kDone;
  if (!reply->failure->message.empty()) PrintError(*reply->failure);
  return ExitCodeOf(reply->failure->code);
}

int RunWords(const std::vector<std::string>& words, const ProcessParts& parts) {
  const CommandLine line = ParseCommandLine(words, {});
  if (line.error) {
    const int code = PrintFailure(*line.error, line);
    if (code == kUsage) PrintNote(line.hint);
    return code;
  }
  if (!line.request) {
    Out() << line.text;
    return FlushOut() ? kDone : kFailed;
  }
  const std::string& name = line.request->operation().name;
  if (name == "shell") return RunShell(line);
  if (name == "serve" || name == "explore" || name == "follow") {
    if (parts.serve) return parts.serve(line);
    return PrintFailure({ErrorCode::kFailedPrecondition, name + " needs a process of its own"},
                        line);
  }
  if (name == "import" && !line.request->Flag("follow") && parts.before_import)
    parts.before_import();
  return RunCommand(line);
}

}  // namespace

int RunProgram(const std::vector<std::string>& words, const ProcessParts& parts) {
  ForgetInterrupt();
  EndOnLostReader(true);
  try {
    return RunWords(words, parts);
  } catch (const std::bad_alloc&) {
    PrintError({ErrorCode::kResourceExhausted, "out of memory"});
  } catch (const std::exception& error) {
    PrintError({ErrorCode::kInternal, error.what()});
  }
  return kFailed;
}

int PrintFailure(const Error& error, const CommandLine& line) {
  PrintError(error);
  if (line.globals.format == Format::kJson) {
    JsonWriter json(Out());
    WriteError(error, json);
    Out() << '\n';
    (void)FlushOut();
  }
  if (line.request && !line.hint.empty()) PrintNote(line.hint);
  return ExitCodeOf(error.code);
}

Result<std::unique_ptr<Workspace>> OpenWorkspace(const CommandLine& line, Access access,
                                                 bool one_request, Progress* progress) {
  const GlobalOptions& globals = line.globals;
  WorkspaceOptions options;
  options.directory = globals.db;
  options.access = access;
  PLEXUS_ASSIGN(options.clock_ms, ClockOf(*line.request));
  options.strict = globals.strict;
  options.threads = globals.threads;
  options.lock_wait_ms = static_cast<std::int64_t>(globals.wait_seconds * 1000);
  options.wall = globals.wall;
  options.input = STDIN_FILENO;
  options.one_request = one_request;
  options.progress = progress;
  options.cancel = &InterruptFlag();
  if (!globals.quiet && isatty(STDERR_FILENO))
    options.note = [](const std::string& text) { PrintNote(text); };
  return Workspace::Open(options);
}

namespace {

// Until a view has the write that is asked for; a replica gets it a moment after its source.
Status AwaitSequence(Workspace& workspace, const GlobalOptions& globals) {
  if (globals.wait_sequence == 0 || !workspace.has_graph()) return {};
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(globals.wait_seconds);
  for (;;) {
    const Sequence now = workspace.graph().snapshot().sequence();
    if (now >= globals.wait_sequence) return {};
    const bool late = std::chrono::steady_clock::now() > until || InterruptFlag();
    if (late || !workspace.has_database() || !workspace.database().read_only())
      return Fail(ErrorCode::kLocked, "--wait-sequence: the graph ends at record " +
                                          std::to_string(now) + ", not at " +
                                          std::to_string(globals.wait_sequence) + " or later");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    PLEXUS_TRY(workspace.database().Refresh());
  }
}

}  // namespace

int RunCommand(const CommandLine& line) {
  const Request& request = *line.request;
  const GlobalOptions& globals = line.globals;
  if (const Status usable = CheckUse(request, globals.format); !usable)
    return PrintFailure(usable.error(), line);
  CommandProgress bar(line);
  const Access access = request.operation().AccessFor(request);
  if (const std::optional<int> code = RunAtHolder(line, access)) return *code;
  std::optional<SignalGuard> guard;
  if (access == Access::kNothing) guard.emplace();
  Result<std::unique_ptr<Workspace>> opened = OpenWorkspace(line, access, true, &bar);
  if (!opened) return PrintFailure(opened.error(), line);
  Workspace& workspace = **opened;
  if (const Status there = AwaitSequence(workspace, globals); !there)
    return PrintFailure(there.error(), line);
  const bool writes = access == Access::kWrite || access == Access::kCreate;
  if (writes || request.operation().interruptible) guard.emplace();
  if (writes) EndOnLostReader(false);

  Result<Reply> reply = Answer(workspace, request);
  if (!writes) bar.End();
  const bool failed = !reply || reply->failure;
  std::function<Status()> end;
  if (writes)
    end = [&] {
      const Status closed = failed ? workspace.Abandon() : workspace.Close();
      bar.End();
      return closed;
    };
  return Finish(std::move(reply), workspace, line, end);
}

int PrintReply(Result<Reply> reply, Workspace& workspace, const CommandLine& line) {
  return Finish(std::move(reply), workspace, line, nullptr);
}

int RunOn(Workspace& workspace, const CommandLine& line) {
  if (const Status usable = CheckUse(*line.request, line.globals.format); !usable)
    return PrintFailure(usable.error(), line);
  workspace.SetStrict(line.globals.strict);
  const Access access = line.request->operation().AccessFor(*line.request);
  std::optional<SignalGuard> guard;
  if (access == Access::kWrite || access == Access::kCreate) guard.emplace();
  return Finish(Answer(workspace, *line.request), workspace, line, nullptr);
}

}  // namespace plexus::tools
