// A disk that is full, and memory that is short: errors that say so, a server that stays up, and
// nothing acknowledged that is lost.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/support/run_plexus.h"
#include "tests/tools/server/server_process.h"

namespace plexus::testing {
namespace {

std::string Put(int number) {
  return R"({"key":"m)" + std::to_string(number) + R"(","text":")" + std::string(2000, 'x') + "\"}";
}

// Writes until something fails, then until it works again, then looks for all of it.
void WritesComeBack(const std::string& db, const std::function<void(pid_t)>& squeeze,
                    const std::function<void(pid_t)>& release) {
  int next = 0, refused = 0;
  std::vector<int> kept;
  {
    ServerProcess server({"--db", db, "--http", "0"});
    const std::uint16_t port = server.port();
    const auto put = [&] {
      const HttpAnswer answer = Http(port, "POST", "/v1/put", Put(next));
      if (answer.status == 200) kept.push_back(next);
      ++next;
      return answer;
    };
    ASSERT_EQ(put().status, 200);
    squeeze(server.pid());
    for (int i = 0; i < 20'000 && refused == 0; ++i) {
      const HttpAnswer answer = put();
      if (answer.status == 200) continue;
      ++refused;
      EXPECT_GE(answer.status, 500) << answer.body;
      EXPECT_NE(answer.body.find(R"({"error":{"code":)"), std::string::npos) << answer.body;
    }
    ASSERT_EQ(refused, 1) << next;
    // Reads go on, also while the graph waits to be written again.
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(Http(port, "GET", "/v1/get?key=m0").status, 200);
      const HttpAnswer answer = put();
      if (answer.status == 200) continue;
      EXPECT_EQ(answer.status, 503) << answer.body;
      EXPECT_NE(answer.head.find("Retry-After"), std::string::npos) << answer.head;
    }
    release(server.pid());
    HttpAnswer answer;
    for (int i = 0; i < 200 && (answer = put()).status != 200; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_EQ(answer.status, 200) << answer.body << server.log();
    EXPECT_EQ(put().status, 200);
    server.Signal(SIGKILL);
    (void)server.Wait();
  }
  const std::string all = Plexus({"list", "--db", db, "--json", "--top", "100000"}).out;
  for (const int number : kept)
    EXPECT_NE(all.find("\"m" + std::to_string(number) + "\""), std::string::npos) << number;
}

void LimitFiles(pid_t pid, rlim_t most) {
  const rlimit limit = {most, RLIM_INFINITY};
  ASSERT_EQ(prlimit(pid, RLIMIT_FSIZE, &limit, nullptr), 0);
}

TEST(Shortage, AFileThatMayNotGrow) {
  const TempDir dir;
  WritesComeBack(
      dir / "g", [](pid_t pid) { LimitFiles(pid, 64 << 10); },
      [](pid_t pid) { LimitFiles(pid, RLIM_INFINITY); });
}

// In a process of its own, whose mounts others do not see.
TEST(Shortage, AFullDisk) {
  const TempDir dir;
  const pid_t child = fork();
  if (child == 0) {
    const std::string disk = dir / "disk";
    std::filesystem::create_directory(disk);
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", disk.c_str(), "tmpfs", 0, "size=48m") != 0)
      _exit(77);
    const std::string filler = disk + "/filler";
    WritesComeBack(
        disk + "/g",
        [&](pid_t) {
          std::ofstream file(filler, std::ios::binary);
          const std::string piece(64 << 10, 'x');
          while (std::filesystem::space(disk).available > (1 << 20))
            file.write(piece.data(), static_cast<std::streamsize>(piece.size())).flush();
        },
        [&](pid_t) { std::filesystem::remove(filler); });
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no disk of our own here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Requests of many keys take more than there is; those that write nothing, as RocksDB's own threads
// end a process that has no memory for them.
TEST(Shortage, NoMemoryForARequest) {
  const TempDir dir;
  ServerProcess server({"--db", dir / "g", "--http", "0"});
  const std::uint16_t port = server.port();
  ASSERT_EQ(Http(port, "POST", "/v1/put", Put(0)).status, 200);
  std::string large = R"({"key":["m0")";
  while (large.size() < (std::size_t{4} << 20) - 100) large += R"(,"m0")";
  large += "]}";
  rlimit limit = {};
  {
    std::ifstream statm("/proc/" + std::to_string(server.pid()) + "/statm");
    rlim_t pages = 0;
    statm >> pages;
    limit.rlim_max = RLIM_INFINITY;
    limit.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (12 << 20);
  }
  ASSERT_EQ(prlimit(server.pid(), RLIMIT_AS, &limit, nullptr), 0);
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    const HttpAnswer answer = Http(port, "POST", "/v1/get", large);
    refused += answer.status == 503;
    EXPECT_TRUE(answer.status == 503 || answer.status == 200 || answer.status == 0)
        << answer.status << answer.body.substr(0, 300);
    ASSERT_TRUE(server.Running()) << server.log();
  }
  EXPECT_GE(refused, 1);
  EXPECT_EQ(Http(port, "GET", "/v1/get?key=m0").status, 200);
  limit.rlim_cur = RLIM_INFINITY;
  ASSERT_EQ(prlimit(server.pid(), RLIMIT_AS, &limit, nullptr), 0);
  EXPECT_EQ(Http(port, "POST", "/v1/put", Put(1)).status, 200);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 0);
}

}  // namespace
}  // namespace plexus::testing
