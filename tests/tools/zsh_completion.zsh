# What zsh completes lines of plexus to: "= LINE", then the matches, one a line.
# Usage: zsh -f zsh_completion.zsh FOLDER_OF__plexus LINE...   77: zsh has no zpty.
zmodload zsh/zpty || exit 77
typeset text all line
# What the child prints up to a mark.
read_to() {
  all=
  while zpty -r child text; do
    all+=$text
    [[ $all == *$1* ]] && return
  done
}
zpty child zsh -f -i
zpty -w child "PROMPT=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
# Matches are printed where they are handed over; options O, A and D hand over none.
zpty -w child '
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)* ]]; then
    builtin compadd "$@"
    return
  fi
  typeset -a hits
  builtin compadd -A hits "$@"
  for hit in $hits; print -r -- "<$hit>"
  builtin compadd "$@"
}
mark_end() { print -r -- "<""end>" }
before_line() { comppostfuncs=(mark_end) }
precmd_functions+=(before_line)
setopt no_list_beep no_always_last_prompt
bindkey "^I" complete-word
before_line
print -r -- "<""ready>"'
read_to '<ready>'
shift
for line; do
  zpty -n -w child $'\x15'"$line"$'\t'
  read_to '<end>'
  print -r -- "= $line"
  print -r -- $all | tr -d '\r' | sed -n 's/.*<\([^<>]*\)>$/\1/p' | grep -v '^end$' | sort -u
  zpty -w child $'\x15'
  zpty -w child 'print -r -- "<""next>"'
  read_to '<next>'
done
zpty -d child
