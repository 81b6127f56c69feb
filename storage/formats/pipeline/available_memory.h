// What memory there is to take. Internal to storage/formats.
#pragma once

#include <cstdint>
#include <string>

namespace plexus::formats::internal {

// What can be had without swapping: of the system, and of what the limit of its container leaves
// (cgroup v2 and v1; what files take of that can be had). `root`: where proc and sys are.
std::uint64_t AvailableMemory(const std::string& root = "");

// What a load may take of so many bytes that are free; `asked`: as ImportLimits::load_bytes.
std::uint64_t LoadBudget(std::uint64_t asked, std::uint64_t free);

}  // namespace plexus::formats::internal
