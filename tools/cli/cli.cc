// CLI11 behind a small face: only this file pays for its templates, and only this
// file knows how a parse error becomes a message and exit code 2.
#include "tools/cli/cli.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <deque>
#include <exception>
#include <iostream>
#include <new>
#include <set>

#include "tools/cli/arguments.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/output.h"
#include "tools/cli/signals.h"

#ifndef PLEXUS_VERSION
#define PLEXUS_VERSION "unknown"
#endif

namespace plexus::tools {
namespace {

constexpr double kLongestWait = 1e6;

constexpr const char* kGlobalsFooter =
    "Global options may stand before or after the command: --db DIR, --json, --as-of SEQ|TIME,\n"
    "--scope S[,S], --where EXPRESSION, --now TIME, --threads N, --wait SECONDS, --strict,\n"
    "--names, --quiet; see 'plexus --help'.";

constexpr const char* kMainFooter =
    "Times are ISO 8601 in UTC (2026-11-21, 2026-11-21T22:05:00Z) or milliseconds since 1970\n"
    "(1700000000000 or 1700000000000ms). --as-of takes a plain number below 100000000000 for a\n"
    "sequence number. A KEY that starts with '-' goes after '--'; an index node is named\n"
    "kind:name, e.g. tag:rust. In a list A,B a name that has a comma stands in double quotes.\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 damage found, 5 locked by\n"
    "another process, 6 not what --expect-sequence expects, 130 interrupted.\n"
    "\n"
    "Examples:\n"
    "  plexus import --db g edges.csv            make the graph directory g from a batch file\n"
    "  plexus pagerank --db g --top 10 --json    rank it, as JSON for a script\n"
    "  plexus get --help                         one command's options and examples";

// An option that is given says something; what is empty is mostly a variable that is not set.
const CLI::Validator& NotEmpty() {
  static const CLI::Validator check(
      [](std::string& given) -> std::string {
        return given.empty() ? "is empty; leave it out or give a value" : "";
      },
      "", "not empty");
  return check;
}

// --where narrows questions, and what reads texts; elsewhere it would be ignored.
bool TakesWhere(const CLI::App& command) {
  static const std::set<std::string> kOthers = {"list",   "find",  "neighbors",
                                                "export", "terms", "embed"};
  return command.get_group() == "Ask" || kOthers.contains(command.get_name());
}

// Many, repeated or between commas.
CLI::Option* AddList(CLI::App& app, const std::string& names, const std::string& shown,
                     std::vector<std::string>& values, const std::string& help) {
  const auto set = [&values, names](const std::vector<std::string>& given) {
    for (const std::string& text : given) {
      if (text.empty()) throw CLI::ValidationError(names, "is empty; leave it out or give a value");
      const Result<std::vector<std::string>> items = ParseList(text);
      if (!items) throw CLI::ValidationError(names, items.error().message);
      values.insert(values.end(), items->begin(), items->end());
    }
  };
  return app.add_option_function<std::vector<std::string>>(names, set, help)
      ->option_text(shown)
      ->allow_extra_args(false);
}

}  // namespace

struct Command::Impl {
  CLI::App* app = nullptr;
  CLI::Option* last = nullptr;
  std::string examples;
};

struct Cli::Impl {
  CLI::App app{"Plexus: a graph kept in memory and on disk, ranked and traversed.", "plexus"};
  Globals globals;
  struct Entry {
    Command command;
    RunCommand run;
  };
  std::deque<Entry> entries;  // stable addresses

  int Run();
  int Explain(const CLI::ParseError& error);
  const CLI::App* Chosen() const {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? nullptr : chosen.front();
  }
};

Command& Command::Flag(const std::string& names, bool& value, const std::string& help) {
  impl_->last = impl_->app->add_flag(names, value, help);
  return *this;
}

Command& Command::Option(const std::string& names, const std::string& shown, std::string& value,
                         const std::string& help) {
  impl_->last = impl_->app->add_option(names, value, help)->option_text(shown)->check(NotEmpty());
  return *this;
}

Command& Command::Option(const std::string& names, const std::string& shown,
                         std::optional<double>& value, const std::string& help) {
  const auto set = [&value, names](const std::string& given) {
    value = ParseNumber(given);
    if (!value) throw CLI::ValidationError(names, "'" + given + "' is no finite number");
  };
  impl_->last = impl_->app->add_option_function<std::string>(names, set, help)->option_text(shown);
  return *this;
}

Command& Command::Option(const std::string& names, const std::string& shown,
                         std::optional<std::uint64_t>& value, const std::string& help) {
  const auto set = [&value, names](const std::string& given) {
    value = ParseCount(given);
    if (!value) throw CLI::ValidationError(names, "'" + given + "' is no whole number >= 0");
  };
  impl_->last = impl_->app->add_option_function<std::string>(names, set, help)->option_text(shown);
  return *this;
}

Command& Command::Option(const std::string& names, const std::string& shown,
                         std::optional<std::string>& value, const std::string& help) {
  const auto set = [&value](const std::string& given) { value = given; };
  impl_->last = impl_->app->add_option_function<std::string>(names, set, help)->option_text(shown);
  return *this;
}

Command& Command::Repeated(const std::string& names, const std::string& shown,
                           std::vector<std::string>& values, const std::string& help) {
  impl_->last =
      impl_->app->add_option(names, values, help)->option_text(shown)->allow_extra_args(false);
  return *this;
}

Command& Command::List(const std::string& names, const std::string& shown,
                       std::vector<std::string>& values, const std::string& help) {
  impl_->last = AddList(*impl_->app, names, shown, values, help);
  return *this;
}

Command& Command::Choice(const std::string& names, std::string& value,
                         const std::vector<std::string>& choices, const std::string& help) {
  std::string shown;
  for (const std::string& choice : choices) shown += (shown.empty() ? "" : "|") + choice;
  const CLI::Validator check(
      [choices, shown](std::string& given) -> std::string {
        for (const std::string& choice : choices)
          if (given == choice) return {};
        return "'" + given + "' is not one of " + shown + DidYouMean(given, choices);
      },
      "", "choice");
  impl_->last = impl_->app->add_option(names, value, help)->option_text(shown)->check(check);
  return *this;
}

Command& Command::Positional(const std::string& name, std::string& value, const std::string& help) {
  impl_->last = impl_->app->add_option(name, value, help)->option_text(" ")->required();
  return *this;
}

Command& Command::Positionals(const std::string& name, std::vector<std::string>& values,
                              const std::string& help) {
  impl_->last = impl_->app->add_option(name, values, help)->option_text(" ")->required();
  return *this;
}

Command& Command::MayBeEmpty() {
  impl_->last->get_validator("not empty")->active(false);
  return *this;
}

Command& Command::Required() {
  impl_->last->required();
  return *this;
}

Command& Command::Example(const std::string& shell, const std::string& what) {
  impl_->examples += "  " + shell + "\n      " + what + "\n";
  impl_->app->footer("Examples:\n" + impl_->examples + "\n" + kGlobalsFooter);
  return *this;
}

Cli::Cli() : impl_(std::make_unique<Impl>()) {
  CLI::App& app = impl_->app;
  Globals& globals = impl_->globals;
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", std::string("plexus ") + PLEXUS_VERSION);
  app.footer(kMainFooter);
  app.get_formatter()->column_width(28);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.add_option("--db", globals.db, "the graph's directory")
      ->option_text("DIR")
      ->envname("PLEXUS_DB");
  app.add_flag("--json", globals.json, "print one JSON object on stdout");
  app.add_option("--as-of", globals.as_of, "read the graph as it was then")
      ->option_text("SEQ|TIME")
      ->check(NotEmpty());
  AddList(app, "--scope", "S[,S]", globals.scopes, "only nodes of these scopes");
  app.add_option("--where", globals.where, "only nodes of which this is true; see 'list'")
      ->option_text("EXPRESSION")
      ->check(NotEmpty());
  app.add_option("--now", globals.now,
                 "the time that is now (default: that of --as-of, or the clock)")
      ->option_text("TIME")
      ->check(NotEmpty());
  app.add_option("--threads", globals.threads, "threads to use (default: all)")
      ->option_text("N")
      ->check(CLI::Range(1, 1024));
  const auto set_wait = [&globals](const std::string& given) {
    const std::optional<double> seconds = ParseNumber(given);
    if (!seconds || *seconds < 0 || *seconds > kLongestWait)
      throw CLI::ValidationError("--wait",
                                 "'" + given + "' is no number of seconds from 0 to 1000000");
    globals.wait_seconds = *seconds;
  };
  app.add_option_function<std::string>("--wait", set_wait,
                                       "wait so long for another writer (default: 5; 0: do not)")
      ->option_text("SECONDS");
  app.add_flag("--strict", globals.strict, "refuse a graph whose log lost its tail in a crash");
  app.add_flag("--names", globals.names, "tables show nodes by their text, without keys");
  app.add_flag("--quiet", globals.quiet, "no progress bar, no notes on stderr");
}

Cli::~Cli() = default;

Command& Cli::Add(const std::string& group, const std::string& name, const std::string& description,
                  RunCommand run) {
  Command command;
  command.impl_ = std::make_shared<Command::Impl>();
  CLI::App* app = impl_->app.add_subcommand(name, description);
  app->group(group);
  app->fallthrough();
  command.impl_->app = app;
  impl_->entries.push_back({std::move(command), std::move(run)});
  return impl_->entries.back().command;
}

int Cli::Impl::Explain(const CLI::ParseError& error) {
  const CLI::App* chosen = Chosen();
  std::string message = error.what();
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.command.impl_->app->get_name());
  if (chosen == nullptr && !app.remaining().empty()) {
    const std::string given = app.remaining().front();
    message = "no command or option '" + given + "'" + DidYouMean(given, names);
  } else if (chosen == nullptr) {
    message = "which command?";
  }
  PrintError(Error{ErrorCode::kInvalidArgument, message});
  PrintNote(std::string("try 'plexus ") + (chosen ? chosen->get_name() + " " : "") + "--help'");
  return kUsage;
}

int Cli::Impl::Run() {
  const CLI::App* chosen = Chosen();
  for (const Entry& entry : entries) {
    if (entry.command.impl_->app != chosen) continue;
    Result<int> code = TakesWhere(*chosen) || globals.where.empty()
                           ? entry.run(globals)
                           : Fail(ErrorCode::kInvalidArgument,
                                  "'" + chosen->get_name() + "' does not take --where");
    if (code) {
      if (Status flushed = FlushOut(); !flushed) code = std::unexpected(flushed.error());
    }
    if (code) return *code;
    PrintError(code.error());
    return ExitCodeOf(code.error().code);
  }
  return kUsage;
}

int Cli::Main(int argc, char** argv) {
  InstallSignalHandlers();
  try {
    try {
      impl_->app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
      impl_->app.exit(asked, Out(), std::cerr);
      return FlushOut() ? kDone : kFailed;
    } catch (const CLI::ParseError& error) {
      return impl_->Explain(error);
    }
    return impl_->Run();
  } catch (const std::bad_alloc&) {
    PrintError(Error{ErrorCode::kResourceExhausted, "out of memory"});
  } catch (const std::exception& error) {
    PrintError(Error{ErrorCode::kInternal, error.what()});
  }
  return kFailed;
}

}  // namespace plexus::tools
