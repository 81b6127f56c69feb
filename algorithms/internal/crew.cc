// The word of a loop, those who take blocks from it, and how long they look out for another.
#include "algorithms/internal/crew.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

namespace plexus::internal {

namespace {

constexpr auto kPatience = std::chrono::microseconds(50);  // of a helper, for the next loop
constexpr int kPausesALook = 32;                           // between looks at the clock
constexpr int kSpins = 2000;                               // of the caller, before it sleeps
constexpr std::uint64_t kOneBlock = std::uint64_t{1} << 32;
constexpr std::size_t kMostBlocks = std::numeric_limits<std::uint32_t>::max();

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

struct Crew::State {
  alignas(64) std::atomic<std::uint64_t> word = 0;  // first block that is left << 32 | how many are
  std::atomic<const BlockTask*> loop = nullptr;  // of the caller; there while a block is held
  alignas(64) std::atomic<std::uint32_t> helped = 0;  // blocks of this loop that helpers did
  std::atomic<std::size_t> helpers = 0;               // asked and not gone
  std::atomic<bool> closed = false;

  // The first block that is left, or the last. False: none is.
  bool Work(bool first) {
    std::uint64_t seen = word.load(std::memory_order_acquire);
    std::uint32_t left;
    do {
      left = static_cast<std::uint32_t>(seen);
      if (left == 0) return false;
    } while (!word.compare_exchange_weak(seen, seen - 1 + (first ? kOneBlock : 0), std::memory_order_acquire,
                                         std::memory_order_acquire));
    loop.load(std::memory_order_relaxed)->operator()((seen >> 32) + (first ? 0 : left - 1));
    return true;
  }

  void Help() {
    while (!closed.load(std::memory_order_relaxed)) {
      if (Work(false)) {
        helped.fetch_add(1, std::memory_order_release);
        helped.notify_one();
      } else if (!LookOut()) {
        break;
      }
    }
    helpers.fetch_sub(1, std::memory_order_relaxed);
  }

  // Until there is a loop (or the end of the crew); false: none came.
  bool LookOut() const {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    do {
      for (int i = 0; i < kPausesALook; ++i) {
        if (static_cast<std::uint32_t>(word.load(std::memory_order_relaxed)) != 0) return true;
        if (closed.load(std::memory_order_relaxed)) return true;
        Pause();
      }
    } while (std::chrono::steady_clock::now() < until);
    return false;
  }
};

Crew::Crew(Executor& host) : host_(host), threads_(std::max(1, host.thread_count())) {}

Crew::~Crew() {
  if (state_) state_->closed.store(true, std::memory_order_relaxed);
}

bool Crew::Enlist(std::size_t blocks) {
  try {
    if (!state_) state_ = std::make_shared<State>();
    const std::size_t wanted = std::min<std::size_t>(static_cast<std::size_t>(threads_), blocks) - 1;
    for (std::size_t there = state_->helpers.load(std::memory_order_relaxed); lends_ && there < wanted; ++there) {
      state_->helpers.fetch_add(1, std::memory_order_relaxed);
      lends_ = host_.Enqueue([state = state_] { state->Help(); });
    }
  } catch (...) {  // no memory for a helper: from now on the host starts the loops
    lends_ = false;
  }
  return lends_;
}

void Crew::Run(std::size_t blocks, BlockTask task) {
  if (threads_ < 2 || blocks < 2 || blocks > kMostBlocks) return host_.Run(blocks, task);
  if (busy_.exchange(true, std::memory_order_acquire)) return host_.Run(blocks, task);
  if (Enlist(blocks)) {
    State& state = *state_;
    state.loop.store(&task, std::memory_order_relaxed);
    state.helped.store(0, std::memory_order_relaxed);
    state.word.store(blocks, std::memory_order_release);
    std::uint32_t own = 0;
    while (state.Work(true)) ++own;
    const auto others = static_cast<std::uint32_t>(blocks) - own;
    int turn = 0;
    for (std::uint32_t done; (done = state.helped.load(std::memory_order_acquire)) < others; ++turn)
      turn < kSpins ? Pause() : state.helped.wait(done, std::memory_order_relaxed);
  } else {
    host_.Run(blocks, task);
  }
  busy_.store(false, std::memory_order_release);
}

}  // namespace plexus::internal
