// Two processes on one directory: the second is a pipe, and takes over when the first is gone.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "tests/support/run_plexus.h"
#include "tests/tools/server/server_process.h"

namespace plexus::testing {
namespace {

std::vector<std::string> Mcp(const std::string& db) {
  return {"--db", db, "--mcp", "--tools", "memory,all"};
}

std::string Remember(const std::string& key) { return R"({"key":")" + key + R"(","text":"a"})"; }

TEST(Pipe, TheSecondServerWritesThroughTheFirst) {
  const TempDir dir;
  ServerProcess first(Mcp(dir / "g"));
  ServerProcess second(Mcp(dir / "g"));
  EXPECT_NE(second.log().find("through=its holder"), std::string::npos) << second.log();
  first.Tool("remember", Remember("m1"));
  second.Tool("remember", Remember("m2"));
  EXPECT_NE(first.Tool("get", R"({"key":["m2"]})").find("\"m2\""), std::string::npos);
  EXPECT_EQ(first.Tool("get", R"({"key":["m1"]})"), second.Tool("get", R"({"key":["m1"]})"));
  EXPECT_EQ(boost::json::serialize(first.Ask("tools/list").at("result")),
            boost::json::serialize(second.Ask("tools/list").at("result")));
  second.CloseInput();
  EXPECT_EQ(second.Wait(), 0);
  first.CloseInput();
  EXPECT_EQ(first.Wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(dir / "g/serve.sock"));
}

TEST(Pipe, TheSocketIsForThisUserAlone) {
  const TempDir dir;
  ServerProcess first(Mcp(dir / "g"));
  struct stat status = {};
  ASSERT_EQ(stat((dir / "g/serve.sock").c_str(), &status), 0);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(Pipe, AnEndOfTheFirstIsTakenOver) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    const TempDir dir;
    ServerProcess first(Mcp(dir / "g"));
    ServerProcess second(Mcp(dir / "g"));
    ServerProcess third(Mcp(dir / "g"));
    second.Tool("remember", Remember("m1"));
    first.Signal(signal);
    (void)first.Wait();
    EXPECT_NE(second.Tool("get", R"({"key":["m1"]})").find("\"m1\""), std::string::npos);
    third.Tool("remember", Remember("m3"));
    EXPECT_NE(second.Tool("get", R"({"key":["m3"]})").find("\"m3\""), std::string::npos);
    second.CloseInput();
    third.CloseInput();
    EXPECT_EQ(second.Wait(), 0) << second.log();
    EXPECT_EQ(third.Wait(), 0) << third.log();
    EXPECT_EQ(Plexus({"verify", "--db", dir / "g"}).code, 0);
  }
}

// Kills the holder or the pipe again and again while both write: what was acknowledged is there,
// each line is a whole answer, and who is left answers every request once. PLEXUS_KILLS=200 for
// more.
TEST(Pipe, NothingAcknowledgedIsLostByKills) {
  const TempDir dir;
  std::set<std::string> acknowledged;
  const char* asked = std::getenv("PLEXUS_KILLS");
  const int rounds = asked ? std::atoi(asked) : 20;
  int answered = 0, sent = 0;
  constexpr int kCalls = 20;
  const auto take = [&](const std::string& line) {
    const boost::json::object answer = boost::json::parse(line).as_object();
    const std::string key(answer.at("id").as_string());
    if (answer.contains("result") && answer.at("result").at("isError") == false)
      acknowledged.insert(key);
    else
      EXPECT_NE(line.find("retryable"), std::string::npos) << line;
  };
  for (int round = 0; round < rounds; ++round) {
    ServerProcess first(Mcp(dir / "g"));
    ServerProcess second(Mcp(dir / "g"));
    ServerProcess &killed = round % 2 == 0 ? first : second,
                  &left = round % 2 == 0 ? second : first;
    for (int i = 0; i < kCalls; ++i, ++sent) {
      for (ServerProcess* one : {&left, &killed}) {
        if (one == &killed && i > round / 2 % kCalls) continue;
        const std::string key =
            (one == &left ? "k" : "x") + std::to_string(round) + "_" + std::to_string(i);
        one->Send(R"({"jsonrpc":"2.0","id":")" + key +
                  R"(","method":"tools/call","params":{"name":"remember","arguments":)" +
                  Remember(key) + "}}");
      }
      if (i == round / 2 % kCalls) killed.Signal(SIGKILL);
    }
    for (int i = 0; i < kCalls; ++i, ++answered) {
      const std::string line = left.Line();
      ASSERT_FALSE(line.empty()) << round << " " << i << left.log();
      take(line);
    }
    (void)killed.Wait();
    for (std::string line = killed.Line(); !line.empty(); line = killed.Line()) take(line);
    left.CloseInput();
    EXPECT_EQ(left.Wait(), 0);
  }
  EXPECT_EQ(answered, sent);
  {  // how many are acknowledged before depends on when the kills hit
    ServerProcess last(Mcp(dir / "g"));
    EXPECT_NE(last.Tool("remember", Remember("last")).find("\"last\""), std::string::npos);
    acknowledged.insert("last");
  }
  const Finished list =
      Plexus({"list", "--db", dir / "g", "--json", "--top", "0", "--columns", "key"});
  std::set<std::string> there;
  const boost::json::object reply = list.Json();
  for (const auto& row : reply.at("results").as_array()) there.emplace(row.at("key").as_string());
  for (const std::string& key : acknowledged) EXPECT_TRUE(there.contains(key)) << key;
  std::printf("%d kills, %zu acknowledged writes\n", rounds, acknowledged.size());
}

TEST(Pipe, CommandsOfTheCommandLineRunAtTheHolder) {
  const TempDir dir;
  const std::vector<std::vector<std::string>> commands = {
      {"put", "m1", "--text", "Payouts stop at night.", "--now", "1790000000000"},
      {"put", "m1", "--text", "Payouts stop.", "--now", "1790000000000", "--json"},
      {"link", "m1", "supports", "m2", "--now", "1790000000000"},
      {"link", "m1", "supports", "m1", "--weight", "-1"},
      {"unlink", "m1", "knows", "m2"},
      {"put", "m3", "--props", "{bad"},
      {"put", "m3", "--expect-sequence", "99", "--json"},
      {"remove", "none"},
      {"build", "nothing"},
      {"ledger", "record", "--query", "why", "--member", "m1", "--now", "1790000000000", "--json"},
      {"terms", "--now", "1790000000000"},
      {"remove", "m2", "--json", "--now", "1790000000000"}};
  const auto run = [&](const std::string& db) {
    std::vector<Finished> all;
    for (std::vector<std::string> words : commands) {
      words.insert(words.end(), {"--db", db});
      all.push_back(Plexus(words));
    }
    return all;
  };
  std::filesystem::create_directory(dir / "a");
  std::filesystem::create_directory(dir / "b");
  // The same name in messages.
  const std::string alone = dir / "a/g", held = dir / "b/g";
  const std::vector<Finished> expected = run(alone);
  ServerProcess server(Mcp(held));
  const std::vector<Finished> through = run(held);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(through[i].code, expected[i].code) << commands[i][0] << through[i].err;
    EXPECT_EQ(through[i].out, expected[i].out) << commands[i][0];
    std::string err = through[i].err;
    if (const std::size_t at = err.find(held); at != std::string::npos)
      err.replace(at, held.size(), alone);
    EXPECT_EQ(err, expected[i].err) << commands[i][0];
  }
  // Reading goes on beside it.
  EXPECT_EQ(Plexus({"get", "m1", "--db", held}).code, 0);
  const std::string file = dir.File("more.jsonl", R"({"node":"m9","kind":"memory"})"
                                                  "\n");
  const Finished import = Plexus({"import", file, "--db", held});
  EXPECT_EQ(import.code, 0) << import.err;
  EXPECT_NE(server.Tool("get", R"({"key":["m9"]})").find("\"m9\""), std::string::npos);
}

TEST(Pipe, TheWallAndTheRightsOfTheHolderHold) {
  const TempDir dir;
  ASSERT_EQ(Plexus({"put", "m1", "--db", dir / "g", "--text", "secret"}).code, 0);
  for (const char* rule : {"--scope=anna", "--read-only"}) {
    const bool walled = std::string_view(rule) == "--scope=anna";
    std::vector<std::string> words = Mcp(dir / "g");
    words.emplace_back(rule);
    ServerProcess first(words);
    ServerProcess second(Mcp(dir / "g"));
    for (ServerProcess* one : {&first, &second}) {
      const std::string got = one->Tool("get", R"({"key":["m1"]})");
      EXPECT_EQ(got.find("secret") == std::string::npos, walled) << got;
      if (!walled) {
        EXPECT_NE(one->Tool("remember", Remember("m2")).find("right to write"), std::string::npos);
      }
    }
    const Finished put = Plexus({"put", "m1", "--db", dir / "g", "--text", "other"});
    EXPECT_EQ(put.code, 1) << rule;
    EXPECT_NE(put.err.find("the server that holds this graph"), std::string::npos) << put.err;
  }
  ServerProcess first({"--db", dir / "g", "--mcp", "--scope", "anna"});
  ServerProcess second({"--db", dir / "g", "--mcp", "--scope", "ben"});
  EXPECT_NE(second.Line().find("wall of other scopes"), std::string::npos);
  EXPECT_EQ(second.Wait(), 1);
}

TEST(Pipe, TheFileOfAnotherProcessStays) {
  const TempDir dir;
  const std::string name = dir / "g/serve.sock";
  ServerProcess first(Mcp(dir / "g"));
  std::filesystem::rename(name, name + ".old");
  std::filesystem::copy_file(dir.File("other", "text"), name);
  first.CloseInput();
  EXPECT_EQ(first.Wait(), 0);
  EXPECT_TRUE(std::filesystem::exists(name));
}

// A folder may come from anywhere: what a link or another file of the socket's name is, is no
// holder. The link stays, as nothing of ours made it.
TEST(Pipe, WhatALinkLeadsToIsNoHolder) {
  const TempDir dir;
  const std::string name = dir / "g/serve.sock";
  ASSERT_EQ(Plexus({"put", "--db", dir / "g", "m0"}).code, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (dir / "other.sock").c_str(), sizeof address.sun_path - 1);
  const int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  ASSERT_EQ(bind(other, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(other, 4), 0);
  std::filesystem::create_symlink(dir / "other.sock", name);
  EXPECT_EQ(Plexus({"put", "--db", dir / "g", "m1", "--text", "not for others"}).code, 0);
  ServerProcess server(Mcp(dir / "g"));
  server.Tool("remember", Remember("m2"));
  EXPECT_NE(server.Tool("get", R"({"key":["m1","m2"]})").find("\"m2\""), std::string::npos);
  server.CloseInput();
  EXPECT_EQ(server.Wait(), 0);
  EXPECT_EQ(accept(other, nullptr, nullptr), -1);
  EXPECT_TRUE(std::filesystem::is_symlink(name));
  close(other);
}

std::string GetLines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i)
    lines += std::string(i ? "\n" : "") + R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
             R"(,"method":"tools/call","params":{"name":"get","arguments":{"key":["m1"]}}})";
  return lines;
}

TEST(Pipe, AClientMayWriteManyRequestsBeforeItReads) {
  const TempDir dir;
  ServerProcess first(Mcp(dir / "g"));
  ServerProcess second(Mcp(dir / "g"));
  first.Tool("remember", R"({"key":"m1","text":")" + std::string(4000, 'x') + "\"}");
  second.Send(GetLines(1000));
  for (int i = 0; i < 1000; ++i)
    ASSERT_NE(second.Line().find("xxx"), std::string::npos) << i << second.log();
}

TEST(Pipe, ASignalLeavesNoRequestWithoutAnswer) {
  const TempDir dir;
  ServerProcess first(Mcp(dir / "g"));
  ServerProcess second(Mcp(dir / "g"));
  first.Tool("remember", Remember("m1"));
  second.Send(GetLines(200));
  int answers = second.Line().empty() ? 0 : 1;
  second.Signal(SIGTERM);
  while (!second.Line().empty()) ++answers;
  EXPECT_EQ(answers, 200);
  EXPECT_EQ(second.Wait(), 0) << second.log();
}

TEST(Pipe, AResponseOfTheClientIsNotWaitedFor) {
  const TempDir dir;
  ServerProcess first(Mcp(dir / "g"));
  ServerProcess second(Mcp(dir / "g"));
  second.Send(R"({"jsonrpc":"2.0","id":"x","result":{}})");
  EXPECT_TRUE(second.Ask("ping").contains("result"));
  second.CloseInput();
  EXPECT_EQ(second.Line(), "");
  for (int i = 0; i < 500 && second.Running(); ++i) usleep(10'000);
  EXPECT_FALSE(second.Running());
}

TEST(Pipe, OnlySubscriptionsThatAreLeftComeBack) {
  const TempDir dir;
  ServerProcess first(Mcp(dir / "g"));
  ServerProcess second(Mcp(dir / "g"));
  for (const char* key : {"m1", "m2"}) first.Tool("remember", Remember(key));
  second.Ask("resources/subscribe", R"({"uri":"plexus://memory/m1"})");
  second.Ask("resources/subscribe", R"({"uri":"plexus://memory/m2"})");
  second.Ask("resources/unsubscribe", R"({"uri":"plexus://memory/m1"})");
  first.Signal(SIGKILL);
  (void)first.Wait();
  EXPECT_TRUE(second.Ask("ping").contains("result"));
  const auto put = [&](const std::string& key) {
    second.Send(R"({"jsonrpc":"2.0","id":")" + key +
                R"(","method":"tools/call","params":{"name":"put","arguments":{"key":")" + key +
                R"(","text":"new"}}})");
  };
  put("m1");
  put("m2");
  bool seen = false;
  for (std::string line; !seen && !(line = second.Line()).empty();) {
    EXPECT_FALSE(line.find("updated") < line.size() && line.find("memory/m1") < line.size());
    seen = line.find("resources/updated") < line.size() && line.find("m2") < line.size();
  }
  EXPECT_TRUE(seen);
}

TEST(Pipe, ALongPathHasItsSocket) {
  const TempDir dir;
  const std::string deep = dir / std::string(120, 'd');
  std::filesystem::create_directory(deep);
  ServerProcess first(Mcp(deep + "/g"));
  ServerProcess second(Mcp(deep + "/g"));
  second.Tool("remember", Remember("m1"));
  EXPECT_NE(first.Tool("get", R"({"key":["m1"]})").find("\"m1\""), std::string::npos);
}

TEST(Pipe, WhatIsNoFirstLineIsRefused) {
  const TempDir dir;
  ServerProcess first(Mcp(dir / "g"));
  for (const std::string& line :
       {std::string(R"({"plexus":"run"})"), std::string(R"({"plexus":"run","operation":"put"})"),
        std::string(R"({"plexus":"mcp","tools":["no"]})"), std::string("garbage"),
        std::string(R"({"plexus":"run","operation":"shell","request":{}})"),
        std::string(100'000, '[')}) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, (dir / "g/serve.sock").c_str(), sizeof name.sun_path - 1);
    ASSERT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    const std::string text = line + "\n";
    ASSERT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    shutdown(fd, SHUT_WR);
    std::string answer(65536, '\0');
    const ssize_t got = read(fd, answer.data(), answer.size());
    EXPECT_GT(got, 0) << line.substr(0, 80);
    close(fd);
  }
  EXPECT_TRUE(first.Ask("ping").contains("result"));
}

}  // namespace
}  // namespace plexus::testing
