// A small UTF-8 reader serves the escaping and the measuring.
#include "tools/operations/reply/human_format.h"

#include <cstdio>

namespace plexus::tools {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Character Next(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  char32_t code = first & (0xFF >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3F);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, size, true};
}

bool Dangerous(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200B || c == 0x200E ||
         c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) ||
         c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

bool Combining(char32_t c) {
  return (c >= 0x300 && c < 0x370) || (c >= 0x20D0 && c < 0x2100) || (c >= 0xFE00 && c < 0xFE10);
}

bool Wide(char32_t c) {
  return (c >= 0x1100 && c < 0x1160) || (c >= 0x2E80 && c < 0xA4D0) ||
         (c >= 0xAC00 && c < 0xD7A4) || (c >= 0xF900 && c < 0xFB00) ||
         (c >= 0xFE30 && c < 0xFE70) || (c >= 0xFF00 && c < 0xFF61) ||
         (c >= 0x1F300 && c < 0x1FAF8) || (c >= 0x20000 && c < 0x3FFFE);
}

std::size_t Columns(const Character& c) {
  if (!c.valid) return 1;
  return Combining(c.code) ? 0 : Wide(c.code) ? 2 : 1;
}

std::string Scaled(double value, double step, const char* const* units, std::size_t count) {
  std::size_t unit = 0;
  while (value >= step && unit + 1 < count) {
    value /= step;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof text, unit == 0 || value >= 100 ? "%.0f%s" : "%.1f%s", value,
                units[unit]);
  return text;
}

}  // namespace

std::string Grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string ShortNumber(double number) {
  static constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  return Scaled(number, 1000, kUnits, std::size(kUnits));
}

std::string Bytes(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  return Scaled(static_cast<double>(bytes), 1024, kUnits, std::size(kUnits));
}

std::string Number(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  char escape[16];
  while (!text.empty()) {
    const Character c = Next(text);
    if (!c.valid || c.code < 0x20 || c.code == 0x7F) {
      if (c.valid && (c.code == '\n' || c.code == '\t' || c.code == '\r')) {
        out += c.code == '\n' ? "\\n" : c.code == '\t' ? "\\t" : "\\r";
      } else {
        std::snprintf(escape, sizeof escape, "\\x%02X", static_cast<unsigned char>(text[0]));
        out += escape;
      }
    } else if (Dangerous(c.code)) {
      std::snprintf(escape, sizeof escape, "\\u{%04X}", static_cast<unsigned>(c.code));
      out += escape;
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string ForTerminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto escape = [&](unsigned unit) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04X", unit & 0xFFFFu);
    out += escaped;
  };
  for (; !text.empty();) {
    const Character c = Next(text);
    const auto code = static_cast<unsigned>(c.code);
    const bool line = c.valid && (code == '\n' || code == '\t');
    if (!c.valid) {
      escape(static_cast<unsigned char>(text[0]));
    } else if (!line && (code < 0x20 || code == 0x7F || Dangerous(c.code))) {
      if (code > 0xFFFF) escape(0xD800u + ((code - 0x10000u) >> 10));
      escape(code > 0xFFFF ? 0xDC00u + ((code - 0x10000u) & 0x3FFu) : code);
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = Next(text);
    width += Columns(c);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string Cut(std::string_view text, std::size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const Character c = Next(text);
    if (used + Columns(c) + 1 > width) break;
    used += Columns(c);
    out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out + "…";
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMostBytes = 200;
  if (text.size() <= kMostBytes) return "'" + std::string(text) + "'";
  std::size_t end = kMostBytes;  // back to the start of a character
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "...' (" + Grouped(text.size()) + " bytes)";
}

}  // namespace plexus::tools
