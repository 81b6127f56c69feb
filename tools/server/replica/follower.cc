// The loop of a replica: connect, compare histories, take pages; on an error pause and again.
#include "tools/server/replica/follower.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "tools/server/http/routes.h"
#include "tools/server/json_text.h"
#include "tools/server/server_log.h"

namespace plexus::tools::server {
namespace {

constexpr int kPollMs = 2000, kSlowMs = 5000, kFilesMs = 30'000;
constexpr int kFirstPauseMs = 100, kLongestPauseMs = 5000;
constexpr std::uint64_t kPageRecords = 4096;
constexpr std::uint64_t kMostPageBytes = std::uint64_t{4} << 30, kMostJsonBytes = 256 << 20;

std::uint64_t NumberMember(const json::object& object, const char* name) {
  const json::value* value = Member(object, name);
  if (value && value->is_uint64()) return value->get_uint64();
  return value && value->is_int64() ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

bool ReadId(std::string_view text, std::uint64_t& high, std::uint64_t& low) {
  if (text.size() != 32) return false;
  const auto half = [&](std::size_t at, std::uint64_t& value) {
    const char *begin = text.data() + at, *end = begin + 16;
    return std::from_chars(begin, end, value, 16).ptr == end;
  };
  return half(0, high) && half(16, low);
}

std::unexpected<Error> NoSource() {
  return Unsupported("the source's answer is none of a Plexus server that can be followed");
}

// The message of {"error":{"message":..}}.
std::string MessageOf(const HttpClient::Answer& answer) {
  const json::object object = ObjectOfJson(answer.body);
  const json::object* error = ObjectMember(object, "error");
  const std::string_view message = error ? TextMember(*error, "message") : std::string_view();
  return "the source says " + std::to_string(answer.status) +
         (message.empty() ? "" : ": " + std::string(message));
}

// Refused for good: what a later try would not change.
bool IsFinal(ErrorCode code) {
  return code == ErrorCode::kFailedPrecondition || code == ErrorCode::kUnsupported ||
         code == ErrorCode::kConflict || code == ErrorCode::kAlreadyExists ||
         code == ErrorCode::kInvalidArgument;
}

}  // namespace

Result<std::string> ReadTokenFile(const std::string& file) {
  if (file.empty()) return std::string();
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  std::string token(4096, '\0');
  ssize_t got = -1;
  if (fd >= 0) {
    if (fstat(fd, &status) == 0) got = read(fd, token.data(), token.size());
    close(fd);
  }
  if (got < 0) return Invalid(file, ": cannot be read");
  if (status.st_mode & 077)
    return Invalid(file, ": others may read the token; say chmod 600 ", file);
  token.resize(static_cast<std::size_t>(got));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  const bool plain =
      std::ranges::all_of(token, [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (token.empty() || !plain) return Invalid(file, ": holds no token, which is one line");
  return token;
}

Result<std::unique_ptr<Follower>> Follower::Make(const std::string& source, std::string token,
                                                 std::string directory, HttpClient::Stop stop) {
  PLEXUS_ASSIGN(HttpUrl url, ParseUrl(source));
  return std::unique_ptr<Follower>(new Follower(std::move(url), std::move(token),
                                                std::move(directory), std::move(stop),
                                                std::make_shared<FollowStatus>(source)));
}

Result<std::unique_ptr<HttpClient>> Follower::Connect() const {
  return HttpClient::Connect(url_, token_, stop_);
}

Result<HttpClient::Answer> Follower::Ask(HttpClient& client, const std::string& path,
                                         std::string_view accept, int milliseconds) const {
  const bool page = accept == kChangesType;
  PLEXUS_ASSIGN(HttpClient::Answer answer, client.Get(url_.path + path, accept, milliseconds,
                                                      page ? kMostPageBytes : kMostJsonBytes));
  if (answer.status == 401 || answer.status == 403) return FailedPrecondition(MessageOf(answer));
  if (answer.status == 503 || answer.status == 429)
    return Fail(ErrorCode::kLocked, MessageOf(answer));
  return answer;
}

Result<replica::GraphLineage> Follower::AskHistory(HttpClient& client) const {
  PLEXUS_ASSIGN(const HttpClient::Answer answer,
                Ask(client, "/v1/history", "application/json", kSlowMs));
  if (answer.status == 404) return NoSource();
  if (answer.status != 200) return IoError(MessageOf(answer));
  const json::object object = ObjectOfJson(answer.body);
  replica::GraphLineage lineage;
  if (!ReadId(TextMember(object, "graph"), lineage.high, lineage.low)) return NoSource();
  lineage.format = NumberMember(object, "format");
  lineage.generation = NumberMember(object, "generation");
  lineage.floor = NumberMember(object, "floor");
  lineage.sequence = NumberMember(object, "sequence");
  const json::value* marks = Member(object, "marks");
  if (!marks || !marks->is_array()) return NoSource();
  for (const json::value& each : marks->get_array()) {
    replica::HistoryMark mark;
    if (!each.is_object() || !ReadId(TextMember(each.get_object(), "id"), mark.high, mark.low))
      return NoSource();
    mark.after = NumberMember(each.get_object(), "after");
    lineage.marks.push_back(mark);
  }
  return lineage;
}

Result<std::uint64_t> Follower::Copy() {
  PLEXUS_ASSIGN(const std::unique_ptr<HttpClient> client, Connect());
  PLEXUS_ASSIGN(const int status,
                client->Begin(url_.path + "/v1/files", "application/octet-stream", kFilesMs));
  if (status != 200) {
    HttpClient::Answer answer{status, {}};
    PLEXUS_ASSIGN(answer.body, client->NextPiece());
    return Fail(status == 401 || status == 403 ? ErrorCode::kFailedPrecondition : ErrorCode::kIo,
                MessageOf(answer));
  }
  LogInfo("takes a copy of the source", {{"source", status_->source()}});
  const auto begun = std::chrono::steady_clock::now();
  std::uint64_t bytes = 0;
  PLEXUS_ASSIGN(const std::uint64_t generation,
                replica::ReceiveFiles(directory_, status_->source(), [&]() -> Result<std::string> {
                  auto piece = client->NextPiece();
                  if (piece) bytes += piece->size();
                  return piece;
                }));
  const auto took = std::chrono::steady_clock::now() - begun;
  LogInfo("took a copy of the source",
          {{"bytes", std::to_string(bytes)},
           {"ms",
            std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(took).count())}});
  status_->Copied();
  return generation;
}

Status Follower::Begin(bool once) {
  const auto attempt = [&]() -> Status {
    if (Database::Exists(directory_)) {
      OpenOptions options;
      options.read_only = true;
      const auto there = Database::Open(directory_, options);
      // Not completely made, by an attempt that was killed.
      if (there) {
        PLEXUS_ASSIGN(const replica::GraphLineage lineage, (*there)->ReadLineage());
        if (!lineage.source.empty()) return {};
        return Fail(ErrorCode::kAlreadyExists,
                    directory_ + ": holds a graph of its own, and is no replica");
      }
      if (there.error().code != ErrorCode::kNotFound) return std::unexpected(there.error());
    }
    PLEXUS_ASSIGN(const std::unique_ptr<HttpClient> client, Connect());
    PLEXUS_ASSIGN(const replica::GraphLineage source, AskHistory(*client));
    PLEXUS_TRY(replica::CheckSource({.format = 0, .high = source.high, .low = source.low}, source));
    PLEXUS_ASSIGN(const std::uint64_t generation, Copy());
    return replica::SwapIn(directory_, generation);
  };
  for (;;) {
    const Status begun = attempt();
    if (begun || once || IsFinal(begun.error().code) || stop_()) return begun;
    PLEXUS_TRY(Pause(begun.error()));
  }
}

Status Follower::Renew(Service& service) {
  PLEXUS_ASSIGN(const std::uint64_t generation, Copy());
  return service.SwapFiles(generation);
}

Result<bool> Follower::Step(HttpClient& client, Service& service) {
  PLEXUS_ASSIGN(const replica::GraphLineage mine, service.ReadLineage());
  const Sequence here = service.sequence();
  const int wait_ms = was_connected_ ? kPollMs : 0;
  const std::uint64_t limit = mine.proof > here ? mine.proof - here : kPageRecords;
  PLEXUS_ASSIGN(const HttpClient::Answer answer,
                Ask(client,
                    "/v1/changes?since=" + std::to_string(here) +
                        "&limit=" + std::to_string(limit) + "&wait_ms=" + std::to_string(wait_ms) +
                        "&generation=" + std::to_string(mine.source_generation),
                    kChangesType, wait_ms + kSlowMs));
  if (answer.status == 409) {  // trimmed
    PLEXUS_TRY(Renew(service));
    return true;
  }
  if (answer.status != 200)
    return Fail(answer.status == 404 ? ErrorCode::kNotFound : ErrorCode::kIo, MessageOf(answer));
  PLEXUS_ASSIGN(const Changes changes, replica::DecodeChanges(answer.body));
  if (changes.generation < mine.source_generation) {  // an older copy took the source's place
    PLEXUS_TRY(Renew(service));
    return true;
  }
  if (changes.generation != mine.source_generation) {
    PLEXUS_ASSIGN(const HttpClient::Answer list,
                  Ask(client, "/v1/forgotten", "application/json", kFilesMs));
    const json::object object = ObjectOfJson(list.body);
    const json::value* nodes = Member(object, "nodes");
    if (list.status != 200 || !nodes || !nodes->is_array()) return NoSource();
    replica::ForgottenIds forgotten;
    forgotten.generation = NumberMember(object, "generation");
    forgotten.floor = NumberMember(object, "floor");
    for (const json::value& node : nodes->get_array())
      if (node.is_int64()) forgotten.nodes.push_back(static_cast<NodeId>(node.get_int64()));
    if (const json::value* strings = Member(object, "strings"); strings && strings->is_array())
      for (const json::value& id : strings->get_array())
        if (id.is_int64()) forgotten.strings.push_back(static_cast<StringId>(id.get_int64()));
    PLEXUS_TRY(service.Forget(forgotten));
    return true;
  }
  PLEXUS_TRY(service.Follow(changes));
  status_->Update(changes.last, service.sequence());
  return changes.has_more;
}

Status Follower::Follow(Service& service, bool once) {
  PLEXUS_ASSIGN(const std::unique_ptr<HttpClient> client, Connect());
  PLEXUS_ASSIGN(const replica::GraphLineage source, AskHistory(*client));
  PLEXUS_ASSIGN(const replica::GraphLineage mine, service.ReadLineage());
  PLEXUS_TRY(replica::CheckSource(mine, source));
  // Another writer's generations and hashes are not those that were followed.
  if (source.marks != mine.marks) PLEXUS_TRY(Renew(service));
  for (;;) {
    PLEXUS_ASSIGN(const bool more, Step(*client, service));
    if (!was_connected_) {
      was_connected_ = true;
      pause_ms_ = 0;
      LogInfo("follows its source",
              {{"source", status_->source()}, {"sequence", std::to_string(service.sequence())}});
    }
    if (once && !more && service.sequence() >= source.sequence) return {};
    if (stop_()) return Cancelled("asked to end");
  }
}

Status Follower::Run(Service& service, bool once) {
  for (;;) {
    Status followed;
    try {
      followed = Follow(service, once);
    } catch (const std::bad_alloc&) {
      followed = Exhausted(kNoMemory);
    }
    if (followed || once || stop_()) return followed;
    PLEXUS_TRY(Pause(followed.error()));
    // What failed in a write here, such as on a full disk, is opened again; damage is replaced.
    if (!service.BrokenReplica()) continue;
    const Status opened = service.SwapFiles(0);
    if (!opened && opened.error().code == ErrorCode::kCorruption) (void)Renew(service);
  }
}

Status Follower::Pause(const Error& error) {
  was_connected_ = false;
  if (status_->Lost(error.message))
    LogError("does not follow its source: " + error.message, {{"source", status_->source()}});
  pause_ms_ = std::clamp(2 * pause_ms_, kFirstPauseMs, kLongestPauseMs);
  for (int waited = 0; waited < pause_ms_ && !stop_(); waited += 20)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (stop_()) return Cancelled("asked to end");
  return {};
}

}  // namespace plexus::tools::server
