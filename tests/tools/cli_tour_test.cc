// The tour is what it says: every line after a "$" prints what stands below it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

// What a line of shell prints, in that directory, with the built program in the path.
std::string OutputOf(const std::string& directory, const std::string& line) {
  const char* other = std::getenv("PLEXUS_PROGRAM");
  const std::string tools =
      std::filesystem::path(other ? other : PLEXUS_PROGRAM_FILE).parent_path().string();
  const std::string file = directory + "/.line";
  std::ofstream(file) << "unset PLEXUS_DB\nexport LC_ALL=C\nPATH='" << tools << "':$PATH\ncd '"
                      << directory << "'\n"
                      << line << " 2>&1\n";
  FILE* pipe = popen(("sh '" + file + "'").c_str(), "r");
  std::string out;
  char bytes[4096];
  while (const std::size_t count = std::fread(bytes, 1, sizeof bytes, pipe))
    out.append(bytes, count);
  pclose(pipe);
  return out;
}

TEST(Tour, PrintsWhatItSays) {
  const TempDir dir;
  std::ifstream tour(PLEXUS_TOUR);
  std::string command, expected;
  bool block = false;
  std::size_t commands = 0;
  const auto run = [&] {
    if (!command.empty()) {
      EXPECT_EQ(OutputOf(dir.path(), command), expected) << command;
      ++commands;
    }
    command.clear();
    expected.clear();
  };
  for (std::string line; std::getline(tour, line);) {
    if (line.starts_with("```")) {
      run();
      block = !block;
    } else if (block && line.starts_with("$ ")) {
      run();
      command = line.substr(2);
    } else if (block) {
      expected += line + "\n";
    }
  }
  EXPECT_GE(commands, 10u);
}

}  // namespace
}  // namespace plexus::testing
