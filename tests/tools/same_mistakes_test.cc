// The same mistake is answered by the same sentence through every operation: a wrong key, kind,
// time, column or number, and an empty graph. The rows say where each can be made.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/vocabulary.h"
#include "engine/write_batch.h"
#include "tests/support/run_plexus.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {
using namespace builtin;
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr const char* kNoSuch = "zzyzx";

// A value that suits the parameter in the graph of SetUp. Of keys the n-th one.
std::string Good(const Parameter& parameter, int& keys) {
  if (!parameter.choices.empty()) return parameter.choices.front();
  switch (parameter.means) {
    case Means::kKey:
    case Means::kWeightedKey:
      return std::string(1, static_cast<char>('a' + keys++ % 2));
    case Means::kEdgeKind:
      return "depends_on";
    case Means::kNodeKind:
      return "decision";
    case Means::kTime:
      return "2020-01-01";
    case Means::kMoment:
      return "1";
    case Means::kContent:
      return "[]";
    default:
      return parameter.name == "pattern" ? "depends_on" : "oracle";
  }
}

Value ValueOf(const Parameter& parameter, std::string text) {
  switch (parameter.type) {
    case Type::kFlag:
      return true;
    case Type::kCount:
      return std::uint64_t{1};
    case Type::kNumber:
      return 0.5;
    case Type::kText:
      return text;
    case Type::kList:
      return std::vector<std::string>{std::move(text)};
  }
  return {};
}

class SameMistakes : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace_ = Open(dir_ / "g");
    WriteBatch batch(kNow - 1'000);
    const NodeRef a = batch.UpsertNode("a", kDecision), b = batch.UpsertNode("b", kDecision);
    batch.SetPayload(a, NodeField::kText, "the oracle restarts");
    batch.Link(a, kDependsOn, b);
    batch.Link(a, kHasTag, batch.IndexNode(kTag, "ops"));
    ASSERT_TRUE(workspace_->graph().Apply(batch));
    Request terms(*FindOperation("terms"));
    ASSERT_TRUE(Answer(*workspace_, terms));
  }

  static std::unique_ptr<Workspace> Open(const std::string& directory) {
    WorkspaceOptions options;
    options.directory = directory;
    options.access = Access::kCreate;
    options.clock_ms = kNow;
    Result<std::unique_ptr<Workspace>> workspace = Workspace::Open(options);
    EXPECT_TRUE(workspace);
    return *std::move(workspace);
  }

  // With what it requires, and written nowhere where it has a dry run.
  static Request Base(const Operation& row) {
    Request request(row);
    int keys = 0;
    for (const Parameter& parameter : row.parameters)
      if (parameter.required) {
        EXPECT_TRUE(request.Set(parameter.name, ValueOf(parameter, Good(parameter, keys))))
            << row.name << " " << parameter.name;
      }
    if (row.Find("dry_run")) {
      EXPECT_TRUE(request.Set("dry_run", true));
    }
    return request;
  }

  // Operations on the open graph that answer when nothing is wrong.
  std::vector<const Operation*> Rows() {
    std::vector<const Operation*> rows;
    for (const Operation& row : AllOperations()) {
      if (row.group == "Care" || row.group == "Files") continue;
      const Request base = Base(row);
      if (Answer(*workspace_, base)) rows.push_back(&row);
    }
    return rows;
  }

  // Sets each parameter that `made` to a text that nothing has; the errors have to begin with
  // `sentence`. How many there were.
  int Mistake(const std::function<bool(const Parameter&)>& made, ErrorCode code,
              const std::string& sentence) {
    int count = 0;
    for (const Operation* row : Rows())
      for (const Parameter& parameter : row->parameters) {
        if (!made(parameter)) continue;
        Request request = Base(*row);
        EXPECT_TRUE(request.Set(parameter.name, ValueOf(parameter, kNoSuch)));
        const Result<Reply> reply = Answer(*workspace_, request);
        if (reply) {  // what writes may bring new names
          EXPECT_NE(row->effect, Effect::kRead) << row->name << " " << parameter.name;
          continue;
        }
        const std::string& message = reply.error().message;
        if (message.find(" needs ") != std::string::npos) continue;  // with another one
        ++count;
        EXPECT_EQ(static_cast<int>(reply.error().code), static_cast<int>(code))
            << row->name << " " << parameter.name << ": " << message;
        EXPECT_NE(message.find(sentence), std::string::npos)
            << row->name << " " << parameter.name << ": " << message;
      }
    return count;
  }

  testing::TempDir dir_;
  std::unique_ptr<Workspace> workspace_;
};

TEST_F(SameMistakes, AWrongKey) {
  EXPECT_GE(Mistake(
                [](const Parameter& p) {
                  return p.means == Means::kKey || p.means == Means::kWeightedKey;
                },
                ErrorCode::kNotFound, "no node 'zzyzx'"),
            35);
}

TEST_F(SameMistakes, AWrongKind) {
  EXPECT_GE(Mistake([](const Parameter& p) { return p.means == Means::kEdgeKind; },
                    ErrorCode::kInvalidArgument, "no edge kind 'zzyzx'"),
            20);
  EXPECT_GE(Mistake([](const Parameter& p) { return p.means == Means::kNodeKind; },
                    ErrorCode::kInvalidArgument, "no node kind 'zzyzx'"),
            10);
}

TEST_F(SameMistakes, AWrongTime) {
  EXPECT_GE(Mistake([](const Parameter& p) { return p.means == Means::kTime; },
                    ErrorCode::kInvalidArgument, "'zzyzx' is no time"),
            15);
  EXPECT_GE(Mistake([](const Parameter& p) { return p.means == Means::kMoment; },
                    ErrorCode::kInvalidArgument, "'zzyzx' is neither a sequence number nor a time"),
            2);
}

TEST_F(SameMistakes, AnUnknownColumn) {
  EXPECT_GE(Mistake([](const Parameter& p) { return p.name.ends_with("column"); },
                    ErrorCode::kInvalidArgument, "no column 'zzyzx'"),
            2);
}

// Number by number: the sentence names the parameter and its limits.
TEST_F(SameMistakes, AValueOutOfRange) {
  int count = 0;
  for (const Operation& row : AllOperations())
    for (const Parameter& parameter : row.parameters) {
      for (const auto& [limit, beyond] :
           {std::pair(parameter.least, -1.0), std::pair(parameter.most, 1.0)}) {
        if (!limit || (parameter.type == Type::kCount && *limit + beyond < 0)) continue;
        const double wrong = *limit + beyond * std::max(1.0, std::abs(*limit));
        if (parameter.type == Type::kCount && wrong < 0) continue;
        Request request(row);
        const Status status = parameter.type == Type::kCount
                                  ? request.Set(parameter.name, static_cast<std::uint64_t>(wrong))
                                  : request.Set(parameter.name, wrong);
        ++count;
        ASSERT_FALSE(status) << row.name << " " << parameter.name << " " << wrong;
        EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
        const std::string& says = status.error().message;
        EXPECT_TRUE(says.starts_with(parameter.name + " is ")) << says;
        EXPECT_TRUE(says.find(" to ") != std::string::npos || says.ends_with(" or more") ||
                    says.find(" is at most ") != std::string::npos)
            << says;
      }
    }
  EXPECT_GE(count, 60);
}

// Nothing is there: an answer, or an error that says what is missing and what to do.
TEST_F(SameMistakes, AnEmptyGraph) {
  const auto empty = Open(dir_ / "empty");
  int count = 0;
  for (const Operation& row : AllOperations()) {
    if (row.group == "Care" || row.group == "Files") continue;
    const Request request = Base(row);
    const Result<Reply> reply = Answer(*empty, request);
    ++count;
    if (reply) continue;
    const Error& error = reply.error();
    EXPECT_TRUE(error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidArgument ||
                error.code == ErrorCode::kFailedPrecondition)
        << row.name << ": " << error.message;
    EXPECT_FALSE(error.message.empty()) << row.name;
    bool has_key = false;
    for (const Parameter& parameter : row.parameters)
      has_key = has_key || (parameter.required && (parameter.means == Means::kKey ||
                                                   parameter.means == Means::kWeightedKey));
    if (has_key) {
      EXPECT_TRUE(error.message.starts_with("no node 'a'") ||
                  error.message.starts_with("no concept 'a'") || error.code != ErrorCode::kNotFound)
          << row.name << ": " << error.message;
    }
  }
  EXPECT_GE(count, 75);
}

}  // namespace
}  // namespace plexus::tools
