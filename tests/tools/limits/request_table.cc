// The rows come from every_row.cc; what is refused is listed here.
#include "tests/tools/limits/request_table.h"

#include <set>

#include "tests/tools/limits/every_row.h"

namespace plexus::testing {
namespace {

// With the time, and a limit that all doors have.
std::string With(const std::string& json, bool timed) {
  std::string more = R"("max_bytes":1000000)";
  if (timed) more += R"(,"now":)" + std::string(kTableTime);
  return json == "{}" ? "{" + more + "}" : json.substr(0, json.size() - 1) + "," + more + "}";
}

}  // namespace

std::vector<Asked> RequestTable() {
  static const std::set<std::string> files = {"import", "export", "restore",
                                              "repair", "backup", "schema"};
  // What it says depends on files that were written, and on how long ago; each changes them.
  static const std::set<std::string> measures = {"stats", "compact", "checkpoint", "trim", "purge"};
  static const std::set<std::string> timeless = {"decisions_check"};
  std::vector<Asked> table;
  for (const RowRequest& row : EveryRow()) {
    if (files.contains(row.operation) || measures.contains(row.operation)) continue;
    if (row.json.find("DIR") != std::string::npos) continue;
    table.push_back({row.operation, With(row.json, !timeless.contains(row.operation))});
  }
  for (const RowRequest& row : EveryRow()) {
    if (files.contains(row.operation) || row.json.find("DIR") != std::string::npos) continue;
    table.push_back({row.operation, R"({"no_such_parameter":1})"});
  }
  for (const char* json :
       {R"({"key":["none"]})", R"({"key":[]})", R"({"key":7})", R"({"key":{}})", R"({"ky":"m1"})",
        R"({"key":["m1"],"as_of":"99999"})", R"({"key":["m1"],"as_of":"x"})",
        R"({"key":["m1"],"times":"no"})", R"({"key":["m1"],"max_bytes":-1})",
        R"({"key":["m1"],"max_seconds":-1})", R"({"key":["m1"],"details":["all"]})",
        R"({"key":["m1"],"where":"kind = 'x'"})", "{}"})
    table.push_back({"get", json});
  for (const char* json :
       {R"({"where":"kind = "})", R"({"where":"kind = 'memory'","top":3})", R"({"sort":"no:up"})",
        R"({"top":-1})", R"({"top":1.5})", R"({"columns":["no column"]})", R"({"scope":["none"]})",
        R"({"scope":["user"],"top":2})"})
    table.push_back({"list", json});
  for (const char* json :
       {R"({"from":"m1","to":"none"})", R"({"from":"m1"})", R"({"from":"m1","to":"m2","count":0})",
        R"({"from":"m1","to":"m2","cost":"gold"})"})
    table.push_back({"path", json});
  return table;
}

std::string WithoutTimes(std::string text) {
  const std::string name = "\"stage_ms\":[";
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size())
    text.erase(at + name.size(), text.find(']', at) - at - name.size());
  return text;
}

}  // namespace plexus::testing
