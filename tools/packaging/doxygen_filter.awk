# Makes of a header's comments what doxygen reads: blocks of lines // before a declaration, and what
# follows one on its line. Text that is set in, such as a formula or an example, stays as it is
# written, but for the lines of a label (Computes:, Errors:), which begins a paragraph. Lines
# "// ---" are for readers of the source.
function plain(text) {  # doxygen's own marks are characters here
  gsub(/[\\@]/, "\\\\&", text)
  gsub(/[<>#%&"]/, "\\\\&", text)
  gsub(/\*\//, "* /", text)
  return text
}
function set_in(on) {
  if (on != verbatim) print (on ? "\\verbatim" : "\\endverbatim")
  verbatim = on
}
function close_block() {
  if (!block) return
  set_in(0)
  print " */"
  block = label = 0
}
/^ *\/\/ ---/ { close_block(); next }
/^ *\/\/( |$)/ {
  at = index($0, "//")
  text = substr($0, at + 2)
  if (at == behind) {  # goes on from the line before
    print substr($0, 1, at - 1) "///<" plain(text)
    next
  }
  if (!block) print "/**" (NR == 1 ? " @file" : "")
  block = 1
  if (text ~ /^ [A-Z][a-z ]+: /) {
    set_in(0)
    label = 1
    print ""
  } else if (text !~ /^  /) {
    label = 0
  }
  if (text != "") set_in(text ~ /^   / && !label)
  print (verbatim ? text : plain(text))
  next
}
/^ *(friend )?(class|struct) [A-Za-z_:]+; +\/\/ / { sub(/ +\/\/ .*/, "") }  # where it is declared
{
  close_block()
  behind = /^[}#]/ ? 0 : match($0, /[^ ] +\/\/ /) ? RSTART + RLENGTH - 3 : 0
  if (behind) print substr($0, 1, behind - 1) "///< " plain(substr($0, behind + 3))
  else print
}
END { close_block() }
