// The progress of a command: the bar, and a line on standard error for each batch that is durable.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "tools/cli/command_line.h"
#include "tools/cli/progress_bar.h"
#include "tools/operations/batch_progress.h"

namespace plexus::tools {

class CommandProgress final : public BatchProgress {
 public:
  explicit CommandProgress(const CommandLine& line) : line_(line), bar_(!line.globals.quiet) {}

  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    return bar_.Report(phase, done, total);
  }
  void BatchDone(const std::string& json, const std::string& words) override {
    if (line_.globals.quiet) return;
    bar_.End();
    const bool as_json = line_.globals.format == Format::kJson;
    std::fputs(((as_json ? json : words) + "\n").c_str(), stderr);
    std::fflush(stderr);
  }
  std::int64_t ClockMs() override { return ClockOf(*line_.request).value_or(tools::ClockMs()); }
  void End() { bar_.End(); }

 private:
  const CommandLine& line_;
  ProgressBar bar_;
};

}  // namespace plexus::tools
