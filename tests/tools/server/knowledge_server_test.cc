// What MCP's memory server loses: two processes on one directory, calls in flight; its file and its
// subscription.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "tests/support/run_plexus.h"
#include "tests/tools/server/server_process.h"

namespace plexus::testing {
namespace {

std::string CreateLine(int id, const std::string& name) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
         R"(,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[)"
         R"({"name":")" +
         name + R"(","entityType":"t","observations":["of )" + name + R"("]}]}}})";
}

// That server keeps one of 200 calls in flight, and half of what two processes write.
TEST(KnowledgeServer, TwoProcessesWith200CallsInFlightLoseNothing) {
  const TempDir dir;
  const std::vector<std::string> words = {"--db", dir / "g", "--mcp", "--tools", "server-memory"};
  ServerProcess first(words), second(words);
  for (int i = 0; i < 200; ++i) {
    first.Send(CreateLine(i, "first " + std::to_string(i)));
    second.Send(CreateLine(i, "second " + std::to_string(i)));
  }
  for (ServerProcess* one : {&first, &second})
    for (int i = 0; i < 200; ++i)
      ASSERT_NE(one->Line().find("structuredContent"), std::string::npos) << i;
  for (ServerProcess* one : {&first, &second}) {
    const auto graph = boost::json::parse(one->Tool("read_graph", "{}"));
    EXPECT_EQ(graph.at("entities").get_array().size(), 400u);
  }
  // The file of that server, out and in again.
  first.CloseInput();
  second.CloseInput();
  first.Wait();
  second.Wait();
  const Finished file = Plexus({"export", "--db", dir / "g", "--format", "mcp-memory"});
  ASSERT_EQ(file.code, 0) << file.err;
  EXPECT_EQ(std::ranges::count(file.out, '\n'), 400);
  const std::string path = dir.File("memory.jsonl", file.out);
  ASSERT_EQ(Plexus({"import", "--db", dir / "again", path}).code, 0);
  ServerProcess again({"--db", dir / "again", "--mcp", "--tools", "server-memory"});
  EXPECT_EQ(boost::json::parse(again.Tool("read_graph", "{}")).at("entities").get_array().size(),
            400u);
}

TEST(KnowledgeServer, SubscribersOfItsResourceHearOfChanges) {
  const TempDir dir;
  ServerProcess server({"--db", dir / "g", "--mcp", "--tools", "server-memory"});
  (void)server.Ask("resources/subscribe", R"({"uri":"memory://knowledge-graph"})");
  server.Send(CreateLine(1, "Ada"));
  const std::string lines[] = {server.Line(), server.Line()};
  EXPECT_TRUE(std::ranges::any_of(
      lines,
      [](const std::string& line) {
        return line.find("notifications/resources/updated") != std::string::npos &&
               line.find("memory://knowledge-graph") != std::string::npos;
      }))
      << lines[0] << lines[1];
  const auto read = server.Ask("resources/read", R"({"uri":"memory://knowledge-graph"})");
  EXPECT_NE(boost::json::serialize(read).find("Ada"), std::string::npos);
}

// What cannot be read in one line changes, too.
TEST(KnowledgeServer, SubscribersHearOfAGraphThatIsAboveALine) {
  const TempDir dir;
  ServerProcess server({"--db", dir / "g", "--mcp", "--tools", "server-memory"});
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
    (void)server.Tool("create_entities", R"({"entities":[{"name":")" + std::string(name) +
                                             R"(","entityType":"t","observations":[")" +
                                             std::string(900'000, 'x') + R"("]}]})");
  const auto read = server.Ask("resources/read", R"({"uri":"memory://knowledge-graph"})");
  EXPECT_NE(boost::json::serialize(read).find("8 MiB"), std::string::npos);
  (void)server.Ask("resources/subscribe", R"({"uri":"memory://knowledge-graph"})");
  server.Send(CreateLine(1, "Ada"));
  const std::string lines[] = {server.Line(), server.Line()};
  EXPECT_TRUE(std::ranges::any_of(lines,
                                  [](const std::string& line) {
                                    return line.find("notifications/resources/updated") !=
                                           std::string::npos;
                                  }))
      << lines[0] << lines[1];
}

}  // namespace
}  // namespace plexus::testing
