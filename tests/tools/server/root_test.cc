// Many graphs below one directory: made, listed, asked, closed for others, dropped; by right.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json/parse.hpp>
#include <csignal>
#include <filesystem>

#include "tests/support/run_plexus.h"
#include "tests/tools/server/server_process.h"
#include "tools/server/http/root.h"
#include "tools/server/http/tokens.h"

namespace plexus::testing {
namespace {

TEST(Root, NamesAreNoPaths) {
  for (const char* name : {"a", "a.b", "A-1_x", "0"}) EXPECT_TRUE(tools::server::IsGraphName(name));
  for (const char* name : {"", ".", "..", ".a", "a/b", "a b", "a%2Fb", "\xc3\xa4"})
    EXPECT_FALSE(tools::server::IsGraphName(name)) << name;
  EXPECT_FALSE(tools::server::IsGraphName(std::string(101, 'a')));
}

TEST(Root, GraphsAreMadeAskedAndDropped) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "elsewhere");
  std::filesystem::create_directory(dir / "root");
  std::filesystem::create_symlink(dir / "elsewhere", dir / "root/link");
  ServerProcess server({"--root", dir / "root", "--http", "0", "--max-open", "4"});
  const std::uint16_t port = server.port();
  ASSERT_GT(port, 0) << server.log();
  // More than may be open: each is there when it is asked again.
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    EXPECT_EQ(Http(port, "POST", "/graphs", R"({"name":"g)" + n + "\"}").status, 201);
    EXPECT_EQ(Http(port, "POST", "/graphs/g" + n + "/v1/put", R"({"key":"k)" + n + "\"}").status,
              200);
  }
  // A link to a graph is no graph of this root.
  std::filesystem::create_symlink(dir / "root/g0", dir / "root/linked");
  EXPECT_EQ(Http(port, "GET", "/graphs/linked/v1/stats").status, 404);
  std::filesystem::create_directory(dir / "root/plain");
  EXPECT_EQ(Http(port, "GET", "/graphs/plain/v1/stats").body.find(dir / "root"), std::string::npos);
  const auto list = boost::json::parse(Http(port, "GET", "/graphs").body);
  EXPECT_EQ(list.at("graphs").as_array().size(), 12u);
  EXPECT_LE(list.at("open").as_int64(), 4);
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    EXPECT_EQ(Http(port, "GET", "/graphs/g" + n + "/v1/get?key=k" + n).status, 200);
    EXPECT_EQ(Http(port, "GET", "/graphs/g" + n + "/v1/get?key=other").status, 404);
  }
  EXPECT_NE(
      Http(port, "POST", "/graphs/g1/mcp", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")
          .body.find("recall"),
      std::string::npos);
  EXPECT_EQ(Http(port, "POST", "/graphs", R"({"name":"g1"})").status, 409);
  EXPECT_EQ(Http(port, "POST", "/graphs", R"({"name":"../x"})").status, 400);
  for (const char* path :
       {"/graphs/none/v1/stats", "/graphs/../v1/stats", "/graphs/link/v1/stats",
        "/graphs/%2e%2e/v1/stats", "/graphs/g1", "/v1/stats", "/graphs//v1/stats"})
    EXPECT_EQ(Http(port, "GET", path).status, 404) << path;
  EXPECT_EQ(Http(port, "DELETE", "/graphs/g1").status, 200);
  EXPECT_EQ(Http(port, "GET", "/graphs/g1/v1/stats").status, 404);
  EXPECT_FALSE(std::filesystem::exists(dir / "root/g1"));
  EXPECT_EQ(Http(port, "DELETE", "/graphs/link").status, 404);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 0);
  EXPECT_EQ(Plexus({"get", "k2", "--db", dir / "root/g2"}).code, 0);
}

TEST(Root, TokensNameTheirGraphs) {
  const TempDir dir;
  const std::string file =
      dir.File("tokens", R"({"name":"a","sha256":")" + tools::server::Sha256("anna") +
                             R"(","rights":["write"],"graphs":["anna"]})" + "\n" +
                             R"({"name":"x","sha256":")" + tools::server::Sha256("admin") +
                             R"(","rights":["admin"]})" + "\n");
  chmod(file.c_str(), 0600);
  std::filesystem::create_directory(dir / "root");
  ServerProcess server({"--root", dir / "root", "--http", "0", "--tokens", file});
  const std::uint16_t port = server.port();
  const std::string anna = "Authorization: Bearer anna\r\n";
  const std::string admin = "Authorization: Bearer admin\r\n";
  EXPECT_EQ(Http(port, "GET", "/graphs").status, 401);
  for (const char* name : {"anna", "bert"})
    EXPECT_EQ(
        Http(port, "POST", "/graphs", R"({"name":")" + std::string(name) + "\"}", admin).status,
        201);
  EXPECT_EQ(Http(port, "POST", "/graphs", R"({"name":"anna2"})", anna).status, 403);
  EXPECT_EQ(Http(port, "DELETE", "/graphs/anna", "", anna).status, 403);
  EXPECT_EQ(Http(port, "GET", "/graphs/bert/v1/stats", "", anna).status, 404);
  EXPECT_EQ(Http(port, "POST", "/graphs/anna/v1/put", R"({"key":"k"})", anna).status, 200);
  EXPECT_EQ(Http(port, "GET", "/graphs", "", anna).body.find("bert"), std::string::npos);
  // A body that no graph takes has no place: it is refused before it comes.
  const std::pair<const char*, int> bodies[] = {{"/graphs/bert/v1/import", 404},
                                                {"/graphs/none/v1/import", 404},
                                                {"/graphs/%2e%2e/v1/import", 404},
                                                {"/graphs/a/b/v1/import", 413},
                                                {"/v1/import", 413}};
  for (const auto& [path, status] : bodies) {
    TcpClient client(port);
    client.Send("POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + anna +
                "Content-Type: text/csv\r\nContent-Length: 3000000000\r\n\r\n");
    EXPECT_EQ(ParseAnswer(client.ReadAnswer()).status, status) << path;
  }
  EXPECT_EQ(Http(port, "POST", "/graphs/anna/v1/import?format=csv", "source,target\na,b\n",
                 anna + "Content-Type: text/csv\r\n")
                .status,
            200);
}

TEST(Root, DocumentsOfTheServerAreAtTheRoot) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "root");
  const std::string file =
      dir.File("tokens", R"({"name":"x","sha256":")" + tools::server::Sha256("admin") +
                             R"(","rights":["admin"]})" + "\n" + R"({"name":"a","sha256":")" +
                             tools::server::Sha256("anna") + R"(","graphs":["anna"]})" + "\n");
  chmod(file.c_str(), 0600);
  ServerProcess server({"--root", dir / "root", "--http", "0", "--tokens", file});
  const std::uint16_t port = server.port();
  const std::string admin = "Authorization: Bearer admin\r\n";
  EXPECT_EQ(Http(port, "GET", "/ready", "", admin).status, 200);
  EXPECT_EQ(Http(port, "GET", "/metrics").status, 401);
  EXPECT_EQ(Http(port, "GET", "/metrics", "", "Authorization: Bearer anna\r\n").status, 403);
  Http(port, "POST", "/graphs", R"({"name":"anna"})", admin);
  const HttpAnswer metrics = Http(port, "GET", "/metrics", "", admin);
  EXPECT_NE(metrics.body.find("\nplexus_graphs_open 1\n"), std::string::npos) << metrics.body;
  EXPECT_NE(metrics.body.find("\nplexus_http_refused_total 1\n"), std::string::npos);
  const HttpAnswer document = Http(port, "GET", "/openapi.json", "", admin);
  const boost::json::value paths = boost::json::parse(document.body).at("paths");
  EXPECT_EQ(paths.at("/graphs/{graph}/v1/put").at("parameters").as_array().size(), 1u);
  EXPECT_TRUE(paths.at("/graphs").as_object().contains("post"));
  EXPECT_FALSE(paths.as_object().contains("/v1/put"));
  const HttpAnswer of_graph = Http(port, "GET", "/graphs/anna/openapi.json", "", admin);
  EXPECT_TRUE(
      boost::json::parse(of_graph.body).at("paths").as_object().contains("/graphs/anna/v1/put"));
  std::filesystem::remove_all(dir / "root");
  EXPECT_EQ(Http(port, "GET", "/ready", "", admin).status, 503);
}

// What graphs answer counts, also of those that were closed since.
TEST(Root, CountsWhatItsGraphsAnswer) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "root");
  ServerProcess server({"--root", dir / "root", "--http", "0", "--max-open", "1"});
  const std::uint16_t port = server.port();
  for (const char* name : {"a", "b"}) {
    const std::string graph = std::string("/graphs/") + name;
    EXPECT_EQ(Http(port, "POST", "/graphs", R"({"name":")" + std::string(name) + "\"}").status,
              201);
    EXPECT_EQ(Http(port, "GET", graph + "/v1/get?key=none").status, 404);
    EXPECT_EQ(
        Http(port, "POST", graph + "/mcp", R"({"jsonrpc":"2.0","id":1,"method":"ping"})").status,
        200);
  }
  EXPECT_EQ(Http(port, "GET", "/graphs/none/v1/stats").status, 404);
  const std::string all = Http(port, "GET", "/metrics").body,
                    one = Http(port, "GET", "/graphs/b/metrics").body;
  EXPECT_NE(all.find("\nplexus_http_failed_total 3\n"), std::string::npos) << all;
  EXPECT_NE(all.find("\nplexus_mcp_messages_total 2\n"), std::string::npos) << all;
  EXPECT_NE(one.find("\nplexus_http_requests_total 3\n"), std::string::npos) << one;
  EXPECT_NE(one.find("\nplexus_http_failed_total 1\n"), std::string::npos) << one;
}

// A stream of changes ends when the server is asked to, with its last chunk.
TEST(Root, StreamsEndWithTheServer) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "root");
  ServerProcess server({"--root", dir / "root", "--http", "0"});
  const std::uint16_t port = server.port();
  Http(port, "POST", "/graphs", R"({"name":"g"})");
  TcpClient changes(port), listens(port);
  changes.Send(
      "GET /graphs/g/v1/changes?since=0 HTTP/1.1\r\nHost: localhost\r\n"
      "Accept: text/event-stream\r\n\r\n");
  const std::string listen =
      R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":)"
      R"({"toolsListChanged":true},"_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
  listens.Send(
      "POST /graphs/g/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n"
      "Content-Length: " +
      std::to_string(listen.size()) + "\r\n\r\n" + listen);
  EXPECT_NE(changes.ReadAnswer().find(" 200 "), std::string::npos);
  EXPECT_NE(listens.ReadAnswer().find("text/event-stream"), std::string::npos);
  server.Signal(SIGTERM);
  const std::string of_changes = changes.ReadAll(10'000), of_listens = listens.ReadAll(10'000);
  EXPECT_TRUE(of_changes.ends_with("0\r\n\r\n")) << of_changes;
  EXPECT_NE(of_listens.find("complete"), std::string::npos) << of_listens;
  EXPECT_TRUE(of_listens.ends_with("0\r\n\r\n")) << of_listens;
  EXPECT_EQ(server.Wait(), 0);
}

}  // namespace
}  // namespace plexus::testing
