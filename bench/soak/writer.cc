// The writer: one thread applies steps and purges, three read, one keeps (trims, backs up,
// checkpoints), one looks at the past and verifies, one feeds a replica, one counts. Killed at any
// moment.
//
// The database is called as its header allows: purges with the gate to themselves, all
// else under the shared side of it. A snapshot is read without it.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <thread>

#include "algorithms/retrieval/terms.h"
#include "bench/soak/board.h"
#include "bench/soak/replica.h"
#include "bench/support.h"
#include "engine/monitoring/monitoring.h"

namespace plexus::bench::soak {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Files below `directory` that hold `bytes`.
std::string FilesWith(const std::string& directory, const std::string& bytes) {
  std::string found;
  std::error_code ignored;
  for (fs::recursive_directory_iterator it(directory, ignored), end; it != end;
       it.increment(ignored)) {
    if (!it->is_regular_file(ignored)) continue;
    std::ifstream in(it->path(), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (text.str().find(bytes) != std::string::npos) found += " " + it->path().filename().string();
  }
  return found;
}

// What the disk does by itself: as many bytes as a small batch, synced.
class RawFile {
 public:
  explicit RawFile(const std::string& path)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (file_ < 0) Die("cannot make " + path);
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  ~RawFile() { close(file_); }
  void Sync() const {
    const char bytes[200] = {};
    if (pwrite(file_, bytes, sizeof(bytes), 0) != sizeof(bytes) || fdatasync(file_) != 0)
      Wrong("a plain file cannot be written");
  }

 private:
  const int file_;
};

class Writer {
 public:
  explicit Writer(const Settings& settings)
      : settings_(settings), scenario_(settings.scenario()), model_(scenario_) {}
  int Run();

 private:
  void Open();
  void Write();
  bool Apply();
  void Purge();
  void LookForSecrets(const std::vector<Number>& victims, bool hard);
  void Read(std::uint64_t reader);
  void Keep();
  void LookBack();
  void AskThePast();
  void Verify();
  void BackUp();
  void Feed();
  void Count();
  bool Stops() const { return board_.stop > 0; }
  // Sleeps, but not after the end.
  void Pause(Clock::duration time) const {
    for (const auto end = Clock::now() + time; Clock::now() < end && !Stops();)
      std::this_thread::sleep_for(std::min<Clock::duration>(end - Clock::now(), milliseconds(50)));
  }
  Clock::duration MaintenancePause() const {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::clamp(settings_.seconds / 400, 0.1, 2.0)));
  }
  void PauseAfter(Clock::time_point start, int times) const {
    Pause(std::clamp<Clock::duration>(times * (Clock::now() - start), milliseconds(2),
                                      milliseconds(500)));
  }
  void Check(const Status& status, const char* what) const {
    if (!status) Wrong(std::string(what) + ": " + status.error().ToString());
  }

  const Settings settings_;
  const Scenario scenario_;
  Board& board_ = TheBoard();
  Model model_;
  std::unique_ptr<Database> database_;
  std::shared_mutex gate_;
  std::atomic<std::uint64_t> purges_{0};  // begun
  retrieval::TermOptions terms_;
};

// What was acknowledged is there, all of it, and nothing that was never begun.
void Writer::Open() {
  const Step acked = board_.acked, issued = board_.issued, purged = board_.purged;
  OpenOptions options;
  options.create = true;
  options.graph = BusyGraph();
  options.checkpoint_log_bytes = std::uint64_t{8} << 20;
  options.payload_cache_bytes = std::uint64_t{4} << 20;
  options.past_cache_bytes = 0;  // up to four graphs would come and go with the questions
  options.on_background_error = [](const Error& e) { Wrong("in the background: " + e.ToString()); };
  database_ =
      Must(Time(Timed::kOpen, [&] { return Database::Open(settings_.database(), options); }),
           "writer: opening");
  ++board_.opens;
  const Snapshot snapshot = database_->snapshot();
  const Step found = Checker::StepOf(snapshot);
  if (found < acked || found > issued)
    Wrong("opened at step " + std::to_string(found) + ": " + std::to_string(acked) +
          " was acknowledged, " + std::to_string(issued) + " was the last begun");
  Checker checker(scenario_, "after opening", settings_.life);
  if (checker.Look(snapshot, {}, false)) checker.Full(snapshot);
  if (purged == found && !checker.model().purged())
    Wrong("a purge that was acknowledged is not there");
  model_ = checker.model();
  board_.acked = found;
}

bool Writer::Apply() {
  const StepOps& ops = model_.Next();
  const Step s = model_.step();
  WriteBatch batch = BatchOf(model_, ops);
  const auto terms = retrieval::AddTerms(database_->snapshot(), terms_, batch);
  if (!terms) return Wrong("terms: " + terms.error().ToString());
  ApplyOptions options;
  options.durability = s % 16 == 3   ? Durability::kBuffered
                       : s % 16 == 4 ? Durability::kNone
                                     : Durability::kSync;
  board_.issued = s;
  const auto applied =
      Time(Timed::kApply, [&] { return database_->graph().Apply(batch, options); });
  if (!applied) return Wrong("step " + std::to_string(s) + ": " + applied.error().ToString());
  // A batch that is synced syncs those before it.
  if (options.durability == Durability::kSync) board_.acked = s;
  return true;
}

void Writer::LookForSecrets(const std::vector<Number>& victims, bool hard) {
  for (std::size_t i = 0; i < std::min<std::size_t>(victims.size(), 2); ++i) {
    const Number n = victims[i];
    std::string found = FilesWith(settings_.database(), model_.SecretWord(n));
    if (hard) found += FilesWith(settings_.database(), model_.Key(n));
    ++board_.secrets_looked_for;
    if (!found.empty())
      Wrong("step " + std::to_string(model_.step()) + ": words of purged " + model_.Key(n) +
            " are in" + found);
  }
}

void Writer::Purge() {
  const std::vector<Number> victims = model_.due();
  const bool hard = scenario_.HardAt(model_.step());
  std::vector<std::string> keys;
  for (const Number n : victims) keys.push_back(model_.Key(n));
  {
    const std::unique_lock alone(gate_);
    ++purges_;
    Time(Timed::kPurge, [&] {
      if (hard) {
        std::vector<NodeId> nodes;
        for (const std::string& key : keys)
          if (const auto node = database_->snapshot().Find(key)) nodes.push_back(*node);
        Check(database_->HardPurge(nodes), "hard purge");
      } else {
        const std::vector<std::string_view> views(keys.begin(), keys.end());
        const auto purged =
            database_->Purge(views, kFirstTimeMs + static_cast<std::int64_t>(model_.step()));
        if (!purged) Wrong("purge: " + purged.error().ToString());
      }
    });
    LookForSecrets(victims, hard);
  }
  model_.FinishPurge();
  board_.purged = model_.step();
  board_.acked = model_.step();
  ++(hard ? board_.hard_purges : board_.purges);
}

void Writer::Write() {
  const auto start = Clock::now();
  std::uint64_t steps = 0;
  while (!Stops() && board_.wrong < 100) {
    if (!model_.due().empty()) Purge();
    if (!Apply()) break;
    ++steps;
    if (settings_.rate <= 0) continue;
    const auto due =
        start + std::chrono::duration_cast<Clock::duration>(
                    std::chrono::duration<double>(static_cast<double>(steps) / settings_.rate));
    if (due > Clock::now()) std::this_thread::sleep_until(due);
  }
}

void Writer::Read(std::uint64_t reader) {
  Checker checker(scenario_, "reader " + std::to_string(reader), settings_.life * 8 + reader);
  for (std::uint64_t round = 1; !Stops(); ++round) {
    const auto start = Clock::now();
    const Step acked = board_.acked;
    std::uint64_t purges = 0;
    Snapshot snapshot;
    {
      const std::shared_lock open(gate_);
      purges = purges_;
      snapshot = Time(Timed::kSnapshot, [&] { return database_->snapshot(); });
    }
    if (Checker::StepOf(snapshot) < acked)
      Wrong("a snapshot is older than what was acknowledged before it");
    Allowed allowed;
    allowed.victims = [&, purges] { return purges_ != purges; };
    if (checker.Look(snapshot, allowed)) {
      if (round % 128 == 32 * reader)
        checker.Full(snapshot, allowed);
      else
        checker.Ask(snapshot, allowed);
    }
    PauseAfter(start, 6);
  }
}

// A record of the kept history, drawn.
void Writer::AskThePast() {
  const Sequence floor = database_->stats().history_floor, now = database_->snapshot().sequence();
  const Sequence at =
      floor + 1 + MixNumbers(scenario_.seed, now, 5) % std::max<Sequence>(now - floor, 1);
  if (at > now) return;
  const auto past = Time(Timed::kAsOf, [&] { return database_->AsOf(at); });
  const auto trimmed = [&] { return database_->stats().history_floor > at; };
  if (!past) {
    if (past.error().code == ErrorCode::kNotFound && trimmed()) return;
    Wrong("as of " + std::to_string(at) + ": " + past.error().ToString());
    return;
  }
  ++board_.past_checks;
  Checker checker(scenario_, "as of " + std::to_string(at), at);
  Allowed allowed;
  allowed.victims = [] { return true; };
  allowed.victims_gone = true;
  allowed.trimmed = trimmed;
  if (checker.Look(*past, allowed, false)) checker.Full(*past, allowed);
}

void Writer::Verify() {
  const auto report = Time(Timed::kVerify, [&] { return database_->Verify(); });
  if (!report) {
    Wrong("verify: " + report.error().ToString());
    return;
  }
  for (const VerifyProblem& p : report->problems) Wrong("verify: " + p.where + ": " + p.what);
  ++board_.verifies;
}

// Beside trims, checkpoints and backups.
void Writer::LookBack() {
  for (std::uint64_t round = 1; !Stops(); ++round) {
    Pause(4 * MaintenancePause());
    const std::shared_lock open(gate_);
    if (round % 4 == 0)
      Verify();
    else
      AskThePast();
  }
}

void Writer::BackUp() {
  if (board_.backup_ready != board_.backup_checked) return;  // the last one is still looked at
  const std::uint64_t number = board_.backup_ready + 1;
  std::error_code ignored;
  fs::remove_all(settings_.backup_at(number), ignored);  // of a life that was killed
  const Step acked = board_.acked;
  const Status made =
      Time(Timed::kBackup, [&] { return database_->Backup(settings_.backup_at(number)); });
  if (!made) {
    Wrong("backup: " + made.error().ToString());
    return;
  }
  ++board_.backups;
  board_.backup_from = acked;
  board_.backup_ready = number;
}

void Writer::Keep() {
  for (std::uint64_t round = 0; !Stops(); ++round) {
    Pause(MaintenancePause());
    const std::shared_lock open(gate_);
    switch (MixNumbers(scenario_.seed, settings_.life, round) % 9) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const Sequence now = database_->snapshot().sequence();
        if (now <= scenario_.life) break;
        Check(Time(Timed::kTrim, [&] { return database_->Trim(now - scenario_.life); }), "trim");
        ++board_.trims;
        break;
      }
      case 4:
      case 5:
        Check(Time(Timed::kCheckpoint, [&] { return database_->Checkpoint(); }), "checkpoint");
        ++board_.checkpoints;
        break;
      case 6:
        Check(database_->graph().Compact(), "compact");
        break;
      default:
        BackUp();
        break;
    }
  }
}

void Writer::Feed() {
  Replica replica(settings_, "replica of the writer", settings_.life * 8 + 7);
  while (!Stops()) {
    const auto start = Clock::now();
    {
      const std::shared_lock open(gate_);
      replica.Pull(*database_);
    }
    replica.Check();
    PauseAfter(start, 6);
  }
}

void Writer::Count() {
  const RawFile raw(settings_.dir + "/raw");
  while (!Stops()) {
    Time(Timed::kRawSync, [&] { raw.Sync(); });
    {
      const std::shared_lock open(gate_);
      const Snapshot snapshot = database_->snapshot();
      const GraphBytes bytes = MeasureBytes(snapshot);
      const GraphStats stats = database_->graph().stats();
      board_.live = snapshot.CountNodes(Plane::kFact);
      board_.ids = snapshot.node_count();
      board_.graph_bytes = bytes.total;
      const struct mallinfo2 blocks = mallinfo2();
      board_.allocator_free = blocks.fordblks;
      board_.allocator_used = blocks.uordblks + blocks.hblkhd;
      board_.memtable_bytes = database_->stats().memtable_bytes;
      board_.id_bytes = bytes.nodes + bytes.keys + bytes.columns + bytes.payload_refs;
      board_.compactions = stats.compactions;
      board_.vector_compactions = stats.vector_compactions;
      board_.history = snapshot.sequence() - database_->stats().history_floor;
    }
    Pause(milliseconds(500));
  }
}

int Writer::Run() {
  Open();
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t r = 1; r <= 3; ++r) threads.emplace_back([this, r] { Read(r); });
    threads.emplace_back([this] { Keep(); });
    threads.emplace_back([this] { LookBack(); });
    threads.emplace_back([this] { Feed(); });
    threads.emplace_back([this] { Count(); });
    threads.emplace_back([this] { Beat([this] { return Stops(); }); });
    Write();
    if (!Stops()) board_.stop = 1;  // something went wrong: nothing continues
  }
  Check(database_->Close(), "close");
  if (WrongHere() == 0) board_.acked = model_.step();
  return WrongHere() == 0 ? 0 : 1;
}

}  // namespace

int RunWriter(const Settings& settings) { return Writer(settings).Run(); }

}  // namespace plexus::bench::soak
