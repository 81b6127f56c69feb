// Man pages (roff) and the reference page (Markdown), written from the rows.
#include <algorithm>
#include <string>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/cli/own_commands.h"
#include "tools/operations/framework/limits.h"
#include "tools/operations/framework/registry.h"

namespace plexus::tools {
namespace {

// Text that roff takes as it is.
std::string Roff(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (c == '\\')
      plain += "\\e";
    else if (c == '-')
      plain += "\\-";
    else if (c == '\n')
      plain += ' ';
    else
      plain += c;
  }
  return plain.starts_with('.') || plain.starts_with('\'') ? "\\&" + plain : plain;
}

std::string Usage(const Operation& command) {
  std::string usage = "plexus " + CommandName(command.name);
  for (const Parameter& parameter : command.parameters) {
    if (parameter.positional || parameter.or_positional) {
      const std::string many = parameter.type == Type::kList ? "..." : "";
      usage += parameter.required ? " " + parameter.shown + many : " [" + parameter.shown + "]";
    } else if (parameter.required) {
      usage += " " + FlagName(parameter.name) + " " + parameter.shown;
    }
  }
  return usage + " [OPTION]...";
}

std::string Named(const Parameter& parameter) {
  if (parameter.positional) return parameter.shown;
  std::string name = parameter.letter ? std::string("-") + parameter.letter + ", " : "";
  name += FlagName(parameter.name);
  return parameter.shown.empty() ? name : name + " " + parameter.shown;
}

std::string RoffItem(const std::string& name, const std::string& help) {
  return ".TP\n.B " + Roff(name) + "\n" + Roff(help) + "\n";
}

std::string RoffGlobals() {
  std::string text = ".SH GLOBAL OPTIONS\n";
  for (const GlobalOption& option : GlobalOptionList())
    text += RoffItem(option.names + (option.shown.empty() ? "" : " " + option.shown), option.help);
  return text;
}

constexpr const char* kExitCodes =
    ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 3 not found, 4 damage found, 5 locked by "
    "another\nprocess, 6 not what \\-\\-expect\\-sequence expects, 130 interrupted.\n";

// Markdown's table cells end at a bar.
std::string Cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '\n')
      cell += ' ';
    else if (c == '|' || c == '<' || c == '*' || c == '_')
      cell += std::string("\\") + c;
    else
      cell += c;
  }
  return cell;
}

std::string Code(const std::string& text) {
  std::string code;
  for (const char c : text) code += c == '|' ? "\\|" : std::string(1, c);
  return "`" + code + "`";
}

std::string EffectWords(Effect effect) {
  return effect == Effect::kRead ? "Reads." : effect == Effect::kWrite ? "Writes." : "Takes away.";
}

std::string ReachWords(Reach reach) {
  return reach == Reach::kScope ? "" : " Not in a shell of one scope.";
}

std::string Section(const Operation& command) {
  std::string text = "### " + CommandName(command.name) + "\n\n" + command.summary + ". " +
                     EffectWords(command.effect) + ReachWords(command.reach) + "\n\n    " +
                     Usage(command) + "\n\n";
  if (!command.parameters.empty()) {
    text += "| option | what it says |\n|---|---|\n";
    for (const Parameter& parameter : command.parameters)
      text += "| " + Code(Named(parameter)) + " | " + Cell(HelpOf(parameter)) + " |\n";
    text += "\n";
  }
  for (const Example& example : command.examples)
    text += "    " + example.shell + "    # " + example.what + "\n";
  if (!command.reply.empty()) text += "\nReply: `{" + command.ReplyMembers() + "}`\n";
  return text + "\n";
}

std::string LimitsTable() {
  std::string text =
      "## Limits\n\nWhat ends an operation, how long its reply may be, what memory it takes in "
      "addition to the graph at most,\nand what `--scope` means to it. Tests ask every row: "
      "`limits_test` with a clock that counts and\nlittle room for the reply, "
      "`memory_limits_test` with counted memory, `hostile_test` with secrets\nin other scopes.\n\n"
      "| command | time | reply | memory | scope |\n|---|---|---|---|---|\n";
  for (const Operation& operation : AllOperations()) {
    const Limits limits = LimitsOf(operation);
    text += "| " + Code(CommandName(operation.name));
    for (const std::string& cell : {limits.time, limits.reply, limits.memory, limits.scope})
      text += " | " + Cell(cell);
    text += " |\n";
  }
  return text + "\n";
}

}  // namespace

std::string ManPage(const Operation* command) {
  const std::string name = command ? "plexus-" + CommandWord(command->name) : "plexus";
  std::string upper = name;
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string text = ".TH " + Roff(upper) + " 1\n.SH NAME\n" + Roff(name) + " \\- " +
                     Roff(command ? command->summary
                                  : "a graph kept in memory and on disk, ranked and traversed") +
                     "\n.SH SYNOPSIS\n.B " +
                     Roff(command ? Usage(*command) : "plexus COMMAND [OPTION]...") + "\n";
  if (!command) {
    text += ".SH COMMANDS\n";
    for (const Operation& each : AllCommands())
      text += RoffItem(CommandName(each.name), each.summary);
    return text + RoffGlobals() + kExitCodes;
  }
  if (!command->parameters.empty()) text += ".SH OPTIONS\n";
  for (const Parameter& parameter : command->parameters)
    text += RoffItem(Named(parameter), HelpOf(parameter));
  text += ".SH EXAMPLES\n";
  for (const Example& example : command->examples) text += RoffItem(example.shell, example.what);
  return text + RoffGlobals() + kExitCodes + ".SH SEE ALSO\n.BR plexus (1)\n";
}

std::string ReferencePage() {
  std::string text =
      "# Reference of `plexus`\n\nWritten by `plexus reference` from the rows of "
      "`tools/operations`; a test holds it equal.\nThe contract around it (exit codes, times, "
      "budgets, what a command sees): [REPLIES.md](REPLIES.md).\n\n## Reply shapes\n\n"
      "`n` is a whole number, `i` one of either sign, `x` a number (null where it is not finite), "
      "`b` true or\nfalse, `s` a text, `k` a node's key, `j` any JSON, `E` an edge:\n"
      "`{source:k, kind:s, target:k, weight:x, label?:s}`. A name with `?` may be left out, `*` "
      "is any other name.\n`plexus schema COMMAND --json` prints JSON Schemas.\n\n## Global "
      "options\n\n| option | what it says |\n|---|---|\n";
  for (const GlobalOption& option : GlobalOptionList())
    text += "| " + Code(option.names + (option.shown.empty() ? "" : " " + option.shown)) + " | " +
            Cell(option.help) + " |\n";
  text += "\n" + LimitsTable();
  std::vector<std::string> groups;
  for (const Operation& command : AllCommands())
    if (std::ranges::find(groups, command.group) == groups.end()) groups.push_back(command.group);
  for (const std::string& group : groups) {
    text += "## " + group + "\n\n";
    for (const Operation& command : AllCommands())
      if (command.group == group) text += Section(command);
  }
  text.pop_back();
  return text;
}

}  // namespace plexus::tools
