// SQLite's side of traversal.h: each work once as one recursive query (-recursive) and once
// set-based, one INSERT a hop (-set). Recursive noisy-or is none: its layers do not come
// apart into walks; set-based it is an aggregate function of ours, as SQLite has no product.
#include <algorithm>

#include "bench/peers/sqlite_frame.h"
#include "bench/peers/traversal.h"

namespace plexus::peers {
namespace {

using namespace sqlite;  // NOLINT: a source of one program

struct Misses {  // what no walk so far achieves: the product of 1 - score
  bool begun;    // SQLite gives zeroed memory
  double product;
};
Misses* MissesOf(sqlite3_context* context) {
  return static_cast<Misses*>(sqlite3_aggregate_context(context, sizeof(Misses)));
}
void NoisyOrStep(sqlite3_context* context, int, sqlite3_value** values) {
  Misses* misses = MissesOf(context);
  if (!misses) return sqlite3_result_error_nomem(context);
  if (!misses->begun) *misses = {true, 1};
  misses->product *= 1 - std::min(1.0, sqlite3_value_double(values[0]));
}
void NoisyOrEnd(sqlite3_context* context) {
  const Misses* misses = MissesOf(context);
  sqlite3_result_double(context, misses && misses->begun ? 1 - misses->product : 0);
}

// Appends the rows of a statement as one list.
void List(Statement& rows, Answer& answer) {
  const std::size_t at = answer.size();
  answer.push_back(0);
  answer[at] = static_cast<double>(
      rows.Each([&] { answer.insert(answer.end(), {rows.Real(0), rows.Real(1)}); }));
}

using Starts = std::vector<std::uint32_t>;

void OneQuery(Peer& peer, Database& db, const Starts& starts, const std::string& sql) {
  Statement query(db, sql.c_str());
  peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
    query.Bind(1, std::int64_t{starts[i]});
    List(query, answer);
  });
  peer.Note("one recursive query, 1 thread");
}

// seed(?1 = start), hop(?1 = 1 ..) so many times, result(?1 = start).
void Layered(Peer& peer, Database& db, const Starts& starts, int hops, const std::string& seed_sql,
             const std::string& hop_sql, const std::string& result_sql) {
  Statement clear(db, "DELETE FROM layer"), seed(db, seed_sql.c_str()), next(db, hop_sql.c_str()),
      result(db, result_sql.c_str());
  peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
    db.Run("BEGIN");
    clear.Run();
    seed.Bind(1, std::int64_t{starts[i]});
    seed.Run();
    for (std::int64_t hop = 1; hop <= hops; ++hop) {
      next.Bind(1, hop);
      next.Run();
    }
    result.Bind(1, std::int64_t{starts[i]});
    List(result, answer);
    db.Run("COMMIT");
  });
  peer.Note("set-based, one INSERT a hop, 1 thread");
}

void Reach(Peer& peer, Database& db, const Starts& starts, bool set_based) {
  const std::string hops = std::to_string(kReachHops);
  if (!set_based)
    return OneQuery(
        peer, db, starts,
        "WITH RECURSIVE reach(node, hop) AS (VALUES(?1, 0) UNION"
        " SELECT e.target, r.hop + 1 FROM reach r CROSS JOIN edge e ON e.source = r.node WHERE "
        "r.hop < " +
            hops +
            ")"
            " SELECT node, min(hop) h FROM reach WHERE node <> ?1 GROUP BY node ORDER BY h, node");
  db.Run("CREATE TEMP TABLE layer(node INTEGER PRIMARY KEY, hop INTEGER)");
  Layered(peer, db, starts, kReachHops, "INSERT INTO layer VALUES(?1, 0)",
          "INSERT OR IGNORE INTO layer SELECT e.target, ?1 FROM layer r CROSS JOIN edge e ON "
          "e.source = r.node WHERE r.hop = ?1 - 1",
          "SELECT node, hop FROM layer WHERE node <> ?1 ORDER BY hop, node");
}

// Two tables of edges, one a kind: many and last.
void Pattern(Peer& peer, Database& db, const Starts& starts, bool set_based) {
  const std::string hops = std::to_string(kPatternHops - 1);
  if (!set_based)
    return OneQuery(
        peer, db, starts,
        "WITH RECURSIVE walk(node, hop) AS (VALUES(?1, 0) UNION"
        " SELECT e.target, w.hop + 1 FROM walk w CROSS JOIN many e ON e.source = w.node WHERE "
        "w.hop < " +
            hops +
            ")"
            " SELECT e.target, min(w.hop) + 1 h FROM walk w CROSS JOIN last e ON e.source = w.node"
            " WHERE w.hop > 0 GROUP BY e.target ORDER BY h, e.target");
  // A node that was met earlier adds nothing: what follows it was met earlier, too.
  db.Run("CREATE TEMP TABLE layer(node INTEGER PRIMARY KEY, hop INTEGER)");
  Layered(peer, db, starts, kPatternHops - 1,
          "INSERT INTO layer SELECT DISTINCT target, 1 FROM many WHERE source = ?1",
          "INSERT OR IGNORE INTO layer SELECT e.target, ?1 FROM layer r CROSS JOIN many e ON "
          "e.source = r.node WHERE r.hop = ?1 - 1",
          "SELECT e.target, min(r.hop) + 1 h FROM layer r CROSS JOIN last e ON e.source = r.node"
          " WHERE ?1 = ?1 GROUP BY e.target ORDER BY h, e.target");
}

void Aggregated(Peer& peer, Database& db, const Starts& starts, const std::string& over,
                bool set_based) {
  const std::string hops = std::to_string(kHops), top = std::to_string(kTraverseTop);
  if (!set_based)
    return OneQuery(peer, db, starts,
                    "WITH RECURSIVE walk(node, score, hops) AS (VALUES(?1, 1.0, 0) UNION ALL"
                    " SELECT e.target, w.score * e.weight, w.hops + 1 FROM walk w CROSS JOIN edge "
                    "e ON e.source = w.node"
                    " WHERE w.hops < " +
                        hops +
                        ")"
                        " SELECT node, " +
                        over +
                        "(score) total FROM walk WHERE node <> ?1 GROUP BY node"
                        " ORDER BY total DESC, node LIMIT " +
                        top);
  db.Run(
      "CREATE TEMP TABLE layer(hop INTEGER, node INTEGER, score REAL, PRIMARY KEY(hop, node)) "
      "WITHOUT ROWID");
  Layered(peer, db, starts, kHops, "INSERT INTO layer VALUES(0, ?1, 1.0)",
          "INSERT INTO layer SELECT ?1, e.target, " + over +
              "(l.score * e.weight) FROM layer l CROSS JOIN edge e"
              " ON e.source = l.node WHERE l.hop = ?1 - 1 GROUP BY e.target",
          "SELECT node, " + over +
              "(score) total FROM layer WHERE node <> ?1 GROUP BY node ORDER BY total DESC, node "
              "LIMIT " +
              top);
}

std::unique_ptr<Database> KindTables(const Arcs& many, const Arcs& last) {
  auto db = std::make_unique<Database>(":memory:");
  for (const auto& [name, arcs] : {std::pair("many", &many), std::pair("last", &last)}) {
    const std::string table = name;
    db->Run(("BEGIN; CREATE TABLE " + table +
             "(source INTEGER, target INTEGER, PRIMARY KEY(source, target)) WITHOUT ROWID")
                .c_str());
    Statement edge(*db, ("INSERT INTO " + table + " VALUES(?, ?)").c_str());
    for (std::size_t i = 0; i < arcs->sources.size(); ++i) {
      edge.Bind(1, std::int64_t{arcs->sources[i]});
      edge.Bind(2, std::int64_t{arcs->targets[i]});
      edge.Run();
    }
    db->Run("COMMIT; ANALYZE");
  }
  return db;
}

}  // namespace

bool WalkWorks(Peer& peer) {
  const bool set_based = peer.work().ends_with("-set");
  const std::string work = peer.work().substr(0, peer.work().rfind('-'));
  if (!IsWalkWork(work) ||
      (!set_based && (!peer.work().ends_with("-recursive") || work == "noisy-or")))
    return false;
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  if (work == "pattern") {
    const Arcs many = ArcsOfKind(peer.folder(), kManyKind),
               last = ArcsOfKind(peer.folder(), kLastKind);
    const auto db = peer.Load([&] { return KindTables(many, last); });
    db->Run("PRAGMA temp_store = MEMORY");
    Pattern(peer, *db, starts, set_based);
    return true;
  }
  Arcs arcs = ReadArcs(peer.folder());
  if (work == "ancestors") std::swap(arcs.sources, arcs.targets);
  const auto db = peer.Load([&] { return InRam(arcs); });
  db->Run("PRAGMA temp_store = MEMORY");
  if (sqlite3_create_function_v2(db->handle(), "noisy_or", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                 nullptr, nullptr, NoisyOrStep, NoisyOrEnd, nullptr))
    Die("SQLite: noisy_or");
  if (work == "descendants" || work == "ancestors")
    Reach(peer, *db, starts, set_based);
  else
    Aggregated(peer, *db, starts, work == "noisy-or" ? "noisy_or" : work, set_based);
  return true;
}

}  // namespace plexus::peers
