// The open graph: turns, rights, and what may not close it.
#include "tools/server/service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

#include "tests/support/run_plexus.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/server/http/routes.h"

namespace plexus::tools::server {
namespace {

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() {
    ServiceOptions options;
    options.directory = dir_ / "g";
    service_ = *Service::Open(options);
  }
  testing::TempDir dir_;
  std::unique_ptr<Service> service_;
};

Request Made(const char* operation, const std::string& json) {
  return *RequestFromJson(*FindOperation(operation), json);
}

TEST_F(ServiceTest, WaitingForATurnEndsWithTheTimeOfTheRequest) {
  Service& service = *service_;
  std::atomic<bool> holds = false, go_on = false;
  std::thread first([&] {
    (void)service.Run(Made("put", R"({"key":"m1","text":"a"})"), Caller(),
                      [&](Reply&, Workspace&) -> Status {
                        holds = true;
                        while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                        return {};
                      });
  });
  while (!holds) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto late = service.Ask(Made("put", R"({"key":"m2","text":"b","max_seconds":0.05})"), {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kLocked);
  const std::atomic<bool> cancelled = true;
  Caller caller;
  caller.cancel = &cancelled;
  const auto ended = service.Ask(Made("put", R"({"key":"m2","text":"b"})"), caller);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(service.Ask(Made("get", R"({"key":["m1"]})"), {}));  // reads go on
  go_on = true;
  first.join();
  EXPECT_TRUE(service.Ask(Made("put", R"({"key":"m2","text":"b"})"), {}));
}

TEST_F(ServiceTest, CareNeedsTheRightToAdminister) {
  Caller reader;
  reader.may_write = reader.may_destroy = false;
  for (const char* care : {"verify", "backup", "compact"})
    EXPECT_FALSE(CheckRights(*FindOperation(care), reader)) << care;
  EXPECT_TRUE(CheckRights(*FindOperation("stats"), reader));
}

// What stands where the graph was is neither made nor written to; the graph itself is, once it is
// back.
TEST_F(ServiceTest, AGraphThatWasMovedIsNotReplaced) {
  const auto put = [&](const std::string& key) {
    return service_->Ask(Made("put", R"({"key":")" + key + R"(","text":"a"})"), {});
  };
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1100)); };
  ASSERT_TRUE(put("a"));
  ASSERT_TRUE(put("b"));
  const std::string at = dir_ / "g", moved = dir_ / "moved";
  std::filesystem::rename(at, moved);
  EXPECT_FALSE(put("c"));
  for (int i = 0; i < 2; ++i) {
    const auto refused = put("d");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted) << refused.error().message;
    EXPECT_FALSE(std::filesystem::exists(at));
    wait();
  }
  {  // another graph there, and a copy
    OpenOptions make;
    make.create = true;
    ASSERT_TRUE(Database::Open(dir_ / "other", make));
    std::filesystem::rename(dir_ / "other", at);
    EXPECT_FALSE(put("d"));
    make.read_only = true;
    EXPECT_EQ((*Database::Open(at, make))->snapshot().sequence(), 0u);
    std::filesystem::remove_all(at);
    std::filesystem::copy(moved, at, std::filesystem::copy_options::recursive);
    wait();
    EXPECT_FALSE(put("d"));
    EXPECT_TRUE(service_->Ask(Made("stats", "{}"), {}));
    std::filesystem::remove_all(at);
  }
  std::filesystem::rename(moved, at);
  wait();
  const auto again = put("d");
  ASSERT_TRUE(again) << again.error().message;
  for (const char* key : {"a", "b", "d"})
    EXPECT_TRUE(service_->Ask(Made("get", R"({"key":[")" + std::string(key) + R"("]})"), {}));
}

// The directory stays open and locked: files are read into the open graph, and never replaced.
TEST_F(ServiceTest, ImportsRunOverTheOpenGraph) {
  Service& service = *service_;
  const Snapshot before = *service.snapshot();
  const std::string file = dir_.File("a.jsonl", "{\"node\":\"m9\",\"kind\":\"memory\"}\n");
  Caller local;
  local.paths = true;
  OpenOptions second;
  second.lock_wait_ms = 0;
  const auto held = [&] {
    const auto other = Database::Open(dir_ / "g", second);
    return !other && other.error().code == ErrorCode::kLocked;
  };
  const std::string import = R"({"files":[")" + file + R"("]})";
  EXPECT_FALSE(service.Ask(Made("import", import), {}));
  EXPECT_TRUE(held());
  EXPECT_TRUE(service.Run(Made("import", import), local, [&](Reply&, Workspace&) -> Status {
    EXPECT_TRUE(held());
    return {};
  }));
  EXPECT_GT(service.snapshot()->sequence(), before.sequence());
  EXPECT_TRUE(service.Ask(Made("get", R"({"key":["m9"]})"), {}));
  const auto restore = service.Ask(Made("restore", R"({"from":")" + (dir_ / "r") + R"("})"), local);
  ASSERT_FALSE(restore);
  EXPECT_NE(restore.error().message.find("end the server"), std::string::npos)
      << restore.error().message;
  EXPECT_TRUE(service.Ask(Made("get", R"({"key":["m9"]})"), {}));
}

// A copy that was made for who may name files is not for who may not.
TEST_F(ServiceTest, ACopyBehindAWallKeepsNoRightToFiles) {
  Caller own, stranger;
  own.wall = stranger.wall = {"mine"};
  own.paths = true;
  ASSERT_TRUE(service_->Ask(Made("put", R"({"key":"m1","text":"a"})"), own));
  const std::string file = dir_ / "out.csv";
  const auto request = Made("export", R"({"format":"csv","output":")" + file + "\"}");
  const auto asked = service_->Ask(request, stranger);
  ASSERT_FALSE(asked);
  EXPECT_NE(asked.error().message.find("path of the server"), std::string::npos);
  EXPECT_TRUE(service_->Ask(request, own)) << "the other way round";
}

// Copies behind walls are kept for the next request, but not those of every wall there ever was.
TEST(ServiceCopies, TheLongestUnusedGoFirst) {
  const testing::TempDir dir;
  ServiceOptions options;
  options.directory = dir / "g";
  options.max_idle = 3;
  const auto service = *Service::Open(options);
  const auto ask = [&](const std::string& scope) {
    Caller caller;
    caller.wall = {scope};
    EXPECT_TRUE(service->Ask(Made("stats", "{}"), caller));
  };
  for (int i = 0; i < 20; ++i) ask("s" + std::to_string(i));
  EXPECT_EQ(service->copies().idle, 3u);
  EXPECT_EQ(service->copies().made, 20u);
  ask("s17");  // of s17, s18, s19
  EXPECT_EQ(service->copies().made, 20u);
  ask("s20");  // s18 goes
  ask("s17");
  ask("s19");
  EXPECT_EQ(service->copies().made, 21u);
  ask("s18");
  EXPECT_EQ(service->copies().made, 22u);
  EXPECT_EQ(service->copies().idle, 3u);
}

TEST(ServiceCopies, MemoryBoundsThemToo) {
  const testing::TempDir dir;
  ServiceOptions options;
  options.directory = dir / "g";
  options.max_idle_bytes = 1;
  const auto service = *Service::Open(options);
  for (const char* scope : {"a", "b", "c"}) {
    Caller caller;
    caller.wall = {scope};
    EXPECT_TRUE(service->Ask(Made("stats", "{}"), caller));
  }
  EXPECT_EQ(service->copies().idle, 1u);
}

// What a request asks for, the service bounds; an export is bounded where that is asked for.
TEST(ServiceLimits, RepliesEnd) {
  const testing::TempDir dir;
  ServiceOptions options;
  options.directory = dir / "g";
  options.max_bytes = 10'000;
  const auto service = *Service::Open(options);
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(service->Ask(Made("put", R"({"key":"m)" + std::to_string(i) + R"(","text":")" +
                                             std::string(1'000, 'x') + R"("})"),
                             {}));
  for (const char* bytes : {"", R"(,"max_bytes":0)", R"(,"max_bytes":1000000)"}) {
    const auto list = service->Ask(Made("list", R"({"top":0)" + std::string(bytes) + "}"), {});
    ASSERT_TRUE(list);
    EXPECT_TRUE(list->truncated) << bytes;
    EXPECT_LT(list->json.size(), 12'000u) << bytes;
  }
  std::ostringstream all, some;
  EXPECT_TRUE(service->Ask(Made("export", R"({"format":"jsonl"})"), {}, &all));
  EXPECT_GT(all.view().size(), 100'000u);
  EXPECT_FALSE(service->Ask(Made("export", R"({"format":"jsonl","max_bytes":5000})"), {}, &some));
  EXPECT_LT(some.view().size(), 8'000u);
}

// A key of another scope looks like a new one from behind the wall: the reply says so.
TEST_F(ServiceTest, ADryRunBehindAWallSaysWhatItKnows) {
  ASSERT_TRUE(service_->Ask(Made("put", R"({"key":"m1","set":["scope=other"]})"), {}));
  Caller walled;
  walled.wall = {"mine"};
  for (const char* dry :
       {R"({"key":"m1","text":"a","dry_run":true})", R"({"key":"m2","text":"a","dry_run":true})"}) {
    const auto asked = service_->Ask(Made("put", dry), walled);
    ASSERT_TRUE(asked) << asked.error().message;
    EXPECT_NE(asked->json.find("knows what the scope sees"), std::string::npos) << asked->json;
  }
  EXPECT_FALSE(service_->Ask(Made("put", R"({"key":"m1","text":"a"})"), walled));
}

TEST(Query, ANameStandsOnce) {
  const Operation& list = *FindOperation("list");
  EXPECT_TRUE(RequestOfQuery(list, "top=1&sort=key"));
  for (const char* twice : {"top=1&top=2", "top=1&t%6fp=1", "where=a&top=1&where=b"})
    EXPECT_FALSE(RequestOfQuery(list, twice)) << twice;
}

}  // namespace
}  // namespace plexus::tools::server
