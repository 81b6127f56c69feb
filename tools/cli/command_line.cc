// CLI11 behind a small face: only this file pays for its templates, and only this file knows how a
// parse error becomes a message. Only the command that is named gets its options, so that a line
// of a shell costs little.
#include "tools/cli/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <sstream>

#include "storage/database.h"
#include "tools/cli/command_words.h"
#include "tools/cli/files.h"
#include "tools/cli/own_commands.h"
#include "tools/cli/signals.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/time_limit.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/reply/human_format.h"
#include "tools/version.h"

namespace plexus::tools {
namespace {

constexpr double kLongestWait = 1e6;
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::size_t kHelpColumns = 70;

constexpr const char* kGlobalsFooter =
    "Global options may stand before or after the command: --db DIR, --json, --format F,\n"
    "--as-of SEQ|TIME, --event-time TIME, --scope S[,S], --node-kinds A,B, --where EXPRESSION,\n"
    "--now TIME, --details kind,line,text, --node-columns A,B, --times ms|iso, --max-seconds S,\n"
    "--max-bytes N, --threads N, --wait SECONDS, --wait-sequence N, --strict, --names, --quiet; "
    "see 'plexus --help'.";

constexpr const char* kMainFooter =
    "Times are ISO 8601 in UTC (2026-11, 2026-11-21, 2026-11-21T22:05:00Z), milliseconds since\n"
    "1970 (1700000000000 or 1700000000000ms), now, today, yesterday, or a time before now (7d,\n"
    "12h, 90m, 45s, 2w). --as-of takes a plain number below 100000000000 for a sequence number.\n"
    "A KEY that starts with '-' goes after '--'. An index node is named kind:name, e.g. tag:rust.\n"
    "In a list A,B a name that has a comma is written in double quotes.\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 damage found, 5 locked by\n"
    "another process, 6 not at the sequence of --expect-sequence, 130 interrupted.\n"
    "\n"
    "Examples:\n"
    "  plexus import --db g edges.csv            make the graph directory g from a batch file\n"
    "  plexus pagerank --db g --top 10 --json    rank it, as JSON for a script\n"
    "  plexus get --help                         one command's options and examples";

// At spaces, so that long help is in its column.
std::string Wrapped(const std::string& text) {
  std::string wrapped;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + word.size() > kHelpColumns) {
      wrapped += '\n';
      column = 0;
    }
    if (column > 0) wrapped += ' ';
    wrapped += word;
    column += word.size() + (column > 0);
  }
  return wrapped;
}

// What was given for a parameter, in the order of the words.
struct Given {
  const Parameter* parameter;
  std::vector<std::string> texts;
};

struct Parse {
  CLI::App app{"Plexus: a graph kept in memory and on disk, ranked and traversed.", "plexus"};
  GlobalOptions globals;
  bool json = false;             // --json was given
  std::optional<Format> format;  // and what --format said
  std::vector<Given> given;
  const Operation* chosen = nullptr;
};

// An option by its flag, or a place for its value.
void AddOption(Parse& parse, CLI::App& app, const Parameter& parameter, const std::string& names,
               const std::string& help) {
  const auto take = [&parse, &parameter](std::vector<std::string> texts) {
    parse.given.push_back({&parameter, std::move(texts)});
  };
  if (parameter.type == Type::kFlag) {
    app.add_flag_callback(names, [take] { take({"true"}); }, help);
    return;
  }
  const bool place = !names.starts_with('-'), list = parameter.type == Type::kList;
  CLI::Option* option = list ? app.add_option_function<std::vector<std::string>>(names, take, help)
                             : app.add_option_function<std::string>(
                                   names, [take](const std::string& text) { take({text}); }, help);
  option->option_text(place ? " " : parameter.shown);
  if (list && !place) option->allow_extra_args(false);
}

void AddParameter(Parse& parse, CLI::App& app, const Parameter& parameter) {
  std::string names = parameter.positional ? parameter.shown : FlagName(parameter.name);
  if (parameter.letter) names = std::string("-") + parameter.letter + "," + names;
  AddOption(parse, app, parameter, names, Wrapped(HelpOf(parameter)));
  if (parameter.or_positional)  // "KEY" of "KEY[=W]"
    AddOption(parse, app, parameter, parameter.shown.substr(0, parameter.shown.find('[')),
              "as " + FlagName(parameter.name));
}

void AddCommand(Parse& parse, const Operation& operation, bool whole) {
  CLI::App* app = parse.app.add_subcommand(CommandWord(operation.name), operation.summary);
  app->group(operation.group);
  app->fallthrough();
  app->parse_complete_callback([&parse, &operation] { parse.chosen = &operation; });
  if (!whole) return;
  for (const Parameter& parameter : operation.parameters) AddParameter(parse, *app, parameter);
  std::string examples = "Examples:\n";
  for (const Example& example : operation.examples)
    examples += "  " + example.shell + "\n      " + example.what + "\n";
  app->footer(examples + "\n" + kGlobalsFooter);
}

void AddGlobals(Parse& parse) {
  CLI::App& app = parse.app;
  GlobalOptions& globals = parse.globals;
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", std::string("plexus ") + Version());
  app.footer(kMainFooter);
  app.get_formatter()->column_width(28);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.add_option("--db", globals.db, "the graph's directory")
      ->option_text("DIR")
      ->envname("PLEXUS_DB");
  app.add_flag_callback(
      "--json",
      [&parse, &globals] {
        parse.json = true;
        globals.format = Format::kJson;
      },
      "print one JSON object on stdout");
  const auto set_format = [&parse, &globals](const std::string& given) {
    const std::vector<std::string> known = {"table", "json", "csv"};
    const auto at = std::ranges::find(known, given);
    if (at == known.end())
      throw CLI::ValidationError("--format: " + Quoted(given) + " is not one of table|json|csv" +
                                 DidYouMean(given, known));
    parse.format = globals.format = static_cast<Format>(at - known.begin());
  };
  app.add_option_function<std::string>("--format", set_format, "how to print (default table)")
      ->option_text("table|json|csv");
  for (const Parameter& parameter : CommonParameters()) AddParameter(parse, app, parameter);
  const auto set_threads = [&globals](const std::string& given) {
    const std::optional<std::uint64_t> threads = ParseCount(given);
    if (!threads || *threads < 1 || *threads > kMostThreads)
      throw CLI::ValidationError("--threads: " + Quoted(given) +
                                 " is no whole number from 1 to 1024");
    globals.threads = static_cast<int>(*threads);
  };
  app.add_option_function<std::string>("--threads", set_threads, "threads to use (default: all)")
      ->option_text("N");
  const auto set_wait = [&globals](const std::string& given) {
    const std::optional<double> seconds = ParseNumber(given);
    if (!seconds || *seconds < 0 || *seconds > kLongestWait)
      throw CLI::ValidationError("--wait: " + Quoted(given) +
                                 " is no number of seconds from 0 to 1000000");
    globals.wait_seconds = *seconds;
  };
  app.add_option_function<std::string>(
         "--wait", set_wait, "wait at most this long for another writer (default: 5; 0: do not)")
      ->option_text("SECONDS");
  const auto set_sequence = [&globals](const std::string& given) {
    const std::optional<std::uint64_t> sequence = ParseCount(given);
    if (!sequence)
      throw CLI::ValidationError("--wait-sequence: " + Quoted(given) + " is no whole number");
    globals.wait_sequence = *sequence;
  };
  app.add_option_function<std::string>(
         "--wait-sequence", set_sequence,
         "read a state that has the write of this sequence; wait for it as --wait says")
      ->option_text("N");
  app.add_flag("--strict", globals.strict, "refuse a graph whose log lost its tail in a crash");
  app.add_flag("--names", globals.names, "tables show nodes by their text, without keys");
  app.add_flag("--quiet", globals.quiet, "no progress bar, no notes on stderr");
}

// JSON, or one of the parameter's own words: no file. (A file of such a name is "./[x]".)
bool IsContent(const Parameter& parameter, const std::string& text) {
  return text.starts_with('[') || text.starts_with('{') ||
         std::ranges::find(parameter.literals, text) != parameter.literals.end();
}

// The contents of the files that were named; standard input serves one parameter.
Status ReadFiles(Request& request, const std::vector<Given>& given,
                 const std::vector<std::string>& wall) {
  const Parameter* from_input = nullptr;
  for (const auto& [parameter, texts] : given) {
    if (parameter->means != Means::kContent) continue;
    const std::string& file = texts.back();
    if (file.empty())
      return Invalid(request.Name(parameter->name), ": is empty; leave it out or give a value");
    if (file == "-" && from_input)
      return Invalid("only one of ", request.Name(from_input->name), " and ",
                     request.Name(parameter->name), " can be standard input");
    if (file == "-") from_input = parameter;
  }
  request.Begin(&InterruptFlag());  // what is asked then has as much time once more
  PLEXUS_ASSIGN(const Budget budget, MakeBudget(request));
  for (const auto& [parameter, texts] : given) {
    if (parameter->means != Means::kContent) continue;
    if (IsContent(*parameter, texts.back())) {
      PLEXUS_TRY(request.Set(parameter->name, texts.back()));
      request.SetSource(parameter->name, request.Name(parameter->name));
      continue;
    }
    const std::string source = texts.back() == "-" ? "standard input" : texts.back();
    if (!wall.empty() && texts.back() != "-" && !Database::FolderAround(texts.back()).empty())
      return FailedPrecondition(source, ": is a file of a graph: not in a session of a scope");
    Result<std::string> content = ReadText(texts.back(), budget);
    if (!content && content.error().code == ErrorCode::kCancelled)
      return std::unexpected(TimedError(request, content.error()));
    if (!content) {
      std::string why = content.error().message, known;
      for (const std::string& literal : parameter->literals)
        known += (known.empty() ? ", and it is none of " : ", ") + literal;
      return Fail(content.error().code,
                  std::move(why) + known + DidYouMean(texts.back(), parameter->literals));
    }
    if (content->empty() && !parameter->may_be_empty)
      return Invalid(request.Name(parameter->name), ": ", Quoted(source), " is empty");
    PLEXUS_TRY(request.Set(parameter->name, *std::move(content)));
    request.SetSource(parameter->name, source);
  }
  return {};
}

Result<Request> MakeRequest(const Parse& parse) {
  if (parse.json && parse.format && *parse.format != Format::kJson)
    return Invalid("--json cannot go with --format ",
                   (*parse.format == Format::kCsv ? "csv" : "table"));
  Request request(*parse.chosen, Spelling::kFlags);
  for (const auto& [parameter, texts] : parse.given) {
    if (parameter->or_positional && parameter->type != Type::kList &&
        std::ranges::count(parse.given, parameter, &Given::parameter) > 1)
      return Invalid(request.Name(parameter->name), " is given more than once; it takes one value");
    if (parameter->means == Means::kContent) continue;
    for (const std::string& text : texts) PLEXUS_TRY(request.SetFromText(parameter->name, text));
  }
  PLEXUS_TRY(ReadFiles(request, parse.given, parse.globals.wall));
  PLEXUS_TRY(request.Check());
  if (parse.globals.format == Format::kTable) request.SetForPeople();
  return request;
}

// The parser's words for commands, as they are typed. Of the same length, so columns stay.
std::string Spoken(std::string text) {
  for (const Operation& command : AllCommands()) {
    const std::string word = CommandWord(command.name), name = CommandName(command.name);
    if (word == name) continue;
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += name.size())
      text.replace(at, name.size(), name);
  }
  return text;
}

// "ledger" without a second word that makes a command: its commands, or what is wrong.
bool AnswerFamily(const std::vector<std::string>& words, CommandLine& line) {
  const std::size_t first = NextWord(words, 0);
  if (first == words.size() || FindCommand(words[first])) return false;
  const auto families = CommandFamilies();
  const auto family = std::ranges::find(families, words[first], &CommandFamily::word);
  if (family == families.end()) return false;
  std::string list;
  std::vector<std::string> names;
  for (const Operation& command : AllCommands()) {
    const std::string name = CommandName(command.name);
    if (!name.starts_with(words[first] + " ")) continue;
    names.push_back(name);
    list += "  plexus " + name + std::string(name.size() < 20 ? 20 - name.size() : 1, ' ') +
            command.summary + "\n";
  }
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word != "--help" && word != "-h") continue;
    line.text = std::string(family->summary) + "\n\n" + list +
                "\n'plexus COMMAND --help' shows one of them.\n";
    return true;
  }
  const std::size_t second = NextWord(words, first + 1);
  const std::string given =
      words[first] + (second < words.size() ? " " + words[second] : std::string());
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  line.error =
      Error{ErrorCode::kInvalidArgument,
            second < words.size() ? "no command " + Quoted(given) + DidYouMean(given, names)
                                  : "which command? " + all};
  line.hint = "try 'plexus " + words[first] + " --help'";
  return true;
}

// The words that no option or place of the command takes.
std::string Unexpected(const CLI::App& command, const std::vector<std::string>& words) {
  if (words.empty()) return "the command line cannot be read";
  const std::string& word = words.front();
  const std::string name = "'" + command.get_name() + "'";
  if (!word.starts_with("-") || word == "-") {
    const auto named = std::ranges::find(AllCommands(), command.get_name(),
                                         [](const auto& row) { return CommandWord(row.name); });
    const auto is_text = [](const Parameter& parameter) {
      return parameter.positional && parameter.type == Type::kText &&
             parameter.means == Means::kText && parameter.choices.empty();
    };
    const bool text =
        named != AllCommands().end() && std::ranges::any_of(named->parameters, is_text);
    return name + " takes no further words: " + Quoted(word) + " is left over" +
           (text ? "; a text of several words stands in quotes" : "");
  }
  const std::string flag = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) known.push_back(option->get_name());
  for (const GlobalOption& option : GlobalOptionList()) known.push_back(option.names);
  return name + " has no option " + Quoted(flag) + DidYouMean(flag, known) +
         (word.size() > 1 && word[1] != '-' ? " (a KEY that starts with '-' goes after '--')" : "");
}

// CLI11's own words in those of users: what is wrong with which option.
std::string Reworded(const CLI::ParseError& error, const CLI::App& command,
                     const std::vector<std::string>& left) {
  const std::string message = error.what();
  const std::string name = message.substr(0, message.find(": "));
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return Unexpected(command, left);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    if (message.find("At Most") != std::string::npos ||
        message.find("At most") != std::string::npos)
      return name + " is given more than once; it takes one value";
    if (message.find("flag override") != std::string::npos)
      return message.substr(0, message.find(' ')) + " is a flag: it takes no value";
    return name + " needs a value";
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error))
    return name + ": the value cannot be read (" + message.substr(message.find(": ") + 2) + ")";
  return message;
}

void Explain(const Parse& parse, const CLI::ParseError& error, CommandLine& line) {
  const auto chosen = parse.app.get_subcommands();
  // Subcommands hand what they do not know to the program.
  std::string message =
      Reworded(error, chosen.empty() ? parse.app : *chosen[0], parse.app.remaining(true));
  if (chosen.empty() && !parse.app.remaining().empty()) {
    const std::string given = parse.app.remaining().front();
    std::vector<std::string> names;
    for (const Operation& operation : AllCommands()) names.push_back(CommandName(operation.name));
    for (const CommandFamily& family : CommandFamilies()) names.emplace_back(family.word);
    message = "no command or option " + Quoted(given) + DidYouMean(given, names);
  } else if (chosen.empty() && !dynamic_cast<const CLI::ValidationError*>(&error)) {
    message = "which command?";
  }
  line.error = Error{ErrorCode::kInvalidArgument, Spoken(message)};
  line.hint = Spoken(std::string("try 'plexus ") +
                     (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help'");
}

}  // namespace

std::string HelpOf(const Parameter& parameter) {
  std::string shown;
  if (const auto* count = std::get_if<std::uint64_t>(&parameter.default_value))
    shown = std::to_string(*count);
  if (const auto* number = std::get_if<double>(&parameter.default_value))
    shown = Number(*number, 12);
  if (const auto* text = std::get_if<std::string>(&parameter.default_value)) shown = *text;
  if (const auto* list = std::get_if<std::vector<std::string>>(&parameter.default_value))
    for (const std::string& text : *list) shown += (shown.empty() ? "" : ",") + text;
  if (parameter.for_people)
    shown = std::to_string(*parameter.for_people) + "; as JSON or CSV " + shown;
  return shown.empty() ? parameter.help : parameter.help + " (default " + shown + ")";
}

const std::vector<GlobalOption>& GlobalOptionList() {
  static const std::vector<GlobalOption> options = [] {
    Parse parse;
    AddGlobals(parse);
    std::vector<GlobalOption> list;
    for (const CLI::Option* option : parse.app.get_options())
      list.push_back({option->get_name(), option->get_option_text(), option->get_description()});
    return list;
  }();
  return options;
}

CommandLine ParseCommandLine(const std::vector<std::string>& given_words,
                             const GlobalOptions& given) {
  CommandLine line;
  Parse parse;
  parse.globals = given;
  const std::vector<std::string> words = WithOneWord(given_words);
  if (AnswerFamily(words, line)) {
    line.globals = given;
    if (line.error && AsksJson(words)) line.globals.format = Format::kJson;
    return line;
  }
  AddGlobals(parse);
  if (const Operation* named = NamedIn(words))
    AddCommand(parse, *named, true);
  else
    for (const Operation& operation : AllCommands())
      AddCommand(parse, operation, std::ranges::count(words, CommandWord(operation.name)) > 0);
  try {
    parse.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    Result<Request> request = MakeRequest(parse);
    line.globals = parse.globals;
    if (request) {
      line.request = *std::move(request);
      line.hint = OptionAsWord(words, *parse.chosen);
    } else {
      line.error = request.error();
      line.hint = "try 'plexus " + CommandName(parse.chosen->name) + " --help'";
    }
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream text;
    parse.app.exit(asked, text, text);
    line.text = Spoken(std::move(text).str());
  } catch (const CLI::ParseError& error) {
    Explain(parse, error, line);
    const Operation* named = NamedIn(words);
    if (const std::string why = named ? OptionAsWord(words, *named) : ""; !why.empty())
      line.error->message = why;
    if (AsksJson(words)) parse.globals.format = Format::kJson;  // its callback may not have run
  }
  line.globals = parse.globals;
  return line;
}

}  // namespace plexus::tools
