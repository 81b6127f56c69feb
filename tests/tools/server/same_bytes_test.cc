// One table of requests, good and bad, through the command line, standard input, the socket of
// another process, and HTTP: the same JSON, byte for byte.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <set>

#include "tests/support/run_plexus.h"
#include "tests/tools/limits/every_row.h"
#include "tests/tools/server/server_process.h"

namespace plexus::testing {
namespace {

constexpr std::string_view kNow = "1790000000000";

struct Asked {
  std::string operation, json;
};

// With the time, and a limit that all doors have.
std::string With(const std::string& json, bool timed) {
  std::string more = R"("max_bytes":1000000)";
  if (timed) more += R"(,"now":)" + std::string(kNow);
  return json == "{}" ? "{" + more + "}" : json.substr(0, json.size() - 1) + "," + more + "}";
}

// Every row that takes no file of this machine, and what is refused.
std::vector<Asked> Table() {
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

// How long the stages of a plan took is no part of the answer.
std::string WithoutTimes(std::string text) {
  const std::string name = "\"stage_ms\":[";
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size())
    text.erase(at + name.size(), text.find(']', at) - at - name.size());
  return text;
}

TEST(SameBytes, ThroughEveryDoor) {
  const TempDir dir;
  const std::string lines = dir.File("all.jsonl", EverythingLines(6));
  const std::string now(kNow);
  ASSERT_EQ(Plexus({"import", "--db", dir / "cli", "--now", now, lines}).code, 0);
  ASSERT_EQ(Plexus({"terms", "--db", dir / "cli", "--now", now}).code, 0);
  ASSERT_EQ(Plexus({"embed", "--db", dir / "cli", "--now", now}).code, 0);
  const std::vector<Asked> table = Table();
  ASSERT_GE(table.size(), 200u);

  for (const char* copy : {"mcp", "http", "socket"})
    std::filesystem::copy(dir / "cli", dir / copy, std::filesystem::copy_options::recursive);
  std::string script;
  for (const Asked& asked : table) script += "{\"" + asked.operation + "\":" + asked.json + "}\n";
  RunOptions options;
  options.input = script;
  const Finished shell =
      Plexus({"shell", "--db", dir / "cli", "--json", "--quiet", "--keep-going"}, options);
  std::vector<std::string> expected;
  for (std::size_t at = 0; at < shell.out.size();) {
    const std::size_t end = shell.out.find('\n', at);
    expected.push_back(WithoutTimes(shell.out.substr(at, end - at)));
    at = end + 1;
  }
  ASSERT_EQ(expected.size(), table.size()) << shell.err.substr(0, 2000);

  ServerProcess mcp({"--db", dir / "mcp", "--mcp", "--tools", "all"});
  ServerProcess http({"--db", dir / "http", "--http", "0"});
  ServerProcess holder({"--db", dir / "socket", "--mcp"});
  ServerProcess socket({"--db", dir / "socket", "--mcp", "--tools", "all"});
  ASSERT_NE(socket.log().find("through=its holder"), std::string::npos);
  std::size_t same = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Asked& asked = table[i];
    const std::string text = WithoutTimes(mcp.Tool(asked.operation, asked.json));
    EXPECT_EQ(text, expected[i]) << asked.operation << " " << asked.json;
    const std::string through = WithoutTimes(socket.Tool(asked.operation, asked.json));
    EXPECT_EQ(through, expected[i]) << asked.operation << " " << asked.json;
    const HttpAnswer answer = Http(http.port(), "POST", "/v1/" + asked.operation, asked.json);
    const std::string body = WithoutTimes(answer.body);
    EXPECT_EQ(body, expected[i]) << asked.operation << " " << asked.json;
    EXPECT_EQ(answer.status >= 400, expected[i].starts_with("{\"error\"")) << expected[i];
    same += text == expected[i] && through == expected[i] && body == expected[i];
  }
  EXPECT_EQ(same, table.size());
}

}  // namespace
}  // namespace plexus::testing
