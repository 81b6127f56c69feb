// A child process with pipes on its stdin and stdout.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace plexus::storage_internal::testing {

class ChildProcess {
 public:
  // Starts storage_child (the path is compiled in) with these arguments.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  ~ChildProcess();  // kills it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The next line of its output; false at the end.
  bool ReadLine(std::string* line);
  // Reads until so many more lines "ack N" have come; false: it ended before.
  bool ReadAcknowledgements(std::uint64_t count);
  // Reads what comes for that long.
  void ReadFor(std::chrono::microseconds time);
  void ReadAll();
  // N of the last line "ack N" or "at N" that was read.
  std::uint64_t acknowledged() const { return acknowledged_; }
  void CloseInput();
  void Kill();  // SIGKILL
  int Wait();   // exit status, 128 + signal when it was killed

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  std::uint64_t acknowledged_ = 0;
  std::string buffer_;
};

}  // namespace plexus::storage_internal::testing
