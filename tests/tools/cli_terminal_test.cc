// What is printed cannot act, what is read ends: terminals, messages, endless files, our own words.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "tests/support/program/program_test.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::testing {
namespace {

// A terminal whose bytes come as they were written.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    name_ = ptsname(master_);
    slave_ = open(name_.c_str(), O_RDWR | O_NOCTTY);
    termios raw{};
    if (tcgetattr(slave_, &raw) != 0) return;
    cfmakeraw(&raw);
    (void)tcsetattr(slave_, TCSANOW, &raw);
  }
  ~Terminal() {
    close(slave_);
    close(master_);
  }
  Terminal(const Terminal&) = delete;
  const std::string& name() const { return name_; }
  std::string Written() const {
    std::string all;
    char bytes[4096];
    for (ssize_t count; (count = read(master_, bytes, sizeof bytes)) > 0;)
      all.append(bytes, static_cast<std::size_t>(count));
    return all;
  }

 private:
  int master_ = -1, slave_ = -1;
  std::string name_;
};

constexpr char kActs[] =
    "a\x1b[31mb\xc2\x9b"
    "2Jc\xe2\x80\xae"
    "d";

class TerminalTest : public ProgramTest {
 protected:
  void SetUp() override { ASSERT_EQ(Run({"put", "k", "--text", kActs}).code, 0); }
};

TEST_F(TerminalTest, GetsNothingThatActs) {
  for (const char* format : {"json", "csv", "table"}) {
    SCOPED_TRACE(format);
    const Terminal terminal;
    ASSERT_FALSE(terminal.name().empty());
    const Words words = {"pagerank", "--db", db_, "--format", format, "--details", "text"};
    ASSERT_EQ(Plexus(words, {.out_file = terminal.name()}).code, 0);
    const std::string shown = terminal.Written();
    EXPECT_TRUE(shown.ends_with('\n')) << shown;
    for (const char* acts : {"\x1b", "\xc2\x9b", "\xe2\x80\xae"}) EXPECT_FALSE(Says(shown, acts));
    if (std::string(format) == "table") continue;
    EXPECT_TRUE(Says(shown, "\\u202E"));
    const std::string piped = Plexus(words).out;  // as it is; JSON escapes C0 itself
    EXPECT_TRUE(Says(piped, "\xe2\x80\xae"));
  }
}

TEST(ForTerminal, KeepsLinesAndEscapesTheRest) {
  EXPECT_EQ(tools::ForTerminal("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(tools::ForTerminal(kActs), "a\\u001B[31mb\\u009B2Jc\\u202Ed");
  EXPECT_EQ(tools::ForTerminal("\r\x7f\xff"), "\\u000D\\u007F\\u00FF");
  EXPECT_EQ(tools::ForTerminal("\xf3\xa0\x80\x81"), "\\uDB40\\uDC01");  // a tag, hidden
}

TEST_F(TerminalTest, GetsOtherCharactersAsTheyAre) {
  std::string text;
  while (text.size() < 3'000) text += "\xe2\x82\xac";
  ASSERT_EQ(Run({"put", "k", "--text", text}).code, 0);
  const Terminal terminal;
  const Words words = {"get", "--db", db_, "k", "--json"};
  ASSERT_EQ(Plexus(words, {.out_file = terminal.name()}).code, 0);
  EXPECT_TRUE(Says(terminal.Written(), text));
}

TEST_F(TerminalTest, AMessageIsOneLine) {
  for (const Words& words : std::vector<Words>{{"get", "x\n  plexus: error: y"},
                                               {"get", "x\nplexus: error: y"},
                                               {"unlink", "k", "knows", "k\n  fake\n  ^"},
                                               {"find", "--no\n  such"},
                                               {"x\n  y"}}) {
    Words all = words;
    all.emplace_back("--quiet");
    const Finished run = Run(all);
    EXPECT_NE(run.code, 0);
    std::size_t at = 0;
    for (std::size_t end; (end = run.err.find('\n', at)) != std::string::npos; at = end + 1)
      EXPECT_EQ(run.err.compare(at, 8, "plexus: "), 0) << run.err;
  }
  const Finished where = Run({"list", "--where", "trust >\n\n 0.5 and ("});
  EXPECT_EQ(std::ranges::count(where.err, '\n'), 3) << where.err;  // and the caret
}

TEST_F(TerminalTest, WhatIsReadEnds) {
  EXPECT_TRUE(Ends(Run({"retrieve", "w", "--plan", "/dev/zero"}), 2, "has more than 64.0 MiB"));
  const std::string pipe = dir_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Finished nobody = Run({"retrieve", "w", "--plan", pipe});
  EXPECT_TRUE(Says(nobody.err, "is empty"));
  EXPECT_TRUE(Says(Run({"retrieve", "w", "--plan", dir_.path()}).err, "is a directory"));
  EXPECT_NE(Run({"rerank", "--vector", "/proc/self/status"}).code, 0);
  EXPECT_EQ(Run({"import", "--follow", pipe}).code, 1);
}

// Vectors of a pipe are kept in a file, and read twice from there.
TEST_F(TerminalTest, VectorsOfAPipe) {
  constexpr std::size_t kDimensions = 1'024, kRows = 2'500;  // more than is kept in memory
  std::string bytes;
  for (std::size_t i = 0; i < kDimensions * kRows; ++i) {
    const float value = static_cast<float>(i % 7);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const Words words = {"import",       "--db", db_,      "--format", "f32",
                       "--dimensions", "1024", "--json", "-"};
  const Finished whole = Plexus(words, {.input = bytes});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_TRUE(Says(whole.out, "2500"));
  bytes.pop_back();
  const Finished cut = Plexus(words, {.input = bytes});
  EXPECT_EQ(cut.code, 1) << cut.err;
  EXPECT_TRUE(Says(cut.out + cut.err, "standard input"));
}

// A library's text is no reason.
TEST_F(TerminalTest, ReasonsAreOurs) {
  const std::string file = dir_.File("file", "x"), name(300, 'n');
  for (const Words& words : std::vector<Words>{{"put", "--db", dir_ / name, "k"},
                                               {"stats", "--db", dir_ / name},
                                               {"put", "--db", file, "k"},
                                               {"stats", "--db", file},
                                               {"verify", "--db", file},
                                               {"stats", "--db", file + "/below"},
                                               {"put", "--db", file + "/below", "k"},
                                               {"backup", "--db", db_, "--to", file},
                                               {"backup", "--db", db_, "--to", file + "/below"},
                                               {"backup", "--db", file, "--to", dir_ / "new"},
                                               {"backup", "--db", db_, "--to", dir_ / name},
                                               {"restore", "--db", dir_ / "new", "--from", file},
                                               {"repair", "--db", file, "--to", dir_ / "new"},
                                               {"repair", "--db", db_, "--to", file},
                                               {"export", "--db", db_, "--output", dir_ / name},
                                               {"import", "--db", db_, dir_ / name}}) {
    const Finished run = Plexus(words);
    EXPECT_NE(run.code, 0) << words[0];
    EXPECT_FALSE(Says(run.err, "filesystem error"));
    EXPECT_FALSE(Says(run.err, "NotFound"));
    EXPECT_FALSE(Says(run.err, "IO error"));
    EXPECT_FALSE(Says(run.err, ": \n"));
  }
}

}  // namespace
}  // namespace plexus::testing
