// A graph that the tests of one fixture only read: stored once, asked as a user asks.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {

// Suite: the fixture that derives from it; its SetUpTestSuite calls Import.
template <class Suite>
class StoredGraph : public ::testing::Test {
 protected:
  // JSON lines; `options` of plexus import.
  static void Import(const std::string& lines, const std::vector<std::string>& options = {}) {
    if (!dir_) dir_ = std::make_unique<TempDir>();
    std::vector<std::string> arguments = {"import", "--db", Db(), "--format", "jsonl", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Finished run = Plexus(arguments, {.input = lines});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  static void TearDownTestSuite() { dir_.reset(); }

  static std::string Db() { return *dir_ / "g"; }
  static Finished Run(std::vector<std::string> arguments, const RunOptions& options = {}) {
    arguments.insert(arguments.end(), {"--db", Db()});
    return Plexus(arguments, options);
  }
  static boost::json::object Json(std::vector<std::string> arguments,
                                  const RunOptions& options = {}) {
    arguments.push_back("--json");
    const Finished run = Run(std::move(arguments), options);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return run.Json();
  }

  static inline std::unique_ptr<TempDir> dir_;
};

}  // namespace plexus::testing
