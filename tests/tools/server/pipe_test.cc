// Two processes on one directory: the second is a pipe, and takes over when the first is gone.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
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

// Kills the holder again and again while two write: what was acknowledged is there, and every
// request has one answer.
TEST(Pipe, NothingAcknowledgedIsLostByKills) {
  const TempDir dir;
  std::set<std::string> acknowledged;
  int answered = 0, sent = 0;
  for (int round = 0; round < 20; ++round) {
    ServerProcess first(Mcp(dir / "g"));
    ServerProcess second(Mcp(dir / "g"));
    constexpr int kCalls = 20;
    for (int i = 0; i < kCalls; ++i, ++sent) {
      const std::string key = "k" + std::to_string(round) + "_" + std::to_string(i);
      second.Send(R"({"jsonrpc":"2.0","id":")" + key +
                  R"(","method":"tools/call","params":{"name":"remember","arguments":)" +
                  Remember(key) + "}}");
      if (i == round % kCalls) first.Signal(SIGKILL);
    }
    for (int i = 0; i < kCalls; ++i) {
      const std::string line = second.Line();
      ASSERT_FALSE(line.empty()) << round << " " << i << second.log();
      const boost::json::object answer = boost::json::parse(line).as_object();
      ++answered;
      const std::string key(answer.at("id").as_string());
      if (answer.contains("result") && answer.at("result").at("isError") == false)
        acknowledged.insert(key);
      else
        EXPECT_NE(line.find("retryable"), std::string::npos) << line;
    }
    second.CloseInput();
    EXPECT_EQ(second.Wait(), 0);
  }
  EXPECT_EQ(answered, sent);
  EXPECT_GT(acknowledged.size(), 100u);
  const Finished list =
      Plexus({"list", "--db", dir / "g", "--json", "--top", "0", "--columns", "key"});
  std::set<std::string> there;
  const boost::json::object reply = list.Json();
  for (const auto& row : reply.at("results").as_array()) there.emplace(row.at("key").as_string());
  for (const std::string& key : acknowledged) EXPECT_TRUE(there.contains(key)) << key;
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
