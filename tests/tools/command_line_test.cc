// Flags, help, completion, man pages and the reference are the rows.
#include "tools/cli/command_line.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tools/cli/own_commands.h"
#include "tools/cli/signals.h"

namespace plexus::tools {
namespace {

TEST(CommandLine, EveryParameterHasAFlagAndHelp) {
  for (const Operation& command : AllCommands()) {
    const std::string help = ParseCommandLine({CommandName(command.name), "--help"}, {}).text;
    EXPECT_NE(help.find(command.summary), std::string::npos) << command.name;
    EXPECT_GE(command.examples.size(), 2u) << command.name;
    for (const Example& example : command.examples)
      EXPECT_NE(help.find("\n  " + example.shell), std::string::npos) << example.shell;
    for (const Parameter& parameter : command.parameters)
      EXPECT_NE(help.find(parameter.positional ? parameter.shown : FlagName(parameter.name)),
                std::string::npos)
          << command.name << " " << parameter.name;
  }
}

// The words of an example, as a shell splits them, up to a pipe or a redirection.
std::vector<std::string> WordsOf(const std::string& shell) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (const char c : shell) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      begun = true;
    } else if (c == ' ') {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else if (c == '|' || c == '>' || c == '<') {
      break;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

TEST(CommandLine, EveryExampleIsACommandLine) {
  for (const Operation& command : AllCommands())
    for (const Example& example : command.examples) {
      std::vector<std::string> words = WordsOf(example.shell);
      ASSERT_EQ(words.at(0), "plexus") << example.shell;
      words.erase(words.begin());
      const CommandLine line = ParseCommandLine(words, {});
      // A file that an example names need not be there.
      if (line.error && line.error->code == ErrorCode::kNotFound) continue;
      EXPECT_FALSE(line.error) << example.shell << ": " << (line.error ? line.error->message : "");
      ASSERT_TRUE(line.request) << example.shell;
      EXPECT_EQ(line.request->operation().name, command.name) << example.shell;
    }
}

TEST(CommandLine, GlobalOptionsStandOnEitherSide) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--db", "stats", "--json", "--as-of", "7", "stats"},
        std::vector<std::string>{"stats", "--db", "stats", "--json", "--as-of", "7"}}) {
    const CommandLine line = ParseCommandLine(words, {});
    ASSERT_TRUE(line.request) << (line.error ? line.error->message : "");
    EXPECT_EQ(line.globals.db, "stats");
    EXPECT_EQ(line.globals.format, Format::kJson);
    EXPECT_EQ(line.request->Text("as_of"), "7");
  }
}

TEST(CommandLine, FormatsAreNamed) {
  EXPECT_EQ(ParseCommandLine({"kinds", "--format", "csv"}, {}).globals.format, Format::kCsv);
  const CommandLine wrong = ParseCommandLine({"kinds", "--format", "cvs"}, {});
  ASSERT_TRUE(wrong.error);
  EXPECT_EQ(wrong.error->message,
            "--format: 'cvs' is not one of table|json|csv; did you mean 'csv'?");
}

TEST(CommandLine, ACommandOfTwoWords) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"ledger", "get", "c1", "--db", "g"},
        std::vector<std::string>{"--db", "g", "ledger", "--json", "get", "c1"},
        std::vector<std::string>{"ledger-get", "c1"},
        std::vector<std::string>{"ledger get", "c1"}}) {
    const CommandLine line = ParseCommandLine(words, {});
    ASSERT_TRUE(line.request) << (line.error ? line.error->message : "");
    EXPECT_EQ(line.request->operation().name, "ledger_get");
    EXPECT_EQ(line.request->Text("event"), "c1");
  }
  EXPECT_NE(ParseCommandLine({"ledger", "--help"}, {}).text.find("ledger neighbors"),
            std::string::npos);
  const std::string help = ParseCommandLine({"ledger", "get", "--help"}, {}).text;
  EXPECT_NE(help.find("ledger get "), std::string::npos) << help;
  EXPECT_EQ(help.find("ledger-get"), std::string::npos) << help;
  const CommandLine none = ParseCommandLine({"ledger"}, {});
  ASSERT_TRUE(none.error);
  EXPECT_EQ(none.error->code, ErrorCode::kInvalidArgument);
  const CommandLine wrong = ParseCommandLine({"ledger", "gte", "c1"}, {});
  ASSERT_TRUE(wrong.error);
  EXPECT_EQ(wrong.error->message, "no command 'ledger gte'; did you mean 'ledger get'?");
  EXPECT_EQ(FindCommand("ledger-get"), FindCommand("ledger get"));
}

TEST(CommandLine, CompletionAndManPagesNameEveryCommandAndFlag) {
  const std::string bash = BashCompletion(), zsh = ZshCompletion();
  for (const Operation& command : AllCommands()) {
    const std::string name = CommandName(command.name), page = ManPage(&command);
    EXPECT_NE(bash.find("[" + name + "]="), std::string::npos) << name;
    EXPECT_NE(zsh.find("'" + name + "') _arguments"), std::string::npos) << name;
    for (const Parameter& parameter : command.parameters) {
      if (parameter.positional) continue;
      EXPECT_NE(bash.find(FlagName(parameter.name)), std::string::npos) << parameter.name;
      const std::string in_zsh =
          FlagName(parameter.name) + (parameter.type == Type::kFlag ? "[" : "=[");
      EXPECT_NE(zsh.find(in_zsh), std::string::npos) << parameter.name;
      std::string roff;
      for (const char c : FlagName(parameter.name)) roff += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_NE(page.find(roff), std::string::npos) << name << " " << parameter.name;
    }
  }
}

TEST(CommandLine, TheReferencePageIsTheRows) {
  std::ifstream file(PLEXUS_REFERENCE, std::ios::binary);
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_TRUE(page.str() == ReferencePage())
      << "write it anew: plexus reference > tools/REFERENCE.md";
}

// As in a shell at a terminal, where Ctrl-C ends the line and not the shell.
TEST(CommandLine, ReadingAPipeCanBeInterrupted) {
  const testing::TempDir dir;
  const std::string pipe = dir / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int writer = open(pipe.c_str(), O_RDWR);  // it says nothing
  ASSERT_GE(writer, 0);
  InstallSignalHandlers();
  {
    const SignalGuard stays;
    raise(SIGINT);
    const CommandLine line = ParseCommandLine({"retrieve", "words", "--plan", pipe}, {});
    ASSERT_TRUE(line.error);
    EXPECT_EQ(line.error->code, ErrorCode::kCancelled) << line.error->message;
    EXPECT_NE(line.error->message.find("was not read to its end"), std::string::npos);
    ForgetInterrupt();
  }
  close(writer);
}

}  // namespace
}  // namespace plexus::tools
