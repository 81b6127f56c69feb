// A counter that the C library moves on in every child of fork.
#include "engine/arrays/owner.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace plexus {

namespace {

constinit std::atomic<std::uint64_t> generation{0};

void InChild() { generation.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

Owner::Owner() : process_(getpid()) {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, InChild);
  generation_ = generation.load(std::memory_order_relaxed);
}

bool Owner::Here() const { return generation_ == generation.load(std::memory_order_relaxed); }

Status Owner::Check(const char* what) const {
  if (Here()) return {};
  return FailedPrecondition(
      what, " belongs to process ", process_,
      " that opened it; this child of fork may only read the snapshots that it has");
}

}  // namespace plexus
