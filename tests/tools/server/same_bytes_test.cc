// One table of requests, good and bad, through the command line, standard input, the socket of
// another process, and HTTP: the same JSON, byte for byte.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "tests/support/run_plexus.h"
#include "tests/tools/limits/every_row.h"
#include "tests/tools/limits/request_table.h"
#include "tests/tools/server/server_process.h"

namespace plexus::testing {
namespace {

TEST(SameBytes, ThroughEveryDoor) {
  const TempDir dir;
  const std::string lines = dir.File("all.jsonl", EverythingLines(6));
  const std::string now(kTableTime);
  ASSERT_EQ(Plexus({"import", "--db", dir / "cli", "--now", now, lines}).code, 0);
  ASSERT_EQ(Plexus({"terms", "--db", dir / "cli", "--now", now}).code, 0);
  ASSERT_EQ(Plexus({"embed", "--db", dir / "cli", "--now", now}).code, 0);
  const std::vector<Asked> table = RequestTable();
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
