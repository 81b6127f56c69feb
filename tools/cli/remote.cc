// One line there, one line back.
#include "tools/cli/remote.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "tools/cli/exit_code.h"
#include "tools/cli/holder_socket.h"
#include "tools/cli/output.h"
#include "tools/cli/run.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

namespace json = boost::json;

// What was given for a parameter of paths.
std::vector<std::string> PathsOf(const Request& request, const Parameter& parameter) {
  if (!request.Given(parameter.name)) return {};
  if (parameter.type == Type::kList) return request.List(parameter.name);
  return {request.Text(parameter.name)};
}

// Paths are those of the process that was asked.
Request WithWholePaths(const Request& request) {
  Request whole = request;
  for (const Parameter& parameter : request.operation().parameters) {
    if (parameter.means != Means::kFile && parameter.means != Means::kPath) continue;
    std::vector<std::string> paths = PathsOf(request, parameter);
    for (std::string& path : paths) {
      std::error_code failed;
      const auto made = std::filesystem::absolute(path, failed);
      if (!failed) path = made.string();
    }
    if (parameter.type == Type::kList && !paths.empty())
      (void)whole.Set(parameter.name, std::move(paths));
    else if (!paths.empty())
      (void)whole.Set(parameter.name, paths.front());
  }
  return whole;
}

// Whether it reads standard input, which the server does not have.
bool ReadsInput(const Request& request) {
  return std::ranges::any_of(request.operation().parameters, [&](const Parameter& parameter) {
    return parameter.means == Means::kFile &&
           std::ranges::count(PathsOf(request, parameter), "-") > 0;
  });
}

bool SendAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string ReadToEnd(int fd) {
  std::string text;
  char piece[65536];
  for (;;) {
    const ssize_t got = read(fd, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string RemoteLine(const CommandLine& line) {
  const Request request = WithWholePaths(*line.request);
  return JsonObject([&](JsonWriter& json) {
    json.Field("plexus", "run");
    json.Field("operation", request.operation().name);
    json.Key("request");
    json.Raw(RequestToJson(request));
    json.BeginObject("sources");
    for (const Parameter& parameter : request.operation().parameters)
      if (parameter.means == Means::kContent && request.Given(parameter.name))
        json.Field(parameter.name, line.request->Source(parameter.name));
    json.EndObject();
    json.BeginArray("wall");
    for (const std::string& scope : line.globals.wall) json.Value(scope);
    json.EndArray();
    json.Field("format", static_cast<std::uint64_t>(line.globals.format));
    json.Field("names_of_json", request.spelling() == Spelling::kNames);
    json.Field("quiet", line.globals.quiet);
    json.Field("names", line.globals.names);
    json.Field("strict", line.globals.strict);
    json.Field("people", line.globals.format == Format::kTable);
    json.Field("width", std::uint64_t{TerminalWidth()});
  });
}

Result<CommandLine> ReadRemoteLine(std::string_view text, std::size_t* width) {
  boost::system::error_code failed;
  const json::value value = json::parse(json::string_view(text.data(), text.size()), failed);
  const auto refuse = [] { return Invalid("no line of a command"); };
  if (failed || !value.is_object()) return refuse();
  const json::object& object = value.get_object();
  const auto flag = [&](const char* name) {
    const json::value* member = object.if_contains(name);
    return member && member->is_bool() && member->get_bool();
  };
  const auto number = [&](const char* name) -> std::int64_t {
    const json::value* member = object.if_contains(name);
    return member && member->is_int64() ? member->get_int64() : 0;
  };
  const json::value* name = object.if_contains("operation");
  const json::value* given = object.if_contains("request");
  if (!name || !name->is_string() || !given || !given->is_object()) return refuse();
  const Operation* operation = FindOperation(name->get_string().c_str());
  if (!operation) return Invalid("no such operation");
  CommandLine line;
  PLEXUS_ASSIGN(Request request,
                RequestFromJson(*operation, json::serialize(*given),
                                flag("names_of_json") ? Spelling::kNames : Spelling::kFlags));
  if (const json::value* sources = object.if_contains("sources"); sources && sources->is_object())
    for (const auto& [key, source] : sources->get_object())
      if (source.is_string() && operation->Find(std::string_view(key.data(), key.size())))
        request.SetSource(std::string_view(key.data(), key.size()), source.get_string().c_str());
  if (flag("people")) request.SetForPeople();
  line.request = std::move(request);
  if (const json::value* wall = object.if_contains("wall"); wall && wall->is_array())
    for (const json::value& scope : wall->get_array()) {
      if (!scope.is_string()) return refuse();
      line.globals.wall.emplace_back(scope.get_string());
    }
  const std::int64_t format = number("format");
  if (format < 0 || format > 2) return refuse();
  line.globals.format = static_cast<Format>(format);
  line.globals.quiet = flag("quiet");
  line.globals.names = flag("names");
  line.globals.strict = flag("strict");
  *width = static_cast<std::size_t>(std::max<std::int64_t>(0, number("width")));
  return line;
}

std::string RemoteAnswer(int code, std::string_view out, std::string_view err) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("code", code);
    json.Field("out", out);
    json.Field("err", err);
  });
}

std::optional<int> RunAtHolder(const CommandLine& line, Access access) {
  const bool writes = access == Access::kWrite || access == Access::kCreate;
  if (!writes || line.globals.db.empty() || ReadsInput(*line.request)) return std::nullopt;
  const Result<int> fd = ConnectToHolder(line.globals.db);
  if (!fd) return std::nullopt;
  const bool sent = SendAll(*fd, RemoteLine(line) + "\n");
  const std::string answer = sent ? ReadToEnd(*fd) : std::string();
  close(*fd);
  boost::system::error_code failed;
  const json::value value = json::parse(answer, failed);
  const json::object* object = failed ? nullptr : value.if_object();
  if (!object || !object->contains("code") || !object->contains("out") || !object->contains("err"))
    return PrintFailure(
        {ErrorCode::kLocked, "the server that holds " + line.globals.db +
                                 " ended before it answered: look what was written, and try again"},
        line);
  std::fputs(object->at("err").as_string().c_str(), stderr);
  Out() << std::string_view(object->at("out").as_string());
  if (const Status printed = FlushOut(); !printed) return PrintFailure(printed.error(), line);
  return static_cast<int>(object->at("code").as_int64());
}

}  // namespace plexus::tools
