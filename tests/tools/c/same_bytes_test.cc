// The C interface answers with the bytes of the operation itself: every row on a directory, and
// the table of all doors on an open graph.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tests/tools/limits/every_row.h"
#include "tests/tools/limits/request_table.h"
#include "tools/c/plexus.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::testing {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  std::string text;
  plexus_code code = PLEXUS_OK;
};

std::string ErrorText(const Error& error) {
  std::ostringstream text;
  tools::JsonWriter json(text);
  tools::WriteError(error, json);
  return std::move(text).str();
}

Outcome Failure(const Error& error) {
  return {ErrorText(error), static_cast<plexus_code>(error.code) + 1};
}

Result<std::unique_ptr<tools::Workspace>> Opened(const std::string& directory, tools::Access access,
                                                 std::int64_t clock_ms) {
  tools::WorkspaceOptions options;
  options.directory = directory;
  options.access = access;
  options.clock_ms = clock_ms;
  options.one_request = false;
  return tools::Workspace::Open(options);
}

// Without the C interface, on a graph that is open.
Outcome Answered(tools::Workspace& workspace, const tools::Request& request) {
  workspace.SetClock(*tools::ClockOf(request));
  Result<tools::Reply> reply = tools::Answer(workspace, request);
  if (!reply) return Failure(reply.error());
  std::ostringstream text;
  tools::JsonWriter json_writer(text);
  if (reply->members)
    tools::WriteReply(*reply, workspace.warnings(), json_writer);
  else if (!reply->stream(text))
    return {"stream failed", PLEXUS_INTERNAL};
  return {std::move(text).str(), PLEXUS_OK};
}

// The same on a directory: opens, answers, closes.
Outcome Direct(const std::string& directory, const std::string& name, const std::string& json) {
  const auto request = tools::RequestFromJson(*tools::FindOperation(name), json);
  if (!request) return Failure(request.error());
  const auto workspace = Opened(directory, request->operation().AccessFor(*request), 0);
  if (!workspace) return Failure(workspace.error());
  Outcome outcome = Answered(**workspace, *request);
  EXPECT_TRUE((*workspace)->Close());
  return outcome;
}

Outcome Taken(plexus_code code, plexus_text reply) {
  Outcome outcome{std::string(reply.data, reply.length), code};
  EXPECT_EQ(reply.data[reply.length], '\0');
  EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
  return outcome;
}

// What no two runs have in common: how long it took, and sizes of files.
std::string Comparable(std::string text, const std::string& directory) {
  for (std::size_t at = 0; (at = text.find(directory, at)) != std::string::npos;)
    text.replace(at, directory.size(), "DIR");
  static const std::regex measured(R"re("(seconds|[a-z_]*_ms|[a-z_]*bytes)":[-0-9.e+]+)re");
  return WithoutTimes(std::regex_replace(text, measured, "\"$1\":0"));
}

// The names of all members, for replies that count files and caches.
std::string Members(const std::string& text) {
  std::string names;
  static const std::regex member(R"re("([a-z_0-9]+)":)re");
  for (std::sregex_iterator at(text.begin(), text.end(), member), end; at != end; ++at)
    names += (*at)[1].str() + " ";
  return names;
}

void Replace(std::string& text, const std::string& name, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += with.size())
    text.replace(at, name.size(), with);
}

std::string WithNow(const std::string& json, bool timeless) {
  if (timeless) return json;
  const std::string now = std::string(R"("now":)") + kTableTime;
  return json == "{}" ? "{" + now + "}" : json.substr(0, json.size() - 1) + "," + now + "}";
}

void Fill(const TempDir& dir, const std::string& graph) {
  const std::string lines = dir.File("all.jsonl", EverythingLines(6));
  const std::string now = kTableTime;
  for (const auto& [name, json] :
       {std::pair<std::string, std::string>{"import", R"({"files":[")" + lines + R"("]})"},
        {"terms", "{}"},
        {"embed", "{}"}})
    ASSERT_EQ(Direct(graph, name, WithNow(json, false)).code, PLEXUS_OK) << name;
}

TEST(CSameBytes, EveryRowOnADirectory) {
  static const std::set<std::string> timeless = {"decisions_check", "schema", "restore",
                                                 "repair",          "verify", "backup"};
  static const std::set<std::string> measures = {"stats",  "compact", "checkpoint", "verify",
                                                 "backup", "trim",    "purge"};
  const TempDir dir;
  Fill(dir, dir / "0");
  std::set<std::string> rows;
  for (const char* side : {"1", "2"}) {
    fs::create_directory(dir / side);
    for (const char* graph : {"graph", "copy"})
      fs::copy(dir / "0", (dir / side) + "/" + graph, fs::copy_options::recursive);
    std::ofstream((dir / side) + "/more.jsonl") << "{\"node\":\"n1\",\"text\":\"more\"}\n";
  }
  for (const RowRequest& row : EveryRow()) {
    std::string json[2];
    for (int side = 0; side < 2; ++side) {
      json[side] = WithNow(row.json, timeless.contains(row.operation));
      Replace(json[side], "m399", "m29");  // the rows are written for a larger graph
      const std::string at = dir / (side == 0 ? "1" : "2");
      Replace(json[side], "DIR", at);
      Replace(json[side], "GRAPH", at + "/copy");
    }
    // restore makes its directory.
    const std::string graph = row.operation == "restore" ? "/restored" : "/graph";
    const Outcome expected = Direct((dir / "1") + graph, row.operation, json[0]);
    plexus_text reply;
    const plexus_code code = plexus_call_at(((dir / "2") + graph).c_str(), row.operation.c_str(),
                                            json[1].c_str(), json[1].size(), nullptr, &reply);
    const Outcome got = Taken(code, reply);
    EXPECT_EQ(got.code, expected.code) << row.operation << " " << row.json << " " << got.text;
    EXPECT_EQ(got.code, PLEXUS_OK) << row.operation << " " << row.json << " " << got.text;
    if (measures.contains(row.operation))
      EXPECT_EQ(Members(got.text), Members(expected.text)) << row.operation;
    else
      EXPECT_EQ(Comparable(got.text, dir / "2"), Comparable(expected.text, dir / "1"))
          << row.operation << " " << row.json;
    rows.insert(row.operation);
  }
  EXPECT_EQ(rows.size(), tools::AllOperations().size());
}

// For the doors of other languages: the graph before the first request, and a line a request with
// what was answered, in the folder that PLEXUS_TABLE names.
class KeptTable {
 public:
  explicit KeptTable(const std::string& graph) {
    const char* folder = std::getenv("PLEXUS_TABLE");
    if (!folder) return;
    fs::copy(graph, std::string(folder) + "/graph", fs::copy_options::recursive);
    lines_.open(std::string(folder) + "/table.jsonl");
  }
  void Add(const Asked& asked, const Outcome& outcome) {
    if (!lines_.is_open()) return;
    tools::JsonWriter json(lines_);
    json.BeginObject();
    json.Key("operation");
    json.Value(std::string_view(asked.operation));
    json.Key("request");
    json.Value(std::string_view(asked.json));
    json.Key("code");
    json.Value(outcome.code);
    json.Key("reply");
    json.Value(std::string_view(outcome.text));
    json.EndObject();
    lines_ << '\n';
  }

 private:
  std::ofstream lines_;
};

TEST(CSameBytes, TheTableOfAllDoorsOnAnOpenGraph) {
  const TempDir dir;
  Fill(dir, dir / "1");
  KeptTable kept(dir / "1");
  fs::copy(dir / "1", dir / "2", fs::copy_options::recursive);
  plexus_graph* graph = nullptr;
  ASSERT_EQ(plexus_open((dir / "2").c_str(), nullptr, &graph), PLEXUS_OK) << plexus_message();
  const std::vector<Asked> table = RequestTable();
  ASSERT_GE(table.size(), 200u);
  const auto workspace = Opened(dir / "1", tools::Access::kWrite, tools::ClockMs());
  ASSERT_TRUE(workspace);
  int failed = 0;
  for (const Asked& asked : table) {
    const auto request = tools::RequestFromJson(*tools::FindOperation(asked.operation), asked.json);
    const Outcome expected = request ? Answered(**workspace, *request) : Failure(request.error());
    plexus_text reply;
    const plexus_code code =
        plexus_call(graph, asked.operation.c_str(), asked.json.c_str(), asked.json.size(), &reply);
    const std::string message = plexus_message();
    const Outcome got = Taken(code, reply);
    EXPECT_EQ(WithoutTimes(got.text), WithoutTimes(expected.text))
        << asked.operation << " " << asked.json;
    EXPECT_EQ(got.code, expected.code) << asked.operation << " " << asked.json;
    kept.Add(asked, expected);
    if (got.code == PLEXUS_OK) continue;
    ++failed;
    EXPECT_NE(got.text.find(plexus_code_name(got.code)), std::string::npos) << got.text;
    EXPECT_FALSE(message.empty());
  }
  EXPECT_GT(failed, 50);
  EXPECT_EQ(plexus_close(graph), PLEXUS_OK);
}

}  // namespace
}  // namespace plexus::testing
