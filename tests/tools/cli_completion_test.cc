// Completion in a real zsh; where there is none, nothing is tried.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class ZshCompletes : public ProgramTest {
 protected:
  void SetUp() override {
    if (std::system("command -v zsh > /dev/null") != 0) GTEST_SKIP() << "zsh is not there";
    ASSERT_EQ(Run({"link", "alice", "knows", "alfred"}).code, 0);
    ASSERT_EQ(Run({"link", "it's_50%", "supports", "alice"}).code, 0);
    ASSERT_EQ(Run({"put", "ale", "--kind", "memory"}).code, 0);
    dir_.File("_plexus", Plexus({"completion", "zsh"}).out);
    dir_.File("a file", "");
  }
  // What the lines are completed to, "a b " each.
  std::map<std::string, std::string> Complete(const Words& lines) {
    const std::string program = std::filesystem::path(PLEXUS_PROGRAM_FILE).parent_path();
    std::string run = "cd " + dir_.path() + " && PATH=" + program + ":$PATH PLEXUS_DB= zsh -f " +
                      PLEXUS_ZSH_COMPLETION + " " + dir_.path();
    for (const std::string& line : lines) run += " \"" + line + "\"";
    const int code = std::system((run + " > out 2> err").c_str());
    if (WEXITSTATUS(code) == 77) return {};
    EXPECT_EQ(code, 0);
    std::map<std::string, std::string> completed;
    std::ifstream out(dir_ / "out");
    std::string* last = nullptr;
    for (std::string line; std::getline(out, line);) {
      if (line.starts_with("= "))
        last = &completed[line.substr(2)];
      else if (last)
        *last += line + " ";
    }
    return completed;
  }
};

TEST_F(ZshCompletes, CommandsOptionsValuesKindsAndKeys) {
  const std::map<std::string, std::string> wanted = {
      {"plexus pager", "pagerank "},
      {"plexus con", "concept conflicts "},
      {"plexus ledger re", "recent record "},
      {"plexus pagerank --pre", "--precision "},
      {"plexus ledger record --mem", "--member --members "},
      {"plexus pagerank --precision ", "f32 f64 "},
      {"plexus pagerank --precision=", "f32 f64 "},
      {"plexus --format ", "csv json table "},
      {"plexus list --details k", "kind "},
      {"plexus list --details kind,l", "line "},
      {"plexus schema pager", "pagerank "},
      {"plexus stats a", ""},
      {"plexus neighbors --db g alice --kinds know", "knows "},
      {"plexus --db=g neighbors alice --kinds know", "knows "},
      {"plexus list --db g --node-kinds mem", "memory "},
      {"plexus get --db g al", "ale alfred alice "},
      {"plexus --db g pagerank --seed al", "ale alfred alice "},
      {"plexus link --db g alice know", "knows "},
      {"plexus link --db g alice knows alf", "alfred "},
      {"plexus ledger neighbors --db g alf", "alfred "},
      {"plexus get --db g it\\\\'s_", "it\\'s_50% "},
      {"plexus get al --json --db g", "g "},
      {"plexus get --db none al", ""}};
  Words lines;
  for (const auto& [line, matches] : wanted) lines.push_back(line);
  const auto completed = Complete(lines);
  if (completed.empty()) GTEST_SKIP() << "zsh has no zpty";
  for (const auto& [line, matches] : wanted) {
    std::string shown = line;
    if (const std::size_t at = shown.find("\\\\"); at != std::string::npos) shown.erase(at, 1);
    ASSERT_TRUE(completed.contains(shown)) << line;
    EXPECT_EQ(completed.at(shown), matches) << line;
  }
}

class BashCompletes : public ProgramTest {};

TEST_F(BashCompletes, CompletionNeverRunsWhatAKindIsCalled) {
  ASSERT_EQ(Run({"link", "alice", "knows", "bob"}).code, 0);
  const std::string trap = dir_ / "trap";
  ASSERT_EQ(Run({"link", "a", "$(touch " + trap + ")", "b"}).code, 0);
  ASSERT_EQ(Run({"link", "a", "`touch " + trap + "`", "b"}).code, 0);
  const std::string script = dir_.File("complete.bash", Plexus({"completion", "bash"}).out);
  const std::string program = std::filesystem::path(PLEXUS_PROGRAM_FILE).parent_path();
  const auto complete = [&](const std::string& words, int at) {
    const std::string run = dir_.File(
        "run.bash", "PATH=" + program + ":$PATH\n. " + script + "\nCOMP_WORDS=(" + words +
                        ")\nCOMP_CWORD=" + std::to_string(at) +
                        "\n_plexus\nprintf '%s\\n' \"${COMPREPLY[@]}\" > " + (dir_ / "out"));
    EXPECT_EQ(std::system(("bash " + run).c_str()), 0);
    std::ifstream out(dir_ / "out");
    return std::string(std::istreambuf_iterator<char>(out), {});
  };
  const std::string db = dir_ / "g";
  EXPECT_TRUE(Says(complete("plexus bfs --db " + db + " --kinds k", 5), "knows"));
  EXPECT_TRUE(Says(complete("plexus bfs --db = " + db + " --kinds k", 6), "knows"));
  EXPECT_TRUE(
      Says(complete("plexus list --db " + db + " --node-kinds memory,co", 5), "memory,concept"));
  EXPECT_TRUE(Says(complete("plexus list --details kind,l", 3), "kind,line"));
  EXPECT_TRUE(Says(complete("plexus schema pager", 2), "pagerank"));
  EXPECT_TRUE(Says(complete("plexus man sea", 2), "search"));
  EXPECT_EQ(complete("plexus get --db " + db + " ali", 4), "alice\n");
  EXPECT_EQ(complete("plexus pagerank --db " + db + " --seed ali", 5), "alice\n");
  (void)complete("plexus bfs --db " + db + " --kinds ''", 5);
  EXPECT_FALSE(std::filesystem::exists(trap));
}

}  // namespace
}  // namespace plexus::testing
