// Reading a file, or standard input, whole.
#include "tools/lines_file.h"

#include <fstream>
#include <iostream>
#include <iterator>

namespace plexus::tools {

Result<std::string> ReadText(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream in(file, std::ios::binary);
  if (!in) return Fail(ErrorCode::kNotFound, "cannot open '" + file + "'");
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return Fail(ErrorCode::kIo, file + ": cannot be read");
  return text;
}

}  // namespace plexus::tools
