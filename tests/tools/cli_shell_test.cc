// The shell answers as the commands do, line by line on one graph.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph.h"
#include "tests/support/program/program_test.h"
#include "tools/cli/shell.h"

namespace plexus::testing {
namespace {

class Shell : public ProgramTest {
 protected:
  void SetUp() override { ASSERT_EQ(Run({"link", "alice", "knows", "bob"}).code, 0); }
  Finished Script(const std::string& lines, Words words = {}) const {
    words.insert(words.begin(), {"shell", "--quiet"});
    return Run(words, {.input = lines});
  }
};

TEST_F(Shell, LinesAreTheCommands) {
  const std::string first = Run({"neighbors", "alice", "--json"}).out;
  const std::string second = Run({"kinds"}).out;
  const Finished run =
      Script("# a comment\n\nneighbors alice --json\n  plexus kinds\nquit\nget x\n");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, first + second);
}

// A scope at the start is a wall: no line is a way round it, and writes stay inside.
TEST_F(Shell, AScopeAtTheStartIsAWall) {
  const std::string lines = R"({"node":"mine","scope":"a","text":"gateway"}
{"node":"secret","scope":"b","text":"gateway hidden"}
{"edge":["mine","secret"],"kind":"knows"}
)";
  ASSERT_EQ(Run({"import", "--format", "jsonl", "--terms", "-"}, {.input = lines}).code, 0);
  const std::string other = dir_ / "other";
  ASSERT_EQ(Plexus({"link", "hidden1", "knows", "hidden2", "--db", other}).code, 0);
  const Finished run = Script(
      "get secret\nget alice\nlist --scope b\nlist --scope a,b,user\nneighbors mine --json\n"
      "search gateway --json\nlog\nhistory mine\nstats --as-of 1\nexport --as jsonl\n"
      "put more --text gateway\nput secret --text x\nput sneaky --scope b\nget more --json\n"
      "{\"list\":{\"scope\":[\"b\"]}}\nlist --db " +
          other + "\nverify\nbackup --to " + (dir_ / "copy") + "\nshell\n",
      {"--scope", "a", "--keep-going"});
  EXPECT_FALSE(Says(run.out, "hidden"));
  EXPECT_FALSE(Says(run.out, "alice"));
  EXPECT_FALSE(Says(run.err, "hidden"));
  EXPECT_TRUE(Says(run.out, "\"documents\":1"));
  EXPECT_TRUE(Says(run.out, "\"scope\":\"a\""));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "copy"));
  EXPECT_TRUE(Says(Run({"get", "secret"}).out, "gateway hidden"));
  EXPECT_EQ(Json({"get", "more"}).at("scope"), "a");
  EXPECT_EQ(Run({"get", "sneaky"}).code, 3);
}

// A line has an end: what is longer is refused as it is read, and the next line is heard.
TEST_F(Shell, ALongLineIsRefused) {
  const Finished run =
      Script("find " + std::string(3 << 20, 'a') + "\nget alice\n", {"--keep-going"});
  EXPECT_TRUE(Says(run.err, "a line has at most 1048576 bytes")) << run.err.substr(0, 200);
  EXPECT_TRUE(Says(run.out, "alice"));
  EXPECT_EQ(Script("find " + std::string(3 << 20, 'a')).code, 2);
  // One that a quote makes so long is refused whole: no part of it is a line of its own.
  std::string parts = "put n3 --text 'a";
  for (int i = 0; i < 30; ++i) parts += std::string(100'000, 'b') + "\nremove alice\n";
  const Finished long_text = Script(parts + "'\nget alice\n", {"--keep-going"});
  EXPECT_TRUE(Says(long_text.err, "a line has at most"));
  EXPECT_TRUE(Says(long_text.out, "alice")) << long_text.err.substr(0, 300);
}

TEST_F(Shell, WritesAreDurableAndSeenByTheNextLine) {
  const Finished run =
      Script("link bob knows carol\nneighbors carol --format csv\nremove alice\nget alice\n");
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_TRUE(Says(run.out, "bob,in,knows,1"));
  EXPECT_TRUE(Says(run.err, "node 'alice' was removed"));
  EXPECT_EQ(Run({"get", "carol"}).code, 0);
}

TEST_F(Shell, WhatAnotherProcessWritesIsSeen) {
  ASSERT_EQ(Script("get bob\n").code, 0);
  ASSERT_EQ(Run({"link", "bob", "knows", "dave", "--quiet"}).code, 0);
  EXPECT_EQ(Script("get dave\n").code, 0);
}

// A script whose line failed must not go on as if it had not: later lines build on it.
TEST_F(Shell, TheFirstFailureEndsAScriptAndSaysItsLine) {
  const Finished on = Script("get nobody\nget alice --json\ngte bob\n", {"--keep-going"});
  EXPECT_EQ(on.code, 3) << "the code of the first";
  EXPECT_TRUE(Says(on.out, R"({"key":"alice")"));
  EXPECT_TRUE(Says(on.err, "line 3 failed"));
  const Finished off = Script("kinds\n\nget nobody\nget alice --json\n");
  EXPECT_EQ(off.code, 3);
  EXPECT_FALSE(Says(off.out, "alice"));
  EXPECT_TRUE(Says(off.err, "line 3 failed"));
  EXPECT_EQ(Script("get 'alice\n").code, 2);
  EXPECT_EQ(Script("gte alice\n").code, 2);
  EXPECT_EQ(Script("shell\n").code, 2);
}

// A text may have lines: none of them is a command, whether its quote is closed or not.
TEST_F(Shell, AQuoteGoesOnOverLines) {
  EXPECT_TRUE(
      Ends(Script("put n3 --text 'a\nremove bob'\nput n4 --text \"b\\nc\" \\\n --tags x\n"), 0));
  EXPECT_EQ(Json({"get", "n3"}).at("text"), "a\nremove bob");
  EXPECT_EQ(Json({"get", "n4"}).at("text"), "b\nc");
  EXPECT_TRUE(Ends(Script("put n5 --text 'a\nremove bob\n", {"--keep-going"}), 2, "line 1 failed"));
  EXPECT_EQ(Run({"get", "bob"}).code, 0);
}

TEST_F(Shell, ALineMayBeARequestInJson) {
  const Finished run =
      Script("{\"put\":{\"key\":\"n1\",\"text\":\"it's\\nso\"}}\n{\"get\":{\"key\":\"n1\"}}\n");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Says(run.out, R"("text":"it's\nso")"));
  EXPECT_EQ(Script("{\"gte\":{}}\n").code, 2);
  EXPECT_EQ(Script("{\"get\":{\"keys\":1}}\n").code, 2);
  EXPECT_EQ(Script("{\"get\":{},\"put\":{}}\n").code, 2);
}

TEST_F(Shell, OptionsOfTheShellHoldForItsLines) {
  ASSERT_EQ(Run({"link", "bob", "knows", "carol", "--quiet"}).code, 0);
  const Finished then = Script("stats\n", {"--json", "--as-of", "1"});
  EXPECT_EQ(then.Json().at("sequence"), 1);
  EXPECT_EQ(Script("stats --as-of 2\n", {"--json", "--as-of", "1"}).Json().at("sequence"), 2);
}

TEST_F(Shell, NoGraphIsNotFoundAsOtherCommandsSay) {
  const Finished shell = Plexus({"shell", "--db", dir_ / "none"}, {.input = "kinds\n"});
  const Finished kinds = Plexus({"kinds", "--db", dir_ / "none"});
  EXPECT_EQ(shell.code, 3);
  EXPECT_EQ(shell.code, kinds.code);
  EXPECT_EQ(shell.err, kinds.err);
}

TEST_F(Shell, AByteOrderMarkBeforeTheFirstLineIsNone) {
  EXPECT_EQ(Script("\xEF\xBB\xBFget alice --json\n").Json().at("key"), "alice");
  EXPECT_EQ(Script("\xEF\xBB\xBF").code, 0);
}

TEST_F(Shell, ManyWritesAndReadsInOneScript) {
  std::string lines;
  for (int i = 0; i < 60; ++i) {
    lines += "link n" + std::to_string(i) + " knows n" + std::to_string(i + 1) + "\n";
    if (i % 20 == 19)
      lines +=
          "bfs --from n0 --format csv --top 0\nget n" + std::to_string(i + 1) + " --format csv\n";
  }
  lines += "put n0 --kind memory --now 1000\nput n1 --kind memory\nput n9 --dry-run\nverify\n";
  const Finished run = Script(lines);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(Says(run.out, "\nn60,60,"));
  EXPECT_EQ(Json({"stats"}).at("edges"), 61);
  // One that cannot be applied leaves the writer in order.
  EXPECT_TRUE(
      Ends(Script("link n0 knows\nput n0 --set trust=x\nlink n0 knows n2\n", {"--keep-going"}), 2));
  EXPECT_EQ(Json({"stats"}).at("edges"), 62);
}

// A shell on a pipe: what it is told, and what it answered.
class Piped {
 public:
  explicit Piped(const Words& words) {
    int in[2], out[2];
    EXPECT_EQ(pipe(in), 0);
    EXPECT_EQ(pipe(out), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      for (const int fd : {in[0], in[1], out[0], out[1]}) close(fd);
      std::vector<char*> arguments;
      static std::string program = PLEXUS_PROGRAM_FILE;
      arguments.push_back(program.data());
      for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      execv(program.c_str(), arguments.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Piped() {
    close(to_);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(from_);
  }
  void Tell(const std::string& lines) const {
    EXPECT_EQ(write(to_, lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  }
  // One line of its output; "" at the end.
  std::string Line() {
    std::string line;
    char c = 0;
    while (read(from_, &c, 1) == 1) {
      if (c == '\n') return line;
      line += c;
    }
    return line;
  }
  void Kill() const { kill(pid_, SIGKILL); }

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
};

// Killed at any moment: what was acknowledged is there, whole, and the graph opens.
TEST_F(Shell, KilledInTheMiddleOfWritesItLosesNothingAcknowledged) {
  std::string lines;
  for (int i = 0; i < 400; ++i)
    lines += "put k" + std::to_string(i) + " --text t" + std::to_string(i) + " --set trust=0.5\n";
  for (const int after : {1, 7, 40, 90}) {
    int acknowledged = 0;
    {
      Piped shell({"shell", "--db", db_, "--quiet", "--json"});
      shell.Tell(lines);
      while (acknowledged < after && shell.Line().find("\"sequence\":") != std::string::npos)
        ++acknowledged;
      shell.Kill();
    }
    ASSERT_EQ(acknowledged, after);
    for (int i = 0; i < acknowledged; ++i) {
      const Finished node = Run({"get", "k" + std::to_string(i), "--json"});
      ASSERT_EQ(node.code, 0) << after << " " << node.err;
      ASSERT_EQ(node.Json().at("text").as_string(), "t" + std::to_string(i));
      i += acknowledged > 20 ? 6 : 0;
    }
    EXPECT_EQ(Run({"verify"}).code, 0);
    EXPECT_EQ(Run({"link", "alice", "knows", "after" + std::to_string(after)}).code, 0);
  }
}

// A shell on a terminal of its own.
class ShellOnTerminal {
 public:
  ShellOnTerminal(const std::string& home, const std::string& db) {
    pid_ = forkpty(&terminal_, nullptr, nullptr, nullptr);
    EXPECT_GE(pid_, 0);
    if (pid_ != 0) return;
    setenv("HOME", home.c_str(), 1);
    setenv("TERM", "dumb", 1);
    execl(PLEXUS_PROGRAM_FILE, PLEXUS_PROGRAM_FILE, "shell", "--db", db.c_str(), nullptr);
    _exit(127);
  }
  ~ShellOnTerminal() { close(terminal_); }
  std::string Until(std::string_view what) const {
    std::string seen;
    char c = 0;
    while (seen.find(what) == std::string::npos && read(terminal_, &c, 1) == 1) seen += c;
    return seen;
  }
  void Type(std::string_view keys) const {
    EXPECT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void Signal(int signal) const { kill(pid_, signal); }
  // Its exit code.
  int End() const {
    Until("\1");  // to its end
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  int terminal_ = -1;
  pid_t pid_ = -1;
};

// On a terminal Ctrl-C clears the line that is typed, and the shell stays. Its file of lines keeps
// none that writes.
TEST_F(Shell, OnATerminalCtrlCClearsTheLineAndWritesAreNotKept) {
  const ShellOnTerminal shell(dir_.path(), db_);
  shell.Until("plexus> ");
  shell.Type("remove bob\x03");
  shell.Until("^C");
  shell.Until("plexus> ");
  shell.Type("put n1 --text 'secret\n");
  shell.Until("\n> ");
  shell.Type("two\x03");
  shell.Until("plexus> ");
  shell.Type("put n2 --text hidden\n");
  shell.Until("plexus> ");
  shell.Type("get bob --json\n");
  EXPECT_TRUE(Says(shell.Until("plexus> "), R"("key":"bob")"));
  shell.Type("quit\n");
  EXPECT_EQ(shell.End(), 0);
  std::ifstream kept(dir_ / ".plexus_history");
  const std::string lines{std::istreambuf_iterator<char>(kept), {}};
  EXPECT_TRUE(Says(lines, "bob"));
  EXPECT_FALSE(Says(lines, "hidden"));
  EXPECT_FALSE(Says(lines, "remove"));
  EXPECT_EQ(Run({"get", "n1"}).code, 3);
}

// SIGTERM is no key that somebody pressed by mistake: it ends the shell, at the prompt too.
TEST_F(Shell, OnATerminalSigtermEndsIt) {
  const ShellOnTerminal shell(dir_.path(), db_);
  shell.Until("plexus> ");
  shell.Type("get bob --json\n");
  shell.Until("plexus> ");
  shell.Signal(SIGTERM);
  EXPECT_EQ(shell.End(), 130);
  // In a question, or just before or behind it: none comes after.
  const ShellOnTerminal asked(dir_.path(), db_);
  asked.Until("plexus> ");
  asked.Type("pagerank --iterations 1000000\n");
  asked.Until("1000000");
  asked.Signal(SIGTERM);
  EXPECT_EQ(asked.End(), 130);
}

// A shell that waits for its next line keeps nobody else from writing.
TEST_F(Shell, AnIdleShellLetsOthersWrite) {
  Piped shell({"shell", "--db", db_, "--quiet", "--json"});
  shell.Tell("put a\n");
  EXPECT_TRUE(Says(shell.Line(), "\"sequence\":2"));
  EXPECT_EQ(Run({"put", "b", "--quiet"}).code, 0);
  shell.Tell("put c\nget b\n");
  EXPECT_TRUE(Says(shell.Line(), "\"sequence\":4"));
  EXPECT_TRUE(Says(shell.Line(), "\"key\":\"b\""));
}

TEST(ShellWords, AreSplitAsAShellDoes) {
  const auto words = [](const char* line) {
    tools::SplitLine split;
    split.Add(line);
    return std::move(split).Words();
  };
  EXPECT_EQ(words(" get  'a b' \"c \\\" d\"e f\\ g # h"), (Words{"get", "a b", "c \" de", "f g"}));
  EXPECT_EQ(words("match '(a|b)+ ^c' --from x#y ''"),
            (Words{"match", "(a|b)+ ^c", "--from", "x#y", ""}));
  EXPECT_EQ(words(""), Words{});
  EXPECT_EQ(words("\"a\\nb\" 'a\\nb'"), (Words{"a\nb", "a\\nb"}));
  const auto open = [](const char* line) {
    tools::SplitLine split;
    split.Add(line);
    return split.open();
  };
  EXPECT_EQ(open("get \"a"), '"');
  EXPECT_EQ(open("get a \\"), '\\');
  EXPECT_EQ(open("get 'a' # '"), 0);
}

TEST(ShellCompletion, OffersCommandsFlagsChoicesKindsAndKeys) {
  const auto graph = Graph::InMemory();
  WriteBatch batch(1);
  const NodeRef alice = batch.Node("alice"), albert = batch.Node("albert");
  batch.Link(alice, batch.EdgeKindNamed("knows"), albert);
  ASSERT_TRUE(graph->Apply(batch));
  const Snapshot snapshot = graph->snapshot();
  EXPECT_EQ(tools::Completions(snapshot, "pager"), Words{"pagerank"});
  EXPECT_EQ(tools::Completions(snapshot, "bfs --ea"), Words{"--each"});
  EXPECT_EQ(tools::Completions(snapshot, "bfs --direction "), (Words{"out", "in", "both"}));
  EXPECT_EQ(tools::Completions(snapshot, "bfs --kinds kno"), Words{"knows"});
  EXPECT_EQ(tools::Completions(snapshot, "get al"), (Words{"alice", "albert"}));
  EXPECT_EQ(tools::Completions(snapshot, "ledger n"), Words{"neighbors"});
  EXPECT_EQ(tools::Completions(snapshot, "ledger label --not"), Words{"--notes"});
  EXPECT_EQ(tools::Completions(snapshot, "ledger memory al"), (Words{"alice", "albert"}));
  EXPECT_EQ(tools::Completions(snapshot, "get alice --details kind,l"), Words{"kind,line"});
  EXPECT_EQ(tools::Completions(snapshot, "bfs --kinds=kno"), Words{"--kinds=knows"});
  EXPECT_EQ(tools::Completions(snapshot, "list --node-kinds memory,con"), Words{"memory,concept"});
  EXPECT_EQ(tools::Completions(snapshot, "kinds --format c"), Words{"csv"});
  EXPECT_EQ(tools::Completions(snapshot, "schema pager"), Words{"pagerank"});
  EXPECT_EQ(tools::Completions(snapshot, "man sea"), Words{"search"});
}

}  // namespace
}  // namespace plexus::testing
