// Starting and watching storage_child through posix_spawn.
#include "tests/support/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

extern char** environ;

namespace plexus::storage_internal::testing {

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  std::vector<std::string> words = {PLEXUS_STORAGE_CHILD};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (posix_spawn(&pid_, PLEXUS_STORAGE_CHILD, &actions, nullptr, argv.data(), environ) != 0)
    std::abort();
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  in_ = to[1];
  out_ = from[0];
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    Kill();
    Wait();
  }
  CloseInput();
  close(out_);
}

bool ChildProcess::ReadLine(std::string* line) {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      *line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      for (const std::string word : {"ack ", "at "})
        if (line->starts_with(word))
          acknowledged_ = std::strtoull(line->c_str() + word.size(), nullptr, 10);
      return true;
    }
    char bytes[4096];
    const ssize_t size = read(out_, bytes, sizeof bytes);
    if (size <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(size));
  }
}

bool ChildProcess::ReadAcknowledgements(std::uint64_t count) {
  for (std::string line; count > 0 && ReadLine(&line);) count -= line.starts_with("ack ");
  return count == 0;
}

void ChildProcess::ReadFor(std::chrono::microseconds time) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + time;
  for (std::string line;;) {
    const auto left = std::max(end - Clock::now(), Clock::duration::zero());
    const timespec wait{left / std::chrono::seconds(1), (left % std::chrono::seconds(1)).count()};
    pollfd ready{out_, POLLIN, 0};
    if (ppoll(&ready, 1, &wait, nullptr) <= 0 || !ReadLine(&line)) return;
  }
}

void ChildProcess::ReadAll() {
  for (std::string line; ReadLine(&line);) {
  }
}

void ChildProcess::CloseInput() {
  if (in_ >= 0) close(in_);
  in_ = -1;
}

void ChildProcess::Kill() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

int ChildProcess::Wait() {
  if (pid_ <= 0) return -1;
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace plexus::storage_internal::testing
