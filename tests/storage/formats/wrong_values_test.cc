// Values that no graph takes, found by the check of a file: a failed import leaves nothing, the
// message has the line, and skipping leaves out the bad record alone.
#include <string>
#include <vector>

#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

constexpr const char* kFar = "1700000000000000";  // microseconds

struct BadFile {
  const char* name;
  std::string head, good, bad, tail, says;  // `bad` and each `good` are a line
  const char* between = "\n";
};

std::vector<BadFile> BadFiles() {
  const std::string far = kFar, beyond = far + " lies beyond the year 9999";
  const std::string trust = "'trust' of node 'bad': 1.1 does not lie in [0, 1]";
  const std::string graphml =
      R"(<graphml><key id="t" for="node" attr.name="trust" attr.type="double"/>)"
      R"(<key id="c" for="edge" attr.name="created_at" attr.type="long"/>)"
      "<graph edgedefault=\"directed\">\n";
  std::vector<BadFile> files = {
      {"a.csv", "source,target,created_at\n", "a#,b,1700000000000", "a,bad," + far, "", beyond},
      {"u.csv", "source,target,kind,valid_until\n", "a#,b,k,", "a,bad,k," + far, "", beyond},
      {"t.csv", "key,trust\n", "a#,0.5", "bad,1.1", "", trust},
      {"n.tsv", "key\tcreated_at\n", "a#\t1700000000000", "bad\t" + far, "", beyond},
      {"a.json", "{\"nodes\":[\n", R"({"id":"a#"})", R"({"id":"bad","trust":1.1})",
       "],\"links\":[]}\n", trust, ",\n"},
      {"l.json", "{\"nodes\":[],\"links\":[\n", R"({"source":"a#","target":"b"})",
       R"({"source":"a","target":"bad","created_at":)" + far + "}", "]}\n", beyond, ",\n"},
      {"n.graphml", graphml, R"(<node id="a#"/>)",
       R"(<node id="bad"><data key="t">1.1</data></node>)", "</graph></graphml>\n", trust},
      {"e.graphml", graphml, R"(<edge source="a#" target="b"/>)",
       R"(<edge source="a" target="bad"><data key="c">)" + far + "</data></edge>",
       "</graph></graphml>\n", beyond},
  };
  for (const std::string& bad :
       {R"("node":"bad","created_at":)" + far, R"("node":"bad","valid_until":)" + far,
        R"("node":"bad","accessed_at":-)" + far, R"("edge":["a","bad"],"created_at":)" + far,
        R"("edge":["a","bad"],"valid_until":)" + far,
        R"("event":"bad","query":"q","members":[{"id":"bad"}],"created_at":)" + far,
        R"("outcome":"bad","type":"helpful","labeled_at":)" + far})
    files.push_back({"a.jsonl", "", R"({"node":"a#"})", "{" + bad + "}", "", beyond});
  files.push_back({"t.jsonl", "", R"({"node":"a#"})", R"({"node":"bad","trust":1.1})", "", trust});
  files.push_back({"s.jsonl", "", R"({"node":"a#"})", R"({"node":"bad","trust":-0.1})", "",
                   "'trust' of node 'bad': -0.1 does not lie in [0, 1]"});
  return files;
}

// 40 records, of which the 31st is bad if `with_bad`, else left out.
std::string TextOf(const BadFile& file, bool with_bad) {
  std::string text = file.head;
  for (int i = 0; i < 40; ++i) {
    if (i == 30 && !with_bad) continue;
    std::string record = i == 30 ? file.bad : file.good;
    if (const auto at = record.find('#'); at != std::string::npos)
      record.replace(at, 1, std::to_string(i));
    text += record + (i < 39 ? file.between : "\n");
  }
  return text + file.tail;
}

ImportOptions Small(OnImportError on_error) {
  ImportOptions options;
  options.on_error = on_error;
  options.block_bytes = 256;
  options.batch_ops = 4;
  return options;
}

std::string Begin(const BadFile& file) {
  return std::string(file.name) + ":" + std::to_string(file.head.empty() ? 31 : 32) + ": ";
}

TEST(WrongValues, ChangeNothing) {
  for (const BadFile& file : BadFiles())
    for (const bool small : {true, false}) {
      SCOPED_TRACE(file.bad.substr(0, 99));
      auto graph = Graph::InMemory();
      const std::string error = FirstError(*graph, file.name, TextOf(file, true),
                                           small ? Small(OnImportError::kStop) : ImportOptions());
      EXPECT_TRUE(error.starts_with(Begin(file))) << error;
      EXPECT_NE(error.find(file.says), std::string::npos) << error;
      EXPECT_EQ(error.find("not foreseen"), std::string::npos) << error;
      EXPECT_EQ(graph->snapshot().sequence(), 0u);
      EXPECT_EQ(graph->snapshot().node_count(), 0u);
    }
}

TEST(WrongValues, SkippingLeavesOutTheRecordAlone) {
  for (const BadFile& file : BadFiles()) {
    SCOPED_TRACE(file.bad.substr(0, 99));
    auto graph = Graph::InMemory(), good = Graph::InMemory();
    const ImportReport report =
        Load(*graph, file.name, TextOf(file, true), Small(OnImportError::kSkip));
    ASSERT_EQ(report.errors, 1u);
    const std::string error = report.kept_errors.at(0).ToString();
    EXPECT_TRUE(error.starts_with(Begin(file))) << error;
    EXPECT_NE(error.find(file.says), std::string::npos) << error;
    LoadClean(*good, file.name, TextOf(file, false));
    EXPECT_EQ(JsonLines(graph->snapshot()), JsonLines(good->snapshot()));
  }
}

// A later record of the same batch does not make it good.
TEST(WrongValues, CountWhereALaterRecordReplacesThem) {
  const std::string lines = "{\"node\":\"a\",\"trust\":1.1}\n{\"node\":\"a\",\"trust\":0.5}\n";
  for (const OnImportError on_error : {OnImportError::kStop, OnImportError::kSkip}) {
    auto graph = Graph::InMemory();
    ImportOptions options;
    options.on_error = on_error;
    EXPECT_EQ(FirstError(*graph, "a.jsonl", lines, options),
              "a.jsonl:1: column 'trust' of node 'a': 1.1 does not lie in [0, 1]");
  }
}

}  // namespace
}  // namespace plexus::formats::internal
