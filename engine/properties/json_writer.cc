// JSON spelling; see json_writer.h.
#include "engine/properties/json_writer.h"

namespace plexus::engine_internal {

void AppendJsonString(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  std::size_t plain = 0;  // begin of what can be copied as it is
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    out += '\\';
    switch (c) {
      case '"':
        out += '"';
        break;
      case '\\':
        out += '\\';
        break;
      case '\n':
        out += 'n';
        break;
      case '\r':
        out += 'r';
        break;
      case '\t':
        out += 't';
        break;
      default:
        out += "u00";
        out += kHex[c >> 4];
        out += kHex[c & 15];
    }
  }
  out.append(text, plain);
  out += '"';
}

void AppendJsonDouble(std::string& out, double value) {
  const std::size_t begin = out.size();
  AppendNumber(out, value);
  if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

}  // namespace plexus::engine_internal
