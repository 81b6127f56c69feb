// The port: hostile requests, limits, paths, tokens, streams.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <future>
#include <memory>
#include <thread>

#include "tests/support/run_plexus.h"
#include "tests/tools/limits/every_row.h"
#include "tests/tools/server/server_process.h"
#include "tools/server/http/tokens.h"

namespace plexus::testing {
namespace {

class HttpTest : public ::testing::Test {
 protected:
  void Start(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"--db", dir_ / "g", "--http", "0"};
    words.insert(words.end(), more.begin(), more.end());
    server_ = std::make_unique<ServerProcess>(words);
    port_ = server_->port();
    ASSERT_GT(port_, 0) << server_->log();
  }
  bool Alive() { return Http(port_, "GET", "/health").status == 200; }

  TempDir dir_;
  std::unique_ptr<ServerProcess> server_;
  std::uint16_t port_ = 0;
};

TEST_F(HttpTest, OperationsByPostAndByShortGet) {
  Start();
  EXPECT_EQ(Http(port_, "POST", "/v1/put", R"({"key":"a b","text":"x"})").status, 200);
  EXPECT_EQ(
      Http(port_, "POST", "/v1/link", R"({"source":"a b","kind":"related","target":"c/d"})").status,
      200);
  const HttpAnswer get = Http(port_, "GET", "/v1/get?key=a%20b");
  EXPECT_EQ(get.status, 200) << get.body;
  EXPECT_NE(get.body.find(R"("text":"x")"), std::string::npos);
  EXPECT_EQ(Http(port_, "GET", "/v1/get?key=none").status, 404);
  EXPECT_EQ(Http(port_, "GET", "/v1/history?key=none").status, 404);
  EXPECT_EQ(Http(port_, "GET", "/v1/history?key=a+b").body,
            Http(port_, "POST", "/v1/history", R"({"key":"a b"})").body);
  EXPECT_EQ(Http(port_, "GET", "/v1/get?ky=none").status, 400);
  EXPECT_EQ(Http(port_, "GET", "/v1/remove?key=a+b").status, 405);
  EXPECT_EQ(Http(port_, "GET", "/v1/recall?words=x&commit").status, 405);
  EXPECT_EQ(Http(port_, "GET", "/v1/verify").status, 405);
  EXPECT_EQ(Http(port_, "HEAD", "/v1/export").status, 405);
  EXPECT_EQ(Http(port_, "HEAD", "/health").status, 200);
  EXPECT_EQ(Http(port_, "GET", "/v1/nothing").status, 404);
  EXPECT_EQ(Http(port_, "DELETE", "/v1/get").status, 405);
  EXPECT_EQ(Http(port_, "POST", "/v1/get", "{}").status, 400);
  const HttpAnswer around = Http(port_, "GET", "/api/graph/neighbors/a%20b?max_hops=1");
  EXPECT_NE(around.body.find("c/d"), std::string::npos) << around.body;
  EXPECT_EQ(Http(port_, "GET", "/api/graph/path/a%20b/c%2Fd").status, 200);
  // Files of this machine are not for who asks over HTTP.
  EXPECT_EQ(Http(port_, "POST", "/v1/import", R"({"files":["/etc/passwd"]})").status, 409);
  EXPECT_EQ(Http(port_, "POST", "/v1/backup", R"({"to":"/tmp/x"})").status, 409);
  const HttpAnswer exported = Http(port_, "POST", "/v1/export", "{}");
  EXPECT_EQ(exported.status, 200);
  EXPECT_NE(exported.body.find("a b"), std::string::npos);
}

TEST_F(HttpTest, DocumentsForWhoeverRunsIt) {
  Start();
  EXPECT_EQ(Http(port_, "GET", "/ready").status, 200);
  const HttpAnswer document = Http(port_, "GET", "/openapi.json");
  const auto value = boost::json::parse(document.body);
  EXPECT_EQ(value.at("openapi"), "3.1.0");
  EXPECT_TRUE(value.at("paths").as_object().contains("/v1/recall"));
  EXPECT_TRUE(value.at("paths").at("/v1/recall").as_object().contains("post"));
  const HttpAnswer metrics = Http(port_, "GET", "/metrics");
  EXPECT_NE(metrics.body.find("plexus_http_requests_total"), std::string::npos);
  EXPECT_NE(metrics.head.find("nosniff"), std::string::npos);
}

// The forms of requests that two readers read in two ways, or that ended a process.
TEST_F(HttpTest, HostileFormsAreRefused) {
  Start();
  const std::string post = "POST /v1/stats HTTP/1.1\r\n", host = "Host: localhost\r\n";
  const std::string json = "Content-Type: application/json\r\n";
  const std::string smuggled = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
  // What each is answered with; 0: nothing that could be a request, it is closed.
  const std::vector<std::pair<std::string, int>> forms = {
      {post + host + json + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", 400},
      {post + host + json + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}", 400},
      {post + host + json + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: " +
           std::string(100'000, 'x') + "\r\n\r\n",
       411},
      {post + host + json + "Transfer-Encoding: xchunked\r\n\r\n" + smuggled, 411},
      {post + host + json + "Transfer-Encoding: chunked, identity\r\n\r\n" + smuggled, 411},
      {post + host + json + "Transfer-Encoding: chunked\r\n\r\n2;" + std::string(20'000, 'e') +
           "\r\n{}\r\n0\r\n\r\n",
       411},
      {post + host + json + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", 400},
      {post + host + json + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400},
      {post + host + json + "Content-Length: +2\r\n\r\n{}", 400},
      {post + host + json + "Content-Length: -2\r\n\r\n{}", 400},
      {post + host + json + "Content-Length: 0x2\r\n\r\n{}", 400},
      {post + host + json + "Content-Length: 99999999999999999999999999\r\n\r\n{}", 400},
      {post + host + json + "Content-Length : 2\r\n\r\n{}", 400},
      {post + json + "Content-Length: 2\r\n\r\n{}", 400},
      {post + host + "Host: evil.example\r\n" + json + "Content-Length: 2\r\n\r\n{}", 400},
      {post + "Host: evil.example\r\n" + json + "Content-Length: 2\r\n\r\n{}", 403},
      {post + host + "Origin: http://evil.example\r\n" + json + "Content-Length: 2\r\n\r\n{}", 403},
      {post + host + "X: " + std::string(17'000, 'x') + "\r\n\r\n", 431},
      {post + host + json + "Content-Length: 5000000\r\n\r\n{}", 413},
      {"GET / HTTP/1.1\nHost: localhost\n\n", 400},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
      {std::string("GET /\0 HTTP/1.1\r\n", 17) + host + "\r\n", 400},
      {"GET /health HTTP/9.9\r\n" + host + "\r\n", 400},
      {post + host + json + "Content-Length: 80\r\n\r\n" + std::string(80, '['), 400},
      {post + host + json + "Content-Length: 4\r\n\r\n{bad", 400},
      {post + host + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 415},
      {"\r\n\r\n\r\n", 400},
      {"x", 0},
      {std::string(70'000, 'x'), 431}};
  // All are read at once: from a connection that is kept nothing more comes for long.
  std::vector<std::unique_ptr<TcpClient>> clients;
  std::vector<std::future<std::string>> answers;
  for (const auto& [form, status] : forms) {
    clients.push_back(std::make_unique<TcpClient>(port_));
    clients.back()->Send(form);
    answers.push_back(
        std::async(std::launch::async, &TcpClient::ReadAll, clients.back().get(), 8000));
    ASSERT_TRUE(Alive()) << form.substr(0, 200);
  }
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto& [form, status] = forms[i];
    const HttpAnswer answer = ParseAnswer(answers[i].get());
    EXPECT_EQ(answer.status, status) << form.substr(0, 200) << "\n" << answer.head;
    EXPECT_TRUE(clients[i]->Closed(0) || answer.head.find("Connection: close") == std::string::npos)
        << form.substr(0, 200);
    EXPECT_EQ(answer.body.find("{\"ok\":true}"), std::string::npos) << form.substr(0, 200);
    ASSERT_TRUE(Alive()) << form.substr(0, 200);
  }
}

TEST_F(HttpTest, HalfOpenConnectionsHoldUpNobodyAndAreDropped) {
  Start();
  std::vector<std::unique_ptr<TcpClient>> half;
  for (int i = 0; i < 200; ++i) {
    half.push_back(std::make_unique<TcpClient>(port_));
    half.back()->Send("POST /v1/stats HTTP/1.1\r\nHost: loc");
  }
  EXPECT_TRUE(Alive());
  EXPECT_FALSE(half.back()->Closed(0));  // it was answered while the others wait
  EXPECT_TRUE(half.front()->Closed(20'000));
  EXPECT_TRUE(half.back()->Closed(20'000));
}

TEST_F(HttpTest, ConnectionsThatAreTooManyAreRefusedInOrder) {
  Start();
  std::vector<std::unique_ptr<TcpClient>> held;
  for (int i = 0; i < 1024; ++i) held.push_back(std::make_unique<TcpClient>(port_));
  TcpClient last(port_);
  EXPECT_EQ(ParseAnswer(last.ReadAll(5000)).status, 503);
  held.clear();
  for (int i = 0; i < 100 && !Alive(); ++i) {
  }
  EXPECT_TRUE(Alive());
}

TEST_F(HttpTest, AConnectionTakesManyRequests) {
  Start();
  TcpClient client(port_);
  for (int i = 0; i < 100; ++i) {
    client.Send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(ParseAnswer(client.ReadAnswer()).status, 200);
  }
  // Two at once: the second is answered behind the first.
  client.Send(
      "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /ready HTTP/1.1\r\nHost: "
      "localhost\r\n\r\n");
  EXPECT_NE(client.ReadAnswer().find("ok"), std::string::npos);
  EXPECT_NE(client.ReadAnswer().find("ready"), std::string::npos);
}

TEST_F(HttpTest, TokensHaveRightsAndScopes) {
  const std::string file =
      dir_.File("tokens", R"({"name":"r","sha256":")" + tools::server::Sha256("reader") + "\"}\n" +
                              R"({"name":"w","sha256":")" + tools::server::Sha256("anna") +
                              R"(","rights":["write"],"scopes":["anna"]})" + "\n");
  chmod(file.c_str(), 0600);
  ASSERT_EQ(Plexus({"put", "m1", "--db", dir_ / "g", "--text", "secret"}).code, 0);
  Start({"--tokens", file});
  EXPECT_EQ(Http(port_, "GET", "/v1/stats").status, 401);
  const std::string reader = "Authorization: Bearer reader\r\n";
  const std::string anna = "Authorization: Bearer anna\r\n";
  EXPECT_EQ(Http(port_, "GET", "/v1/get?key=m1", "", reader).status, 200);
  EXPECT_EQ(Http(port_, "POST", "/v1/put", R"({"key":"x"})", reader).status, 403);
  EXPECT_EQ(Http(port_, "POST", "/v1/recall", R"({"words":"secret","commit":true})", reader).status,
            403);
  EXPECT_EQ(Http(port_, "GET", "/v1/get?key=m1", "", anna).status, 404);
  EXPECT_EQ(Http(port_, "POST", "/v1/put", R"({"key":"m2","text":"mine"})", anna).status, 200);
  EXPECT_EQ(Http(port_, "POST", "/v1/list", R"({"scope":["user"]})", anna).body.find("m1"),
            std::string::npos);
  const HttpAnswer answer =
      Http(port_, "POST", "/v1/import?format=csv", "source,target,weight\na,b,-2\n",
           anna + "Content-Type: text/csv\r\n");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(Http(port_, "POST", "/v1/import?format=csv&dry_run=true",
                 "source,target,weight\na,b,-2\n", anna + "Content-Type: text/csv\r\n")
                .status,
            200);
  const std::string& refused = answer.body;
  EXPECT_NE(refused.find("is negative"), std::string::npos) << refused;
  EXPECT_EQ(refused.find("\"warnings\""), refused.rfind("\"warnings\"")) << refused;
  EXPECT_EQ(Http(port_, "GET", "/v1/changes?since=0", "", anna).status, 403);
  EXPECT_EQ(Http(port_, "POST", "/v1/purge", R"({"key":"m2"})", anna).status, 403);
  EXPECT_NE(Http(port_, "GET", "/metrics", "", reader).body.find("plexus_http_refused_total 1"),
            std::string::npos);
}

// A body that is a file is longer than what memory takes, and goes to the importer as a stream.
TEST_F(HttpTest, ABodyIsImportedAndAnExportIsAStream) {
  Start();
  const std::string csv = "Content-Type: text/csv\r\n";
  const std::string to = "/v1/import?format=csv";
  HttpAnswer answer = Http(port_, "POST", to, "source,target,weight\na,b,0.5\nb,c,1\n", csv);
  EXPECT_EQ(answer.status, 200);
  EXPECT_NE(answer.body.find(R"("edges":{"new":2)"), std::string::npos) << answer.body;
  std::string lines;
  while (lines.size() <= std::size_t{5} << 20)
    lines += R"({"node":"n)" + std::to_string(lines.size()) + R"(","text":")" +
             std::string(2000, 'x') + "\"}\n";
  answer = Http(port_, "POST", "/v1/import?format=jsonl", lines, "Content-Type: text/plain\r\n");
  EXPECT_EQ(answer.status, 200) << answer.body;
  const auto count = std::to_string(std::ranges::count(lines, '\n'));
  EXPECT_NE(answer.body.find(R"("nodes":{"new":)" + count + ","), std::string::npos) << answer.body;
  // The same as a request, and what is no file of the body.
  EXPECT_EQ(Http(port_, "POST", "/v1/put", lines, csv).status, 413);
  EXPECT_EQ(Http(port_, "POST", "/v1/import?files=/etc/passwd", "a", csv).status, 400);
  EXPECT_EQ(Http(port_, "POST", "/v1/import", R"({"files":["-"]})").status, 409);
  EXPECT_EQ(Http(port_, "POST", "/v1/import?no=1", "a", csv).status, 400);
  EXPECT_NE(Http(port_, "POST", to, "source,target\na\n", csv).body.find("standard input:2"),
            std::string::npos);
  const HttpAnswer out = Http(port_, "POST", "/v1/export", R"({"format":"jsonl"})");
  EXPECT_EQ(out.status, 200);
  EXPECT_NE(out.head.find("chunked"), std::string::npos) << out.head;
  EXPECT_GT(out.body.size(), lines.size());
}

TEST_F(HttpTest, VectorsGoInAndOutAsRawNumbers) {
  Start();
  const std::vector<float> rows = {1, 2, 3, -4, 5.5f, 0.25f};
  const std::string numbers(reinterpret_cast<const char*>(rows.data()),
                            rows.size() * sizeof(float));
  const std::string body = "anna\nbert smith\n\n" + numbers;
  const std::string raw = "Content-Type: application/octet-stream\r\n";
  const std::string to = "/v1/import?format=f32&dimensions=3&space=faces";
  const HttpAnswer in = Http(port_, "POST", to + "&keys=-", body, raw);
  EXPECT_EQ(in.status, 200) << in.body;
  EXPECT_NE(in.body.find(R"("vectors":2)"), std::string::npos) << in.body;
  const HttpAnswer out = Http(port_, "POST", "/v1/export", R"({"format":"f32","space":"faces"})");
  EXPECT_EQ(out.status, 200) << out.body;
  EXPECT_NE(out.head.find("application/octet-stream"), std::string::npos) << out.head;
  EXPECT_NE(out.body.find("\r\n" + body + "\r\n"), std::string::npos);
  // Without keys the rows are numbered.
  EXPECT_EQ(Http(port_, "POST", to, numbers, raw).status, 200);
  EXPECT_EQ(Http(port_, "GET", "/v1/get?key=1").status, 200);
  for (const auto& [query, sent] : std::vector<std::pair<std::string, std::string>>{
           {"&keys=-", numbers}, {"&keys=-", "anna\n\n" + numbers}, {"&keys=/etc/passwd", body}})
    EXPECT_GE(Http(port_, "POST", to + query, sent, raw).body.find("error"), 1u) << query;
  EXPECT_EQ(Http(port_, "POST", to + "&keys=/etc/passwd", body, raw).status, 409);
  EXPECT_EQ(Http(port_, "POST", "/v1/export", R"({"format":"f32","space":"no"})").status, 404);
  EXPECT_EQ(Http(port_, "POST", "/v1/export", R"({"format":"csv","space":"faces"})").status, 400);
}

TEST_F(HttpTest, AnImportNeedsTheRightToWriteBeforeItsBodyIsRead) {
  Start({"--read-only"});
  TcpClient client(port_);
  client.Send(
      "POST /v1/import?format=csv HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
      "Content-Length: 3000000000\r\n\r\n");
  EXPECT_EQ(ParseAnswer(client.ReadAnswer()).status, 403);
}

// 40 requests that come at once need 39 seconds at this rate.
TEST_F(HttpTest, MoreRequestsThanTheRateAreRefused) {
  Start({"--max-rate", "1"});
  TcpClient client(port_);
  std::string requests;
  for (int i = 0; i < 40; ++i) requests += "GET /v1/stats HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.Send(requests);
  int answered = 0, limited = 0;
  for (int i = 0; i < 40; ++i) {
    const HttpAnswer answer = ParseAnswer(client.ReadAnswer());
    answered += answer.status == 200;
    limited += answer.status == 429;
    EXPECT_EQ(answer.head.find("Retry-After: 1") != std::string::npos, answer.status == 429);
  }
  EXPECT_GE(answered, 1);
  EXPECT_GE(limited, 1);
  EXPECT_EQ(answered + limited, 40);
  for (int i = 0; i < 5; ++i)  // who watches is not limited
    for (const char* path : {"/health", "/ready", "/metrics"})
      EXPECT_EQ(Http(port_, "GET", path).status, 200) << path;
}

// A page of the browser that is refused takes nothing from this machine's agents.
TEST_F(HttpTest, WhoIsRefusedTakesNothingFromOthers) {
  Start({"--max-rate", "1"});
  TcpClient client(port_);
  std::string requests;
  for (int i = 0; i < 40; ++i)
    requests += "GET /v1/stats HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n";
  client.Send(requests);
  for (int i = 0; i < 40; ++i) EXPECT_NE(ParseAnswer(client.ReadAnswer()).status, 200);
  EXPECT_EQ(Http(port_, "GET", "/v1/stats").status, 200);
}

TEST_F(HttpTest, TokensAreTriedNoFasterThanTheRate) {
  const std::string file =
      dir_.File("tokens", R"({"name":"a","sha256":")" + tools::server::Sha256("anna") + "\"}\n");
  chmod(file.c_str(), 0600);
  Start({"--max-rate", "1", "--tokens", file});
  TcpClient client(port_);
  std::string requests;
  for (int i = 0; i < 40; ++i)
    requests += "GET /v1/stats HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x" +
                std::to_string(i) + "\r\n\r\n";
  client.Send(requests);
  int refused = 0, limited = 0;
  for (int i = 0; i < 40; ++i) {
    const int status = ParseAnswer(client.ReadAnswer()).status;
    refused += status == 401;
    limited += status == 429;
  }
  EXPECT_GE(refused, 1);
  EXPECT_GE(limited, 1);
  EXPECT_EQ(refused + limited, 40);
  EXPECT_EQ(Http(port_, "GET", "/v1/stats", "", "Authorization: Bearer anna\r\n").status, 200);
}

TEST_F(HttpTest, AContentTypeIsComparedWhole) {
  Start();
  const auto ask = [&](const char* to, const char* body, const std::string& type) {
    return Http(port_, "POST", to, body, "Content-Type: " + type + "\r\n").status;
  };
  for (const char* type : {"application/json", "Application/JSON; charset=utf-8",
                           "application/json ;x=y", "application/json;charset=utf-8"})
    EXPECT_EQ(ask("/v1/stats", "{}", type), 200) << type;
  for (const char* type : {"application/jsonl", "application/json-seq", "application/jso"}) {
    EXPECT_EQ(ask("/v1/stats", "{}", type), 415) << type;
    EXPECT_EQ(ask("/v1/import?format=jsonl", R"({"node":"n","text":"x"})", type), 200) << type;
  }
}

TEST_F(HttpTest, AParameterOfAQueryIsGivenOnce) {
  Start();
  Http(port_, "POST", "/v1/put", R"({"key":"a","text":"x"})");
  for (const char* query :
       {"/api/graph/neighbors/a?max_hops=1&max_hops=2", "/api/graph/neighbors/a?max_hops=1&hops=2",
        "/api/graph/neighbors/a?from=b", "/v1/changes?since=0&since=1",
        "/v1/changes?limit=1&since=0&limit=2"})
    EXPECT_EQ(Http(port_, "GET", query).status, 400) << query;
  EXPECT_EQ(Http(port_, "GET", "/api/graph/neighbors/a?max_hops=2").status, 200);
}

TEST_F(HttpTest, TokensOfGraphsNeedARoot) {
  const std::string file =
      dir_.File("tokens", R"({"name":"a","sha256":")" + tools::server::Sha256("anna") +
                              R"(","graphs":["anna"]})" + "\n");
  chmod(file.c_str(), 0600);
  ServerProcess server({"--db", dir_ / "g", "--http", "0", "--tokens", file});
  EXPECT_NE(server.Wait(), 0);
  EXPECT_NE(server.log().find("--root"), std::string::npos) << server.log();
}

TEST_F(HttpTest, ChangesAreAPageOrAStream) {
  Start();
  Http(port_, "POST", "/v1/put", R"({"key":"m1","text":"a"})");
  Http(port_, "POST", "/v1/link", R"({"source":"m1","kind":"related","target":"m2"})");
  const HttpAnswer page = Http(port_, "GET", "/v1/changes?since=0");
  const auto value = boost::json::parse(page.body);
  ASSERT_GE(value.at("changes").as_array().size(), 2u) << page.body;
  EXPECT_EQ(value.at("changes").at(0).at("nodes").at(0), "m1");
  const auto next = boost::json::serialize(value.at("next"));
  EXPECT_EQ(boost::json::parse(Http(port_, "GET", "/v1/changes?since=" + next).body)
                .at("changes")
                .as_array()
                .size(),
            0u);
  EXPECT_EQ(Http(port_, "GET", "/v1/changes?since=99999").status, 404);
  EXPECT_EQ(Http(port_, "GET", "/v1/changes?since=x").status, 400);
  TcpClient stream(port_);
  stream.Send("GET /v1/changes?since=" + next +
              " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
  Http(port_, "POST", "/v1/put", R"({"key":"m3","text":"later"})");
  const std::string events = stream.ReadAll(1500);
  EXPECT_NE(events.find("text/event-stream"), std::string::npos) << events;
  EXPECT_NE(events.find("\"m3\""), std::string::npos) << events;
}

TEST_F(HttpTest, McpByPost) {
  Start();
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}})";
  EXPECT_EQ(Http(port_, "GET", "/mcp").status, 405);
  EXPECT_EQ(Http(port_, "DELETE", "/mcp").status, 405);
  EXPECT_NE(Http(port_, "POST", "/mcp", list).body.find("remember"), std::string::npos);
  EXPECT_EQ(Http(port_, "POST", "/mcp", R"({"jsonrpc":"2.0","method":"notifications/initialized"})")
                .status,
            202);
  EXPECT_EQ(Http(port_, "POST", "/mcp", "{bad").status, 400);
  EXPECT_EQ(Http(port_, "POST", "/mcp", list, "MCP-Protocol-Version: 1900-01-01\r\n").status, 400);
  const std::string stateless =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status","arguments":{},)"
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
  const std::string version = "MCP-Protocol-Version: 2026-07-28\r\n";
  const std::string method = "Mcp-Method: tools/call\r\n";
  EXPECT_EQ(
      Http(port_, "POST", "/mcp", stateless, version + method + "Mcp-Name: status\r\n").status,
      200);
  EXPECT_EQ(
      Http(port_, "POST", "/mcp", stateless, version + method + "Mcp-Name: =?base64?c3RhdHVz?=\r\n")
          .status,
      200);
  for (const std::string& headers :
       {std::string(), version, version + method, version + method + "Mcp-Name: other\r\n",
        version + "Mcp-Method: tools/list\r\nMcp-Name: status\r\n",
        "MCP-Protocol-Version: 2025-11-25\r\n" + method + "Mcp-Name: status\r\n"}) {
    const HttpAnswer answer = Http(port_, "POST", "/mcp", stateless, headers);
    EXPECT_EQ(answer.status, 400) << headers;
    EXPECT_NE(answer.body.find("-32020"), std::string::npos) << headers;
  }
}

// Each rewrites the record of the terms: as one after the other there is no conflict.
TEST_F(HttpTest, WritesOfManyClientsDoNotConflict) {
  Start();
  Http(port_, "POST", "/v1/put", R"({"key":"m0","text":"first"})");
  Http(port_, "POST", "/v1/terms", "{}");
  std::atomic<int> failed = 0;
  std::vector<std::thread> clients;
  for (int client = 0; client < 8; ++client)
    clients.emplace_back([&, client] {
      for (int i = 0; i < 20; ++i) {
        const std::string key = std::to_string(client) + "_" + std::to_string(i);
        const HttpAnswer answer = Http(port_, "POST", "/v1/put",
                                       R"({"key":"k)" + key + R"(","text":"word)" + key + "\"}");
        failed += answer.status != 200;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(failed, 0);
}

// A client that ends its side, or all, while its request is under way.
TEST_F(HttpTest, ClientsThatLeaveHoldUpNobody) {
  Start();
  for (int i = 0; i < 50; ++i) {
    TcpClient client(port_);
    client.Send("GET /v1/stats HTTP/1.1\r\nHost: localhost\r\n\r\n");
    if (i % 2) client.EndSending();
  }
  EXPECT_TRUE(Alive());
}

TEST_F(HttpTest, ProgressComesAsEvents) {
  Start();
  const HttpAnswer events = Http(port_, "POST", "/v1/stats", "{}", "Accept: text/event-stream\r\n");
  EXPECT_NE(events.body.find("event: reply"), std::string::npos) << events.body;
  const HttpAnswer failed =
      Http(port_, "POST", "/v1/get", R"({"key":["none"]})", "Accept: text/event-stream\r\n");
  EXPECT_NE(failed.body.find("event: error"), std::string::npos);
}

}  // namespace
}  // namespace plexus::testing
