// One workspace, many lines.
#include "tools/cli/shell.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "tools/cli/exit_code.h"
#include "tools/cli/line_editor.h"
#include "tools/cli/output.h"
#include "tools/cli/own_commands.h"
#include "tools/cli/run.h"
#include "tools/cli/shell_input.h"
#include "tools/operations/change.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {
namespace {

// How long the graph stays open for writing while no line comes, and how long in a row.
constexpr int kIdleMs = 100;
constexpr std::int64_t kHeldMs = 1'000;
// Others look for the lock every 2 ms.
constexpr useconds_t kGiveWayUs = 10'000;

// Writes one batch of its own; what rebuilds or erases opens the graph for itself, and closes it.
bool SharesWriter(const Operation& operation) {
  return operation.effect == Effect::kWrite && operation.group != "Files" &&
         operation.group != "Care";
}

class Shell {
 public:
  explicit Shell(const CommandLine& line) : line_(line) {}

  int Run() {
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
    for (;;) {
      if (writer_ && !input.AtHand(kIdleMs))
        if (const int released = Release(); released != kDone) code = released;
      const std::optional<std::string> text = input.Next();
      if (!text) return code;
      const std::optional<int> result = Take(*text);
      if (!result) return code;
      if (*result != kDone) code = *result;
      if (code != kDone && line_.request->Flag("bail")) return code;
    }
  }

  int Interactive() {
    LineEditor editor("plexus> ", [this](std::string_view text) {
      return Completions((writer_ ? writer_ : workspace_)->graph().snapshot(), text);
    });
    int code = kDone;
    for (;;) {
      if (writer_ && !InputWaits(STDIN_FILENO, kIdleMs)) (void)Release();  // it says what failed
      const std::optional<std::string> text = editor.Read();
      if (!text) return code;
      const std::optional<int> result = Take(*text);
      if (!result) return code;
      code = *result;
    }
  }

  // The exit code of a line; nullopt: the end was asked for.
  std::optional<int> Take(const std::string& text) {
    if (text.size() > ShellInput::kMaxLine)
      return PrintFailure({ErrorCode::kInvalidArgument,
                           "a line has at most " + std::to_string(ShellInput::kMaxLine) + " bytes"},
                          line_);
    Result<std::vector<std::string>> words = SplitWords(text);
    if (!words) return PrintFailure(words.error(), line_);
    if (!words->empty() && words->front() == "plexus") words->erase(words->begin());
    if (words->empty()) return kDone;
    if (words->front() == "quit" || words->front() == "exit") return std::nullopt;
    CommandLine line = ParseCommandLine(*words, line_.globals);
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
    Request& request = *line.request;
    if (request.operation().name == "shell")
      return PrintFailure(Error{ErrorCode::kInvalidArgument, "this is a shell already"}, line);
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
    // A question may take long: others may write meanwhile.
    const bool is_look = line.request->operation().group == "Look" || IsDryRun(*line.request);
    if (writer_ && (!is_look || Held()))
      if (const int released = Release(); released != kDone) return released;
    if (writer_) {
      writer_->SetClock(ClockMs());
      return RunOn(*writer_, line);
    }
    if (const Status fresh = workspace_->Refresh(ClockMs()); !fresh)
      return PrintFailure(fresh.error(), line);
    return RunOn(*workspace_, line);
  }

  int Write(const CommandLine& line) {
    if (writer_ && Held()) {
      if (const int released = Release(); released != kDone) return released;
      usleep(kGiveWayUs);
    }
    if (!writer_) {
      Result<std::unique_ptr<Workspace>> opened = OpenWorkspace(line, Access::kWrite, false);
      if (!opened) return PrintFailure(opened.error(), line);
      writer_ = *std::move(opened);
      held_since_ = SteadyMs();
      EndOnLostReader(false);
    }
    const Result<std::int64_t> clock = ClockOf(line);
    if (!clock) return PrintFailure(clock.error(), line);
    writer_->SetClock(*clock);
    const int code = RunOn(*writer_, line);
    if (writer_->graph().read_only()) (void)Release();  // a write failed: opened anew for the next
    return code;
  }

  // Lets others write. What was acknowledged is durable already.
  int Release() {
    if (!writer_) return kDone;
    const Status closed = std::exchange(writer_, nullptr)->Close();
    EndOnLostReader(true);
    return closed ? kDone : PrintFailure(closed.error(), line_);
  }

  bool Held() const { return SteadyMs() - held_since_ > kHeldMs; }
  static std::int64_t SteadyMs() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  }

  // What the shell was told holds for its lines, unless they say otherwise.
  void Inherit(Request& request, const Parameter& common) {
    if (!line_.request->Given(common.name) || request.Given(common.name)) return;
    const bool selects =
        common.name == "scope" || common.name == "node_kinds" || common.name == "where";
    if (selects && !SelectsNodes(request.operation())) return;
    if (common.type == Type::kList)
      (void)request.Set(common.name, line_.request->List(common.name));
    else
      (void)request.Set(common.name, line_.request->Text(common.name));
  }

  const CommandLine& line_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Workspace> writer_;  // open while lines that write are at hand
  std::int64_t held_since_ = 0;
};

}  // namespace

int RunShell(const CommandLine& line) { return Shell(line).Run(); }

Result<std::vector<std::string>> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  const auto end_word = [&] {
    if (begun) words.push_back(std::move(word));
    word.clear();
    begun = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote && c == quote) {
      quote = 0;
    } else if (quote == '\'') {
      word += c;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      begun = true;
    } else if (quote) {
      word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      begun = true;
    } else if (c == '#' && !begun) {
      break;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
    } else {
      word += c;
      begun = true;
    }
  }
  if (quote)
    return Fail(ErrorCode::kInvalidArgument, std::string("a quote (") + quote + ") is not closed");
  end_word();
  return words;
}

}  // namespace plexus::tools
