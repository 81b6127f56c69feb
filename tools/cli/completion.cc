// Completion scripts: tables of words from the rows, and a few lines of shell around them. Kinds
// are asked of the graph that --db or PLEXUS_DB names.
#include <string>

#include "tools/cli/command_line.h"
#include "tools/cli/own_commands.h"

namespace plexus::tools {
namespace {

// "'": a word of a shell.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// What a value of the parameter is completed from: choices, "@kinds", "@files" or nothing.
std::string ValuesOf(const Parameter& parameter) {
  std::string words;
  for (const std::string& choice : parameter.choices) words += (words.empty() ? "" : " ") + choice;
  if (!words.empty()) return words;
  switch (parameter.means) {
    case Means::kEdgeKind:
      return "@edge_kinds";
    case Means::kNodeKind:
      return "@node_kinds";
    case Means::kFile:
    case Means::kContent:
    case Means::kPath:
      return "@files";
    default:
      return "@none";
  }
}

std::string GlobalFlags() {
  std::string words;
  for (const GlobalOption& option : GlobalOptionList())
    if (option.names.starts_with("--")) words += (words.empty() ? "" : " ") + option.names;
  return words;
}

// "[ledger]='get label ...'", a line each.
std::string BashFamilies() {
  std::string text;
  for (const CommandFamily& family : CommandFamilies()) {
    std::string words;
    const std::string begin = std::string(family.word) + " ";
    for (const Operation& command : AllCommands())
      if (const std::string name = CommandName(command.name); name.starts_with(begin))
        words += (words.empty() ? "" : " ") + name.substr(begin.size());
    text += "  [" + std::string(family.word) + "]=" + Quoted(words) + "\n";
  }
  return text;
}

// First words of commands.
std::string FirstWords() {
  std::string words;
  for (const Operation& command : AllCommands()) {
    const std::string name = CommandName(command.name);
    if (name.find(' ') == std::string::npos) words += (words.empty() ? "" : " ") + name;
  }
  for (const CommandFamily& family : CommandFamilies()) words += " " + std::string(family.word);
  return words;
}

constexpr const char* kBashHead =
    "# bash completion of plexus; made by 'plexus completion bash'\n"
    "_plexus_kinds() {  # names of the kinds that the graph has: of nodes, or of edges\n"
    "  local part='1,/\"edge_kinds\"/d'\n"
    "  [[ $1 == node ]] && part='/\"edge_kinds\"/q'\n"
    "  plexus kinds ${db:+--db \"$db\"} --quiet --json 2>/dev/null | tr '{' '\\n' | sed \"$part\" "
    "|\n"
    "    sed -n 's/^\"kind\":\"\\([^\"]*\\)\".*/\\1/p'\n"
    "}\n"
    "_plexus_files() {\n"
    "  mapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
    "  compopt -o filenames 2>/dev/null\n"
    "}\n";

constexpr const char* kBashTail =
    "_plexus() {\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "  local command= family= db=${PLEXUS_DB-} i word words=()\n"
    "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
    "    if [[ ${COMP_WORDS[i]} == --db ]]; then\n"
    "      db=${COMP_WORDS[++i]}\n"
    "    elif [[ -z $command ]]; then\n"
    "      word=${family:+$family }${COMP_WORDS[i]}\n"
    "      [[ -n ${_plexus_flags[$word]+is} ]] && command=$word\n"
    "      [[ -n ${_plexus_families[$word]+is} ]] && family=$word\n"
    "    fi\n"
    "  done\n"
    "  local values=${_plexus_values[$command $before]-}\n"
    "  [[ $before == --db ]] && values=@files\n"
    "  [[ $before == --format && -z $values ]] && values='table json csv'\n"
    "  case $values in\n"
    "    @edge_kinds) values= && mapfile -t words < <(_plexus_kinds edge) ;;\n"
    "    @node_kinds) values= && mapfile -t words < <(_plexus_kinds node) ;;\n"
    "    @files) _plexus_files \"$current\"; return ;;\n"
    "    @none) COMPREPLY=(); return ;;\n"
    "    '')\n"
    "      if [[ -z $command && -n $family ]]; then\n"
    "        values=${_plexus_families[$family]}\n"
    "      elif [[ -z $command ]]; then\n"
    "        values=\"$_plexus_commands $_plexus_globals\"\n"
    "      elif [[ $current == -* ]]; then\n"
    "        values=\"${_plexus_flags[$command]} $_plexus_globals\"\n"
    "      else\n"
    "        _plexus_files \"$current\"; return\n"
    "      fi ;;\n"
    "  esac\n"
    "  ((${#words[@]})) || read -ra words <<< \"$values\"\n"
    "  COMPREPLY=()\n"
    "  for word in \"${words[@]}\"; do  # not compgen -W: it would run what a kind's name holds\n"
    "    [[ $word == \"$current\"* ]] && printf -v word %q \"$word\" && COMPREPLY+=(\"$word\")\n"
    "  done\n"
    "}\n"
    "complete -F _plexus plexus\n";

}  // namespace

std::string BashCompletion() {
  std::string text = kBashHead;
  text += "_plexus_commands=" + Quoted(FirstWords()) + "\n";
  text += "declare -A _plexus_families=(\n" + BashFamilies() + ")\n";
  text += "_plexus_globals=" + Quoted(GlobalFlags()) + "\n";
  std::string flags = "declare -A _plexus_flags=(\n", values = "declare -A _plexus_values=(\n";
  for (const Operation& command : AllCommands()) {
    const std::string name = CommandName(command.name);
    std::string words;
    for (const Parameter& parameter : command.parameters) {
      if (parameter.positional) continue;
      words += (words.empty() ? "" : " ") + FlagName(parameter.name);
      if (parameter.type != Type::kFlag)
        values += "  [" + Quoted(name + " " + FlagName(parameter.name)) +
                  "]=" + Quoted(ValuesOf(parameter)) + "\n";
    }
    flags += "  [" + name + "]=" + Quoted(words) + "\n";
  }
  return text + flags + ")\n" + values + ")\n" + kBashTail;
}

std::string ZshCompletion() {
  const auto escaped = [](const std::string& text) {
    std::string plain;
    for (const char c : text)
      plain += c == '[' || c == ']' || c == ':' || c == '\'' || c == '`' ? ' ' : c;
    return plain;
  };
  std::string text =
      "#compdef plexus\n# made by 'plexus completion zsh'\n_plexus() {\n  local -a commands "
      "globals\n"
      "  commands=(\n";
  for (const Operation& command : AllCommands())
    text += "    " + Quoted(CommandName(command.name) + ":" + escaped(command.summary)) + "\n";
  text += "  )\n  local -a families=(";
  for (const CommandFamily& family : CommandFamilies()) text += std::string(family.word) + " ";
  text += ")\n  globals=(\n";
  for (const GlobalOption& option : GlobalOptionList())
    if (option.names.starts_with("--"))
      text += "    " +
              Quoted(option.names + "[" + escaped(option.help) + "]" +
                     (option.shown.empty() ? "" : ":" + escaped(option.shown) + ":_files")) +
              "\n";
  text +=
      "  )\n  local context state line\n"
      "  _arguments -C $globals '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n    command) _describe command commands ;;\n"
      "    argument)\n      local name=${(Q)words[1]}\n"
      "      if (( ${families[(Ie)$name]} )); then name=\"$name $words[2]\"; fi\n"
      "      case $name in\n";
  for (const Operation& command : AllCommands()) {
    text += "        " + Quoted(CommandName(command.name)) + ") _arguments $globals";
    for (const Parameter& parameter : command.parameters) {
      if (parameter.positional) continue;
      std::string spec = (parameter.type == Type::kList ? "*" : "") + FlagName(parameter.name) +
                         "[" + escaped(parameter.help) + "]";
      if (parameter.type != Type::kFlag) {
        const std::string values = ValuesOf(parameter);
        spec += ":" + escaped(parameter.shown) + ":" +
                (!parameter.choices.empty() ? "(" + values + ")"
                 : values == "@files"       ? "_files"
                                            : " ");
      }
      text += " \\\n          " + Quoted(spec);
    }
    text += " \\\n          '*:argument:_files' ;;\n";
  }
  return text + "      esac ;;\n  esac\n}\n_plexus \"$@\"\n";
}

}  // namespace plexus::tools
