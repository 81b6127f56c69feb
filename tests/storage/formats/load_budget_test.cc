// What a load may take of the memory there is: at most what its container has, and a bound where
// nothing is stated.
#include <string>
#include <utility>
#include <vector>

#include "storage/formats/pipeline/scratch_file.h"
#include "tests/storage/formats/load_both_ways.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

class LoadMemory : public FormatLoad {
 protected:
  // What a system with these files says is free.
  std::uint64_t Free(const std::vector<std::pair<std::string, std::string>>& files) {
    std::filesystem::remove_all(folder_);
    const auto put = [&](const std::string& path, const std::string& text) {
      std::filesystem::create_directories((folder_ / path).parent_path());
      File(path, text);
    };
    put("proc/meminfo", "MemTotal:  300000000 kB\nMemAvailable:  268435456 kB\n");
    for (const auto& [path, text] : files) put("sys/fs/cgroup/" + path, text);
    return AvailableMemory(folder_.string());
  }
};

TEST_F(LoadMemory, HeedsTheLimitOfItsContainer) {
  EXPECT_EQ(Free({}), 256 * kGiB);
  EXPECT_EQ(Free({{"memory.max", "max\n"}, {"memory.current", "1073741824\n"}}), 256 * kGiB);
  EXPECT_EQ(Free({{"memory.max", "8589934592\n"}, {"memory.current", "1073741824\n"}}), 7 * kGiB);
  EXPECT_EQ(Free({{"memory.max", "8589934592\n"},
                  {"memory.current", "7516192768\n"},
                  {"memory.stat", "anon 1\nfile 6442450944\ninactive_file 6442450944\n"}}),
            7 * kGiB);
  EXPECT_EQ(Free({{"memory.max", "1073741824\n"}, {"memory.current", "2147483648\n"}}), 0u);
  EXPECT_EQ(Free({{"memory/memory.limit_in_bytes", "4294967296\n"},
                  {"memory/memory.usage_in_bytes", "3221225472\n"},
                  {"memory/memory.stat", "total_inactive_file 1073741824\n"}}),
            2 * kGiB);
  EXPECT_EQ(Free({{"memory/memory.limit_in_bytes", "9223372036854771712\n"},
                  {"memory/memory.usage_in_bytes", "3221225472\n"}}),
            256 * kGiB);
}

TEST_F(LoadMemory, IsHalfOfWhatIsFreeUpToABound) {
  EXPECT_EQ(LoadBudget(ImportLimits::kHalfOfFree, 7 * kGiB), 7 * kGiB / 2);
  EXPECT_EQ(LoadBudget(ImportLimits::kHalfOfFree, 256 * kGiB), 8 * kGiB);
  EXPECT_EQ(LoadBudget(100 * kGiB, 256 * kGiB), 100 * kGiB);
  EXPECT_EQ(LoadBudget(100 * kGiB, 7 * kGiB), 7 * kGiB);
}

}  // namespace
}  // namespace plexus::formats::internal
