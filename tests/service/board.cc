// The memory that all processes share, and how a wrong answer is told.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/service/settings.h"

namespace plexus::service_test {

namespace {
Board* board = nullptr;
}

Board& TheBoard() { return *board; }

void MakeBoard() {
  void* at = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    std::perror("service_test: mmap");
    std::exit(2);
  }
  board = static_cast<Board*>(at);  // words of zero are atomics of zero
}

void Wrong(const Settings& settings, const std::string& who, const std::string& what) {
  const std::uint64_t before = board->wrong++;
  if (before < 20)
    std::fprintf(stderr, "service_test: WRONG, seed %llu, %s (pid %d, start %llu): %s\n",
                 static_cast<unsigned long long>(settings.seed), who.c_str(),
                 static_cast<int>(getpid()), static_cast<unsigned long long>(board->epoch.load()),
                 what.c_str());
  if (before >= 20) board->stop = 1;
}

}  // namespace plexus::service_test
