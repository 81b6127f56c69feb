// Eight clients at a time over one graph: calls that read and write, resources, subscriptions and
// cancellations. For the sanitizer of threads: TSAN_OPTIONS=suppressions=tests/tsan.supp
// build/tsan/tests/tools/server/server_test
// --gtest_filter='Clients.*'.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "tests/support/run_plexus.h"
#include "tools/server/server.h"

namespace plexus::tools::server {
namespace {

TEST(Clients, EightAtATime) {
  constexpr int kClients = 8, kSteps = 40;
  const testing::TempDir dir;
  ServiceOptions options;
  options.directory = dir / "g";
  const auto server = *Server::Open(options);
  Protocol& protocol = **server->With({"memory", "ledger", "server-memory"});
  std::atomic<int> acknowledged = 0, updates = 0;
  const auto client = [&](int number) {
    Caller caller;
    if (number % 4 == 3) caller.wall = {"scope" + std::to_string(number)};
    Conversation conversation(caller, [&](std::string) { ++updates; });
    const auto ask = [&](int id, const std::string& method, const std::string& params) {
      const auto message =
          Protocol::Read(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" +
                         method + R"(","params":)" + params + "}");
      return message ? protocol.Answer(*message, conversation).text : std::string();
    };
    const auto call = [&](int id, const std::string& tool, const std::string& arguments) {
      return ask(id, "tools/call", R"({"name":")" + tool + R"(","arguments":)" + arguments + "}");
    };
    (void)ask(1, "resources/subscribe", R"({"uri":"memory://knowledge-graph"})");
    for (int step = 0; step < kSteps; ++step) {
      const std::string key = "k" + std::to_string(number) + "_" + std::to_string(step);
      const int id = 10 * step + 10;
      const std::string written =
          step % 2 == 0
              ? call(id, "remember", R"({"key":")" + key + R"(","text":"note of )" + key + R"("})")
              : call(id, "create_entities",
                     R"({"entities":[{"name":")" + key +
                         R"(","entityType":"t","observations":["note"]}]})");
      EXPECT_NE(written.find(key), std::string::npos) << written;
      acknowledged += written.find("\"isError\":true") == std::string::npos;
      std::thread canceller([&] { conversation.Cancel(std::to_string(id + 1)); });
      (void)call(id + 1, "recall", R"({"words":"note","limit":3})");
      canceller.join();
      EXPECT_NE(call(id + 2, "open_nodes", R"({"names":[")" + key + R"("]})").find(key),
                std::string::npos);
      (void)ask(id + 3, "resources/read", R"({"uri":"plexus://status"})");
      (void)call(id + 4, "what_next", "{}");
    }
    protocol.subscriptions().RemoveOwner(conversation.number);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) threads.emplace_back(client, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(acknowledged, kClients * kSteps);
  const Snapshot snapshot = *server->service().snapshot();
  for (int i = 0; i < kClients; ++i)
    for (int step = 0; step < kSteps; ++step)
      EXPECT_TRUE(snapshot.FindAlive("k" + std::to_string(i) + "_" + std::to_string(step)));
  EXPECT_TRUE(server->Close());
}

}  // namespace
}  // namespace plexus::tools::server
