// The one place where the program opens a graph.
#include "tools/cli/session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "algorithms/retrieval/where.h"
#include "engine/times.h"
#include "engine/vocabulary.h"
#include "tools/cli/arguments.h"
#include "tools/cli/output.h"

namespace plexus::tools {

Result<std::int64_t> NowMs(const Globals& globals) {
  if (!globals.now.empty()) return ParseTime(globals.now);
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

void WarnOfSeconds(std::string_view option, std::int64_t time_ms) {
  if (LooksLikeSeconds(time_ms)) PrintWarning(std::string(option) + ": " + SecondsWarning(time_ms));
}

Result<Sequence> SequenceAt(storage::Database& database, std::string_view moment) {
  PLEXUS_ASSIGN(const Moment when, ParseMoment(moment));
  if (const Sequence* sequence = std::get_if<Sequence>(&when.value)) return *sequence;
  return database.SequenceAtTime(std::get<std::int64_t>(when.value));
}

namespace {

// A misspelt scope selects nothing: say so.
void NoteUnknownScopes(const Snapshot& snapshot, const std::vector<std::string>& scopes) {
  std::vector<bool> met;                                          // by StringId
  std::vector<std::string> names = {std::string(kDefaultScope)};  // of nodes without a scope, too
  for (NodeId v = 0; v < snapshot.node_count(); ++v) {
    if (!snapshot.alive(v)) continue;
    const auto id = snapshot.string_column(kScope, v);
    if (!id) continue;
    if (*id >= met.size()) met.resize(*id + std::size_t{1});
    if (met[*id]) continue;
    met[*id] = true;
    names.emplace_back(snapshot.string(*id));
  }
  for (const std::string& scope : scopes)
    if (std::ranges::find(names, scope) == names.end())
      PrintNote("no node has the scope '" + scope + "'" + DidYouMean(scope, names));
}

}  // namespace

Result<std::unique_ptr<Session>> Session::Open(const Globals& globals, Access access) {
  std::unique_ptr<Session> session(new Session());
  PLEXUS_TRY(session->Begin(globals, access));
  return session;
}

Status Session::Begin(const Globals& globals, Access access) {
  globals_ = globals;
  if (globals.db.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "which graph? --db DIR (or PLEXUS_DB) names its directory");
  if (access != Access::kRead && !globals.as_of.empty())
    return Fail(ErrorCode::kInvalidArgument, "--as-of reads the past; this command writes");
  if (!globals.as_of.empty()) PLEXUS_TRY(ParseMoment(globals.as_of));
  PLEXUS_ASSIGN(now_ms_, NowMs(globals));
  if (access != Access::kRead && !globals.now.empty()) WarnOfSeconds("--now", now_ms_);
  if (globals.threads > 0) own_executor_ = MakeTbbExecutor(globals.threads);
  executor_ = own_executor_ ? own_executor_.get() : &DefaultExecutor();
  progress_ = std::make_unique<ProgressBar>(!globals.quiet);

  storage::OpenOptions options;
  options.create = access == Access::kCreate;
  options.read_only = access == Access::kRead;
  options.strict = globals.strict;
  options.graph.executor = executor_;
  options.graph.return_freed_memory = false;  // the command ends soon
  options.graph.now_ms = [now = now_ms_] { return now; };
  options.lock_wait_ms = static_cast<std::int64_t>(globals.wait_seconds * 1000);
  bool holder_told = globals.quiet || !isatty(STDERR_FILENO);
  options.on_lock_wait = [&](const std::string& holder, std::int64_t waited_ms) {
    if (!holder_told && waited_ms >= 1000) {
      PrintNote("waiting for " + holder + ", who writes to " + globals.db);
      holder_told = true;
    }
    return true;  // nothing is open yet: Ctrl-C ends the program at once
  };
  made_directory_ = options.create && !std::filesystem::exists(globals.db);
  PLEXUS_ASSIGN(database_, storage::Database::Open(globals.db, options));
  if (access != Access::kRead) {
    open_for_writing_ = true;
    guard_.emplace();
    EndOnLostReader(false);
  }
  if (database_->report().tail_dropped) WarnInReply(database_->report().tail_message);
  std::size_t told = 0;
  auto tell_damage = [&] {
    const std::vector<storage::DamagedCheckpoint> damaged = database_->damaged_checkpoints();
    for (; told < damaged.size(); ++told) WarnInReply(storage::DamageMessage(damaged[told]));
  };
  tell_damage();

  snapshot_ = database_->snapshot();
  if (!globals.as_of.empty()) {
    PLEXUS_ASSIGN(const Sequence sequence, SequenceAt(*database_, globals.as_of));
    PLEXUS_ASSIGN(snapshot_, database_->AsOf(sequence));
    tell_damage();
    // What was visible and valid then is judged by the clock of then.
    if (globals.now.empty()) {
      PLEXUS_ASSIGN(const Moment when, ParseMoment(globals.as_of));
      const std::int64_t* asked = std::get_if<std::int64_t>(&when.value);
      now_ms_ = asked ? *asked : snapshot_.time_ms();
    }
  }
  if (!globals.scopes.empty()) {
    const std::vector<std::string_view> scopes(globals.scopes.begin(), globals.scopes.end());
    scope_ = NodeSubset::InScopes(snapshot_, scopes);
    if (!globals.quiet) NoteUnknownScopes(snapshot_, globals.scopes);
  }
  if (!globals.where.empty()) {
    WhereOptions where;
    where.subset = scope();
    where.executor = executor_;
    PLEXUS_ASSIGN(WhereResult found, EvaluateWhere(snapshot_, globals.where, where));
    scope_ = std::move(found.nodes);
  }
  return {};
}

Result<std::int64_t> Session::ValidAt(std::string_view given) const {
  if (given.empty()) return kNoTime;
  if (given == "now") return now_ms_;
  return ParseTime(given);
}

Session::~Session() {
  if (open_for_writing_) (void)Abandon();
}

Status Session::Abandon() {
  if (!database_->report().created || database_->snapshot().sequence() != 0) return Close();
  EndProgress();
  open_for_writing_ = false;
  PLEXUS_TRY(database_->Discard());
  std::error_code not_empty;  // somebody else's files stay
  if (made_directory_) std::filesystem::remove(globals_.db, not_empty);
  return {};
}

Status Session::Close() {
  EndProgress();
  open_for_writing_ = false;
  return database_->Close();
}

}  // namespace plexus::tools
