// The other process: a program that the storage tests start, watch and kill.
//
//   hold DIR            opens for writing, prints "ready", waits for stdin's end
//   open DIR            tries to open for writing, prints the error code
//   write DIR SEED      applies the script without end, printing each number once
//                       it is acknowledged; checkpoints and bulk steps in between
//   crash DIR N LAST    a fixed life of a database that ends at its N-th crash
//                       point (exit 9); N = 0: says each "point NAME" and lives
//   sessions DIR SEED   as write, but in sessions of one to three batches each
//   follow DIR SOURCE SEED LAST N
//                       brings the replica DIR up to SOURCE through a read-only view, a few
//                       records at a time, printing each number once it is acknowledged; prints
//                       "done" at number LAST (0: never); kills itself at its N-th crash point
//   exit DIR DURABILITY N
//                       returns from main while two threads write, after N batches; prints each
//                       "ack THREAD NUMBER" once it is acknowledged
//   golden DIR          makes the golden database
//   damaged DIR NEW     opens a damaged one for reading, then repairs it into NEW; a line each
//
// A program of its own and not a fork: RocksDB has threads.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "storage/repair.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
using namespace builtin;
namespace {

void Say(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = ::write(1, text.data() + at, text.size() - at);
    if (written <= 0) _exit(3);
    at += static_cast<std::size_t>(written);
  }
}

Status WaitForParent(const std::string& directory) {
  PLEXUS_ASSIGN(const auto db, Database::Open(directory, Create()));
  Say("ready");
  char c;
  while (::read(0, &c, 1) > 0) {
  }
  return {};
}

Status OpenOnly(const std::string& directory) {
  auto db = Database::Open(directory, {});
  Say(db ? "opened" : std::string(ErrorCodeName(db.error().code)) + ": " + db.error().message);
  return {};
}

// What a damaged database comes to, in lines, and the graphs as dumps beside `to`.
Status Damaged(const std::string& directory, const std::string& to) {
  {
    auto db = Database::Open(directory, ReadOnly());
    if (db) {
      WriteFile(to + ".opened", Dump((*db)->snapshot()));
      Say("opened " + std::to_string((*db)->snapshot().sequence()) + " " +
          std::to_string((*db)->report().damaged_checkpoints.size()));
    } else {
      Say("refused " + std::string(ErrorCodeName(db.error().code)) + " " + db.error().message);
    }
  }
  auto repaired = Repair(directory, to);
  if (!repaired) {
    Say("lost " + repaired.error().message);
    return {};
  }
  Say("repaired " + std::to_string(repaired->complete) + " " + std::to_string(repaired->sequence) +
      " " + std::to_string(repaired->history_floor) + " " +
      std::to_string(repaired->lost_records.size()) + " " +
      std::to_string(repaired->lost_contents.size()) + " " +
      std::to_string(repaired->lost_history.size()) + " " +
      std::to_string(repaired->damage.size() + repaired->lost_checkpoints.size()));
  PLEXUS_ASSIGN(const auto made, Database::Open(to, ReadOnly()));
  WriteFile(to + ".repaired", Dump(made->snapshot()));
  return {};
}

// Acknowledged means: kSync, or WaitDurable returned.
Status Write(const std::string& directory, std::uint64_t seed) {
  PLEXUS_ASSIGN(const auto opened, Database::Open(directory, Create()));
  Database& db = *opened;
  Say("at " + std::to_string(db.snapshot().sequence()));
  for (std::uint64_t i = db.snapshot().sequence() + 1;; ++i) {
    ApplyOptions options;
    options.durability = i % 11 == 0 ? Durability::kNone : Durability::kSync;
    PLEXUS_TRY(db.graph().Apply(ScriptBatch(i, seed), options));
    if (options.durability == Durability::kSync) Say("ack " + std::to_string(i));
    if (i % 23 == 0) PLEXUS_TRY(db.Checkpoint());
    if (i % 37 == 0) {
      PLEXUS_TRY(db.BeginBulk());
      for (int k = 0; k < 5; ++k) PLEXUS_TRY(db.graph().Apply(ScriptBatch(++i, seed)));
      PLEXUS_TRY(db.graph().WaitDurable(i));
      Say("ack " + std::to_string(i));
      PLEXUS_TRY(db.EndBulk());
    }
  }
}

Status Sessions(const std::string& directory, std::uint64_t seed) {
  for (std::uint64_t session = 1;; ++session) {
    OpenOptions options = Create();
    if (session % 7 == 0) options.checkpoint_on_close = CheckpointOnClose::kAlways;
    PLEXUS_ASSIGN(const auto opened, Database::Open(directory, options));
    Database& db = *opened;
    const std::uint64_t first = db.snapshot().sequence() + 1;
    for (std::uint64_t i = first; i <= first + session % 3; ++i) {
      PLEXUS_TRY(db.graph().Apply(ScriptBatch(i, seed)));
      Say("ack " + std::to_string(i));
      if (i % 13 == 0) PLEXUS_TRY(db.Checkpoint());
      if (i % 50 == 0) PLEXUS_TRY(db.Trim(i - 20));
    }
    PLEXUS_TRY(db.Close());
  }
}

Status Crash(const std::string& directory, std::uint64_t crash_at, std::uint64_t last) {
  std::uint64_t points = 0;
  TestHooks hooks;
  hooks.at_point = [&](const char* point) {
    ++points;
    if (crash_at == 0) Say(std::string("point ") + point);
    if (points == crash_at) _exit(9);
  };
  OpenOptions options = Create();
  options.hooks = &hooks;
  for (int life = 0; life < 2; ++life) {
    PLEXUS_ASSIGN(const auto opened, Database::Open(directory, options));
    Database& db = *opened;
    for (std::uint64_t i = db.snapshot().sequence() + 1; i <= last / 2 * (life + 1); ++i) {
      if (i % 6 == 0) PLEXUS_TRY(db.BeginBulk());
      PLEXUS_TRY(db.graph().Apply(ScriptBatch(i)));
      if (i % 6 == 0) PLEXUS_TRY(db.EndBulk());
      Say("ack " + std::to_string(i));
      if (i % 4 == 0) PLEXUS_TRY(db.Checkpoint());
    }
    PLEXUS_TRY(db.Trim(2 + 2 * life));
    PLEXUS_TRY(db.Close());
  }
  Say("done");
  return {};
}

Status Follow(const std::string& directory, const std::string& source, std::uint64_t seed,
              Sequence last, std::uint64_t kill_at) {
  std::atomic<std::uint64_t> points{0};  // background threads pass them, too
  TestHooks hooks;
  hooks.at_point = [&](const char*) {
    if (++points == kill_at) raise(SIGKILL);
  };
  OpenOptions options = Create();
  options.hooks = &hooks;
  PLEXUS_ASSIGN(const auto view, Database::Open(source, ReadOnly()));
  PLEXUS_ASSIGN(const auto opened, Database::Open(directory, options));
  Database& replica = *opened;
  std::mt19937_64 random(seed);
  Sequence at = replica.snapshot().sequence(), acknowledged = at;
  const auto acknowledge = [&] {
    acknowledged = at;
    Say("ack " + std::to_string(at));
  };
  Say("at " + std::to_string(at));
  while (last == 0 || at < last) {
    PLEXUS_TRY(view->Refresh());
    PLEXUS_ASSIGN(const Changes changes, view->ChangesSince(at, {.max_records = 1 + random() % 8}));
    if (changes.records.empty()) {
      if (at > acknowledged) {
        PLEXUS_TRY(replica.graph().WaitDurable(at));
        acknowledge();
      }
      std::this_thread::yield();
      continue;
    }
    ReplayOptions how;
    how.durability = random() % 4 == 0 ? Durability::kNone : Durability::kSync;
    PLEXUS_TRY(replica.graph().Replay(changes.records, how));
    at = changes.next;
    if (how.durability == Durability::kSync) acknowledge();
    if (random() % 16 == 0) PLEXUS_TRY(replica.Checkpoint());
  }
  PLEXUS_TRY(replica.Close());
  Say("done");
  return {};
}

// The database is left to the end of the process, the threads to their fate.
Status ExitBesideWriters(const std::string& directory, std::uint64_t durability,
                         std::uint64_t count) {
  static Database* database;
  static std::atomic<std::uint64_t> acknowledged{0};
  PLEXUS_ASSIGN(auto opened, Database::Open(directory, Create()));
  database = opened.release();
  for (const int thread : {1, 2})
    std::thread([=] {
      for (std::uint64_t i = 1;; ++i) {
        WriteBatch batch(1000);
        batch.UpsertNode(std::to_string(thread) + "." + std::to_string(i));
        ApplyOptions how;
        how.durability = static_cast<Durability>(durability);
        if (!database->graph().Apply(batch, how)) return;
        Say("ack " + std::to_string(thread) + " " + std::to_string(i));
        ++acknowledged;
      }
    }).detach();
  while (acknowledged < count) std::this_thread::yield();
  return {};
}

// One record of each form that came after version 2: columns built in later, spaces with a
// pre-filter, spaces of f16 values, a forgotten key.
WriteBatch LaterBatch(std::uint16_t version) {
  WriteBatch batch(30'000 + version);
  const NodeRef a = batch.Node("m5"), b = batch.UpsertNode("later", NameRef(kMemory));
  if (version == 6) {
    batch.RemoveNode(batch.Node("gone"));
    batch.ForgetKey(batch.Node("gone"));
    return batch;
  }
  if (version == 3) {
    batch.UpsertNode("gone");
    batch.SetF64(a, kConfidence, 0.25);
    batch.SetF64(b, kStability, 3.5);
    batch.SetString(b, kCategory, "architecture");
    batch.SetString(b, kMemoryType, "episodic");
    return batch;
  }
  for (const char* prefilter : {"none", "int8", "bits"}) {  // bits: read as none
    if (version == 4 && prefilter == std::string("none")) continue;
    const std::string name = "v" + std::to_string(version) + prefilter;
    const float values[] = {0.1f, -1 / 3.0f, 1e-7f, 2049, 65519}, other[] = {1, 0, -0.5f, 0.75f, 3};
    batch.DefineSpace({name, 5, Metric::kCosine,
                       FindPrefilter(prefilter).value_or(Prefilter::kNone),
                       version == 5 ? VectorElement::kF16 : VectorElement::kF32});
    batch.SetVector(a, batch.SpaceNamed(name), values);
    batch.SetVector(b, batch.SpaceNamed(name), other);
  }
  return batch;
}

Status Golden(const std::string& directory) {
  PLEXUS_ASSIGN(const auto opened, Database::Open(directory, Create()));
  Database& db = *opened;
  ApplyScript(db, 1, 8);
  PLEXUS_TRY(db.Checkpoint());
  ApplyScript(db, 9, 12);
  const std::string key = "m3";
  PLEXUS_TRY(db.Purge({{key}}, 20'000));
  PLEXUS_TRY(db.Checkpoint());
  PLEXUS_TRY(db.graph().Apply(ScriptBatch(14)));
  for (const std::uint16_t version : {3, 4, 5, 6}) {
    PLEXUS_TRY(db.graph().Apply(LaterBatch(version)));
    if (version == 5)  // so that the last is in the log's tail
      PLEXUS_TRY(db.Checkpoint());
  }
  std::cout << Dump(db.snapshot());
  PLEXUS_TRY(db.Close());
  return {};
}

}  // namespace
}  // namespace plexus::storage_internal::testing

int main(int argc, char** argv) {
  using namespace plexus::storage_internal::testing;
  const std::string mode = argc > 2 ? argv[1] : "", directory = argc > 2 ? argv[2] : "";
  const auto text = [&](int i) { return std::string(argc > i ? argv[i] : ""); };
  const auto number = [&](int i) { return std::strtoull(text(i).c_str(), nullptr, 10); };
  const std::pair<const char*, std::function<plexus::Status()>> modes[] = {
      {"hold", [&] { return WaitForParent(directory); }},
      {"open", [&] { return OpenOnly(directory); }},
      {"write", [&] { return Write(directory, number(3)); }},
      {"sessions", [&] { return Sessions(directory, number(3)); }},
      {"follow", [&] { return Follow(directory, text(3), number(4), number(5), number(6)); }},
      {"exit", [&] { return ExitBesideWriters(directory, number(3), number(4)); }},
      {"crash", [&] { return Crash(directory, number(3), number(4)); }},
      {"golden", [&] { return Golden(directory); }},
      {"damaged", [&] { return Damaged(directory, text(3)); }}};
  for (const auto& [name, run] : modes) {
    if (mode != name) continue;
    const plexus::Status status = run();
    if (!status) std::cerr << status.error().ToString() << std::endl;
    return status ? 0 : 1;
  }
  std::cerr << "usage: storage_child MODE DIR ...\n";
  return 2;
}
