// The page's own lines: the configuration of a client, and the calls of curl.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/run_plexus.h"
#include "tests/tools/server/server_process.h"
#include "tools/server/http/tokens.h"

namespace plexus::testing {
namespace {

std::string Page() {
  std::ostringstream text;
  text << std::ifstream(PLEXUS_SERVER_README).rdbuf();
  return text.str();
}

// What is between ``` and ```, the n-th.
std::string Block(const std::string& page, int n) {
  std::size_t at = 0;
  for (int i = 0; i < 2 * n + 1; ++i) at = page.find("```", at) + 3;
  at = page.find('\n', at) + 1;
  return page.substr(at, page.find("```", at) - at);
}

void Replace(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

TEST(ServerReadme, TheConfigurationStartsAServer) {
  const auto value = boost::json::parse(Block(Page(), 0));
  const auto& server = value.at("mcpServers").at("memory");
  EXPECT_EQ(server.at("command"), "plexus");
  std::vector<std::string> words;
  for (const auto& word : server.at("args").as_array()) words.emplace_back(word.as_string());
  ASSERT_EQ(words.front(), "serve");
  words.erase(words.begin());
  const TempDir dir;
  for (std::string& word : words)
    if (word == "memory-graph") word = dir / "g";
  ServerProcess process(words);
  EXPECT_TRUE(process.Ask("ping").contains("result")) << process.log();
}

TEST(ServerReadme, TheLinesOfCurlWork) {
  if (std::system("command -v curl >/dev/null") != 0) GTEST_SKIP() << "no curl here";
  const TempDir dir;
  ServerProcess server({"--db", dir / "g", "--http", "0"});
  std::istringstream lines(Block(Page(), 1));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line) && line.starts_with("plexus serve "));
  int calls = 0;
  for (; std::getline(lines, line); ++calls) {
    ASSERT_TRUE(line.starts_with("curl ")) << line;
    Replace(line, "localhost:8080", "localhost:" + std::to_string(server.port()));
    Replace(line, "memory-graph", dir / "g");
    Replace(line, " -N ", " -N --max-time 2 ");
    const std::string out = dir / "out";
    (void)std::system((line + " > " + out).c_str());
    std::ostringstream text;
    text << std::ifstream(out).rdbuf();
    EXPECT_NE(text.str().find(calls == 0 ? "\"sequence\":1" : "m1"), std::string::npos)
        << line << "\n"
        << text.str();
  }
  EXPECT_EQ(calls, 4);
}

TEST(ServerReadme, TheLineOfATokenIsOne) {
  std::string token = Block(Page(), 2);
  Replace(token, "\"...\"", "\"" + tools::server::Sha256("x") + "\"");
  const auto read = tools::server::ParseTokens("page", token);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().name, "anna");
}

}  // namespace
}  // namespace plexus::testing
