// Graphs in RAM, states of the past, and columns through the C interface.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tools/c/plexus.h"

namespace plexus::testing {
namespace {

class CStates : public ::testing::Test {
 protected:
  CStates() { options_.size = sizeof options_; }
  ~CStates() override {
    (void)plexus_snapshot_free(snapshot_);
    (void)plexus_close(graph_);
  }
  void Open(const char* directory) {
    options_.create = directory != nullptr;
    options_.in_memory = directory == nullptr;
    ASSERT_EQ(plexus_open(directory, &options_, &graph_), PLEXUS_OK) << plexus_message();
  }
  plexus_code Ask(const char* operation, const std::string& json, std::string* text = nullptr) {
    plexus_text reply;
    const plexus_code code = plexus_call(graph_, operation, json.data(), json.size(), &reply);
    if (text) *text = reply.data;
    EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
    return code;
  }
  plexus_code Import(const std::string& lines) {
    const std::string request = R"({"format":"jsonl"})";
    plexus_text reply;
    const plexus_code code = plexus_import(graph_, request.data(), request.size(), lines.data(),
                                           lines.size(), nullptr, &reply);
    EXPECT_EQ(plexus_reply_code(reply.owner), PLEXUS_OK) << plexus_message();
    EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
    return code;
  }
  // An array of a result, as bytes.
  template <class T>
  static std::vector<T> Values(plexus_result* result, const char* name, std::int32_t type) {
    plexus_array array;
    EXPECT_EQ(plexus_result_array(result, name, &array), PLEXUS_OK) << plexus_message();
    EXPECT_EQ(array.type, type);
    std::vector<T> values(array.rows);
    if (array.rows > 0) std::memcpy(values.data(), array.data, array.rows * sizeof(T));
    return values;
  }
  TempDir dir_;
  plexus_open_options options_ = {};
  plexus_graph* graph_ = nullptr;
  plexus_snapshot* snapshot_ = nullptr;
};

TEST_F(CStates, AGraphInRamAnswersAndHasNoHistory) {
  Open(nullptr);
  EXPECT_EQ(Import("{\"node\":\"a\",\"text\":\"Deploys stop.\"}\n{\"edge\":[\"a\",\"b\"]}\n"),
            PLEXUS_OK);
  EXPECT_EQ(Ask("put", R"({"key":"c","text":"Deploys go on."})"), PLEXUS_OK);
  std::string text;
  EXPECT_EQ(Ask("search", R"({"query":"deploys"})", &text), PLEXUS_OK);
  EXPECT_NE(text.find("\"c\""), std::string::npos) << text;
  const std::uint32_t ends[] = {0, 1, 2};
  plexus_edges edges = {};
  edges.size = sizeof edges;
  edges.count = 2;
  edges.sources = ends;
  edges.targets = ends + 1;
  plexus_counts counts = {};
  counts.size = sizeof counts;
  EXPECT_EQ(plexus_put_edges(graph_, &edges, nullptr, &counts), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(counts.added, 2u);
  EXPECT_EQ(plexus_snapshot_of(graph_, &snapshot_), PLEXUS_OK);
  plexus_result* rank = nullptr;
  EXPECT_EQ(plexus_pagerank(snapshot_, nullptr, &rank), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(plexus_result_free(rank), PLEXUS_OK);

  plexus_snapshot* past = nullptr;
  EXPECT_EQ(plexus_snapshot_at(graph_, "1", &past), PLEXUS_FAILED_PRECONDITION);
  plexus_text reply;
  EXPECT_EQ(plexus_changes(graph_, 0, 10, &reply), PLEXUS_FAILED_PRECONDITION);
  EXPECT_STREQ(plexus_message(), "a graph in RAM has no history");
  EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
  for (const char* needs_directory : {"backup", "compact", "verify", "log"})
    EXPECT_NE(Ask(needs_directory, R"({"to":"x"})"), PLEXUS_OK) << needs_directory;
  EXPECT_EQ(plexus_close(graph_), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(Ask("stats", "{}"), PLEXUS_FAILED_PRECONDITION);
}

TEST_F(CStates, AGraphInRamHasWallsToo) {
  const char* const mine[] = {"mine"};
  options_.scopes = mine;
  options_.scope_count = 1;
  Open(nullptr);
  EXPECT_EQ(Ask("put", R"({"key":"a"})"), PLEXUS_OK);
  std::string text;
  EXPECT_EQ(Ask("get", R"({"key":["a"]})", &text), PLEXUS_OK);
  EXPECT_NE(text.find(R"("scope":"mine")"), std::string::npos) << text;
}

TEST_F(CStates, ADirectoryAndRamExcludeEachOther) {
  options_.in_memory = 1;
  plexus_graph* graph = nullptr;
  EXPECT_EQ(plexus_open((dir_ / "g").c_str(), &options_, &graph), PLEXUS_INVALID_ARGUMENT);
  options_.read_only = 1;
  EXPECT_EQ(plexus_open(nullptr, &options_, &graph), PLEXUS_INVALID_ARGUMENT);
  // A program that was compiled before there were graphs in RAM.
  options_ = {};
  options_.size = offsetof(plexus_open_options, in_memory);
  options_.create = 1;
  EXPECT_EQ(plexus_open((dir_ / "g").c_str(), &options_, &graph_), PLEXUS_OK) << plexus_message();
}

TEST_F(CStates, ASnapshotIsOfAnEarlierMoment) {
  Open((dir_ / "g").c_str());
  for (const char* key : {"a", "b", "c"})
    EXPECT_EQ(Ask("put", R"({"key":")" + std::string(key) + "\"}"), PLEXUS_OK);
  std::uint64_t last = 0;
  EXPECT_EQ(plexus_sequence(graph_, &last), PLEXUS_OK);
  const std::string before = std::to_string(last - 1);
  ASSERT_EQ(plexus_snapshot_at(graph_, before.c_str(), &snapshot_), PLEXUS_OK) << plexus_message();
  plexus_snapshot_info info = {};
  info.size = sizeof info;
  EXPECT_EQ(plexus_snapshot_about(snapshot_, &info), PLEXUS_OK);
  EXPECT_EQ(info.sequence, last - 1);
  EXPECT_EQ(info.nodes, 2u);
  plexus_snapshot* none = nullptr;
  EXPECT_EQ(plexus_snapshot_at(graph_, "99999", &none), PLEXUS_NOT_FOUND) << plexus_message();
  EXPECT_EQ(plexus_snapshot_at(graph_, "soon", &none), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_snapshot_at(graph_, "", &none), PLEXUS_INVALID_ARGUMENT) << plexus_message();
  EXPECT_EQ(plexus_snapshot_at(graph_, nullptr, &none), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(none, nullptr);
}

TEST_F(CStates, ColumnsAreArrays) {
  Open(nullptr);
  ASSERT_EQ(Import(R"({"column":"mass","type":"f64"}
{"node":"a","mass":1.5,"access_count":7}
{"node":"b","category":"x"}
{"node":"c","mass":-2,"category":"yz","access_count":-1}
)"),
            PLEXUS_OK);
  ASSERT_EQ(plexus_snapshot_of(graph_, &snapshot_), PLEXUS_OK);
  plexus_result* result = nullptr;
  using Nodes = std::vector<std::uint32_t>;
  ASSERT_EQ(plexus_column(snapshot_, "mass", &result), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(Values<std::uint32_t>(result, "nodes", PLEXUS_U32), (Nodes{0, 2}));
  EXPECT_EQ(Values<double>(result, "values", PLEXUS_F64), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(plexus_result_free(result), PLEXUS_OK);
  ASSERT_EQ(plexus_column(snapshot_, "access_count", &result), PLEXUS_OK);
  EXPECT_EQ(Values<std::int64_t>(result, "values", PLEXUS_I64), (std::vector<std::int64_t>{7, -1}));
  EXPECT_EQ(plexus_result_free(result), PLEXUS_OK);
  ASSERT_EQ(plexus_column(snapshot_, "category", &result), PLEXUS_OK);
  EXPECT_EQ(Values<std::uint32_t>(result, "nodes", PLEXUS_U32), (Nodes{1, 2}));
  EXPECT_EQ(Values<std::uint64_t>(result, "offsets", PLEXUS_U64),
            (std::vector<std::uint64_t>{0, 1, 3}));
  const std::vector<std::uint8_t> bytes = Values<std::uint8_t>(result, "bytes", PLEXUS_U8);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "xyz");
  EXPECT_EQ(plexus_result_free(result), PLEXUS_OK);
  EXPECT_EQ(plexus_column(snapshot_, "nothing", &result), PLEXUS_NOT_FOUND);
}

}  // namespace
}  // namespace plexus::testing
