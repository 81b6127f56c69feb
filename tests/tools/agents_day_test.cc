// An agent's day: remember, correct, contradict, resolve, recall, look back, forget, record,
// explore. Each step is one command at its defaults, and its help says every option that it takes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program/program_test.h"
#include "tools/cli/command_words.h"
#include "tools/cli/shell.h"

namespace plexus::testing {
namespace {

class AgentsDay : public ProgramTest {
 protected:
  // What it prints on either stream. `line`: as a shell takes it, without --db.
  std::string Step(const std::string& line, int code = 0, const std::string& input = "") {
    tools::SplitLine split;
    split.Add(line);
    Words words = std::move(split).Words();
    HelpNames(words);
    const Finished run = Run(words, {.input = input});
    EXPECT_EQ(run.code, code) << line << "\n" << run.err;
    return run.out + run.err;
  }

 private:
  static void HelpNames(const Words& words) {
    Words command = {words[0]};
    if (tools::WithOneWord(words)[0] != words[0]) command.push_back(words[1]);
    command.emplace_back("--help");
    const std::string help = Plexus(command).out;
    for (const std::string& word : words)
      if (word.starts_with("--")) {
        EXPECT_TRUE(Says(help, word)) << word << " of " << words[0];
      }
  }
};

// Thirty facts about who owns which service, of a week ago.
std::string Facts() {
  std::string lines;
  for (int i = 1; i <= 30; ++i) {
    const std::string n = std::to_string(i);
    lines += R"({"node":"f)" + n + R"(","kind":"memory","text":"Service s)" + n +
             " is owned by team t" + std::to_string(i % 5) + R"(.","tags":["team:t)" +
             std::to_string(i % 5) + "\"]}\n";
  }
  return lines;
}

TEST_F(AgentsDay, EachStepIsOneCommand) {
  // Remember.
  EXPECT_TRUE(Says(Step("import - --now 2020-03-01", 0, Facts()), "nodes   30"));
  EXPECT_TRUE(Says(Step("recall s5"), "f5 "));
  // Correct.
  Step("put f3 --text 'Service s3 is owned by team blue.'");
  EXPECT_TRUE(Says(Step("recall 's3 blue'"), "Service s3 is owned by team blue."));
  // Contradict.
  Step("put f31 --kind memory --text 'Service s5 is owned by nobody.'");
  Step("link f31 contradicts f5");
  const std::string open = Step("conflicts list");
  EXPECT_TRUE(Says(open, "f5") && Says(open, "f31"));
  // Resolve.
  const std::string would =
      Step("conflicts resolve f31 f5 --supersede f5 --note 'asked' --dry-run");
  EXPECT_TRUE(Says(would, "nothing was written"));
  Step("conflicts resolve f31 f5 --supersede f5 --note 'asked the team'");
  EXPECT_FALSE(Says(Step("conflicts list"), "f31"));
  EXPECT_TRUE(Says(Step("get f5"), "superseded by"));
  // Recall: what holds now, and not what it replaced.
  const std::string now = Step("recall s5 --json");
  EXPECT_TRUE(Says(now, R"({"key":"f31","score")"));
  EXPECT_FALSE(Says(now, R"({"key":"f5","score")"));
  // As of last week.
  const std::string then = Step("recall s5 --as-of 2020-03-02 --json");
  EXPECT_TRUE(Says(then, R"({"key":"f5","score")"));
  EXPECT_TRUE(Says(Step("get f3 --as-of 2020-03-02"), "Service s3 is owned by team t3."));
  EXPECT_TRUE(Says(Step("diff 2020-03-02"), "f3"));
  // Forget for good.
  EXPECT_TRUE(Says(Step("purge f9 --dry-run"), "nothing was written"));
  EXPECT_TRUE(Says(Step("recall s9"), "f9 "));
  Step("purge f9");
  EXPECT_FALSE(Says(Step("recall s9"), "f9 "));
  EXPECT_FALSE(Says(Step("get f9 --as-of 2020-03-02"), "Service s9"));
  // Record what was used together.
  EXPECT_TRUE(Says(Step("ledger record f1 f6 --query 'who owns s1 and s6'"), "event"));
  // Ask what was never combined.
  const std::string untried = Step("frontier --json");
  EXPECT_TRUE(Says(untried, R"("candidates":[{)"));
  EXPECT_FALSE(Says(untried, R"(["f1","f6"])"));
}

}  // namespace
}  // namespace plexus::testing
