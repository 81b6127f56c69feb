// One workspace, many lines.
#include "tools/cli/shell.h"

#include <unistd.h>

#include <memory>
#include <utility>

#include "tools/cli/command_words.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/line_editor.h"
#include "tools/cli/output.h"
#include "tools/cli/remote.h"
#include "tools/cli/run.h"
#include "tools/cli/shell/kept_writer.h"
#include "tools/cli/shell/shell_input.h"
#include "tools/cli/signals.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

// Writes one batch of its own; what rebuilds or erases opens the graph for itself, and closes it.
bool SharesWriter(const Operation& operation) {
  return operation.effect != Effect::kDestroy && operation.group != "Files" &&
         operation.group != "Care";
}

class Shell {
 public:
  explicit Shell(const CommandLine& line) : line_(line) {
    line_.globals.wall = line_.request->List("scope");
  }

  int Run() {
    if (line_.request->Given("scope") && line_.globals.wall.empty())
      return PrintFailure({ErrorCode::kInvalidArgument, "--scope: names no scope"}, line_);
    if (const Status opened = Open(); !opened) return PrintFailure(opened.error(), line_);
    int code = isatty(STDIN_FILENO) ? Interactive() : Script();
    if (const int released = Release(); code == kDone) code = released;
    return code;
  }

 private:
  Status Open() {
    PLEXUS_ASSIGN(workspace_, OpenWorkspace(line_, Access::kRead, false));
    return {};
  }

  int Script() {
    ShellInput input(STDIN_FILENO);
    int code = kDone;
    std::size_t count = 0;
    const auto next = [&] {
      std::optional<std::string> text = input.Next();
      if (text) ++count;
      if (text && text->ends_with('\r')) text->pop_back();
      return text;
    };
    for (;;) {
      std::optional<std::string> text = next();
      if (!text) return code;
      const std::size_t line = count;
      const std::optional<int> result = Take(ReadWhole(*std::move(text), next));
      if (!result) return code;
      if (*result == kDone) continue;
      if (code == kDone) code = *result;
      const bool on = line_.request->Flag("keep_going");
      PrintNote("line " + std::to_string(line) + " failed" +
                (on ? "" : "; nothing behind it was run (--keep-going continues)"));
      if (!on) return code;
    }
  }

  int Interactive() {
    LineEditor editor([this](std::string_view text) {
      const KeptWriter::Use writer = writer_.IfOpen();
      return Completions((writer ? *writer : *workspace_).graph().snapshot(), text);
    });
    int code = kDone;
    for (;;) {
      std::optional<std::string> text = editor.Read("plexus> ");
      if (!text && editor.cleared()) continue;
      if (!text) return code;
      Whole whole = ReadWhole(*std::move(text), [&] { return editor.Read("> "); });
      if (editor.cleared()) continue;
      editor.Remember(whole.text, line_.request->Flag("keep_history") || OnlyReads(whole));
      ForgetInterrupt();
      const SignalGuard stays;  // Ctrl-C ends a question, not the shell
      const std::optional<int> result = Take(std::move(whole));
      if (!result) return code;
      if (Terminated()) return kInterrupted;
      code = *result;
    }
  }

  struct Whole {
    std::string text;
    SplitLine split;
  };

  // A line with those that it continues in.
  template <class Next>
  static Whole ReadWhole(std::string text, const Next& next) {
    Whole whole{std::move(text), {}};
    if (IsJson(whole.text)) return whole;
    whole.split.Add(whole.text);
    while (whole.split.open()) {
      const std::optional<std::string> more = next();
      if (!more) break;
      whole.split.Add(*more);
      if (whole.text.size() <= ShellInput::kMaxLine) {
        whole.text += '\n' + *more;
      } else {
        whole.split.Forget();  // it is refused, but not before its end
      }
    }
    return whole;
  }

  static bool IsJson(std::string_view text) {
    const std::size_t at = text.find_first_not_of(" \t");
    return at != std::string_view::npos && text[at] == '{';
  }

  // What writes or erases may hold what is to be forgotten, and so may a line with a slip.
  static bool OnlyReads(const Whole& line) {
    if (IsJson(line.text)) {
      const Result<Request> request = NamedRequestFromJson(line.text);
      return request && request->operation().effect == Effect::kRead;
    }
    std::vector<std::string> words = SplitLine(line.split).Words();
    if (!words.empty() && words.front() == "plexus") words.erase(words.begin());
    const Operation* operation = NamedIn(WithOneWord(std::move(words)));
    return operation && operation->effect == Effect::kRead;
  }

  // The exit code of a line; nullopt: the end was asked for.
  std::optional<int> Take(Whole whole) {
    const KeptWriter::Line answered(writer_);
    if (whole.text.size() > ShellInput::kMaxLine)
      return PrintFailure({ErrorCode::kInvalidArgument,
                           "a line has at most " + std::to_string(ShellInput::kMaxLine) + " bytes"},
                          line_);
    if (IsJson(whole.text)) {
      CommandLine line;
      line.globals = line_.globals;
      line.globals.format = Format::kJson;
      Result<Request> request = NamedRequestFromJson(whole.text);
      if (!request) return PrintFailure(request.error(), line);
      line.request = *std::move(request);
      return Ask(line);
    }
    if (const char open = whole.split.open(); open && open != '\\')
      return PrintFailure(
          {ErrorCode::kInvalidArgument, std::string("a quote (") + open + ") is not closed"},
          line_);
    std::vector<std::string> words = std::move(whole.split).Words();
    if (!words.empty() && words.front() == "plexus") words.erase(words.begin());
    if (words.empty()) return kDone;
    if (words.front() == "quit" || words.front() == "exit") return std::nullopt;
    CommandLine line = ParseCommandLine(words, line_.globals);
    if (line.error) {
      line.globals = line_.globals;
      return PrintFailure(*line.error, line);
    }
    if (!line.request) {
      Out() << line.text;
      return FlushOut() ? kDone : kFailed;
    }
    return Ask(line);
  }

  int Ask(CommandLine& line) {
    const Status closed = writer_.TakeFailure();
    const int unclosed = closed ? kDone : PrintFailure(closed.error(), line_);
    const int code = Answer(line);
    return code == kDone ? unclosed : code;
  }

  int Answer(CommandLine& line) {
    Request& request = *line.request;
    if (request.operation().name == "shell")
      return PrintFailure(Error{ErrorCode::kInvalidArgument, "this is a shell already"}, line);
    if (!line_.globals.wall.empty() && line.globals.db != line_.globals.db)
      return PrintFailure({ErrorCode::kFailedPrecondition,
                           "this shell is of one scope of " + Quoted(line_.globals.db) +
                               ": another graph is asked outside of it"},
                          line);
    for (const Parameter& common : CommonParameters()) Inherit(request, common);
    const Operation& operation = request.operation();
    const Access access = operation.AccessFor(request);
    const bool here = line.globals.db == line_.globals.db;
    const bool reads = access == Access::kRead || access == Access::kPreview;
    if (here && reads) return Read(line);
    if (here && SharesWriter(operation) && access != Access::kNothing) return Write(line);
    if (!reads)  // it would wait for us
      if (const int released = Release(); released != kDone) return released;
    return RunCommand(line);
  }

  // What was written is seen at once.
  int Read(const CommandLine& line) {
    // Others cannot write while it is in use, and who reads an answer may take long: it is asked
    // for what is short.
    if (line.request->operation().name == "get" || IsDryRun(*line.request))
      if (const KeptWriter::Use writer = writer_.IfOpen()) {
        writer->SetClock(ClockMs());
        return RunOn(*writer, line);
      }
    if (const Status fresh = workspace_->Refresh(ClockMs()); !fresh)
      return PrintFailure(fresh.error(), line);
    return RunOn(*workspace_, line);
  }

  int Write(const CommandLine& line) {
    std::optional<int> at_holder;
    bool failed = false;
    int code = kDone;
    {
      auto writer = writer_.Ready([&]() -> Result<std::unique_ptr<Workspace>> {
        at_holder = RunAtHolder(line, Access::kWrite);
        if (at_holder) return nullptr;
        return OpenWorkspace(line, Access::kWrite, false);
      });
      if (at_holder) return *at_holder;
      if (!writer) return PrintFailure(writer.error(), line);
      const Result<std::int64_t> clock = ClockOf(*line.request);
      if (!clock) return PrintFailure(clock.error(), line);
      (*writer)->SetClock(*clock);
      code = RunOn(**writer, line);
      failed = (*writer)->graph().read_only();
    }
    if (failed) (void)Release();  // a write failed: opened again for the next
    return code;
  }

  // Lets others write.
  int Release() {
    const Status closed = writer_.Close();
    return closed ? kDone : PrintFailure(closed.error(), line_);
  }

  // Options of the shell hold for its lines, unless they say otherwise.
  void Inherit(Request& request, const Parameter& common) {
    if (!line_.request->Given(common.name) || request.Given(common.name)) return;
    if (common.name == "scope") return;  // the wall: there is nothing else
    const bool selects = common.name == "node_kinds" || common.name == "where";
    if (selects && !SelectsNodes(request.operation())) return;
    (void)request.Inherit(*line_.request, common.name);
  }

  CommandLine line_;
  std::unique_ptr<Workspace> workspace_;
  KeptWriter writer_;
};

}  // namespace

int RunShell(const CommandLine& line) { return Shell(line).Run(); }

void SplitLine::EndWord() {
  if (begun_) words_.push_back(std::move(word_));
  word_.clear();
  begun_ = false;
}

void SplitLine::Add(std::string_view line) {
  char quote = open_ == '\\' ? 0 : open_;
  if (quote) word_ += '\n';
  open_ = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote && c == quote) {
      quote = 0;
    } else if (quote == '\'') {
      word_ += c;
    } else if (c == '\\' && i + 1 < line.size()) {
      const char escaped = line[++i];
      word_ += quote && escaped == 'n' ? '\n' : escaped;
      begun_ = true;
    } else if (c == '\\' && !quote) {
      open_ = c;
      return;
    } else if (quote) {
      word_ += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      begun_ = true;
    } else if (c == '#' && !begun_) {
      break;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      EndWord();
    } else {
      word_ += c;
      begun_ = true;
    }
  }
  open_ = quote;
  if (!open_) EndWord();
}

std::vector<std::string> SplitLine::Words() && {
  EndWord();
  return std::move(words_);
}

}  // namespace plexus::tools
