// The HTTP server by itself, with a handler of the test: streams, limits, what ends when.
#include "tools/server/http/http_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/tools/server/server_process.h"

namespace plexus::tools::server {
namespace {

using testing::ParseAnswer;
using testing::TcpClient;
using Exchange = std::shared_ptr<HttpExchange>;

std::string Get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

// A body in chunks, as a client decodes it.
struct Chunks {
  std::string text = {};
  bool whole = false;      // the last chunk has come
  bool malformed = false;  // a size was not where it must be
};

Chunks Decode(const std::string& answer) {
  Chunks chunks;
  std::size_t at = answer.find("\r\n\r\n");
  if (at == std::string::npos) return {.malformed = true};
  at += 4;
  while (at < answer.size()) {
    const std::size_t end = answer.find("\r\n", at);
    if (end == std::string::npos) break;
    const std::string digits = answer.substr(at, end - at);
    if (digits.empty() || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
      chunks.malformed = true;
      break;
    }
    const std::size_t size = std::stoul(digits, nullptr, 16);
    if (size == 0) {
      chunks.whole = true;
      break;
    }
    chunks.text += answer.substr(end + 2, size);
    at = end + 2 + size + 2;
  }
  return chunks;
}

// Closed until it is opened.
class Gate {
 public:
  void Open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }
  bool Wait(int milliseconds = 20'000) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(const HttpOptions& options, HttpServer::Handler handler,
             HttpServer::Early early = {}) {
    auto started = HttpServer::Start(options, workers_, std::move(handler), std::move(early));
    ASSERT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
  }
  ~HttpServerTest() override { End(); }
  // Before what a handler refers to is gone.
  void End() {
    if (server_) server_->Stop(0);
    workers_.Stop();
  }

  Workers workers_{2};
  std::unique_ptr<HttpServer> server_;
};

HttpReply EventHead() { return {200, "text/event-stream", {}, {}}; }

TEST_F(HttpServerTest, AStreamThatIsSilentSendsCommentsBetweenChunks) {
  HttpOptions options;
  options.keep_alive_seconds = 1;
  Start(options, [&](const Exchange& exchange) {
    exchange->Begin(EventHead());
    exchange->Send("data: 1\n\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(3500));
    exchange->Send("data: 2\n\n");
    exchange->End();
  });
  TcpClient client(server_->port());
  client.Send(Get("/"));
  const std::string read = client.ReadAll(10'000);
  const Chunks chunks = Decode(read);
  EXPECT_FALSE(chunks.malformed) << read;
  EXPECT_TRUE(chunks.whole) << read;
  EXPECT_TRUE(chunks.text.starts_with("data: 1\n\n:\n\n")) << chunks.text;
  EXPECT_TRUE(chunks.text.ends_with(":\n\ndata: 2\n\n")) << chunks.text;
}

TEST_F(HttpServerTest, AStreamThatFailsHalfWayIsClosedWithoutItsEnd) {
  Start({}, [&](const Exchange& exchange) {
    exchange->Begin(EventHead());
    exchange->Send("half");
    if (exchange->request().target == "/throw") throw std::runtime_error("failed");
    if (exchange->request().target == "/reply") return exchange->Reply({500, "", {}, "late"});
    exchange->Abort();
  });
  for (const char* path : {"/abort", "/throw", "/reply"}) {
    TcpClient client(server_->port());
    client.Send(Get(path));
    const std::string read = client.ReadAll(10'000);
    EXPECT_TRUE(client.Closed(10'000)) << path;
    EXPECT_FALSE(Decode(read).whole) << path << read;
    EXPECT_EQ(read.find("late"), std::string::npos);
  }
}

TEST_F(HttpServerTest, StreamsThatAreTooManyAreRefused) {
  HttpOptions options;
  options.max_streams = 1;
  std::mutex mutex;
  std::vector<Exchange> kept;
  Start(options, [&](const Exchange& exchange) {
    exchange->Begin(EventHead());
    exchange->Send("data: 1\n\n");
    const std::lock_guard lock(mutex);
    kept.push_back(exchange);
  });
  TcpClient first(server_->port());
  first.Send(Get("/"));
  EXPECT_EQ(ParseAnswer(first.ReadAnswer()).status, 200);
  TcpClient second(server_->port());
  second.Send(Get("/"));
  EXPECT_EQ(ParseAnswer(second.ReadAll(10'000)).status, 503);
  EXPECT_FALSE(first.Closed(0));
  server_->Stop(0);
}

TEST_F(HttpServerTest, WhoMayNotAskIsAnsweredBeforeTheBody) {
  std::atomic<int> handled = 0;
  Start(
      {},
      [&](const Exchange& exchange) {
        ++handled;
        exchange->Reply({200, "", {}, exchange->request().body});
      },
      [](const HttpRequest& request) -> std::optional<HttpReply> {
        if (request.Header("Authorization") == "Bearer x") return std::nullopt;
        return HttpReply{401, "", {}, "no"};
      });
  TcpClient client(server_->port());
  // None of the body is sent: the answer comes from the header.
  client.Send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_EQ(ParseAnswer(client.ReadAnswer()).status, 401);
  EXPECT_TRUE(client.Closed(10'000));
  TcpClient known(server_->port());
  known.Send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nContent-Length: "
      "2\r\n\r\nab");
  EXPECT_EQ(ParseAnswer(known.ReadAnswer()).body, "ab");
  EXPECT_EQ(handled, 1);
}

TEST_F(HttpServerTest, BodiesUnderWayHaveOneBudget) {
  HttpOptions options;
  options.max_bodies = 1000;
  Start(options, [](const Exchange& exchange) { exchange->Reply({200, "", {}, "done"}); });
  const std::string head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 800\r\n\r\n";
  TcpClient slow(server_->port());
  slow.Send(head + "begun");
  TcpClient other(server_->port());
  for (int i = 0; i < 100; ++i) {  // until the first header was read
    TcpClient next(server_->port());
    next.Send(head + std::string(800, 'x'));
    if (ParseAnswer(next.ReadAnswer()).status == 503) break;
    ASSERT_LT(i, 99);
  }
  other.Send(Get("/"));  // without a body
  EXPECT_EQ(ParseAnswer(other.ReadAnswer()).status, 200);
  // What was taken comes back, also for the connection that stays.
  slow.Send(std::string(795, 'x'));
  EXPECT_EQ(ParseAnswer(slow.ReadAnswer()).status, 200);
  other.Send(head + std::string(800, 'x'));
  EXPECT_EQ(ParseAnswer(other.ReadAnswer()).status, 200);
}

// Of those that go to files one client has half at most.
TEST_F(HttpServerTest, SilentBodiesOfOneClientLeaveRoomForOthers) {
  HttpOptions options;
  options.spools = [](const HttpRequest& request) -> std::optional<std::string> {
    return std::string(request.Header("Authorization"));
  };
  Start(options, [](const Exchange& exchange) { exchange->Reply({200, "", {}, "done"}); });
  const auto head = [](const std::string& who, const std::string& bytes) {
    return "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nAuthorization: " + who +
           "\r\nContent-Length: " + bytes + "\r\n\r\n";
  };
  std::vector<std::unique_ptr<TcpClient>> silent;
  for (int i = 0; i < 3; ++i) {
    silent.push_back(std::make_unique<TcpClient>(server_->port()));
    silent.back()->Send(head("anna", "4000000000"));
    EXPECT_EQ(ParseAnswer(silent.back()->ReadAnswer()).status, i < 2 ? 100 : 503) << i;
  }
  for (int i = 0; i < 3; ++i) {  // a slot comes back with its end
    TcpClient other(server_->port());
    other.Send(head("bert", "2"));
    EXPECT_EQ(ParseAnswer(other.ReadAnswer()).status, 100);
    other.Send("ab");
    EXPECT_EQ(ParseAnswer(other.ReadAnswer()).status, 200);
  }
}

TEST_F(HttpServerTest, ABodyOfAFileEndsWhereNothingComes) {
  HttpOptions options;
  options.spool_seconds = 2;
  options.spools = [](const HttpRequest&) { return std::string("a"); };
  Start(options, [](const Exchange& exchange) { exchange->Reply({200, "", {}, "done"}); });
  const std::string piece(64 << 10, 'x');
  const std::string head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(6 * piece.size()) +
      "\r\n\r\n";
  TcpClient silent(server_->port());
  silent.Send(head + "begun");
  {
    TcpClient slow(server_->port());  // longer than that as a whole
    slow.Send(head);
    for (int i = 0; i < 6; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      slow.Send(piece);
    }
    EXPECT_EQ(ParseAnswer(slow.ReadAnswer()).status, 200);
  }
  EXPECT_TRUE(silent.Closed(10'000));
  TcpClient drops(server_->port());  // never silent, but too slow
  drops.Send(head);
  bool closed = false;
  for (int i = 0; i < 40 && !closed; ++i) {
    drops.Send("x");
    closed = drops.Closed(300);
  }
  EXPECT_TRUE(closed);
}

// A file that takes nothing before the gate is open, or says that the disk is full.
class SlowFile : public SpooledBody {
 public:
  SlowFile(Gate& begun, Gate& gate, bool full)
      : SpooledBody(open("/dev/null", O_RDWR | O_CLOEXEC)),
        begun_(begun),
        gate_(gate),
        full_(full) {}
  bool Write(std::string_view) override {
    begun_.Open();
    return gate_.Wait() && !full_;
  }

 private:
  Gate &begun_, &gate_;
  const bool full_;
};

class SlowDiskTest : public HttpServerTest, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Full, SlowDiskTest, ::testing::Bool());

TEST_P(SlowDiskTest, HoldsUpItsOwnBodyOnly) {
  const bool full = GetParam();
  Gate begun, gate;
  HttpOptions options;
  options.spools = [](const HttpRequest& request) -> std::optional<std::string> {
    return request.target == "/file" ? std::optional<std::string>("a") : std::nullopt;
  };
  options.make_spooled = [&] { return std::make_shared<SlowFile>(begun, gate, full); };
  Start(options, [](const Exchange& exchange) { exchange->Reply({200, "", {}, "done"}); });
  TcpClient slow(server_->port()), other(server_->port());
  slow.Send("POST /file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n" +
            std::string(900'000, 'x'));
  ASSERT_TRUE(begun.Wait());
  other.Send(Get("/"));
  EXPECT_EQ(ParseAnswer(other.ReadAnswer()).status, 200);
  EXPECT_FALSE(slow.Closed(0));
  gate.Open();
  EXPECT_EQ(ParseAnswer(slow.ReadAnswer()).status, full ? 507 : 200);
  End();
}

class TrackedFile : public SpooledBody {
 public:
  explicit TrackedFile(std::atomic<int>& held)
      : SpooledBody(open("/dev/null", O_RDWR | O_CLOEXEC)), held_(held) {
    ++held_;
  }
  ~TrackedFile() override { --held_; }

 private:
  std::atomic<int>& held_;
};

// A stream that finds no room is refused while its handler goes on.
TEST_F(HttpServerTest, AFileIsKeptAsLongAsItsHandler) {
  std::atomic<int> held = 0, seen = -1;
  Gate refused;
  HttpOptions options;
  options.max_streams = 0;
  options.max_spools = 1;
  options.spools = [](const HttpRequest&) { return std::optional<std::string>("a"); };
  options.make_spooled = [&] { return std::make_shared<TrackedFile>(held); };
  Start(options, [&](const Exchange& exchange) {
    exchange->Begin({200, "text/event-stream", {}, {}});
    refused.Wait();
    seen = held.load();
    exchange->End();
  });
  const std::string post = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx";
  TcpClient client(server_->port());
  client.Send(post);
  EXPECT_EQ(ParseAnswer(client.ReadAnswer()).status, 503);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  refused.Open();
  EXPECT_TRUE(client.Closed(5'000));
  for (int i = 0; i < 500 && held > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(held, 0);
  TcpClient again(server_->port());  // its place is free
  again.Send(post);
  EXPECT_NE(ParseAnswer(again.ReadAnswer()).body.find("streams"), std::string::npos);
  End();
}

TEST_F(HttpServerTest, AnEarlyAnswerNeedsNoWorker) {
  Gate release;
  Start(
      {},
      [&](const Exchange& exchange) {
        release.Wait();
        exchange->Reply({200, "", {}, "late"});
      },
      [](const HttpRequest& request) -> std::optional<HttpReply> {
        if (request.target != "/health") return std::nullopt;
        return HttpReply{200, "", {}, "ok"};
      });
  std::vector<std::unique_ptr<TcpClient>> busy;
  for (int i = 0; i < 4; ++i) {
    busy.push_back(std::make_unique<TcpClient>(server_->port()));
    busy.back()->Send(Get("/"));
  }
  while (workers_.waiting() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  TcpClient client(server_->port());
  for (int i = 0; i < 2; ++i) {
    client.Send(Get("/health"));
    EXPECT_EQ(ParseAnswer(client.ReadAnswer()).body, "ok");
  }
  release.Open();
  for (const auto& one : busy) EXPECT_EQ(ParseAnswer(one->ReadAnswer()).body, "late");
  End();
}

TEST_F(HttpServerTest, AClientThatLeavesBehindAPipelinedByteIsGone) {
  Gate begun, gone;
  Start({}, [&](const Exchange& exchange) {
    exchange->OnGone([&] { gone.Open(); });
    begun.Open();
    gone.Wait();
    exchange->Reply({200, "", {}, ""});
  });
  TcpClient client(server_->port());
  client.Send(Get("/"));
  ASSERT_TRUE(begun.Wait());
  client.Send("G");
  EXPECT_FALSE(gone.Wait(300));
  client.EndSending();
  EXPECT_TRUE(gone.Wait(10'000));
  End();
}

// What is kept for the end of a connection may hold its exchange, as a stream of MCP does.
TEST_F(HttpServerTest, StopDropsWhatConnectionsKeep) {
  const auto kept = std::make_shared<int>(1);
  Start({}, [&](const Exchange& exchange) {
    exchange->OnGone([exchange, kept] {});
    exchange->Begin(EventHead());
    exchange->Send("data: 1\n\n");
  });
  TcpClient client(server_->port());
  client.Send(Get("/"));
  EXPECT_EQ(ParseAnswer(client.ReadAnswer()).status, 200);
  server_->Stop(0);
  workers_.Stop();
  server_.reset();
  EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(HttpServerTest, AHeadOfAStreamHasNoBody) {
  Start({}, [&](const Exchange& exchange) {
    exchange->Begin(EventHead());
    EXPECT_TRUE(exchange->request().method == "HEAD");
    exchange->Send("data: 1\n\n");
    exchange->End();
  });
  TcpClient client(server_->port());
  client.Send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto answer = ParseAnswer(client.ReadAll(10'000));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
}

}  // namespace
}  // namespace plexus::tools::server
