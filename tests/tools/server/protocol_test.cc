// Both eras without a transport: forms of messages, errors, pages, subscriptions, cancellation.
#include "tools/server/mcp/protocol.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <thread>

#include "tests/support/run_plexus.h"
#include "tests/tools/server/meta.h"
#include "tools/server/server.h"

namespace plexus::tools::server {
namespace {

class ProtocolTest : public ::testing::Test {
 protected:
  ProtocolTest() {
    ServiceOptions options;
    options.directory = dir_ / "g";
    server_ = *Server::Open(options);
    protocol_ = *server_->With({"memory", "all"});
    conversation_ = std::make_unique<Conversation>(Caller(), [this](std::string text) {
      const std::lock_guard lock(mutex_);
      sent_.push_back(std::move(text));
    });
  }
  ~ProtocolTest() override { (void)server_->Close(); }

  json::object Ask(const std::string& text, std::string_view revision = {}) {
    auto message = Protocol::Read(text);
    const RpcAnswer answer =
        message ? protocol_->Answer(*message, *conversation_, revision) : message.error();
    status_ = answer.status;
    return answer.text.empty() ? json::object() : json::parse(answer.text).as_object();
  }
  json::object Call(const std::string& method, const std::string& params = "") {
    return Ask(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
               "}}");
  }
  json::object New(const std::string& method, const std::string& params = "") {
    return Call(method, params + (params.empty() ? "" : ",") + kMeta);
  }
  static std::int64_t CodeOf(const json::object& answer) {
    const json::object* error = ObjectMember(answer, "error");
    return error ? Member(*error, "code")->as_int64() : 0;
  }

  std::vector<std::string> Sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }
  bool AwaitSent(const std::string& part) {
    for (int i = 0; i < 500; ++i) {
      for (const std::string& text : Sent())
        if (text.find(part) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  testing::TempDir dir_;
  std::unique_ptr<Server> server_;
  Protocol* protocol_ = nullptr;
  std::mutex mutex_;
  std::vector<std::string> sent_;
  std::unique_ptr<Conversation> conversation_;
  int status_ = 0;
};

TEST_F(ProtocolTest, BadMessagesHaveTheirCodes) {
  const std::string deep(40, '['), closed(40, ']');
  const std::vector<std::pair<std::string, int>> bad = {
      {"", kParseError},
      {"{", kParseError},
      {"nothing", kParseError},
      {"\xff\xfe", kParseError},
      {R"({"a":)" + deep + closed + "}", kParseError},
      {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})", kParseError},
      {"[]", kInvalidRequest},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", kInvalidRequest},
      {"1", kInvalidRequest},
      {"{}", kInvalidRequest},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":")" + std::string(300, 'x') + R"(","method":"ping"})",
       kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", kInvalidRequest},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"no/such"})", kMethodNotFound},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no"}})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get","arguments":[]}})",
       kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"plexus://no"}})",
       -32002},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}})", kInvalidParams}};
  for (const auto& [text, code] : bad) EXPECT_EQ(CodeOf(Ask(text)), code) << text;
}

TEST_F(ProtocolTest, TheHandshakeAgreesOnARevision) {
  for (const auto& [asked, agreed] :
       {std::pair("2025-11-25", "2025-11-25"), std::pair("2024-11-05", "2024-11-05"),
        std::pair("1900-01-01", "2025-11-25"), std::pair("2026-07-28", "2025-11-25")}) {
    const json::object answer =
        Call("initialize", R"("protocolVersion":")" + std::string(asked) + "\"");
    EXPECT_EQ(TextMember(*ObjectMember(answer, "result"), "protocolVersion"), agreed);
  }
  EXPECT_TRUE(ObjectMember(Call("ping"), "result")->empty());
  EXPECT_FALSE(ObjectMember(Call("tools/list"), "result")->contains("resultType"));
}

TEST_F(ProtocolTest, StatelessRequestsSayTheirRevision) {
  const json::object found = New("server/discover");
  const json::object& result = *ObjectMember(found, "result");
  EXPECT_EQ(TextMember(result, "resultType"), "complete");
  EXPECT_EQ(result.at("supportedVersions").at(0), "2026-07-28");
  EXPECT_TRUE(result.contains("ttlMs") && result.contains("cacheScope"));
  EXPECT_EQ(result.at("_meta").at("io.modelcontextprotocol/serverInfo").at("name"), "plexus");

  EXPECT_EQ(CodeOf(Call("server/discover")), kInvalidParams);
  EXPECT_EQ(status_, 400);
  const json::object other =
      Call("tools/list", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01",)"
                         R"("io.modelcontextprotocol/clientCapabilities":{}})");
  EXPECT_EQ(CodeOf(other), kUnsupportedVersion);
  EXPECT_EQ(other.at("error").at("data").at("supported").at(0), "2026-07-28");
  EXPECT_EQ(CodeOf(Call("tools/list",
                        R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})")),
            kInvalidParams);
  // What the later revision took away.
  for (const char* gone : {"initialize", "ping", "logging/setLevel", "resources/subscribe"}) {
    EXPECT_EQ(CodeOf(New(gone)), kMethodNotFound) << gone;
    EXPECT_EQ(status_, 404);
  }
  EXPECT_EQ(CodeOf(New("resources/read", R"("uri":"plexus://memory/none")")), kInvalidParams);
}

TEST_F(ProtocolTest, ListsComeInPages) {
  const json::object all = New("tools/list");
  const json::object& result = *ObjectMember(all, "result");
  EXPECT_GT(result.at("tools").as_array().size(), 80u);
  EXPECT_EQ(CodeOf(Call("tools/list", R"("cursor":"p0")")), 0);
  EXPECT_EQ(CodeOf(Call("tools/list", R"("cursor":"p9999")")), kInvalidParams);
  EXPECT_EQ(New("tools/list"), all);
}

TEST_F(ProtocolTest, TextAndStructuredContentAreTheSameJson) {
  Call("tools/call", R"("name":"remember","arguments":{"key":"m1","text":"Snow \"leopard\""})");
  const json::object answer =
      Call("tools/call", R"("name":"recall","arguments":{"words":"leopard"})");
  const json::object& result = *ObjectMember(answer, "result");
  EXPECT_EQ(result.at("isError"), false);
  EXPECT_EQ(json::parse(result.at("content").at(0).at("text").as_string()),
            result.at("structuredContent"));
  EXPECT_EQ(result.at("structuredContent").at("hits").at(0).at("key"), "m1");
}

TEST_F(ProtocolTest, WhatAToolRefusesIsAResult) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {R"("name":"recall","arguments":{"word":"x"})", "did you mean"},
      {R"("name":"relate","arguments":{"source":"a"})", "is required"},
      {R"("name":"forget","arguments":{"key":"none"})", "none"},
      {R"("name":"recall","arguments":{"words":"x","limit":-1})", "limit"},
      {R"("name":"recall","arguments":{"words":"x","detail":"all"})", "keys|summary|full"},
      {R"("name":"recall","arguments":{"words":"x","max_chars":0})", "max_chars"},
      {R"("name":"forget","arguments":{"action":"erase","key":"a"})", "action"},
      {R"("name":"explore","arguments":{"action":"path","from":["a"],"hops":2})", "hops does not"}};
  for (const auto& [call, why] : bad) {
    const json::object answer = Call("tools/call", call);
    ASSERT_TRUE(ObjectMember(answer, "result")) << call;
    EXPECT_EQ(answer.at("result").at("isError"), true) << call;
    const std::string text(answer.at("result").at("content").at(0).at("text").as_string());
    EXPECT_NE(text.find(why), std::string::npos) << call << text;
  }
}

TEST_F(ProtocolTest, RepliesEndWhereTheyAreToldTo) {
  for (int i = 0; i < 200; ++i)
    Call("tools/call", R"("name":"remember","arguments":{"key":"m)" + std::to_string(i) +
                           R"(","text":"leopard )" + std::string(500, 'x') + "\"}");
  const auto size = [&](const std::string& more) {
    const json::object answer = Call(
        "tools/call", R"("name":"recall","arguments":{"words":"leopard","limit":200)" + more + "}");
    return answer.at("result").at("content").at(0).at("text").as_string().size();
  };
  EXPECT_LT(size(""), 24'000u);
  EXPECT_LT(size(R"(,"max_chars":3000)"), 7'000u);
  EXPECT_GT(size(R"(,"max_chars":90000)"), 60'000u);
  const json::object answer =
      Call("tools/call", R"("name":"recall","arguments":{"words":"leopard","limit":200})");
  const json::object& reply = answer.at("result").at("structuredContent").as_object();
  EXPECT_TRUE(reply.at("truncated") == true || reply.contains("next_cursor"));
}

TEST_F(ProtocolTest, RecordUseMakesAnEventAndItsOutcome) {
  Call("tools/call", R"("name":"remember","arguments":{"key":"m1","text":"a"})");
  const json::object used =
      Call("tools/call", R"("name":"record_use","arguments":{"query":"why","members":["m1"],)"
                         R"("outcome":"helpful"})");
  ASSERT_EQ(used.at("result").at("isError"), false);
  EXPECT_EQ(used.at("result").at("structuredContent").at("label").at("outcome").at("type"),
            "helpful");
  const json::object wrong =
      Call("tools/call", R"("name":"record_use","arguments":{"query":"why","members":["m1"],)"
                         R"("outcome":"splendid"})");
  EXPECT_EQ(wrong.at("result").at("isError"), true);
}

TEST_F(ProtocolTest, SubscribersHearOfTheirResourceAlone) {
  Call("tools/call", R"("name":"remember","arguments":{"key":"m1","text":"a"})");
  EXPECT_EQ(CodeOf(Call("resources/subscribe", R"("uri":"plexus://memory/m1")")), 0);
  EXPECT_EQ(CodeOf(Call("resources/subscribe", R"("uri":"plexus://no")")), kInvalidParams);
  Call("tools/call", R"("name":"remember","arguments":{"key":"m2","text":"b"})");
  Call("tools/call", R"("name":"put","arguments":{"key":"m1","text":"c"})");
  EXPECT_TRUE(AwaitSent("plexus://memory/m1"));
  for (const std::string& text : Sent()) EXPECT_EQ(text.find("m2"), std::string::npos) << text;
  EXPECT_EQ(CodeOf(Call("resources/unsubscribe", R"("uri":"plexus://memory/m1")")), 0);
}

TEST_F(ProtocolTest, AStreamOfChangesIsAcknowledgedFirstAndEndsByItsId) {
  Call("tools/call", R"("name":"remember","arguments":{"key":"m1","text":"a"})");
  const json::object none =
      Ask(R"({"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":)"
          R"({"resourceSubscriptions":["plexus://memory/m1","plexus://no"]},)" +
          kMeta + "}}");
  EXPECT_TRUE(none.empty());
  ASSERT_GE(Sent().size(), 1u);
  EXPECT_NE(Sent()[0].find("acknowledged"), std::string::npos);
  EXPECT_EQ(Sent()[0].find("plexus://no"), std::string::npos);
  Call("tools/call", R"("name":"put","arguments":{"key":"m1","text":"b"})");
  ASSERT_TRUE(AwaitSent("resources/updated"));
  EXPECT_NE(Sent()[1].find(R"("io.modelcontextprotocol/subscriptionId":"s")"), std::string::npos);
  Ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // what was on its way
  const std::size_t before = Sent().size();
  Call("tools/call", R"("name":"put","arguments":{"key":"m1","text":"c"})");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(Sent().size(), before);
}

TEST_F(ProtocolTest, RightsAndWallsHoldForEveryTool) {
  Call("tools/call", R"("name":"remember","arguments":{"key":"m1","text":"secret"})");
  Caller walled;
  walled.wall = {"anna"};
  Caller reader;
  reader.may_write = reader.may_destroy = false;
  const auto ask = [&](const Caller& caller, const std::string& params) {
    Conversation other(caller, nullptr);
    const auto message = Protocol::Read(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)" + params + "}}");
    return protocol_->Answer(*message, other).text;
  };
  EXPECT_NE(ask(reader, R"("name":"remember","arguments":{"key":"x","text":"y"})").find("right to"),
            std::string::npos);
  EXPECT_NE(ask(reader, R"("name":"recall","arguments":{"words":"secret","commit":true})")
                .find("isError\":true"),
            std::string::npos);
  EXPECT_NE(ask(walled, R"("name":"get","arguments":{"key":"m1"})").find("isError\":true"),
            std::string::npos);
  // The scope of a request is no way round the wall.
  EXPECT_EQ(ask(walled, R"("name":"list","arguments":{"scope":["user"]})").find("m1"),
            std::string::npos);
  EXPECT_NE(ask(walled, R"("name":"log","arguments":{})").find("isError\":true"),
            std::string::npos);
  EXPECT_NE(ask(reader, R"("name":"get","arguments":{"key":"m1"})").find("secret"),
            std::string::npos);
}

TEST_F(ProtocolTest, CompletionKnowsKeysOfWhatItIsAskedFor) {
  for (const char* key : {"alpha", "alps", "beta"})
    Call("tools/call",
         R"("name":"remember","arguments":{"key":")" + std::string(key) + R"(","text":"a"})");
  const auto complete = [&](const std::string& reference, const std::string& argument) {
    return Call("completion/complete", "\"ref\":" + reference + ",\"argument\":" + argument);
  };
  const auto values = [](const json::object& answer) {
    return json::serialize(answer.at("result").at("completion").at("values"));
  };
  const std::string memory = R"({"type":"ref/resource","uri":"plexus://memory/{key}"})";
  const std::string prompt = R"({"type":"ref/prompt","name":"recall"})";
  EXPECT_EQ(values(complete(memory, R"({"name":"key","value":"al"})")), R"(["alpha","alps"])");
  EXPECT_EQ(values(complete(prompt, R"({"name":"topic","value":"be"})")), R"(["beta"])");
  EXPECT_EQ(values(complete(memory, R"({"name":"key","value":"zz"})")), "[]");
  for (const auto& [reference, argument] :
       {std::pair(memory, R"({"name":"topic","value":"al"})"),
        std::pair(prompt, R"({"name":"key","value":"al"})"),
        std::pair(std::string(R"({"type":"ref/prompt","name":"no"})"),
                  R"({"name":"topic","value":"al"})"),
        std::pair(std::string(R"({"type":"ref/resource","uri":"plexus://status"})"),
                  R"({"name":"key","value":"al"})"),
        std::pair(std::string("{}"), R"({"name":"key","value":"al"})")})
    EXPECT_EQ(CodeOf(complete(reference, argument)), kInvalidParams) << reference << argument;
}

TEST_F(ProtocolTest, SubscribingIsOfferedWhereUpdatesCanBeSent) {
  EXPECT_TRUE(Call("initialize")
                  .at("result")
                  .at("capabilities")
                  .at("resources")
                  .as_object()
                  .contains("subscribe"));
  Conversation post(Caller(), nullptr);
  const auto message = Protocol::Read(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  const json::value answer = json::parse(protocol_->Answer(*message, post).text);
  EXPECT_FALSE(
      answer.at("result").at("capabilities").at("resources").as_object().contains("subscribe"));
}

}  // namespace
}  // namespace plexus::tools::server
