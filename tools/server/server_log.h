// The server's log: one line each on standard error, as words or as JSON. Nothing of a request's
// content is in it. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plexus::tools::server {

enum class LogForm : std::uint8_t { kQuiet, kWords, kJson };

void SetLogForm(LogForm form);
using LogFields = std::vector<std::pair<std::string_view, std::string>>;
// "plexus: TEXT", or {"time":..,"level":"info","text":..,...}. kQuiet leaves out what is no error.
void LogInfo(std::string_view text, const LogFields& fields = {});
void LogError(std::string_view text, const LogFields& fields = {});

}  // namespace plexus::tools::server
