// Requests of every row: friendly and hostile ones, of a scope behind its wall and of a whole graph
// in a directory, through a door of strangers. Replies are JSON and tables at once.
#include <boost/json/parse.hpp>
#include <filesystem>
#include <sstream>
#include <string>

#include "storage/database.h"
#include "storage/formats/import.h"
#include "tests/hostile/attack.h"
#include "tests/hostile/random_request.h"
#include "tests/hostile/two_scopes.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::hostile {
namespace {

using testing::RandomRequests;
using tools::Workspace;

// What is heard of one request, checked to be JSON.
std::string Ask(Workspace& workspace, const tools::Operation& row, const std::string& members) {
  Result<tools::Request> request = tools::RequestFromJson(row, members);
  std::ostringstream heard;
  tools::JsonWriter json(heard);
  Result<tools::Reply> reply = tools::Reply();
  if (request) {
    if (request->Has("max_seconds")) (void)request->Set("max_seconds", 1.0);
    reply = tools::Answer(workspace, *request);
  }
  const Error* error = !request ? &request.error() : !reply ? &reply.error() : nullptr;
  if (error) {
    if (error->message.empty() || error->message.ends_with(": "))
      Wrong("an error without a reason: " + error->ToString());
    json.BeginObject();
    json.Field("error", error->message);
    json.EndObject();
  } else if (reply->members) {
    tools::WriteReply(*reply, workspace.warnings(), json);
  } else if (reply->stream) {
    (void)reply->stream(heard);
    return std::move(heard).str();
  } else {
    return reply->page;
  }
  boost::system::error_code failed;
  boost::json::parse_options options;
  options.max_depth = 128;
  boost::json::parse(heard.str(), failed, {}, options);
  if (failed) Wrong("the reply is no JSON: " + heard.str());
  std::string all = std::move(heard).str();
  for (const tools::Note& note : workspace.notes()) all += note.text;
  return all;
}

void AskMany(Round& round, Workspace& workspace, bool walled, int count) {
  RandomRequests requests(round.seed, testing::WordsOfMine());
  for (int i = 0; i < count; ++i) {
    const tools::Operation& row = round.Pick(tools::AllOperations());
    const std::string members = round.Below(3) ? requests.Hostile(row) : requests.Friendly(row);
    Doing((walled ? "walled " : "stored ") + row.name + " " + members);
    const std::string heard = Ask(workspace, row, members);
    if (heard.find(kCanarySecret) != std::string::npos)
      Wrong("the canary's secret is told: " + heard);
    if (walled && heard.find(testing::kSecret) != std::string::npos &&
        members.find(testing::kSecret) == std::string::npos)
      Wrong("another scope's secret is told: " + heard);
  }
}

}  // namespace

void AttackRequests(Round& round) {
  constexpr int kRequests = 150;
  {
    Doing("making a graph");
    const std::unique_ptr<Graph> graph = testing::TwoScopes(true);
    if (!graph) Wrong("no graph");
    auto workspace = Workspace::Over(*graph, {.access = tools::Access::kWrite,
                                              .clock_ms = testing::kScopesNow,
                                              .wall = {testing::kMine}});
    if (!workspace) Wrong(workspace.error().ToString());
    AskMany(round, **workspace, true, kRequests);
  }
  tools::WorkspaceOptions options;
  options.directory = round.directory + "/graph";
  options.access = tools::Access::kCreate;
  options.clock_ms = testing::kScopesNow;
  options.paths = false;
  auto stored = Workspace::Open(options);
  if (!stored) Wrong(stored.error().ToString());
  formats::ImportOptions lines;
  lines.format = formats::FileFormat::kJsonLines;
  lines.now_ms = testing::kScopesNow;
  const auto imported =
      formats::ImportBytes((*stored)->graph(), "lines", testing::ScopeLines(false), lines);
  if (!imported) Wrong(imported.error().ToString());
  AskMany(round, **stored, false, kRequests);
  if (const Status closed = (*stored)->Close(); !closed) Wrong(closed.error().ToString());
}

}  // namespace plexus::hostile
