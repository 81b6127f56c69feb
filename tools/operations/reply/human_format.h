// Numbers, times and foreign text made fit for a person's terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/times.h"

namespace plexus::tools {

// 1234567 -> "1,234,567".
std::string Grouped(std::uint64_t number);
// 1234567 -> "1.2 M".
std::string ShortNumber(double number);
// 1234567 -> "1.2 MiB".
std::string Bytes(std::uint64_t bytes);
// Up to `digits` significant digits, no trailing zeros.
std::string Number(double value, int digits = 6);

// Control characters (C0, DEL, C1), bytes that are not UTF-8 and characters that
// reorder or hide text become \xNN or \u{NNNN}: stored text must not be able to
// drive the terminal that shows it.
std::string Escaped(std::string_view text);

// What a terminal gets of output that is meant for programs (JSON, CSV): line breaks and tabs stay,
// the rest of what Escaped escapes becomes \uNNNN, as in a JSON string.
std::string ForTerminal(std::string_view text);

// What was given, between single quotes, as messages say it: of a long text its first 200 bytes
// (whole characters) and its length.
std::string Quoted(std::string_view text);

// Columns that `text` takes on a terminal; a good guess for wide characters.
std::size_t DisplayWidth(std::string_view text);
// The first `width` columns, with an ellipsis where something was cut.
std::string Cut(std::string_view text, std::size_t width);

}  // namespace plexus::tools
