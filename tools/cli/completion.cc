// Completion scripts: tables of words from the rows, and a few lines of shell around them. Kinds
// are asked of the graph that --db or PLEXUS_DB names.
#include <string>
#include <utility>

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

// What a value of the parameter is completed from: choices, kinds, commands, files or nothing.
std::string ValuesOf(const Parameter& parameter) {
  std::string words;
  for (const std::string& choice : parameter.choices) words += (words.empty() ? "" : " ") + choice;
  if (!words.empty()) return words;
  switch (parameter.means) {
    case Means::kEdgeKind:
      return "@edge_kinds";
    case Means::kNodeKind:
      return "@node_kinds";
    case Means::kOperation:
      return "@commands";
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

// All commands, each as one word.
std::string CommandWords() {
  std::string words;
  for (const Operation& command : AllCommands())
    words += (words.empty() ? "" : " ") + CommandWord(command.name);
  return words;
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
    "  local command= family= db=${PLEXUS_DB-} i word words=() kept=\n"
    "  if [[ $current == = ]]; then  # --flag=, which bash takes apart\n"
    "    current=\n"
    "  elif [[ $before == = && COMP_CWORD -gt 1 ]]; then\n"
    "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "  fi\n"
    "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
    "    if [[ ${COMP_WORDS[i]} == --db ]]; then\n"
    "      [[ ${COMP_WORDS[i+1]} == = ]] && ((++i))\n"
    "      db=${COMP_WORDS[++i]}\n"
    "    elif [[ -z $command ]]; then\n"
    "      word=${family:+$family }${COMP_WORDS[i]}\n"
    "      [[ -n ${_plexus_flags[$word]+is} ]] && command=$word\n"
    "      [[ -n ${_plexus_families[$word]+is} ]] && family=$word\n"
    "    fi\n"
    "  done\n"
    "  local values=${_plexus_values[$command $before]-${_plexus_values[ $before]-}}\n"
    "  if [[ -z $values && -n $command && $current != -* ]]; then\n"
    "    values=${_plexus_values[$command @]-}\n"
    "  fi\n"
    "  if [[ $current == *,* ]]; then  # the next of a list\n"
    "    kept=${current%,*},\n"
    "    current=${current##*,}\n"
    "  fi\n"
    "  case $values in\n"
    "    @edge_kinds) values= && mapfile -t words < <(_plexus_kinds edge) ;;\n"
    "    @node_kinds) values= && mapfile -t words < <(_plexus_kinds node) ;;\n"
    "    @commands) values=$_plexus_command_words ;;\n"
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
    "    [[ $word == \"$current\"* ]] && printf -v word %q \"$word\" && "
    "COMPREPLY+=(\"$kept$word\")\n"
    "  done\n"
    "}\n"
    "complete -F _plexus plexus\n";

}  // namespace

std::string BashCompletion() {
  std::string text = kBashHead;
  text += "_plexus_commands=" + Quoted(FirstWords()) + "\n";
  text += "_plexus_command_words=" + Quoted(CommandWords()) + "\n";
  text += "declare -A _plexus_families=(\n" + BashFamilies() + ")\n";
  text += "_plexus_globals=" + Quoted(GlobalFlags()) + "\n";
  std::string flags = "declare -A _plexus_flags=(\n", values = "declare -A _plexus_values=(\n";
  const auto add_values = [&](const std::string& place, const std::string& words) {
    values += "  [" + Quoted(place) + "]=" + Quoted(words) + "\n";
  };
  add_values(" --db", "@files");
  add_values(" --format", "table json csv");
  for (const Parameter& parameter : CommonParameters())
    add_values(" " + FlagName(parameter.name), ValuesOf(parameter));
  for (const Operation& command : AllCommands()) {
    const std::string name = CommandName(command.name);
    std::string words;
    bool first = true;  // of the positional ones, which "@" stands for
    for (const Parameter& parameter : command.parameters) {
      if (parameter.positional) {
        if (std::exchange(first, false)) add_values(name + " @", ValuesOf(parameter));
        continue;
      }
      words += (words.empty() ? "" : " ") + FlagName(parameter.name);
      if (parameter.type != Type::kFlag)
        add_values(name + " " + FlagName(parameter.name), ValuesOf(parameter));
    }
    flags += "  [" + name + "]=" + Quoted(words) + "\n";
  }
  return text + flags + ")\n" + values + ")\n" + kBashTail;
}

namespace {

constexpr const char* kZshHead =
    "#compdef plexus\n# made by 'plexus completion zsh'\n"
    "_plexus_kinds() {  # names of the kinds that the graph has: of nodes, or of edges\n"
    "  local part='1,/\"edge_kinds\"/d' db=${PLEXUS_DB-} i\n"
    "  [[ $1 == node ]] && part='/\"edge_kinds\"/q'\n"
    "  for ((i = 1; i < $#words; ++i)); do\n"
    "    [[ $words[i] == --db ]] && db=$words[i+1]\n"
    "    [[ $words[i] == --db=* ]] && db=${words[i]#--db=}\n"
    "  done\n"
    "  local -a names\n"
    "  names=(${(f)\"$(plexus kinds ${db:+--db} ${db:+$db} --quiet --json 2>/dev/null | "
    "tr '{' '\\n' |\n"
    "    sed $part | sed -n 's/^\"kind\":\"\\([^\"]*\\)\".*/\\1/p')\"})\n"
    "  compadd -a names\n"
    "}\n"
    "_plexus_edge_kinds() { _plexus_kinds edge }\n"
    "_plexus_node_kinds() { _plexus_kinds node }\n"
    "_plexus_commands() { compadd -a command_names }\n";

// What zsh completes a value by.
std::string ZshAction(const Parameter& parameter) {
  const std::string values = ValuesOf(parameter);
  if (!parameter.choices.empty())
    return parameter.commas ? "_values -s , value " + values : "(" + values + ")";
  if (values == "@files") return "_files";
  if (values == "@commands") return "_plexus_commands";
  if (values == "@none") return " ";
  return (parameter.commas ? "_sequence _plexus_" : "_plexus_") + values.substr(1);
}

}  // namespace

std::string ZshCompletion() {
  const auto escaped = [](const std::string& text) {
    std::string plain;
    for (const char c : text)
      plain += c == '[' || c == ']' || c == ':' || c == '\'' || c == '`' ? ' ' : c;
    return plain;
  };
  std::string text = kZshHead;
  text += "_plexus() {\n  local -a commands globals command_names\n  command_names=(" +
          CommandWords() + ")\n  commands=(\n";
  for (const Operation& command : AllCommands())
    text += "    " + Quoted(CommandName(command.name) + ":" + escaped(command.summary)) + "\n";
  text += "  )\n  local -a families=(";
  for (const CommandFamily& family : CommandFamilies()) text += std::string(family.word) + " ";
  text += ")\n  globals=(\n";
  for (const GlobalOption& option : GlobalOptionList()) {
    if (!option.names.starts_with("--")) continue;
    std::string action = option.names == "--format" ? "(table json csv)"
                         : option.names == "--db"   ? "_files -/"
                                                    : " ";
    for (const Parameter& parameter : CommonParameters())
      if (option.names == FlagName(parameter.name)) action = ZshAction(parameter);
    text += "    " +
            Quoted(option.names + (option.shown.empty() ? "" : "=") + "[" + escaped(option.help) +
                   "]" + (option.shown.empty() ? "" : ":" + escaped(option.shown) + ":" + action)) +
            "\n";
  }
  text +=
      "  )\n  local context state line\n"
      "  _arguments -C $globals '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n    command) _describe command commands ;;\n"
      "    argument)\n      local name=${(Q)words[1]}\n"
      "      if (( ${families[(Ie)$name]} )); then name=\"$name $words[2]\"; fi\n"
      "      case $name in\n";
  for (const Operation& command : AllCommands()) {
    text += "        " + Quoted(CommandName(command.name)) + ") _arguments $globals";
    std::string positional = "_files";
    for (const Parameter& parameter : command.parameters) {
      if (parameter.positional) {
        if (positional == "_files") positional = ZshAction(parameter);
        continue;
      }
      std::string spec = (parameter.type == Type::kList ? "*" : "") + FlagName(parameter.name) +
                         (parameter.type == Type::kFlag ? "" : "=") + "[" +
                         escaped(parameter.help) + "]";
      if (parameter.type != Type::kFlag)
        spec += ":" + escaped(parameter.shown) + ":" + ZshAction(parameter);
      text += " \\\n          " + Quoted(spec);
    }
    text += " \\\n          " + Quoted("*:argument:" + positional) + " ;;\n";
  }
  return text + "      esac ;;\n  esac\n}\n_plexus \"$@\"\n";
}

}  // namespace plexus::tools
