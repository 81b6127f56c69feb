// The other process: a program that the storage tests start, watch and kill.
//
//   hold DIR            opens for writing, prints "ready", waits for stdin's end
//   open DIR            tries to open for writing, prints the error code
//   write DIR SEED      applies the script without end, printing each number once
//                       it is acknowledged; checkpoints and bulk steps in between
//   crash DIR N LAST    a fixed life of a database that ends at its N-th crash
//                       point (exit 9), or prints "done"
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
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <thread>

#include "engine/vocabulary.h"
#include "storage/base/fail_points.h"
#include "storage/repair.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

int Die(const Error& error) {
  std::cerr << error.ToString() << std::endl;
  return 1;
}

void Say(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = ::write(1, text.data() + at, text.size() - at);
    if (written <= 0) _exit(3);
    at += static_cast<std::size_t>(written);
  }
}

int WaitForParent(const std::string& directory) {
  auto db = Database::Open(directory, Create());
  if (!db) return Die(db.error());
  Say("ready");
  char c;
  while (::read(0, &c, 1) > 0) {
  }
  return 0;
}

int OpenOnly(const std::string& directory) {
  auto db = Database::Open(directory, {});
  Say(db ? "opened" : std::string(ErrorCodeName(db.error().code)) + ": " + db.error().message);
  return 0;
}

// What a damaged database comes to, in lines, and the graphs as dumps beside `to`.
int Damaged(const std::string& directory, const std::string& to) {
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
    return 0;
  }
  Say("repaired " + std::to_string(repaired->complete) + " " + std::to_string(repaired->sequence) +
      " " + std::to_string(repaired->history_floor) + " " +
      std::to_string(repaired->lost_records.size()) + " " +
      std::to_string(repaired->lost_contents.size()) + " " +
      std::to_string(repaired->lost_history.size()) + " " +
      std::to_string(repaired->damage.size() + repaired->lost_checkpoints.size()));
  auto made = Database::Open(to, ReadOnly());
  if (!made) return Die(made.error());
  WriteFile(to + ".repaired", Dump((*made)->snapshot()));
  return 0;
}

// Acknowledged means: kSync, or WaitDurable returned.
int Write(const std::string& directory, std::uint64_t seed) {
  auto opened = Database::Open(directory, Create());
  if (!opened) return Die(opened.error());
  Database& db = **opened;
  Say("at " + std::to_string(db.snapshot().sequence()));
  for (std::uint64_t i = db.snapshot().sequence() + 1;; ++i) {
    ApplyOptions options;
    options.durability = i % 11 == 0 ? Durability::kNone : Durability::kSync;
    auto applied = db.graph().Apply(ScriptBatch(i, seed), options);
    if (!applied) return Die(applied.error());
    if (options.durability == Durability::kSync) Say("ack " + std::to_string(i));
    if (i % 23 == 0) {
      if (auto s = db.Checkpoint(); !s) return Die(s.error());
    }
    if (i % 37 == 0) {
      if (auto s = db.BeginBulk(); !s) return Die(s.error());
      for (int k = 0; k < 5; ++k)
        if (auto more = db.graph().Apply(ScriptBatch(++i, seed)); !more) return Die(more.error());
      if (auto s = db.graph().WaitDurable(i); !s) return Die(s.error());
      Say("ack " + std::to_string(i));
      if (auto s = db.EndBulk(); !s) return Die(s.error());
    }
  }
}

int Sessions(const std::string& directory, std::uint64_t seed) {
  for (std::uint64_t session = 1;; ++session) {
    OpenOptions options = Create();
    if (session % 7 == 0) options.checkpoint_on_close = CheckpointOnClose::kAlways;
    auto opened = Database::Open(directory, options);
    if (!opened) return Die(opened.error());
    Database& db = **opened;
    const std::uint64_t first = db.snapshot().sequence() + 1;
    for (std::uint64_t i = first; i <= first + session % 3; ++i) {
      if (auto applied = db.graph().Apply(ScriptBatch(i, seed)); !applied)
        return Die(applied.error());
      Say("ack " + std::to_string(i));
      if (i % 13 == 0)
        if (auto s = db.Checkpoint(); !s) return Die(s.error());
      if (i % 50 == 0)
        if (auto s = db.Trim(i - 20); !s) return Die(s.error());
    }
    if (auto s = db.Close(); !s) return Die(s.error());
  }
}

int Crash(const std::string& directory, std::uint64_t crash_at, std::uint64_t last) {
  std::uint64_t points = 0;
  TestHooks hooks;
  hooks.at_point = [&](const char* point) {
    if (++points != crash_at) return;
    Say(std::string("point ") + point);
    _exit(9);
  };
  OpenOptions options = Create();
  options.hooks = &hooks;
  auto fail = [](const Error& e) { return Die(e); };
  for (int life = 0; life < 2; ++life) {
    auto opened = Database::Open(directory, options);
    if (!opened) return fail(opened.error());
    Database& db = **opened;
    for (std::uint64_t i = db.snapshot().sequence() + 1; i <= last / 2 * (life + 1); ++i) {
      if (i % 6 == 0)
        if (auto s = db.BeginBulk(); !s) return fail(s.error());
      if (auto s = db.graph().Apply(ScriptBatch(i)); !s) return fail(s.error());
      if (i % 6 == 0) {
        if (auto s = db.EndBulk(); !s) return fail(s.error());
      }
      Say("ack " + std::to_string(i));
      if (i % 4 == 0)
        if (auto s = db.Checkpoint(); !s) return fail(s.error());
    }
    if (auto s = db.Trim(2 + 2 * life); !s) return fail(s.error());
    if (auto s = db.Close(); !s) return fail(s.error());
  }
  Say("done");
  return 0;
}

int Follow(const std::string& directory, const std::string& source, std::uint64_t seed,
           Sequence last, std::uint64_t kill_at) {
  std::atomic<std::uint64_t> points{0};  // background threads pass them, too
  TestHooks hooks;
  hooks.at_point = [&](const char*) {
    if (++points == kill_at) raise(SIGKILL);
  };
  OpenOptions options = Create();
  options.hooks = &hooks;
  auto view = Database::Open(source, ReadOnly());
  if (!view) return Die(view.error());
  auto opened = Database::Open(directory, options);
  if (!opened) return Die(opened.error());
  Database& replica = **opened;
  std::mt19937_64 random(seed);
  Sequence at = replica.snapshot().sequence();
  Say("at " + std::to_string(at));
  while (last == 0 || at < last) {
    if (auto s = (*view)->Refresh(); !s) return Die(s.error());
    auto changes = (*view)->ChangesSince(at, {.max_records = 1 + random() % 8});
    if (!changes) return Die(changes.error());
    if (changes->records.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    ReplayOptions how;
    how.durability = random() % 4 == 0 ? Durability::kNone : Durability::kSync;
    if (auto s = replica.graph().Replay(changes->records, how); !s) return Die(s.error());
    at = changes->next;
    if (how.durability == Durability::kSync) Say("ack " + std::to_string(at));
    if (random() % 16 == 0)
      if (auto s = replica.Checkpoint(); !s) return Die(s.error());
  }
  if (auto s = replica.Close(); !s) return Die(s.error());
  Say("done");
  return 0;
}

// The database is left to the end of the process, the threads to their fate.
int ExitBesideWriters(const std::string& directory, std::uint64_t durability, std::uint64_t count) {
  static Database* database;
  static std::atomic<std::uint64_t> acknowledged{0};
  auto opened = Database::Open(directory, Create());
  if (!opened) return Die(opened.error());
  database = opened->release();
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
  return 0;
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

int Golden(const std::string& directory) {
  auto opened = Database::Open(directory, Create());
  if (!opened) return Die(opened.error());
  Database& db = **opened;
  ApplyScript(db, 1, 8);
  if (auto s = db.Checkpoint(); !s) return Die(s.error());
  ApplyScript(db, 9, 12);
  const std::string key = "m3";
  const std::string_view keys[] = {key};
  if (auto s = db.Purge(keys, 20'000); !s) return Die(s.error());
  if (auto s = db.Checkpoint(); !s) return Die(s.error());
  if (auto s = db.graph().Apply(ScriptBatch(14)); !s) return Die(s.error());
  for (const std::uint16_t version : {3, 4, 5, 6}) {
    if (auto s = db.graph().Apply(LaterBatch(version)); !s) return Die(s.error());
    if (version == 5)  // so that the last is in the log's tail
      if (auto s = db.Checkpoint(); !s) return Die(s.error());
  }
  std::cout << Dump(db.snapshot());
  if (auto s = db.Close(); !s) return Die(s.error());
  return 0;
}

}  // namespace
}  // namespace plexus::storage_internal::testing

int main(int argc, char** argv) {
  using namespace plexus::storage_internal::testing;
  const std::string mode = argc > 2 ? argv[1] : "", directory = argc > 2 ? argv[2] : "";
  auto number = [&](int i) { return argc > i ? std::strtoull(argv[i], nullptr, 10) : 0; };
  if (mode == "hold") return WaitForParent(directory);
  if (mode == "open") return OpenOnly(directory);
  if (mode == "write") return Write(directory, number(3));
  if (mode == "sessions") return Sessions(directory, number(3));
  if (mode == "follow" && argc > 3)
    return Follow(directory, argv[3], number(4), number(5), number(6));
  if (mode == "exit") return ExitBesideWriters(directory, number(3), number(4));
  if (mode == "crash") return Crash(directory, number(3), number(4));
  if (mode == "golden") return Golden(directory);
  if (mode == "damaged" && argc > 3) return Damaged(directory, argv[3]);
  std::cerr
      << "usage: storage_child hold|open|write|sessions|follow|exit|crash|golden|damaged DIR ...\n";
  return 2;
}
