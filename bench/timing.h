// What the benches time with, and what many times come to.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/support.h"

namespace plexus::bench {

using Clock = std::chrono::steady_clock;

inline double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
template <class Call>
double Seconds(Call&& call) {
  const auto start = Clock::now();
  call();
  return SecondsSince(start);
}

// Processor time: what a shared machine does not disturb by taking turns.
inline double ProcessorSeconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
inline double ThreadSeconds() { return ProcessorSeconds(CLOCK_THREAD_CPUTIME_ID); }
inline double ProcessSeconds() { return ProcessorSeconds(CLOCK_PROCESS_CPUTIME_ID); }

inline double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const std::size_t at =
      std::min(values.size() - 1, static_cast<std::size_t>(q * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}
inline double Median(std::vector<double> values) { return Quantile(std::move(values), 0.5); }

// Single questions, in seconds of the clock and of the processor.
struct QuestionTimes {
  clockid_t of = CLOCK_THREAD_CPUTIME_ID;
  std::vector<double> clock = {}, processor = {};

  template <class Ask>
  auto Time(Ask&& ask) {
    const double processor_before = ProcessorSeconds(of);
    const auto before = Clock::now();
    auto answer = ask();
    clock.push_back(SecondsSince(before));
    processor.push_back(ProcessorSeconds(of) - processor_before);
    return answer;
  }
  double PerQuestion(std::uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(clock.size());
  }
  template <class Counters>
  void Print(Counters& counters) const {
    counters["query_median"] = Median(clock);
    counters["query_p99"] = Quantile(clock, 0.99);
    counters["cpu_median"] = Median(processor);
    counters["cpu_p99"] = Quantile(processor, 0.99);
  }
};

// MB of the process: `field` of its status, "VmRSS:" or "VmHWM:".
inline double Megabytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return std::atof(line.c_str() + field.size() + 1) / 1024;
  return 0;
}
// VmHWM, the peak, begins again.
inline void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << 5; }

// A plain file that gets the same bytes again and again, each time synced: what the disk allows.
class RawFile {
 public:
  RawFile(const std::string& path, std::size_t bytes)
      : file_(open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600)), bytes_(bytes, 'x') {
    if (file_ < 0) Die("opening the raw file");
  }
  ~RawFile() { close(file_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  void Append() const {
    if (write(file_, bytes_.data(), bytes_.size()) != static_cast<ssize_t>(bytes_.size()) ||
        fdatasync(file_) != 0)
      Die("writing the raw file");
  }

 private:
  const int file_;
  const std::string bytes_;
};

}  // namespace plexus::bench
