// Completion scripts: tables of words from the rows, and a few lines of shell around them. Kinds
// and keys are asked of the graph that --db or PLEXUS_DB names.
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

// What a value of the parameter is completed from: choices, keys, kinds, commands, files or
// nothing.
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
    case Means::kKey:
    case Means::kWeightedKey:
      return "@keys";
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

// Second words of a family's commands: "get label ...".
std::string SecondWords(const CommandFamily& family) {
  std::string words;
  const std::string begin = std::string(family.word) + " ";
  for (const Operation& command : AllCommands())
    if (const std::string name = CommandName(command.name); name.starts_with(begin))
      words += (words.empty() ? "" : " ") + name.substr(begin.size());
  return words;
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
    "_plexus_keys() {  # of facts that begin so\n"
    "  local begin=$1 quote=\"'\"\n"
    "  [[ -n $begin ]] || return\n"
    "  begin=${begin//\\\\/\\\\\\\\} begin=${begin//%/\\\\%} begin=${begin//_/\\\\_}\n"
    "  plexus list ${db:+--db \"$db\"} --quiet --keys --top 200 2>/dev/null \\\n"
    "    --where \"key like '${begin//$quote/$quote$quote}%'\"\n"
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
    "  db=${db/#\\~\\//$HOME/}\n"
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
    "    @keys) values= && mapfile -t words < <(_plexus_keys \"$current\") ;;\n"
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
  text += "declare -A _plexus_families=(\n";
  for (const CommandFamily& family : CommandFamilies())
    text += "  [" + std::string(family.word) + "]=" + Quoted(SecondWords(family)) + "\n";
  text += ")\n";
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
    bool first = true;  // of the positional ones, which "@" represents
    for (const Parameter& parameter : command.parameters) {
      if (parameter.positional || parameter.or_positional)
        if (std::exchange(first, false)) add_values(name + " @", ValuesOf(parameter));
      if (parameter.positional) continue;
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
    "  local part='1,/\"edge_kinds\"/d'\n"
    "  [[ $1 == node ]] && part='/\"edge_kinds\"/q'\n"
    "  local -a names\n"
    "  names=(${(f)\"$(plexus kinds ${plexus_db:+--db} ${plexus_db:+$plexus_db} --quiet --json "
    "2>/dev/null |\n"
    "    tr '{' '\\n' | sed $part | sed -n 's/^\"kind\":\"\\([^\"]*\\)\".*/\\1/p')\"})\n"
    "  compadd -a names\n"
    "}\n"
    "_plexus_edge_kinds() { _plexus_kinds edge }\n"
    "_plexus_node_kinds() { _plexus_kinds node }\n"
    "_plexus_keys() {  # of facts that begin so\n"
    "  local begin=${(Q)PREFIX} quote=\"'\"\n"
    "  [[ -n $begin ]] || return\n"
    "  begin=${begin//\\\\/\\\\\\\\}\n"
    "  begin=${begin//\\%/\\\\%}\n"
    "  begin=${begin//_/\\\\_}\n"
    "  local -a names\n"
    "  names=(${(f)\"$(plexus list ${plexus_db:+--db} ${plexus_db:+$plexus_db} --quiet --keys "
    "--top 200 \\\n"
    "    --where \"key like '${begin//$quote/$quote$quote}%'\" 2>/dev/null)\"})\n"
    "  compadd -a names\n"
    "}\n"
    "_plexus_commands() { compadd -a command_names }\n";

// Before options are read: words are those of the whole line here, and less later on.
constexpr const char* kZshGraph =
    "  local plexus_db=${PLEXUS_DB-} i\n"
    "  for ((i = 1; i < $#words; ++i)); do\n"
    "    [[ $words[i] == --db ]] && plexus_db=${(Q)words[i+1]}\n"
    "    [[ $words[i] == --db=* ]] && plexus_db=${(Q)${words[i]#--db=}}\n"
    "  done\n"
    "  plexus_db=${plexus_db/#\\~\\//$HOME/}\n";

// To the command, whose words are those from there on; before it commands and global options.
constexpr const char* kZshState =
    "  for ((i = 2; i < CURRENT; ++i)); do\n"
    "    [[ $words[i] == -* ]] || break\n"
    "    [[ -n ${(M)globals:#$words[i]=\\[*} ]] && (( ++i ))\n"
    "  done\n"
    "  if (( i >= CURRENT )); then\n"
    "    local curcontext=$curcontext context state state_descr line\n"
    "    local -A opt_args\n"
    "    _arguments -C $globals '1:command:->command'\n"
    "    [[ $state == command ]] && _describe command commands\n"
    "    return\n"
    "  fi\n"
    "  words=(\"${(@)words[i,-1]}\")\n"
    "  (( CURRENT -= i - 1 ))\n"
    "  local name=${(Q)words[1]}\n"
    "  if [[ -n ${families[$name]-} ]]; then\n"
    "    if (( CURRENT == 2 )); then\n"
    "      compadd -- ${=families[$name]}\n"
    "      return\n"
    "    fi\n"
    "    name=\"$name ${(Q)words[2]}\"\n"
    "    shift words\n"
    "    (( CURRENT-- ))\n"
    "  fi\n"
    "  case $name in\n";

// What zsh completes a value by.
std::string ZshAction(const Parameter& parameter) {
  const std::string values = ValuesOf(parameter);
  if (!parameter.choices.empty())
    return parameter.commas ? "_values -s , value " + values : "(" + values + ")";
  if (values == "@files") return "_files";
  if (values == "@commands" || values == "@keys") return "_plexus_" + values.substr(1);
  if (values == "@none") return " ";
  return (parameter.commas ? "_sequence _plexus_" : "_plexus_") + values.substr(1);
}

// Free text of a specification: what would end it goes.
std::string ZshText(const std::string& text) {
  std::string plain;
  for (const char c : text)
    plain += c == '[' || c == ']' || c == ':' || c == '\'' || c == '`' ? ' ' : c;
  return plain;
}

std::string ZshOption(const std::string& name, const std::string& help, const std::string& shown,
                      const std::string& action) {
  const std::string value = shown.empty() ? "" : ":" + ZshText(shown) + ":" + action;
  return Quoted(name + (shown.empty() ? "" : "=") + "[" + ZshText(help) + "]" + value);
}

// "'stats') _arguments $globals ... ;;"
std::string ZshCommand(const Operation& command) {
  std::string text = Quoted(CommandName(command.name)) + ") _arguments $globals";
  int place = 0;
  for (const Parameter& parameter : command.parameters) {
    const bool list = parameter.type == Type::kList;
    text += " \\\n      ";
    if (parameter.positional || parameter.or_positional)
      text += Quoted((list ? "*" : std::to_string(++place)) + ":" + ZshText(parameter.shown) + ":" +
                     ZshAction(parameter));
    if (parameter.or_positional) text += " \\\n      ";
    if (!parameter.positional)
      text += ZshOption((list ? "*" : "") + FlagName(parameter.name), parameter.help,
                        parameter.type == Type::kFlag ? "" : parameter.shown, ZshAction(parameter));
  }
  return text + " ;;\n";
}

}  // namespace

std::string ZshCompletion() {
  std::string text = kZshHead;
  text += "_plexus() {\n  local -a commands globals command_names\n  command_names=(" +
          CommandWords() + ")\n  commands=(\n";
  for (const Operation& command : AllCommands())
    if (const std::string name = CommandName(command.name); name.find(' ') == std::string::npos)
      text += "    " + Quoted(name + ":" + ZshText(command.summary)) + "\n";
  std::string families;
  for (const CommandFamily& family : CommandFamilies()) {
    const std::string word(family.word);
    text += "    " + Quoted(word + ":" + ZshText(std::string(family.summary))) + "\n";
    families += "    " + word + " " + Quoted(SecondWords(family)) + "\n";
  }
  text += "  )\n  local -A families=(\n" + families + "  )\n  globals=(\n";
  for (const GlobalOption& option : GlobalOptionList()) {
    if (!option.names.starts_with("--")) continue;
    std::string action = option.names == "--format" ? "(table json csv)"
                         : option.names == "--db"   ? "_files -/"
                                                    : " ";
    for (const Parameter& parameter : CommonParameters())
      if (option.names == FlagName(parameter.name)) action = ZshAction(parameter);
    text += "    " + ZshOption(option.names, option.help, option.shown, action) + "\n";
  }
  text += std::string("  )\n") + kZshGraph + kZshState;
  for (const Operation& command : AllCommands()) text += "    " + ZshCommand(command);
  return text + "  esac\n}\n_plexus \"$@\"\n";
}

}  // namespace plexus::tools
