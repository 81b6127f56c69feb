// Commands that write while a server holds the directory: they run there, and print here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/cli/command_line.h"
#include "tools/operations/framework/operation.h"

namespace plexus::tools {

// The exit code of the command, which a server ran; nullopt: no server holds the directory, or the
// command does not write there.
std::optional<int> RunAtHolder(const CommandLine& line, Access access);

// The line as the server reads it: one JSON object {"plexus":"run",...}.
std::string RemoteLine(const CommandLine& line);
// And back. kInvalidArgument: it is none.
Result<CommandLine> ReadRemoteLine(std::string_view text, std::size_t* width);
// What the server answers: {"code":..,"out":..,"err":..}.
std::string RemoteAnswer(int code, std::string_view out, std::string_view err);

}  // namespace plexus::tools
