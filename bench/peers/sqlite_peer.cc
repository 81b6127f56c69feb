// peer_sqlite: SQLite in process, in memory, statements prepared once.
//
// The edge table: sqlite_frame.h. traverse-recursive is one recursive query that enumerates
// walks of up to four edges; traverse-set is the fair bar: one label per node and hop
// layer, a layer being one INSERT ... GROUP BY that keeps what is better than all before.
// (CROSS JOIN is SQLite's way to say that the outer table comes first: left to itself the
// planner walks all edges instead of the layer.) pairs: the self-join over tags, grouped, masked by
// an anti-join. open: a database file.
#include <filesystem>
#include <memory>

#include "bench/peers/sqlite_frame.h"
#include "bench/peers/traversal.h"

namespace {

using namespace plexus::peers;          // NOLINT: a program of one file
using namespace plexus::peers::sqlite;  // NOLINT

Answer Walks(Database& db) {
  Answer answer;
  Statement walks(db,
                  "SELECT (SELECT count(*) FROM node), (SELECT count(*) FROM edge), sum(o.n * i.n)"
                  " FROM (SELECT source v, count(*) n FROM edge GROUP BY 1) o"
                  " JOIN (SELECT target v, count(*) n FROM edge GROUP BY 1) i USING (v)");
  walks.Each([&] { answer = {walks.Real(0), walks.Real(1), walks.Real(2)}; });
  return answer;
}

void Recursive(Peer& peer, Database& db, const std::vector<std::uint32_t>& starts) {
  Statement query(db,
                  "WITH RECURSIVE walk(node, score, hops) AS ("
                  " VALUES(?1, 1.0, 0) UNION ALL"
                  " SELECT e.target, w.score * e.weight, w.hops + 1 FROM walk w CROSS JOIN edge e "
                  "ON e.source = w.node"
                  " WHERE w.hops < ?2)"
                  " SELECT node, max(score) best FROM walk WHERE node <> ?1 GROUP BY node"
                  " ORDER BY best DESC, node LIMIT ?3");
  query.Bind(2, std::int64_t{kHops});
  query.Bind(3, static_cast<std::int64_t>(kTraverseTop));
  peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
    query.Bind(1, std::int64_t{starts[i]});
    const std::size_t at = answer.size();
    answer.push_back(0);
    answer[at] = static_cast<double>(
        query.Each([&] { answer.insert(answer.end(), {query.Real(0), query.Real(1)}); }));
  });
  peer.Note("one recursive query, enumerates walks, 1 thread");
}

void SetBased(Peer& peer, Database& db, const std::vector<std::uint32_t>& starts) {
  db.Run(
      "PRAGMA temp_store = MEMORY;"
      "CREATE TEMP TABLE best(node INTEGER PRIMARY KEY, score REAL, hop INTEGER);");
  Statement clear(db, "DELETE FROM best"), seed(db, "INSERT INTO best VALUES(?1, 1.0, 0)");
  // `best` carries the hop at which a node last got better: the next layer starts there.
  Statement layer(
      db,
      "INSERT INTO best SELECT e.target, max(b.score * e.weight) s, ?1 FROM best b CROSS"
      " JOIN edge e ON e.source = b.node WHERE b.hop = ?1 - 1 GROUP BY e.target"
      " ON CONFLICT(node) DO UPDATE SET score = excluded.score, hop = excluded.hop"
      " WHERE excluded.score > score");
  Statement top(db,
                "SELECT node, score FROM best WHERE node <> ?1 ORDER BY score DESC, node LIMIT ?2");
  top.Bind(2, static_cast<std::int64_t>(kTraverseTop));
  peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
    db.Run("BEGIN");
    clear.Run();
    seed.Bind(1, std::int64_t{starts[i]});
    seed.Run();
    for (std::int64_t hop = 1; hop <= kHops; ++hop) {
      layer.Bind(1, hop);
      layer.Run();
    }
    top.Bind(1, std::int64_t{starts[i]});
    const std::size_t at = answer.size();
    answer.push_back(0);
    answer[at] = static_cast<double>(
        top.Each([&] { answer.insert(answer.end(), {top.Real(0), top.Real(1)}); }));
    db.Run("COMMIT");
  });
  peer.Note("set-based, one INSERT a hop, 1 thread");
}

void Pairs(Peer& peer) {
  const Sharing s = ReadSharing(peer.folder());
  Database db(":memory:");
  peer.Load([&] {
    db.Run(
        "BEGIN; CREATE TABLE has_tag(tag INTEGER, fact INTEGER, weight REAL, PRIMARY KEY(tag, "
        "fact)) WITHOUT ROWID;"
        "CREATE TABLE member(event INTEGER, fact INTEGER, PRIMARY KEY(event, fact)) WITHOUT "
        "ROWID;");
    Statement tag(db, "INSERT INTO has_tag VALUES(?, ?, ?)"),
        member(db, "INSERT INTO member VALUES(?, ?)");
    for (std::size_t i = 0; i < s.fact.size(); ++i) {
      if (s.weight[s.tag[i]] == 0) continue;
      tag.Bind(1, std::int64_t{s.tag[i]});
      tag.Bind(2, std::int64_t{s.fact[i]});
      tag.Bind(3, s.weight[s.tag[i]]);
      tag.Run();
    }
    for (std::size_t i = 0; i < s.event.size(); ++i) {
      member.Bind(1, std::int64_t{s.event[i]});
      member.Bind(2, std::int64_t{s.event_fact[i]});
      member.Run();
    }
    db.Run(
        "CREATE TABLE together(a INTEGER, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID;"
        "INSERT OR IGNORE INTO together SELECT x.fact, y.fact FROM member x JOIN member y"
        " ON x.event = y.event AND x.fact < y.fact; COMMIT; ANALYZE");
    return 0;
  });
  Statement query(
      db,
      "SELECT a, b, score FROM (SELECT x.fact a, y.fact b, sum(x.weight) score"
      " FROM has_tag x JOIN has_tag y ON x.tag = y.tag AND x.fact < y.fact GROUP BY 1, 2) p"
      " WHERE NOT EXISTS (SELECT 1 FROM together t WHERE t.a = p.a AND t.b = p.b)"
      " ORDER BY score DESC, a, b LIMIT ?1");
  query.Bind(1, static_cast<std::int64_t>(kPairsTop));
  db.Run("PRAGMA temp_store = MEMORY");
  peer.Trials([&] {
    Answer answer(1);
    answer[0] = static_cast<double>(query.Each(
        [&] { answer.insert(answer.end(), {query.Real(0), query.Real(1), query.Real(2)}); }));
    return answer;
  });
  peer.Note("self-join, 1 thread; the mask is a table made while loading");
}

void Open(Peer& peer) {
  const std::string file = peer / "sqlite.db";
  if (!Exists(file)) {
    Database db(file + ".part");
    Load(db, ReadArcs(peer.folder()));
    std::filesystem::rename(file + ".part", file);
  }
  peer.Trials([&] {
    Database db(file);
    Answer answer;
    Statement scan(db, "SELECT (SELECT count(*) FROM node), count(*), sum(weight) FROM edge");
    scan.Each([&] { answer = {scan.Real(0), scan.Real(1), scan.Real(2)}; });
    return answer;
  });
  peer.Note("pages are read on demand, 1 thread");
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv, std::string("SQLite ") + sqlite3_libversion() + ", Debian's build");
  const std::string& work = peer.work();
  if (WalkWorks(peer)) return peer.Finish();
  if (work == "pairs") Pairs(peer);
  if (work == "open") Open(peer);
  if (work == "load" || work.starts_with("traverse")) {
    const Arcs arcs = ReadArcs(peer.folder());
    if (work == "load") {
      peer.Trials([&] { return InRam(arcs); }, [](const auto& db) { return Walks(*db); });
      peer.Note("in memory, one transaction, prepared INSERT, ANALYZE, 1 thread");
      return peer.Finish();
    }
    const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
    const auto db = peer.Load([&] { return InRam(arcs); });
    if (work == "traverse-recursive") Recursive(peer, *db, starts);
    if (work == "traverse-set") SetBased(peer, *db, starts);
  }
  return peer.Finish();
}
