// Raw vector files in: .npy, .fvecs, f32; keys; and everything that is refused, by name
// and place, with no change to the graph.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "storage/formats/export.h"
#include "storage/formats/import.h"
#include "storage/formats/vectors/vector_file.h"
#include "tests/support/fails_with.h"
#include "tests/support/text_files.h"
#include "tests/support/text_refusal.h"
#include "tests/support/vector_values.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

using testing::FailsWith;

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6.5f};
const std::string kGood = Npy("<f4", "(2, 3)", Bytes(kSix));

ImportReport LoadVectors(Graph& graph, const std::string& name, std::string_view bytes,
                         VectorImportOptions vectors = {}, ImportOptions options = {}) {
  options.now_ms = kNow;
  auto report = ImportVectors(graph, {name, bytes}, vectors, options);
  EXPECT_TRUE(report) << (report ? "" : report.error().ToString());
  return report ? *report : ImportReport();
}

std::vector<float> VectorOf(const Snapshot& s, std::string_view key,
                            const char* space = "default") {
  const auto id = s.schema().FindSpace(space);
  if (!id) return {};
  return testing::VectorOf(*s.space(*id), Id(s, key));
}

// The only error of a file that must change nothing, by report or by Result.
std::string RefusedVectors(const std::string& name, std::string_view bytes,
                           VectorImportOptions vectors = {}) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "a.jsonl", "{\"node\":\"0\"}\n");
  const std::string before = Whole(*graph);
  const auto report = ImportVectors(*graph, {name, bytes}, vectors, SmallCuts(SerialExecutor()));
  EXPECT_EQ(Whole(*graph), before);
  if (!report) return report.error().message;
  EXPECT_TRUE(report->stopped);
  EXPECT_EQ(report->errors, 1u);
  return report->kept_errors.empty() ? "" : report->kept_errors[0].ToString();
}

TEST(TextVectors, AStreamWithItsKeysComesBackAsItWas) {
  const std::string stream = "a b\nc\n\n" + std::string(Bytes(kSix));
  VectorImportOptions vectors;
  vectors.format = VectorFormat::kF32;
  vectors.dimensions = 3;
  vectors.keys_first = true;
  const auto load = [&](Graph& graph, const std::string& bytes) {
    const int fd = memfd_create("stream", 0);
    EXPECT_EQ(write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    lseek(fd, 0, SEEK_SET);
    const auto report = ImportVectorStream(graph, "stream", fd, vectors);
    close(fd);
    return !report                       ? report.error().message
           : report->kept_errors.empty() ? std::string()
                                         : report->kept_errors[0].ToString();
  };
  auto graph = Graph::InMemory();
  EXPECT_EQ(load(*graph, stream), "");
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(VectorOf(s, "c"), (std::vector<float>{4, 5, 6.5f}));
  std::ostringstream out;
  ASSERT_TRUE(ExportVectors(s, out, *s.schema().FindSpace("default")));
  EXPECT_EQ(out.str(), stream);
  // Keys that are too few, numbers without keys, a line that never ends.
  for (const std::string& bad : {"c\n\n" + std::string(Bytes(kSix)), std::string(Bytes(kSix)),
                                 std::string("c\n"), std::string(300'000, 'x')})
    EXPECT_NE(load(*graph, bad).find("key"), std::string::npos) << bad.substr(0, 20);
  // Keys as they are, and no rows at all.
  EXPECT_EQ(load(*graph, "\xef\xbb\xbfk\nr\n\n" + std::string(Bytes(kSix))), "");
  const Snapshot after = graph->snapshot();
  EXPECT_TRUE(after.Find("\xef\xbb\xbfk"));
  EXPECT_FALSE(after.Find("k"));
  EXPECT_EQ(load(*graph, "\n"), "");
  auto lines = Graph::InMemory();
  LoadClean(*lines, "a.jsonl",
            "{\"space\":\"v\",\"dimensions\":1}\n{\"node\":\"x\\ny\"}\n"
            "{\"vector\":\"x\\ny\",\"space\":\"v\",\"values\":[1]}\n");
  const Snapshot line = lines->snapshot();
  EXPECT_TRUE(
      FailsWith(ExportVectors(line, out, *line.schema().FindSpace("v")), ErrorCode::kUnsupported));
}

// Lines without end are not read into memory without end.
TEST(TextVectors, KeysBeforeTheirVectorsAreBounded) {
  std::string text;
  while (text.size() < 1'000'000) text += "a\n";
  const auto read = [&](std::uint64_t most) {
    return ReadKeysFirst(*OpenBytes(text), "stream", most);
  };
  const auto keys = read(200'000);
  ASSERT_FALSE(keys);
  EXPECT_NE(keys.error().message.find("200000 bytes of keys"), std::string::npos);
  text += "\n";
  EXPECT_TRUE(read(2'000'000));
}

TEST(TextVectors, ThreeFormatsSayTheSame) {
  std::vector<double> wide(kSix.begin(), kSix.end());
  VectorImportOptions plain;
  plain.dimensions = 3;
  const std::vector<std::tuple<std::string, std::string, VectorImportOptions>> files = {
      {"v.npy", kGood, {}},
      {"v.npy", Npy("<f8", "(2, 3)", Bytes(wide)), {}},
      {"v.NPY",
       NpyOf("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}", Bytes(kSix), 2),
       {}},
      {"by content",
       NpyOf("{'descr':'<f4','fortran_order':False,'shape':(2,3,)}", Bytes(kSix), 3),
       {}},
      {"v.fvecs", Fvecs({{1, 2, 3}, {4, 5, 6.5f}}), {}},
      {"v.f32", Bytes(kSix), plain}};
  for (const auto& [name, bytes, vectors] : files) {
    SCOPED_TRACE(name);
    auto graph = Graph::InMemory();
    const ImportReport report = LoadVectors(*graph, name, bytes, vectors);
    EXPECT_EQ(report.errors, 0u);
    EXPECT_EQ(report.vectors, 2u);
    EXPECT_EQ(report.records, 2u);
    EXPECT_EQ(report.nodes, (ChangeCounts{2, 0, 0}));
    EXPECT_EQ(report.bytes, bytes.size());
    const Snapshot s = graph->snapshot();
    EXPECT_EQ(VectorOf(s, "0"), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(VectorOf(s, "1"), (std::vector<float>{4, 5, 6.5f}));
    EXPECT_EQ(s.schema().spaces()[0].metric, Metric::kCosine);
  }
}

TEST(TextVectors, KeysSpaceAndMetric) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "a.jsonl", "{\"node\":\"b\",\"kind\":\"memory\"}\n");
  VectorImportOptions vectors;
  vectors.keys = VectorInput{"keys", "\xef\xbb\xbfwörd\r\nb"};
  vectors.space = "glove";
  vectors.metric = Metric::kL2;
  const ImportReport report = LoadVectors(*graph, "v.npy", kGood, vectors);
  EXPECT_EQ(report.nodes, (ChangeCounts{1, 0, 1}));  // a vector alone is no change of its node
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(VectorOf(s, "wörd", "glove"), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(VectorOf(s, "b", "glove"), (std::vector<float>{4, 5, 6.5f}));
  EXPECT_EQ(s.node_kind(Id(s, "b")), kMemory);
  EXPECT_EQ(s.schema().spaces()[0].metric, Metric::kL2);
  // Again: nothing changes. Without a metric: the space's own is meant.
  vectors.metric = std::nullopt;
  const std::string before = JsonLines(s);
  const ImportReport again = LoadVectors(*graph, "v.npy", kGood, vectors);
  EXPECT_EQ(again.vectors, 2u);
  EXPECT_EQ(again.nodes, (ChangeCounts{0, 0, 2}));
  EXPECT_EQ(JsonLines(graph->snapshot()), before);
  // Another vector of a known key replaces the old one.
  vectors.keys = VectorInput{"keys", "b\nc\n"};
  LoadVectors(*graph, "v.npy", kGood, vectors);
  EXPECT_EQ(VectorOf(graph->snapshot(), "b", "glove"), (std::vector<float>{1, 2, 3}));
}

TEST(TextVectors, ManyRowsAreBatchesAndTheOrderOfRowsIsKept) {
  const std::size_t rows = 40'000, dimensions = 128;  // two batches
  std::vector<float> values(rows * dimensions);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 9973);
  auto graph = Graph::InMemory();
  const ImportReport report =
      LoadVectors(*graph, "v.npy", Npy("<f4", "(40000, 128)", Bytes(values)));
  EXPECT_EQ(report.batches, 2u);
  EXPECT_EQ(report.vectors, rows);
  const Snapshot s = graph->snapshot();
  ASSERT_EQ(s.node_count(), rows);
  for (NodeId v = 0; v < rows; v += 997) {
    ASSERT_EQ(s.key(v), std::to_string(v));
    ASSERT_EQ(VectorOf(s, s.key(v)),
              std::vector<float>(values.begin() + v * 128, values.begin() + (v + 1) * 128));
  }
}

TEST(TextVectors, HeadersThatLieAreRefused) {
  const std::string v = Bytes(kSix);
  const auto refused = [](const std::string& bytes) { return RefusedVectors("v.npy", bytes); };
  EXPECT_EQ(refused(Npy("<f4", "(3, 3)", v)),
            "v.npy: its header claims 3 rows of 12 bytes, the file holds 24 bytes: truncated");
  EXPECT_EQ(refused(Npy("<f4", "(1, 3)", v)),
            "v.npy: its header claims 1 rows of 12 bytes, the file holds 24 bytes: something "
            "follows the array");
  EXPECT_NE(refused(Npy("<f4", "(18446744073709551615, 3)", v)).find("truncated"),
            std::string::npos);
  EXPECT_NE(refused(Npy("<f4", "(6148914691236517205, 4)", v)).find("truncated"),
            std::string::npos);
  EXPECT_NE(refused(Npy("<f4", "(2, 99999999999)", v)).find("a vector has 1 to 4096"),
            std::string::npos);
  EXPECT_NE(refused(Npy("<f4", "(2, 0)", "")).find("a vector has 1 to 4096"), std::string::npos);
  EXPECT_NE(refused(Npy("<f4", "(99999999999999999999, 3)", v)).find("shape is no tuple"),
            std::string::npos);
  EXPECT_EQ(refused(Npy("<f4", "(6,)", v)), "v.npy: shape (6,), expected (rows, values)");
  EXPECT_NE(refused(Npy("<f4", "(1, 2, 3)", v)).find("shape (1, 2, 3)"), std::string::npos);
  EXPECT_NE(refused(Npy("<f4", "()", v)).find("shape ()"), std::string::npos);
  EXPECT_NE(refused(Npy("<f4", "(6)", v)).find("no tuple"), std::string::npos);
  EXPECT_NE(refused(Npy("<f4", "(-2, 3)", v)).find("no tuple"), std::string::npos);
  EXPECT_NE(refused(kGood.substr(0, 40)).find("the file ends inside it"), std::string::npos);
  EXPECT_NE(refused(kGood.substr(0, 8)).find("the file ends inside it"), std::string::npos);
  EXPECT_NE(refused("\x93NUMPY\x09\x01"
                    "abcdef")
                .find("version 9"),
            std::string::npos);
  EXPECT_NE(refused(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12) + std::string(200, ' '))
                .find("claims 4294967295 bytes"),
            std::string::npos);
  EXPECT_NE(refused("not numpy at all").find("does not begin with"), std::string::npos);
  EXPECT_NE(refused("").find("is empty"), std::string::npos);
  for (const char* dict :
       {"{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} + 1",
        "{'descr': '<f4' 'shape': (2,3)}", "", "{", "{'descr", "__import__('os')"})
    EXPECT_NE(refused(NpyOf(dict, v)).find("npy header: "), std::string::npos) << dict;
  // Types and orders that are not read.
  EXPECT_NE(refused(Npy(">f4", "(2, 3)", v)).find("values of type '>f4'"), std::string::npos);
  EXPECT_NE(refused(Npy("<i4", "(2, 3)", v)).find("values of type '<i4'"), std::string::npos);
  EXPECT_NE(
      refused(NpyOf("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", v)).find("Fortran"),
      std::string::npos);
}

TEST(TextVectors, FvecsAndPlainRowsMustFit) {
  const std::string good = Fvecs({{1, 2, 3}, {4, 5, 6}});
  EXPECT_NE(RefusedVectors("v.fvecs", good.substr(0, good.size() - 1)).find("truncated"),
            std::string::npos);
  EXPECT_NE(RefusedVectors("v.fvecs", good.substr(0, 3)).find("ends inside"), std::string::npos);
  EXPECT_NE(RefusedVectors("v.fvecs", "").find("is empty"), std::string::npos);
  EXPECT_NE(
      RefusedVectors("v.fvecs", Bytes(std::vector<std::int32_t>{-1, 0})).find("row 0 claims -1"),
      std::string::npos);
  EXPECT_NE(RefusedVectors("v.fvecs", Bytes(std::vector<std::int32_t>{1 << 30, 0}))
                .find("row 0 claims 1073741824"),
            std::string::npos);
  // Same size, other dimensions inside.
  std::string mixed = good;
  mixed[16] = 2;
  EXPECT_EQ(RefusedVectors("v.fvecs", mixed), "v.fvecs: row 1 claims 2 values, row 0 has 3");
  VectorImportOptions vectors;
  EXPECT_NE(RefusedVectors("v.f32", Bytes(kSix)).find("name the dimensions"), std::string::npos);
  vectors.dimensions = 4;
  EXPECT_NE(RefusedVectors("v.f32", Bytes(kSix), vectors)
                .find("24 bytes are no whole number of rows of 16 bytes"),
            std::string::npos);
  EXPECT_EQ(RefusedVectors("v.npy", kGood, vectors), "v.npy: rows of 3 values, expected 4");
  vectors.dimensions = 5'000'000'000;
  EXPECT_NE(RefusedVectors("v.f32", Bytes(kSix), vectors).find("a vector has 1 to 4096"),
            std::string::npos);
  EXPECT_NE(RefusedVectors("v.bin", Bytes(kSix)).find("cannot tell its format"), std::string::npos);
}

TEST(TextVectors, ValuesThatAreNoNumbersAreRefusedByPlace) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(
      RefusedVectors("v.npy", Npy("<f4", "(2, 3)", Bytes(std::vector<float>{1, 2, 3, 4, nan, 6}))),
      "v.npy: row 1, value 1 (byte 144): not a number");
  std::vector<float> late(900, 0.5f);  // behind batches of good rows
  late[895] = nan;
  EXPECT_EQ(RefusedVectors("v.npy", Npy("<f4", "(300, 3)", Bytes(late))),
            "v.npy: row 298, value 1 (byte 3708): not a number");
  VectorImportOptions plain;
  plain.dimensions = 3;
  EXPECT_NE(RefusedVectors("v.f32", Bytes(std::vector<float>{1, inf, 3}), plain).find("infinite"),
            std::string::npos);
  EXPECT_EQ(RefusedVectors("v.fvecs", Fvecs({{1, 2}, {3, -inf}})),
            "v.fvecs: row 1, value 1 (byte 20): infinite");
  EXPECT_EQ(RefusedVectors("v.npy", Npy("<f8", "(1, 2)", Bytes(std::vector<double>{1, 1e300}))),
            "v.npy: row 0, value 1 (byte 136): too large for f32");
  EXPECT_EQ(RefusedVectors("v.npy", Npy("<f8", "(1, 1)", Bytes(std::vector<double>{-HUGE_VAL}))),
            "v.npy: row 0, value 0 (byte 128): infinite");
  // --on-error skip: the rest is taken.
  auto graph = Graph::InMemory();
  const ImportReport report =
      LoadVectors(*graph, "v.fvecs", Fvecs({{1, 2}, {nan, 1}, {3, 4}}), {}, Skip());
  EXPECT_EQ(report.errors, 1u);
  EXPECT_FALSE(report.stopped);
  EXPECT_EQ(report.vectors, 2u);
  EXPECT_FALSE(graph->snapshot().Find("1"));
  EXPECT_EQ(VectorOf(graph->snapshot(), "2"), (std::vector<float>{3, 4}));
}

TEST(TextVectors, KeysAreCheckedAsAWhole) {
  VectorImportOptions vectors;
  const auto refused = [&](std::string_view keys) {
    vectors.keys = VectorInput{"keys.txt", keys};
    return RefusedVectors("v.npy", kGood, vectors);
  };
  EXPECT_EQ(refused("a\n"), "keys.txt: 1 keys for 2 vectors");
  EXPECT_EQ(refused("a\nb\nc\n"), "keys.txt: 3 keys for 2 vectors");
  EXPECT_EQ(refused(std::string(1500, '\n')), "keys.txt: 1500 keys for 2 vectors");
  EXPECT_EQ(refused("a\na\n"), "keys.txt:2: the same key as line 1");
  EXPECT_EQ(refused("\nb\n").substr(0, 12), "keys.txt:1: ");
  EXPECT_EQ(refused("a\nb\xff\n").substr(0, 12), "keys.txt:2: ");
  EXPECT_EQ(refused(std::string("a\n") + std::string(1025, 'x')).substr(0, 12), "keys.txt:2: ");
  EXPECT_NE(refused(std::string(100'000, 'x')).find("more bytes than the keys"), std::string::npos);
  EXPECT_EQ(refused("a\ntag\x1fx\n").substr(0, 12), "keys.txt:2: ");
  auto graph = Graph::InMemory();
  vectors.keys = VectorInput{"keys.txt", "a\na\n"};
  const ImportReport report = LoadVectors(*graph, "v.npy", kGood, vectors, Skip());
  EXPECT_EQ(report.errors, 1u);
  EXPECT_EQ(report.vectors, 1u);
  EXPECT_EQ(VectorOf(graph->snapshot(), "a"), (std::vector<float>{1, 2, 3}));
}

TEST(TextVectors, ASpaceKeepsItsDimensionsAndMetric) {
  auto graph = Graph::InMemory();
  LoadVectors(*graph, "v.npy", kGood);
  const Sequence sequence = graph->snapshot().sequence();
  auto other = ImportVectors(*graph, {"w.fvecs", Fvecs({{1, 2}})}, {}, {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "w.fvecs: rows of 2 values, space 'default' has 3 dimensions");
  VectorImportOptions vectors;
  vectors.metric = Metric::kL2;
  auto metric = ImportVectors(*graph, {"v.npy", kGood}, vectors, {});
  ASSERT_FALSE(metric);
  EXPECT_NE(metric.error().message.find("measures by cosine"), std::string::npos);
  vectors.metric = std::nullopt;
  vectors.space = "bad\nname";
  EXPECT_FALSE(ImportVectors(*graph, {"v.npy", kGood}, vectors, {}));
  EXPECT_EQ(graph->snapshot().sequence(), sequence);
}

TEST(TextVectors, FilesAndWhatIsNoFile) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("plexus_vectors_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "v.npy").string();
  std::ofstream(path, std::ios::binary) << kGood;
  auto graph = Graph::InMemory();
  const auto report = ImportVectors(*graph, {path}, {}, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->vectors, 2u);
  EXPECT_TRUE(FailsWith(ImportVectors(*graph, {path + "x"}, {}, {}), ErrorCode::kNotFound));
  const auto directory = ImportVectors(*graph, {folder.string()}, {}, {});
  ASSERT_TRUE(directory);
  EXPECT_NE(directory->kept_errors.at(0).reason.find("is a directory"), std::string::npos);
  EXPECT_TRUE(FailsWith(ImportVectors(*graph, {"/dev/zero"}, {}, {}), ErrorCode::kUnsupported));
  std::filesystem::remove_all(folder);
}

TEST(TextVectors, OneVectorOfAQuery) {
  const std::vector<float> three = {1, -2.5f, 3e-3f};
  const auto read = [](const std::string& name, std::string_view bytes) {
    return ReadVector({name, bytes});
  };
  for (const char* text : {"1 -2.5 0.003", "[1, -2.5, 3e-3]\n", " 1,-2.5,\t3e-3 \r\n",
                           "1\n-2.5\n0.003\n", "[1 -2.5,3e-3]"}) {
    const auto got = read("q.txt", text);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, three) << text;
  }
  EXPECT_EQ(read("q.npy", Npy("<f4", "(3,)", Bytes(three))), three);
  EXPECT_EQ(read("-", Npy("<f8", "(1, 3)", Bytes(std::vector<double>{1, -2.5, 3e-3f}))), three);
  EXPECT_EQ(read("q.fvecs", Fvecs({three})), three);
  EXPECT_EQ(read("q.f32", Bytes(three)), three);
  const auto refused = [&](const std::string& name, std::string_view bytes) {
    const auto got = read(name, bytes);
    return got ? "read" : got.error().message;
  };
  EXPECT_EQ(refused("q", "1 x"), "q: value 1, 'x', is no finite number within f32");
  EXPECT_NE(refused("q", "1 nan").find("no finite number"), std::string::npos);
  EXPECT_NE(refused("q", "1e99").find("no finite number"), std::string::npos);
  EXPECT_NE(refused("q", "[1,2").find("no finite number"), std::string::npos);
  EXPECT_NE(refused("q", "1,,2").find("no finite number"), std::string::npos);
  EXPECT_NE(refused("q", "1,").find("ends with a comma"), std::string::npos);
  EXPECT_EQ(refused("q", " \n"), "q: holds no numbers");
  EXPECT_EQ(refused("q", "[]"), "q: holds no numbers");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "1 ";
  EXPECT_NE(refused("q", many).find("more than 4096 values"), std::string::npos);
  EXPECT_NE(refused("q", std::string(1 << 20, '1')).find("more text than one vector"),
            std::string::npos);
  EXPECT_EQ(refused("q.fvecs", Fvecs({three, three})), "q.fvecs: holds 2 vectors, expected one");
  EXPECT_NE(refused("q.npy", Npy("<f4", "(0, 3)", "")).find("holds 0 vectors"), std::string::npos);
  EXPECT_NE(
      refused("q.npy", Npy("<f4", "(2,)", Bytes(std::vector<float>{1, NAN}))).find("not a number"),
      std::string::npos);
}

}  // namespace
}  // namespace plexus::formats::internal
