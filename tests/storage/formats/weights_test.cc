// One rule for weights in every format: below zero is refused however near, too small for f32 is 0.
#include <cmath>
#include <limits>
#include <optional>

#include "storage/formats/base/decimal.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

struct Sample {
  const char* digits;
  std::optional<float> weight;  // none: refused
};
const Sample kSamples[] = {{"0.5", 0.5f},
                           {"0", 0.0f},
                           {"-0", 0.0f},
                           {"-0.0", 0.0f},
                           {"-0e5", 0.0f},
                           {"1e-50", 0.0f},
                           {"1e-400", 0.0f},
                           {"1e-9999", 0.0f},
                           {"0.1e-999", 0.0f},
                           {"1e-45", std::numeric_limits<float>::denorm_min()},
                           {"-1", {}},
                           {"-1e-3", {}},
                           {"-1e-50", {}},
                           {"-1e-400", {}},
                           {"-0.0000001", {}},
                           {"1e39", {}},
                           {"1e400", {}},
                           {"1e9999", {}},
                           {"nan", {}},
                           {"inf", {}},
                           {"3.4028235e38", std::numeric_limits<float>::max()}};

void Check(const std::string& name, const std::string& before, const std::string& after,
           FileFormat format) {
  for (const Sample& sample : kSamples) {
    auto graph = Graph::InMemory();
    ImportOptions options;
    options.format = format;
    const ImportReport report = Load(*graph, name, before + sample.digits + after, options);
    ASSERT_EQ(report.errors, sample.weight ? 0u : 1u)
        << name << ' ' << sample.digits
        << (report.kept_errors.empty() ? "" : ' ' + report.kept_errors[0].ToString());
    if (!sample.weight) continue;
    const Snapshot s = graph->snapshot();
    const auto edge = s.FindEdge(Id(s, "1"), kLink, Id(s, "2"));
    ASSERT_TRUE(edge) << name << ' ' << sample.digits;
    EXPECT_EQ(edge->weight, *sample.weight) << name << ' ' << sample.digits;
    EXPECT_FALSE(std::signbit(edge->weight)) << name << ' ' << sample.digits;
  }
}

TEST(Weights, OneRuleInEveryFormat) {
  Check("g.jsonl", R"({"edge":["1","2"],"kind":"link","weight":)", "}\n", FileFormat::kJsonLines);
  Check("g.csv", "source,target,weight\n1,2, ", "\n", FileFormat::kCsv);
  Check("g.el", "1 2 ", "\n", FileFormat::kEdgeList);
  Check("g.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 ", "\n",
        FileFormat::kMatrixMarket);
  Check("g.json",
        R"({"directed":true,"nodes":[{"id":"1"},{"id":"2"}],"links":[{"source":"1","target":"2",)"
        R"("weight":)",
        "}]}", FileFormat::kNodeLink);
  Check("g.graphml",
        R"(<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="weight" attr.type="double"/><graph edgedefault="directed">)"
        R"(<node id="1"/><node id="2"/>
<edge source="1" target="2"><data key="w">)",
        "</data></edge></graph></graphml>", FileFormat::kGraphMl);
}

// Which way a number left a type's range, by its digits.
TEST(Weights, SmallOrLarge) {
  for (const char* small :
       {"1e-50", "-1e-50", "0.00000001e-60", "123456e-60", "1e-99999999999999999999", "0e99"})
    EXPECT_TRUE(IsSmall(small)) << small;
  for (const char* large :
       {"1e50", "-1e+50", "0.00000001e60", "123456e60", "1e99999999999999999999", "1000"})
    EXPECT_FALSE(IsSmall(large)) << large;
  EXPECT_TRUE(IsSmall("0." + std::string(400, '0') + "1"));
  EXPECT_FALSE(IsSmall("0." + std::string(400, '0') + "1e500"));
  EXPECT_TRUE(IsSmall("1" + std::string(400, '0') + "e-500"));
  EXPECT_FALSE(IsSmall("1" + std::string(400, '0') + ".5"));
}

// The sign of an entry that is too small still says which way it leads.
TEST(Weights, SkewEntriesKeepTheirDirection) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "m.mtx",
            "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 -1e-50\n3 1 1e-50\n");
  const Snapshot s = graph->snapshot();
  const auto turned = s.FindEdge(Id(s, "1"), kLink, Id(s, "2"));
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->weight, 0.0f);
  EXPECT_FALSE(std::signbit(turned->weight));
  EXPECT_TRUE(s.FindEdge(Id(s, "3"), kLink, Id(s, "1")));
}

}  // namespace
}  // namespace plexus::formats::internal
