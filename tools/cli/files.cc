// Reading a file, or standard input, whole.
#include "tools/cli/files.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include "tools/operations/reply/human_format.h"

namespace plexus::tools {

Result<std::string> ReadText(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
    return std::move(text).str();
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return Fail(ErrorCode::kNotFound, "cannot open " + Quoted(file));
  if (std::error_code ignored; std::filesystem::is_directory(file, ignored))
    return Fail(ErrorCode::kIo, file + ": is a directory");
  if (in.peek() == std::ifstream::traits_type::eof() && !in.bad()) return std::string();
  text << in.rdbuf();
  if (in.bad() || !text) return Fail(ErrorCode::kIo, file + ": cannot be read");
  return std::move(text).str();
}

}  // namespace plexus::tools
