// Reading `git log --name-only` from a child process.
#include "bench/frontier_eval/history.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

namespace plexus::bench {

namespace {

// For the shell that popen starts.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

Result<History> ReadHistory(const std::string& path) {
  const std::string command =
      "git -c core.quotePath=false -C " + Quoted(path) +
      " log --no-merges --no-renames --reverse --name-only --format='%x01%ct%x1f%ae%x1f%s' HEAD";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return Fail(ErrorCode::kIo, "git could not be started");
  History history;
  std::unordered_map<std::string, std::uint32_t> numbers;
  char* buffer = nullptr;
  std::size_t capacity = 0;
  while (true) {
    const auto length = ::getline(&buffer, &capacity, pipe);
    if (length < 0) break;
    std::string_view line(buffer, static_cast<std::size_t>(length));
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line[0] == '\x01') {
      const std::size_t first = line.find('\x1f'), second = line.find('\x1f', first + 1);
      Commit commit;
      commit.time_ms = 1000 * std::atoll(std::string(line.substr(1, first - 1)).c_str());
      commit.author = line.substr(first + 1, second - first - 1);
      commit.subject = line.substr(second + 1);
      history.commits.push_back(std::move(commit));
    } else if (!history.commits.empty()) {
      const auto [at, added] =
          numbers.try_emplace(std::string(line), static_cast<std::uint32_t>(history.paths.size()));
      if (added) history.paths.emplace_back(line);
      history.commits.back().files.push_back(at->second);
    }
  }
  std::free(buffer);
  if (::pclose(pipe) != 0) return Fail(ErrorCode::kIo, "git log failed in " + path);
  if (history.commits.empty()) return Fail(ErrorCode::kInvalidArgument, "no commit in " + path);
  for (Commit& commit : history.commits) std::sort(commit.files.begin(), commit.files.end());
  return history;
}

}  // namespace plexus::bench
