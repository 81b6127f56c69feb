// A few threads that run what is handed in, in order of arrival; the first that is makes them. What
// is queued when they end is run first. What throws is logged. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tools/server/server_log.h"

namespace plexus::tools::server {

class Workers {
 public:
  explicit Workers(std::size_t count) : count_(count) {}
  ~Workers() { Stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void Post(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      if (!stop_) Begin();
      queue_.push_back(std::move(work));
    }
    ready_.notify_one();
  }
  // Before work is counted on: std::system_error where the system has no thread for it.
  void Reserve() {
    const std::lock_guard lock(mutex_);
    if (!stop_) Begin();
  }
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
  }
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      if (stop_) return;
      stop_ = true;
    }
    ready_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  // The threads that are missing, or as many as the system has.
  void Begin() {
    try {
      while (threads_.size() < count_) threads_.emplace_back([this] { Run(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
    }
  }
  void Run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ready_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      try {
        work();
      } catch (const std::exception& failure) {
        LogError("a request ended: " + std::string(failure.what()));
      }
      work = nullptr;
      lock.lock();
    }
  }

  const std::size_t count_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::function<void()>> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace plexus::tools::server
