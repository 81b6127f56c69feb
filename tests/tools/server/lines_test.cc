// The program on standard input and output: order, long lines, ends, and the same bytes everywhere.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <fstream>

#include "tests/support/run_plexus.h"
#include "tests/tools/server/server_process.h"
#include "tools/operations/files/explorer_page.h"

namespace plexus::testing {
namespace {

std::vector<std::string> Mcp(const TempDir& dir, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"--db", dir / "g", "--mcp"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Lines, NamesItsGraphAndEndsWithItsInput) {
  const TempDir dir;
  ServerProcess server(Mcp(dir));
  EXPECT_NE(server.log().find("serving db=" + (dir / "g")), std::string::npos) << server.log();
  EXPECT_TRUE(server.Ask("ping").contains("result"));
  server.CloseInput();
  EXPECT_EQ(server.Wait(), 0);
  EXPECT_EQ(Plexus({"verify", "--db", dir / "g"}).code, 0);
}

TEST(Lines, WhatIsUnderWayIsAnsweredBeforeItEnds) {
  const TempDir dir;
  ServerProcess server(Mcp(dir));
  for (int i = 0; i < 200; ++i)
    server.Send(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) +
                R"(,"method":"tools/call","params":{"name":"remember","arguments":{"key":"m)" +
                std::to_string(i) + R"(","text":"a"}}})");
  server.CloseInput();
  int answers = 0;
  while (!server.Line().empty()) ++answers;
  EXPECT_EQ(answers, 200);
  EXPECT_EQ(server.Wait(), 0);
  EXPECT_EQ(Plexus({"stats", "--db", dir / "g", "--json"}).Json().at("nodes"), 200);
}

TEST(Lines, SignalsEndIt) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    const TempDir dir;
    ServerProcess server(Mcp(dir));
    server.Tool("remember", R"({"key":"m1","text":"a"})");
    server.Signal(signal);
    EXPECT_EQ(server.Wait(), 0) << signal;
    EXPECT_EQ(Plexus({"get", "m1", "--db", dir / "g"}).code, 0);
  }
}

TEST(Lines, BadLinesDoNotEndIt) {
  const TempDir dir;
  ServerProcess server(Mcp(dir));
  server.Send("{bad");
  EXPECT_NE(server.Line().find("-32700"), std::string::npos);
  server.Send("");
  server.Send("\r");
  server.Send(std::string("\0\x01\xff", 3));
  EXPECT_NE(server.Line().find("-32700"), std::string::npos);
  server.Send(std::string((9 << 20), 'x'));
  EXPECT_NE(server.Line().find("8 MiB"), std::string::npos);
  EXPECT_TRUE(server.Ask("ping").contains("result"));
}

TEST(Lines, ARequestSeesWhatWasSentBeforeIt) {
  const TempDir dir;
  ServerProcess server(Mcp(dir, {"--tools", "memory,all"}));
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    server.Send(R"({"jsonrpc":"2.0","id":"w)" + n +
                R"(","method":"tools/call","params":{"name":"put","arguments":{"key":"k",)" +
                R"("text":"t)" + n + R"("}}})");
    server.Send(R"({"jsonrpc":"2.0","id":"r)" + n +
                R"(","method":"tools/call","params":{"name":"get","arguments":{"key":["k"]}}})");
  }
  for (int seen = 0; seen < 100; ++seen) {
    const boost::json::object answer = boost::json::parse(server.Line()).as_object();
    const std::string id(answer.at("id").as_string());
    if (id[0] != 'r') continue;
    // Or a later write: it waits for the writes before it, not for those after it.
    const std::string text(answer.at("result").at("structuredContent").at("text").as_string());
    EXPECT_GE(std::stoi(text.substr(1)), std::stoi(id.substr(1)));
  }
}

TEST(Lines, CheckSaysWhatWouldBeServed) {
  const TempDir dir;
  const Finished check = Plexus({"serve", "--db", dir / "g", "--check", "--tools", "memory"});
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_LE(check.Json().at("tools").as_int64(), 12);
  EXPECT_EQ(Plexus({"serve", "--db", dir / "g"}).code, 2);
  EXPECT_EQ(Plexus({"serve", "--mcp"}).code, 2);
  EXPECT_EQ(Plexus({"serve", "--db", dir / "g", "--mcp", "--tools", "no"}).code, 2);
  EXPECT_EQ(Plexus({"serve", "--db", dir / "g", "--http", "0.0.0.0:0"}).code, 2);
  EXPECT_EQ(Plexus({"serve", "--db", dir / "g", "--http", "99999"}).code, 2);
}

TEST(Lines, TheExplorerMakesNoGraph) {
  const TempDir dir;
  EXPECT_NE(PlexusProcess({"explore", "--db", dir / "g", "--port", "0"}).code, 0);
  EXPECT_NE(PlexusProcess({"stats", "--db", dir / "g"}).code, 0);
  EXPECT_EQ(PlexusProcess({"explore", "--port", "0"}).code, 2);
  EXPECT_EQ(PlexusProcess({"explore", "--db", dir / "g", "--port", "65536"}).code, 2);
}

TEST(Lines, AProgramWithoutTheExplorerSaysSo) {
  if (!tools::ExplorerPage().empty()) GTEST_SKIP() << "this one was built with it";
  const TempDir dir;
  ASSERT_EQ(PlexusProcess({"put", "a", "--db", dir / "g"}).code, 0);
  for (const Words& words : {Words{"explore", "--db", dir / "g", "--port", "0"},
                             Words{"export", "--db", dir / "g", "--format", "html"}}) {
    const Finished run = PlexusProcess(words);
    EXPECT_NE(run.code, 0);
    EXPECT_TRUE(Says(run.err, "configure with -DPLEXUS_WEB=ON"));
  }
}

}  // namespace
}  // namespace plexus::testing
