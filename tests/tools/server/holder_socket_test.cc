// What reaches the process that holds a directory through its socket: requests of HTTP, and lines
// of a shell that write.
#include <gtest/gtest.h>

#include <csignal>
#include <regex>

#include "tests/support/run_plexus.h"
#include "tests/tools/limits/request_table.h"
#include "tests/tools/server/server_process.h"

namespace plexus::testing {
namespace {

TEST(HolderSocket, AnswersHttpAsAPortDoes) {
  const TempDir dir;
  ServerProcess server({"--db", dir / "g", "--mcp"});
  const std::string file = dir / "g/serve.sock";
  EXPECT_EQ(Http(file, "POST", "/v1/put", R"({"key":"m1","text":"x"})").status, 200);
  EXPECT_NE(Http(file, "GET", "/v1/get?key=m1").body.find(R"("text":"x")"), std::string::npos);
  EXPECT_EQ(Http(file, "GET", "/v1/get?key=none").status, 404);
  EXPECT_EQ(Http(file, "POST", "/v1/import?format=csv", "source,target\na,b\n",
                 "Content-Type: text/csv\r\n")
                .status,
            200);
  const std::string get = "GET /v1/get?key=m1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  TcpClient kept(file);  // several requests of one connection
  for (int i = 0; i < 3; ++i) {
    kept.Send(get);
    EXPECT_EQ(ParseAnswer(kept.ReadAnswer()).status, 200) << i;
  }
  TcpClient evil(file);
  evil.Send("GET /v1/get?key=m1 HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(ParseAnswer(evil.ReadAnswer()).status, 403);
  TcpClient large(file);
  large.Send("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(17'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(ParseAnswer(large.ReadAnswer()).status, 431);
  EXPECT_TRUE(server.Ask("ping").contains("result"));
  server.Signal(SIGTERM);  // with connections that are kept
  EXPECT_EQ(server.Wait(), 0) << server.log();
}

TEST(HolderSocket, HttpHasTheRightsOfItsHolder) {
  const TempDir dir;
  ASSERT_EQ(Plexus({"put", "--db", dir / "g", "m1", "--text", "x"}).code, 0);
  ServerProcess server({"--db", dir / "g", "--mcp", "--read-only"});
  const std::string file = dir / "g/serve.sock";
  EXPECT_EQ(Http(file, "GET", "/v1/get?key=m1").status, 200);
  EXPECT_EQ(Http(file, "POST", "/v1/put", R"({"key":"m2","text":"x"})").status, 403);
}

// Without what a run takes, and the sequence of a copy behind a wall.
std::string Shown(const std::string& text) {
  static const std::regex time(R"((, sequence \d+)?, in [0-9.e-]+ s)");
  return std::regex_replace(WithoutTimes(text), time, "");
}

// Script and flags of a shell: the same with a server and without.
void ShellIsTheSame(const std::string& script, const std::vector<std::string>& flags) {
  const TempDir dir;
  const std::string lines = dir.File("more.jsonl", R"({"node":"f1","text":"of a file"})"
                                                   "\n");
  std::string text = script;
  for (std::size_t at; (at = text.find("FILE")) != std::string::npos;) text.replace(at, 4, lines);
  const auto run = [&](const std::string& db) {
    RunOptions options;
    options.input = text;
    std::vector<std::string> words = {"shell", "--db", db, "--keep-going"};
    words.insert(words.end(), flags.begin(), flags.end());
    return Plexus(words, options);
  };
  for (const char* name : {"plain", "held"})
    ASSERT_EQ(Plexus({"put", "--db", dir / name, "m0", "--text", "zero", "--now", "1000"}).code, 0);
  const Finished plain = run(dir / "plain");
  ServerProcess server({"--db", dir / "held", "--mcp"});
  const Finished held = run(dir / "held");
  EXPECT_EQ(held.code, plain.code);
  EXPECT_EQ(Shown(held.out), Shown(plain.out));
  EXPECT_EQ(Shown(held.err), Shown(plain.err));
  EXPECT_TRUE(server.Ask("ping").contains("result"));
  server.CloseInput();
  EXPECT_EQ(server.Wait(), 0);
  const auto all = [&](const std::string& db) {
    return WithoutTimes(Plexus({"list", "--db", db, "--json"}).out);
  };
  EXPECT_EQ(all(dir / "held"), all(dir / "plain"));
}

TEST(HolderSocket, AShellWritesThroughItAndSeesWhatItWrote) {
  ShellIsTheSame(
      "put m1 --text one --now 2000\n"
      "get m1\n"
      "{\"put\":{\"key\":\"m2\",\"text\":\"two\",\"now\":\"3000\"}}\n"
      "link m1 related m2 --now 4000\n"
      "link m1 no-such-kind\n"
      "put m1 --text changed --dry-run\n"
      "remove nothing --now 5000\n"
      "import FILE --now 6000\n"
      "list\n",
      {});
}

// The wall of a shell is also that of what it writes through a server.
TEST(HolderSocket, AShellOfAScopeStaysBehindItsWall) {
  ShellIsTheSame(
      "put m1 --text one --now 2000\n"
      "put m0 --text taken --now 3000\n"
      "import FILE --now 4000\n"
      "get f1\n"
      "get m0\n"
      "list\n",
      {"--scope", "anna"});
}

}  // namespace
}  // namespace plexus::testing
