// Misuse is an error: null and closed handles, handles of another sort, wrong sizes, threads that
// close at the same time, and children of fork.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tools/c/plexus.h"

namespace plexus::testing {
namespace {

class CHandles : public ::testing::Test {
 protected:
  CHandles() {
    options_.size = sizeof options_;
    options_.create = 1;
    EXPECT_EQ(plexus_open((dir_ / "g").c_str(), &options_, &graph_), PLEXUS_OK) << plexus_message();
  }
  ~CHandles() override { (void)plexus_close(graph_); }
  // The code of a request; the reply is freed.
  static plexus_code Call(plexus_graph* graph, const char* operation, const std::string& json,
                          const plexus_call_options* options = nullptr) {
    plexus_text reply;
    const plexus_code code =
        plexus_call_with(graph, operation, json.c_str(), json.size(), options, &reply);
    EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
    return code;
  }
  TempDir dir_;
  plexus_open_options options_ = {};
  plexus_graph* graph_ = nullptr;
};

TEST_F(CHandles, NullIsAnError) {
  plexus_graph* graph = nullptr;
  EXPECT_EQ(plexus_open(nullptr, nullptr, &graph), PLEXUS_INVALID_ARGUMENT);
  EXPECT_STREQ(plexus_message(), "directory is null");
  EXPECT_EQ(plexus_open("", nullptr, &graph), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_open((dir_ / "h").c_str(), nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_close(nullptr), PLEXUS_INVALID_ARGUMENT);
  plexus_text reply;
  EXPECT_EQ(plexus_call(nullptr, "stats", "{}", 2, &reply), PLEXUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(reply.data).find("graph is null"), std::string::npos) << reply.data;
  EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
  EXPECT_EQ(plexus_call(graph_, nullptr, "{}", 2, &reply), PLEXUS_INVALID_ARGUMENT);
  plexus_result_free(reply.owner);
  EXPECT_EQ(plexus_call(graph_, "stats", nullptr, 2, &reply), PLEXUS_INVALID_ARGUMENT);
  plexus_result_free(reply.owner);
  EXPECT_EQ(plexus_call(graph_, "stats", nullptr, 0, &reply), PLEXUS_OK);
  plexus_result_free(reply.owner);
  EXPECT_EQ(plexus_call(graph_, "stats", "{}", 2, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_snapshot_of(graph_, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_snapshot_about(nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_result_array(nullptr, "scores", nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_put_edges(graph_, nullptr, nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_put_vectors(graph_, nullptr, nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_wait(graph_, 0, 1, nullptr), PLEXUS_INVALID_ARGUMENT);
  for (const auto freed :
       {plexus_result_free(nullptr), plexus_snapshot_free(nullptr), plexus_cancel_free(nullptr)})
    EXPECT_EQ(freed, PLEXUS_OK);
}

TEST_F(CHandles, AClosedOrForeignHandleIsAnError) {
  plexus_snapshot* snapshot = nullptr;
  ASSERT_EQ(plexus_snapshot_of(graph_, &snapshot), PLEXUS_OK);
  int other = 0;
  for (void* wrong : {static_cast<void*>(&other), static_cast<void*>(this),
                      reinterpret_cast<void*>(~std::uintptr_t{0})}) {
    EXPECT_EQ(Call(static_cast<plexus_graph*>(wrong), "stats", "{}"), PLEXUS_FAILED_PRECONDITION);
    EXPECT_EQ(plexus_result_free(static_cast<plexus_result*>(wrong)), PLEXUS_FAILED_PRECONDITION);
  }
  EXPECT_EQ(plexus_close(reinterpret_cast<plexus_graph*>(snapshot)), PLEXUS_INVALID_ARGUMENT);
  EXPECT_STREQ(plexus_message(), "graph is a handle of something else");
  EXPECT_EQ(plexus_snapshot_free(reinterpret_cast<plexus_snapshot*>(graph_)),
            PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_snapshot_free(snapshot), PLEXUS_OK);
  EXPECT_EQ(plexus_snapshot_free(snapshot), PLEXUS_FAILED_PRECONDITION);
  plexus_result* result = nullptr;
  EXPECT_EQ(plexus_pagerank(snapshot, nullptr, &result), PLEXUS_FAILED_PRECONDITION);
  EXPECT_EQ(result, nullptr);
  EXPECT_EQ(plexus_close(graph_), PLEXUS_OK);
  EXPECT_EQ(plexus_close(graph_), PLEXUS_FAILED_PRECONDITION);
  EXPECT_EQ(Call(graph_, "stats", "{}"), PLEXUS_FAILED_PRECONDITION);
  std::uint64_t sequence = 0;
  EXPECT_EQ(plexus_sequence(graph_, &sequence), PLEXUS_FAILED_PRECONDITION);
}

TEST_F(CHandles, StructsSayTheirSize) {
  plexus_graph* graph = nullptr;
  plexus_open_options options = {};
  EXPECT_EQ(plexus_open((dir_ / "h").c_str(), &options, &graph), PLEXUS_INVALID_ARGUMENT);
  options.size = 1 << 20;
  EXPECT_EQ(plexus_open((dir_ / "h").c_str(), &options, &graph), PLEXUS_INVALID_ARGUMENT);
  // Of an older version: the fields that it has are read.
  options = options_;
  options.size = offsetof(plexus_open_options, read_only);
  options.read_only = 7;
  EXPECT_EQ(plexus_open((dir_ / "h").c_str(), &options, &graph), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(plexus_close(graph), PLEXUS_OK);
  // Of a newer one: what it says beyond this version is refused, unless it is the default.
  struct {
    plexus_open_options known;
    std::uint64_t more;
  } newer = {options_, 0};
  newer.known.size = sizeof newer;
  EXPECT_EQ(plexus_open((dir_ / "h").c_str(), &newer.known, &graph), PLEXUS_OK);
  EXPECT_EQ(plexus_close(graph), PLEXUS_OK);
  newer.more = 1;
  EXPECT_EQ(plexus_open((dir_ / "h").c_str(), &newer.known, &graph), PLEXUS_UNSUPPORTED);
}

TEST_F(CHandles, OfThreadsThatCloseOneSucceeds) {
  for (int round = 0; round < 20; ++round) {
    plexus_graph* graph = nullptr;
    ASSERT_EQ(plexus_open((dir_ / "h").c_str(), &options_, &graph), PLEXUS_OK);
    std::atomic<int> closed = 0, refused = 0, wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        for (int j = 0; j < 3; ++j) {
          const plexus_code asked = Call(graph, "kinds", "{}");
          if (asked != PLEXUS_OK && asked != PLEXUS_FAILED_PRECONDITION && asked != PLEXUS_LOCKED)
            ++wrong;
        }
        if (i == 3) return;
        const plexus_code code = plexus_close(graph);
        ++(code == PLEXUS_OK ? closed : code == PLEXUS_FAILED_PRECONDITION ? refused : wrong);
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(closed, 1);
    EXPECT_EQ(refused, 2);
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(CHandles, AChildOfForkIsRefusedAndReadsWhatWasThere) {
  ASSERT_EQ(Call(graph_, "put", R"({"key":"m1","text":"a"})"), PLEXUS_OK);
  plexus_snapshot* snapshot = nullptr;
  plexus_result* rank = nullptr;
  plexus_array scores;
  ASSERT_EQ(plexus_snapshot_of(graph_, &snapshot), PLEXUS_OK);
  ASSERT_EQ(plexus_pagerank(snapshot, nullptr, &rank), PLEXUS_OK) << plexus_message();
  ASSERT_EQ(plexus_result_array(rank, "scores", &scores), PLEXUS_OK);
  const pid_t child = fork();
  if (child == 0) {
    int failed = 0;
    failed |= Call(graph_, "put", R"({"key":"m2"})") != PLEXUS_FAILED_PRECONDITION;
    failed |= (std::strstr(plexus_message(), "fork") == nullptr) << 1;
    plexus_result* again = nullptr;
    failed |= (plexus_pagerank(snapshot, nullptr, &again) != PLEXUS_FAILED_PRECONDITION) << 2;
    failed |= (static_cast<const double*>(scores.data)[0] <= 0) << 3;
    failed |= (plexus_close(graph_) != PLEXUS_FAILED_PRECONDITION) << 4;
    failed |= (plexus_snapshot_free(snapshot) != PLEXUS_OK) << 5;
    failed |= (plexus_result_free(rank) != PLEXUS_OK) << 6;
    _exit(failed);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Call(graph_, "put", R"({"key":"m2"})"), PLEXUS_OK);  // the parent's is as it was
  EXPECT_EQ(plexus_snapshot_free(snapshot), PLEXUS_OK);
  EXPECT_EQ(plexus_result_free(rank), PLEXUS_OK);
}

TEST_F(CHandles, ProgressAndCancel) {
  plexus_call_options options = {};
  options.size = sizeof options;
  ASSERT_EQ(plexus_cancel_new(&options.cancel), PLEXUS_OK);
  EXPECT_EQ(Call(graph_, "put", R"({"key":"m1"})", &options), PLEXUS_OK);
  EXPECT_EQ(plexus_cancel_set(options.cancel), PLEXUS_OK);
  const std::string line = "{\"node\":\"m2\"}\n";
  plexus_text reply;
  EXPECT_EQ(plexus_import(graph_, "{}", 2, line.data(), line.size(), &options, &reply),
            PLEXUS_CANCELLED);
  EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
  EXPECT_EQ(plexus_cancel_free(options.cancel), PLEXUS_OK);
  EXPECT_EQ(Call(graph_, "stats", "{}", &options), PLEXUS_FAILED_PRECONDITION);
  options.cancel = nullptr;
  std::atomic<int> reports = 0;
  options.progress_context = &reports;
  options.progress = [](void* context, const char* phase, std::uint64_t, std::uint64_t) {
    ++*static_cast<std::atomic<int>*>(context);
    return *phase ? 0 : 1;
  };
  EXPECT_EQ(plexus_import(graph_, nullptr, 0, line.data(), line.size(), &options, &reply),
            PLEXUS_OK);
  EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
  EXPECT_GT(reports, 0);
}

struct Reentry {
  plexus_graph *graph, *other;
  std::vector<plexus_code> codes;
  int heard = 0;
};

// It would wait for the call that it is in.
TEST_F(CHandles, ACallbackThatCallsItsGraphIsRefused) {
  plexus_graph* other = nullptr;
  ASSERT_EQ(plexus_open((dir_ / "h").c_str(), &options_, &other), PLEXUS_OK);
  Reentry reentry = {graph_, other, {}};
  plexus_call_options options = {};
  options.size = sizeof options;
  options.progress_context = &reentry;
  options.progress = [](void* context, const char*, std::uint64_t, std::uint64_t) {
    auto& [graph, another, codes, heard] = *static_cast<Reentry*>(context);
    std::uint64_t sequence = 0;
    plexus_snapshot* snapshot = nullptr;
    codes.push_back(Call(graph, "put", R"({"key":"m2"})"));
    codes.push_back(Call(graph, "stats", "{}"));
    codes.push_back(plexus_snapshot_of(graph, &snapshot));
    codes.push_back(plexus_refresh(graph));
    codes.push_back(plexus_sequence(graph, &sequence));
    codes.push_back(plexus_close(graph));
    heard += Call(another, "put", R"({"key":"m2"})") == PLEXUS_OK;
    return 0;
  };
  const std::string line = "{\"node\":\"m1\"}\n";
  plexus_text reply;
  EXPECT_EQ(plexus_import(graph_, nullptr, 0, line.data(), line.size(), &options, &reply),
            PLEXUS_OK);
  EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
  EXPECT_GT(reentry.heard, 0);
  EXPECT_EQ(reentry.codes, std::vector(reentry.codes.size(), PLEXUS_FAILED_PRECONDITION + 0));
  EXPECT_EQ(Call(graph_, "get", R"({"key":["m1"]})"), PLEXUS_OK);  // it is open
  EXPECT_EQ(plexus_close(other), PLEXUS_OK);
}

// A log function, too.
TEST_F(CHandles, ALogFunctionThatCallsItsGraphIsRefused) {
  ASSERT_EQ(plexus_close(graph_), PLEXUS_OK);
  graph_ = nullptr;
  Reentry reentry = {};
  options_.log_context = &reentry;
  options_.log = [](void* context, std::int32_t, const char*, const char*) {
    auto& [graph, another, codes, heard] = *static_cast<Reentry*>(context);
    if (graph) codes.push_back(Call(graph, "stats", "{}"));
  };
  ASSERT_EQ(plexus_open((dir_ / "g").c_str(), &options_, &graph_), PLEXUS_OK);
  reentry.graph = graph_;
  EXPECT_EQ(Call(graph_, "put", R"({"key":"m1"})"), PLEXUS_OK);
  EXPECT_EQ(Call(graph_, "checkpoint", "{}"), PLEXUS_OK);
  EXPECT_FALSE(reentry.codes.empty());
  EXPECT_EQ(reentry.codes, std::vector(reentry.codes.size(), PLEXUS_FAILED_PRECONDITION + 0));
  EXPECT_EQ(plexus_close(graph_), PLEXUS_OK);  // here, as it logs to what ends with this test
  graph_ = nullptr;
}

TEST_F(CHandles, AnImportTakesAnObjectWithoutFiles) {
  const std::string line = "{\"node\":\"m1\"}\n";
  plexus_text reply;
  const auto import = [&](const std::string& request) {
    const plexus_code code = plexus_import(graph_, request.data(), request.size(), line.data(),
                                           line.size(), nullptr, &reply);
    EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
    return code;
  };
  for (const char* wrong : {"[]", "null", "format=csv", "7", "{\"format\":\"jsonl\"", "x{}",
                            "{\"files\":[\"more\"]}", "{\"format\":\"jsonl\"}}"})
    EXPECT_EQ(import(wrong), PLEXUS_INVALID_ARGUMENT) << wrong;
  for (const char* right : {"", "{}", " { } ", "{\"format\":\"jsonl\"}"})
    EXPECT_EQ(import(right), PLEXUS_OK) << right << plexus_message();
}

// A workspace behind a wall is kept for the next call; one that reads bytes in memory is not.
TEST_F(CHandles, ImportsBehindAWallReadTheirOwnBytes) {
  ASSERT_EQ(plexus_close(graph_), PLEXUS_OK);
  const char* scopes[] = {"anna"};
  options_.scopes = scopes;
  options_.scope_count = 1;
  ASSERT_EQ(plexus_open((dir_ / "g").c_str(), &options_, &graph_), PLEXUS_OK) << plexus_message();
  for (const char* key : {"m1", "m2", "m3"}) {
    const std::string line = std::string("{\"node\":\"") + key + "\",\"text\":\"a\"}\n";
    plexus_text reply;
    EXPECT_EQ(plexus_import(graph_, "{}", 2, line.data(), line.size(), nullptr, &reply), PLEXUS_OK)
        << plexus_message();
    EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
    EXPECT_EQ(Call(graph_, "get", std::string(R"({"key":[")") + key + "\"]}"), PLEXUS_OK);
    // The number of the descriptor is free again: another file gets it.
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(Call(graph_, "import", R"({"files":["-"]})"), PLEXUS_INVALID_ARGUMENT) << key;
    close(fd);
  }
}

TEST_F(CHandles, ScopesAreAWall) {
  ASSERT_EQ(plexus_close(graph_), PLEXUS_OK);
  const char* scopes[] = {"anna"};
  options_.scopes = scopes;
  options_.scope_count = 1;
  ASSERT_EQ(plexus_open((dir_ / "g").c_str(), &options_, &graph_), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(Call(graph_, "put", R"({"key":"m1","text":"a"})"), PLEXUS_OK) << plexus_message();
  plexus_snapshot* snapshot = nullptr;
  EXPECT_EQ(plexus_snapshot_of(graph_, &snapshot), PLEXUS_FAILED_PRECONDITION);
  plexus_text reply;
  EXPECT_EQ(plexus_changes(graph_, 0, 10, &reply), PLEXUS_FAILED_PRECONDITION);
  plexus_result_free(reply.owner);
}

TEST_F(CHandles, AReaderFollowsTheWriter) {
  ASSERT_EQ(Call(graph_, "put", R"({"key":"m1","text":"a"})"), PLEXUS_OK);
  plexus_open_options options = {};
  options.size = sizeof options;
  options.read_only = 1;
  plexus_graph* reader = nullptr;
  ASSERT_EQ(plexus_open((dir_ / "g").c_str(), &options, &reader), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(Call(reader, "get", R"({"key":["m1"]})"), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(Call(reader, "put", R"({"key":"m2"})"), PLEXUS_READ_ONLY);
  plexus_edges edges = {};
  edges.size = sizeof edges;
  EXPECT_EQ(plexus_put_edges(reader, &edges, nullptr, nullptr), PLEXUS_READ_ONLY);
  ASSERT_EQ(Call(graph_, "put", R"({"key":"m2","text":"b"})"), PLEXUS_OK);
  EXPECT_EQ(Call(reader, "get", R"({"key":["m2"]})"), PLEXUS_NOT_FOUND);
  EXPECT_EQ(plexus_refresh(reader), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(Call(reader, "get", R"({"key":["m2"]})"), PLEXUS_OK);
  EXPECT_EQ(plexus_close(reader), PLEXUS_OK);
}

TEST_F(CHandles, ChangesAreSeenAndWaitedFor) {
  std::uint64_t sequence = 0;
  ASSERT_EQ(plexus_sequence(graph_, &sequence), PLEXUS_OK);
  std::uint64_t next = sequence;
  EXPECT_EQ(plexus_wait(graph_, sequence, 1, &next), PLEXUS_OK);
  EXPECT_EQ(next, sequence);
  std::thread writer([&] { EXPECT_EQ(Call(graph_, "put", R"({"key":"m1"})"), PLEXUS_OK); });
  EXPECT_EQ(plexus_wait(graph_, sequence, 60'000, &next), PLEXUS_OK);
  EXPECT_GT(next, sequence);
  writer.join();
  plexus_text reply;
  ASSERT_EQ(plexus_changes(graph_, sequence, 100, &reply), PLEXUS_OK);
  EXPECT_NE(std::string(reply.data).find("\"m1\""), std::string::npos) << reply.data;
  plexus_result_free(reply.owner);
  EXPECT_EQ(plexus_changes(graph_, sequence, 0, &reply), PLEXUS_INVALID_ARGUMENT);
  plexus_result_free(reply.owner);
  // Closing ends a call that waits.
  ASSERT_EQ(plexus_sequence(graph_, &sequence), PLEXUS_OK);
  std::thread waiting([&] {
    std::uint64_t seen = 0;
    const plexus_code code = plexus_wait(graph_, sequence, 60'000, &seen);
    EXPECT_EQ(code, PLEXUS_FAILED_PRECONDITION);
  });
  EXPECT_EQ(plexus_close(graph_), PLEXUS_OK);
  waiting.join();
}

}  // namespace
}  // namespace plexus::testing
