// Hashes, files of tokens, Host and Origin: who asks, and who is refused.
#include "tools/server/http/tokens.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "tests/support/run_plexus.h"

namespace plexus::tools::server {
namespace {

HttpRequest Asking(const HttpHeaders& headers) { return {"GET", "/", headers, ""}; }

TEST(Tokens, Sha256IsTheStandards) {
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Tokens, SecretsAreComparedWhole) {
  EXPECT_TRUE(SameSecret("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "abcd", "xbc"}) EXPECT_FALSE(SameSecret("abc", other));
}

// The explorer's page holds nothing: it is given to whoever asks, and nothing else is.
TEST(Tokens, ThePageNeedsNone) {
  AccessRules rules;
  rules.tokens.push_back({"a", Sha256("secret"), {}});
  EXPECT_FALSE(WhoAsks(rules, {"GET", "/", {}, ""}));
  rules.gives_page = true;
  for (const char* target : {"/", "/?a=b"}) {
    const auto page = WhoAsks(rules, {"GET", target, {}, ""});
    ASSERT_TRUE(page) << target;
    EXPECT_FALSE(page->may_read || page->may_write || page->may_destroy);
  }
  for (const char* target : {"/access", "/v1/stats", "/mcp", "//", "/metrics"})
    EXPECT_FALSE(WhoAsks(rules, {"GET", target, {}, ""})) << target;
  EXPECT_FALSE(WhoAsks(rules, {"POST", "/", {}, ""}));
  EXPECT_FALSE(WhoAsks(rules, {"GET", "/", {{"Origin", "http://evil.example"}}, ""}));
  EXPECT_TRUE(WhoAsks(rules, {"GET", "/access", {{"Authorization", "Bearer secret"}}, ""}));
}

TEST(Tokens, AFileOfOthersIsRefused) {
  const testing::TempDir dir;
  const std::string file = dir.File("tokens", R"({"name":"a","sha256":")" + Sha256("x") + "\"}\n");
  chmod(file.c_str(), 0644);
  const auto open = ReadTokens(file);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("chmod 600"), std::string::npos);
  chmod(file.c_str(), 0600);
  const auto read = ReadTokens(file);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  EXPECT_TRUE(read->front().caller.may_read);
  EXPECT_FALSE(read->front().caller.may_write);
  EXPECT_FALSE(ReadTokens(dir / "none"));
  EXPECT_FALSE(ReadTokens(dir.path()));
}

TEST(Tokens, AFileThatIsTooLongIsRefusedNotCut) {
  const testing::TempDir dir;
  const std::string line = R"({"name":"a","sha256":")" + Sha256("x") + "\"}\n";
  std::string text;
  while (text.size() <= 1 << 20) text += line;
  const std::string file = dir.File("tokens", text);
  chmod(file.c_str(), 0600);
  const auto read = ReadTokens(file);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("longer than 1048576"), std::string::npos)
      << read.error().message;
}

TEST(Tokens, AFileOfAnotherUserIsRefused) {
  const testing::TempDir dir;
  const std::string file = dir.File("tokens", R"({"name":"a","sha256":")" + Sha256("x") + "\"}\n");
  chmod(file.c_str(), 0600);
  if (chown(file.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root changes owners";
  const auto read = ReadTokens(file);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("another user's"), std::string::npos) << read.error().message;
}

TEST(Tokens, WhatIsWrongIsNamedWithItsLine) {
  const std::string hash = Sha256("x");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "holds no token"},
      {"{}", "f:1: sha256"},
      {"{\"sha256\":\"12\"}", "f:1: sha256"},
      {"\n{bad", "f:2: no JSON"},
      {R"({"sha256":")" + hash + R"(","rights":["all"]})", "no right all"},
      {R"({"sha256":")" + hash + R"(","rights":"read"})", "rights is a list"},
      {R"({"sha256":")" + hash + R"(","scopes":[]})", "scopes names none"},
      {R"({"sha256":")" + hash + R"(","scope":["a"]})", "no member scope"},
      {R"({"sha256":")" + hash + R"(","sha256":")" + hash + R"("})", "is there twice"}};
  for (const auto& [text, why] : wrong) {
    const auto read = ParseTokens("f", text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find(why), std::string::npos) << read.error().message;
  }
}

TEST(Tokens, HostAndOriginAreThisMachines) {
  const AccessRules rules{.hosts = {"graph.example"}};
  for (const char* host :
       {"localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "LOCALHOST:1", "graph.example"})
    EXPECT_TRUE(WhoAsks(rules, Asking({{"Host", host}}))) << host;
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
                           "evil.example:80", "", "127.0.0.2"}) {
    const auto who = WhoAsks(rules, Asking({{"Host", host}}));
    ASSERT_FALSE(who) << host;
    EXPECT_EQ(who.error().status, 403);
  }
  const auto asks = [&](const char* host, const char* header, const char* value) {
    return bool(WhoAsks(rules, Asking({{"Host", host}, {header, value}})));
  };
  for (const auto& [host, origin] : {std::pair{"localhost", "http://localhost"},
                                     {"localhost:8484", "http://localhost:8484"},
                                     {"LocalHost:8484", "http://localhost:8484"},
                                     {"[::1]:8484", "http://[::1]:8484"},
                                     {"localhost:8484", "https://graph.example"},
                                     {"localhost:8484", "https://graph.example:3000"}})
    EXPECT_TRUE(asks(host, "Origin", origin)) << origin;
  // Another port, or another name of this machine, is another page.
  for (const char* origin :
       {"http://evil.example", "null", "", "http://localhost.evil.example",
        "http://[evil]/localhost", "http://localhost", "http://localhost:3000",
        "http://127.0.0.1:8484", "http://localhost:8484/", "http://localhost:8484.evil.example"})
    EXPECT_FALSE(asks("localhost:8484", "Origin", origin)) << origin;
}

// A browser sends no Origin with an image or a link.
TEST(Tokens, NoWorkForAnotherPage) {
  const AccessRules rules;
  const auto asks = [&](const char* target, const char* site, const AccessRules& under) {
    HttpRequest request = Asking({{"Host", "localhost:8484"}, {"Sec-Fetch-Site", site}});
    request.target = target;
    return bool(WhoAsks(under, request));
  };
  for (const char* site : {"cross-site", "same-site", "anything"}) {
    EXPECT_FALSE(asks("/v1/pagerank?top=0", site, rules)) << site;
    EXPECT_TRUE(asks("/", site, rules)) << site;
  }
  for (const char* site : {"same-origin", "none", ""})
    EXPECT_TRUE(asks("/v1/stats", site, rules)) << site;
}

TEST(Tokens, ATokenBringsItsRights) {
  AccessRules rules;
  rules.tokens = *ParseTokens(
      "f", R"({"name":"r","sha256":")" + Sha256("reader") + "\"}\n" + R"({"name":"w","sha256":")" +
               Sha256("writer") + R"(","rights":["write"],"scopes":["anna"]})" + "\n" +
               R"({"name":"a","sha256":")" + Sha256("admin") + R"(","rights":["admin"]})");
  const auto with = [&](const std::string& header) {
    return WhoAsks(rules, Asking({{"Host", "any.example"}, {"Authorization", header}}));
  };
  const auto reader = with("Bearer reader"), writer = with("Bearer writer"),
             admin = with("Bearer admin");
  ASSERT_TRUE(reader && writer && admin);
  EXPECT_FALSE(reader->may_write);
  EXPECT_TRUE(writer->may_write);
  EXPECT_FALSE(writer->may_destroy);
  EXPECT_EQ(writer->wall, std::vector<std::string>{"anna"});
  EXPECT_TRUE(admin->may_destroy);
  for (const char* header :
       {"", "Bearer ", "Bearer no", "Basic reader", "bearer reader", "reader", "Bearer reader "}) {
    const auto who = with(header);
    ASSERT_FALSE(who) << header;
    EXPECT_EQ(who.error().status, 401);
  }
}

TEST(Tokens, ARateIsASecondsWorthAtOnce) {
  using namespace std::chrono;
  const RateLimit::Time start(hours(1));
  RateLimit limit(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.Take(start)) << i;
  EXPECT_FALSE(limit.Take(start));
  EXPECT_TRUE(limit.Take(start + milliseconds(400)));
  EXPECT_FALSE(limit.Take(start + milliseconds(500)));
  EXPECT_FALSE(limit.Take(start));  // a clock of another thread
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.Take(start + hours(2))) << i;
  EXPECT_FALSE(limit.Take(start + hours(2)));
}

TEST(Tokens, EveryAddressHasARateAndTheyAreNotEndless) {
  using namespace std::chrono;
  const RateLimit::Time start(hours(1));
  PeerRates rates(1);
  EXPECT_TRUE(rates.Take("a", start));
  EXPECT_FALSE(rates.Take("a", start));
  EXPECT_TRUE(rates.Take("b", start));
  // Above the most that are kept they are limited together, until some are as new.
  int passed = 0;
  for (int i = 0; i < 3000; ++i) passed += rates.Take(std::to_string(i), start);
  EXPECT_LT(passed, 1500);
  EXPECT_FALSE(rates.Take("a", start));
  EXPECT_TRUE(rates.Take("z", start + hours(1)));
  EXPECT_FALSE(rates.Take("z", start + hours(1)));
}

TEST(Tokens, ARateOfItsOwn) {
  const std::string line = R"({"name":"a","rate":RATE,"sha256":")" + Sha256("x") + "\"}";
  const auto with = [&](const char* rate) {
    std::string text = line;
    text.replace(text.find("RATE"), 4, rate);
    return ParseTokens("t", text);
  };
  ASSERT_TRUE(with("2"));
  EXPECT_TRUE(with("2")->front().caller.rate);
  for (const char* wrong : {"0", "-1", "1.5", "\"2\"", "null"}) EXPECT_FALSE(with(wrong)) << wrong;
}

}  // namespace
}  // namespace plexus::tools::server
