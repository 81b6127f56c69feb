// What the system says of memory; see available_memory.h.
#include "storage/formats/pipeline/available_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "storage/formats/import.h"

namespace plexus::formats::internal {

namespace {

constexpr std::uint64_t kMostByDefault = std::uint64_t{8} << 30;

// The number of a file that holds one; none where there is no such file or it says "max".
std::optional<std::uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The number behind `name`, in a file of such lines.
std::optional<std::uint64_t> NumberOf(const std::string& path, const std::string& name) {
  std::ifstream lines(path);
  for (std::string word, rest; lines >> word; std::getline(lines, rest)) {
    std::uint64_t number = 0;
    if (word == name && lines >> number) return number;
  }
  return std::nullopt;
}

// What a group of processes may still take.
std::optional<std::uint64_t> LeftIn(const std::string& folder, const char* limit, const char* used,
                                    const char* cache) {
  const auto most = NumberIn(folder + limit), taken = NumberIn(folder + used);
  if (!most || !taken) return most;
  const std::uint64_t of_files = NumberOf(folder + "memory.stat", cache).value_or(0);
  return *most - std::min(*most, *taken - std::min(*taken, of_files));
}

}  // namespace

std::uint64_t AvailableMemory(const std::string& root) {
  std::uint64_t free = 0;
  if (const auto kilobytes = NumberOf(root + "/proc/meminfo", "MemAvailable:")) {
    free = *kilobytes << 10;
  } else {  // all that there is
    const auto pages = static_cast<std::uint64_t>(std::max(0l, ::sysconf(_SC_PHYS_PAGES)));
    free = pages * static_cast<std::uint64_t>(std::max(0l, ::sysconf(_SC_PAGESIZE)));
  }
  const std::string groups = root + "/sys/fs/cgroup/";
  const auto second = LeftIn(groups, "memory.max", "memory.current", "inactive_file");
  const auto first = LeftIn(groups + "memory/", "memory.limit_in_bytes", "memory.usage_in_bytes",
                            "total_inactive_file");
  return std::min({free, second.value_or(free), first.value_or(free)});
}

std::uint64_t LoadBudget(std::uint64_t asked, std::uint64_t free) {
  if (asked == ImportLimits::kHalfOfFree) return std::min(free / 2, kMostByDefault);
  return std::min(asked, free);
}

}  // namespace plexus::formats::internal
