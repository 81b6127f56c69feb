// Writing and checking cursors; see page_cursor.h.
#include "algorithms/memory/ledger/internal/page_cursor.h"

#include <charconv>

namespace plexus::memory::internal {

namespace {

std::unexpected<Error> NoCursor(std::string_view cursor) {
  return Invalid("'", cursor.substr(0, 80), "' is not a cursor of this list");
}

// The number before the next '.'; false when none exists.
bool TakeNumber(std::string_view& text, std::uint64_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(read.ptr - text.data());
  if (read.ec != std::errc() || length == text.size() || text[length] != '.') return false;
  text.remove_prefix(length + 1);
  return true;
}

}  // namespace

std::string CursorAt(Sequence sequence, std::uint64_t position, const DigestText& question) {
  std::string text = std::to_string(sequence) + "." + std::to_string(position) + ".";
  return text + Hex16(Fnv1a64(question.bytes(), Fnv1a64(text)));
}

Result<std::uint64_t> PositionOf(std::string_view cursor, Sequence sequence,
                                 const DigestText& question) {
  std::string_view rest = cursor;
  std::uint64_t of = 0, position = 0;
  if (!TakeNumber(rest, of) || !TakeNumber(rest, position)) return NoCursor(cursor);
  if (CursorAt(of, position, question) != cursor)
    return Invalid("the cursor is of another question: everything but the limit must be as before");
  if (of != sequence)
    return FailedPrecondition("the cursor is of sequence ", of, ", the graph is at sequence ",
                              sequence);
  return position;
}

Result<Sequence> SequenceOf(std::string_view cursor) {
  std::string_view rest = cursor;
  std::uint64_t sequence = 0, position = 0;
  if (!TakeNumber(rest, sequence) || !TakeNumber(rest, position)) return NoCursor(cursor);
  return sequence;
}

}  // namespace plexus::memory::internal
