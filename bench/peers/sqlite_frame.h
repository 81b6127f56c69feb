// SQLite for peers: a database, prepared statements, the edge table.
//
// The edge table is WITHOUT ROWID, clustered by (source, target, kind number), the best
// layout for following edges.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "bench/peers/peer.h"

namespace plexus::peers::sqlite {

class Database {
 public:
  explicit Database(const std::string& file) {
    if (sqlite3_open(file.c_str(), &handle_) != SQLITE_OK)
      Die("SQLite: " + file + ": " + sqlite3_errmsg(handle_));
  }
  Database(const Database&) = delete;
  ~Database() { sqlite3_close_v2(handle_); }
  void Run(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
      Die(std::string("SQLite: ") + sqlite3_errmsg(handle_));
  }
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

class Statement {
 public:
  Statement(Database& database, const char* sql) : handle_(database.handle()) {
    if (sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) !=
        SQLITE_OK)
      Die(std::string("SQLite: ") + sqlite3_errmsg(handle_) + " in " + sql);
  }
  Statement(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }
  void Bind(int i, std::int64_t value) { sqlite3_bind_int64(statement_, i, value); }
  void Bind(int i, double value) { sqlite3_bind_double(statement_, i, value); }
  // Calls row() for each row, then resets; the number of rows.
  template <class Row>
  std::size_t Each(Row&& row) {
    std::size_t rows = 0;
    int code;
    for (; (code = sqlite3_step(statement_)) == SQLITE_ROW; ++rows) row();
    if (code != SQLITE_DONE) Die(std::string("SQLite: ") + sqlite3_errmsg(handle_));
    sqlite3_reset(statement_);
    return rows;
  }
  void Run() {
    Each([] {});
  }
  std::int64_t Integer(int column) { return sqlite3_column_int64(statement_, column); }
  double Real(int column) { return sqlite3_column_double(statement_, column); }

 private:
  sqlite3* handle_;
  sqlite3_stmt* statement_ = nullptr;
};

inline void Load(Database& db, const Arcs& arcs) {
  db.Run(
      "PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN;"
      "CREATE TABLE node(id INTEGER PRIMARY KEY);"
      "CREATE TABLE edge(source INTEGER, target INTEGER, nth INTEGER, weight REAL,"
      " PRIMARY KEY(source, target, nth)) WITHOUT ROWID;");
  Statement node(db, "INSERT INTO node VALUES(?)"), edge(db, "INSERT INTO edge VALUES(?, ?, ?, ?)");
  for (std::uint32_t v = 0; v < arcs.nodes; ++v) {
    node.Bind(1, std::int64_t{v});
    node.Run();
  }
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
    edge.Bind(1, std::int64_t{arcs.sources[i]});
    edge.Bind(2, std::int64_t{arcs.targets[i]});
    edge.Bind(3, static_cast<std::int64_t>(i));
    edge.Bind(4, static_cast<double>(arcs.weight(i)));
    edge.Run();
  }
  db.Run("COMMIT; ANALYZE");
}

inline std::unique_ptr<Database> InRam(const Arcs& arcs) {
  auto db = std::make_unique<Database>(":memory:");
  Load(*db, arcs);
  return db;
}

}  // namespace plexus::peers::sqlite
