// bench/notes/seeds.md is what it says: its script makes a graph, and every row's command answers.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

struct Ran {
  int code = -1;
  std::string out;  // and errors
};

// A script of the shell in that directory, with the built program in the path and the graph `g`.
Ran Shell(const std::string& directory, const std::string& script) {
  const char* other = std::getenv("PLEXUS_PROGRAM");
  const std::string tools =
      std::filesystem::path(other ? other : PLEXUS_PROGRAM_FILE).parent_path().string();
  const std::string file = directory + "/.script";
  std::ofstream(file) << "set -e\nexport LC_ALL=C PLEXUS_DB=g PATH='" << tools << "':$PATH\ncd '"
                      << directory << "'\n"
                      << script << '\n';
  FILE* pipe = popen(("sh '" + file + "' 2>&1").c_str(), "r");
  Ran ran;
  char bytes[4096];
  while (const std::size_t count = std::fread(bytes, 1, sizeof bytes, pipe))
    ran.out.append(bytes, count);
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

struct Row {
  std::string name, command, says;
};

// | name | `command` | says |, where "\|" is a bar of the command.
Row ReadRow(const std::string& line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|')
      cells.back() += line[++i];
    else if (line[i] == '|')
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  cells.resize(3);
  const auto trimmed = [](const std::string& cell) {
    const std::size_t first = cell.find_first_not_of(" `"), last = cell.find_last_not_of(" `");
    return first == cell.npos ? std::string() : cell.substr(first, last - first + 1);
  };
  return {trimmed(cells[0]), trimmed(cells[1]), cells[2]};
}

// The words in backquotes before a colon, which begins what is said of them.
std::vector<std::string> Words(const std::string& says) {
  std::vector<std::string> words;
  for (std::size_t at = says.find_first_not_of(' '); at < says.size() && says[at] == '`';
       at = says.find_first_not_of(' ', at)) {
    const std::size_t end = says.find('`', at + 1);
    words.push_back(says.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return words;
}

TEST(SeedTable, EveryRowAnswers) {
  std::ifstream file(PLEXUS_SEEDS);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find("```sh\n"), end = text.find("```", begin + 6);
  ASSERT_NE(end, text.npos);
  const TempDir dir;
  const Ran made = Shell(dir.path(), text.substr(begin + 6, end - begin - 6));
  ASSERT_EQ(made.code, 0) << made.out;
  std::set<std::string> names;
  std::size_t commands = 0, reasons = 0;
  for (std::size_t at = end; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    if (!line.starts_with("| ") || line.starts_with("| row ")) continue;
    const Row row = ReadRow(line);
    names.insert(row.name);
    if (row.command.empty()) {
      EXPECT_GT(row.says.size(), 30u) << row.name;
      ++reasons;
      continue;
    }
    ++commands;
    const Ran ran = Shell(dir.path(), row.command);
    const std::vector<std::string> words = Words(row.says);
    const bool refused = !words.empty() && words[0] == "refused";
    EXPECT_EQ(ran.code != 0, refused) << row.name << ": " << row.command << '\n' << ran.out;
    EXPECT_GT(words.size(), refused ? 1u : 0u) << row.name;
    for (const std::string& word : words) {
      const bool there = word == "refused" || ran.out.find(word) != ran.out.npos;
      EXPECT_TRUE(there) << row.name << ": " << row.command << " does not say " << word << '\n'
                         << ran.out;
    }
  }
  EXPECT_GE(commands, 105u);
  EXPECT_LE(reasons, 8u);
  for (const char* open :
       {"8", "10", "11", "22", "24", "36", "60", "66", "78", "82", "86", "94", "95", "96"})
    EXPECT_TRUE(names.contains(open)) << open;
}

}  // namespace
}  // namespace plexus::testing
