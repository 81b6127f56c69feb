// What ends early: cancelled requests and streams, exceptions, and subscriptions made meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <chrono>
#include <new>
#include <thread>

#include "tests/tools/server/meta.h"
#include "tools/server/mcp/protocol.h"
#include "tools/server/workers.h"

namespace plexus::tools::server {
namespace {

// A server whose requests take as long as the test wants.
class SlowBackend final : public Backend {
 public:
  std::string ServerInfo() const override { return "{}"; }
  std::string Instructions() const override { return ""; }
  std::string Capabilities(Era) const override { return ""; }
  std::vector<std::string> Tools(Era) const override { return {}; }
  bool HasTool(std::string_view) const override { return false; }
  bool OnlyReads(std::string_view) const override { return true; }
  Outcome CallTool(std::string_view, const json::object&, Call&) override { return ""; }
  bool MaySubscribe(std::string_view) const override {
    ++looked;
    return true;
  }
  std::optional<Outcome> Other(std::string_view method, Call& call) override {
    if (method == "throw") throw std::bad_alloc();
    ++begun;
    while (!call.cancel->load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return "";
  }
  std::atomic<int> begun = 0;
  mutable int looked = 0;
};

TEST(Cancelling, ARequestThatRunsOrWaitsIsNotAnswered) {
  SlowBackend backend;
  Protocol protocol(backend);
  Conversation conversation(Caller(), nullptr);
  const auto slow = Protocol::Read(R"({"jsonrpc":"2.0","id":9,"method":"slow"})");
  const auto cancel = Protocol::Read(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})");
  std::string text = "not set";
  std::thread runs([&] { text = protocol.Answer(*slow, conversation).text; });
  while (backend.begun == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(json::parse(protocol.Answer(*slow, conversation).text).at("error").at("code"),
            kInvalidRequest);  // the id is under way
  (void)protocol.Answer(*cancel, conversation);
  runs.join();
  EXPECT_EQ(text, "");
  EXPECT_EQ(conversation.under_way(), 0u);

  ASSERT_TRUE(conversation.Await("9"));
  EXPECT_FALSE(conversation.Await("9"));
  (void)protocol.Answer(*cancel, conversation);
  EXPECT_EQ(protocol.Answer(*slow, conversation).text, "");
  EXPECT_EQ(backend.begun, 1);  // what waited has not begun
  EXPECT_EQ(conversation.under_way(), 0u);
}

TEST(Cancelling, AStreamEndsThatIsCancelledWhileItIsMade) {
  SlowBackend backend;
  Protocol protocol(backend);
  const auto cancel = Protocol::Read(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})");
  Conversation* own = nullptr;
  int sent = 0;
  Conversation conversation(Caller(), [&](const std::string&) {
    if (++sent == 1) (void)protocol.Answer(*cancel, *own);
  });
  own = &conversation;
  const auto listen = [&](int uris) {
    std::string list;
    for (int i = 0; i < uris; ++i)
      list += (i ? ",\"plexus://memory/" : "\"plexus://memory/") + std::to_string(i) + "\"";
    const auto message = Protocol::Read(
        R"({"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":)"
        R"({"resourceSubscriptions":[)" +
        list + "]}," + kMeta + "}}");
    return protocol.Answer(*message, conversation);
  };
  EXPECT_FALSE(listen(1).streams);
  EXPECT_EQ(sent, 1);
  EXPECT_FALSE(protocol.subscriptions().AnyUris());
  // More than a stream may have is refused before it is acknowledged.
  backend.looked = 0;
  EXPECT_NE(listen(5000).text.find("-32602"), std::string::npos);
  EXPECT_EQ(sent, 1);
  EXPECT_LE(backend.looked, 65);
}

TEST(Exceptions, AreAnsweredAndEndNothing) {
  SlowBackend backend;
  Protocol protocol(backend);
  Conversation conversation(Caller(), nullptr);
  const auto bad = Protocol::Read(R"({"jsonrpc":"2.0","id":1,"method":"throw"})");
  EXPECT_NE(protocol.Answer(*bad, conversation).text.find("-32603"), std::string::npos);
  EXPECT_EQ(conversation.under_way(), 0u);
  int done = 0;
  {
    Workers workers(1);
    workers.Post([] { throw std::bad_alloc(); });
    workers.Post([&] { ++done; });
  }
  EXPECT_EQ(done, 1);
}

// A change between the noting of a resource's state and the entry of its subscriber.
TEST(Subscribing, NoChangeIsMissedMeanwhile) {
  Subscriptions subscriptions;
  std::vector<std::string> sent;
  bool first = true;
  subscriptions.OnAdd([&](const Subscriptions::Entry&) {
    if (std::exchange(first, false))
      subscriptions.UpdatedWhere(
          [](const std::string& uri, const Subscriptions::Entry&) { return uri == "plexus://a"; });
  });
  EXPECT_TRUE(subscriptions.Add({.owner = 1, .uris = {"plexus://a"}, .send = [&](std::string text) {
                                   sent.push_back(std::move(text));
                                 }}));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_NE(sent[0].find("plexus://a"), std::string::npos);
}

// The watcher drops the states that nobody subscribes to at the end of a round. A whole round
// between the note of a state and the subscription must not leave a subscription without one.
TEST(Subscriptions, ARoundBetweenTheStateAndTheSubscriptionForgetsNothing) {
  Subscriptions subscriptions;
  bool known = false;
  int rounds = 0, sent = 0;
  subscriptions.OnAdd([&](const Subscriptions::Entry&) {
    known = true;
    if (rounds++ == 0)
      subscriptions.UpdatedWhere([](const std::string&, const auto&) { return false; },
                                 [&] { known = false; });
  });
  ASSERT_TRUE(subscriptions.Add({.owner = 1, .uris = {"a"}, .send = [&](std::string) { ++sent; }}));
  EXPECT_TRUE(known);
  EXPECT_EQ(sent, 1);
}

}  // namespace
}  // namespace plexus::tools::server
