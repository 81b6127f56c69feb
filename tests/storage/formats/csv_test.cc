// Tables: headers, quoting, delimiters, what is refused.
#include "storage/formats/csv/csv.h"
#include "storage/formats/base/properties.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace builtin;
using namespace formats;
namespace {

std::string EdgeProps(const Snapshot& s, std::string_view a, std::string_view b,
                      EdgeKindId kind = kLink) {
  const auto edge = s.FindEdge(Id(s, a), kind, Id(s, b));
  if (!edge || !edge->properties) return "";
  return JsonFromProperties(s.Payload(edge->properties).value()).value();
}

TEST(Csv, EdgeTable) {
  auto graph = Graph::InMemory();
  const ImportReport r =
      LoadClean(*graph, "e.csv",
                "\xef\xbb\xbfsource,target,kind,weight,created_at,label,note,n\r\n"
                "a,b,supports,0.5,12,,\"say \"\"hi\"\",\nthere\",42\r\n"
                "\r\n"
                "b,c,caused_by,,,,,007\r\n"
                "c,\"d,e\",,2,,,,1.5");
  EXPECT_EQ(r.edges, (ChangeCounts{3, 0, 0}));
  EXPECT_EQ(r.records, 3u);
  const Snapshot s = graph->snapshot();
  EXPECT_EQ(Edges(s, "supports"), "a>b");
  EXPECT_EQ(Edges(s, "causes"), "c>b");
  EXPECT_EQ(Edges(s, "link"), "c>d,e");
  const Edge e = *s.FindEdge(Id(s, "a"), kSupports, Id(s, "b"));
  EXPECT_EQ(e.weight, 0.5f);
  EXPECT_EQ(e.created_at, 12);
  EXPECT_EQ(EdgeProps(s, "a", "b", kSupports), R"({"n":42,"note":"say \"hi\",\nthere"})");
  EXPECT_EQ(EdgeProps(s, "c", "b", kCauses), R"({"n":"007"})");
  EXPECT_EQ(EdgeProps(s, "c", "d,e"), R"({"n":1.5})");
}

TEST(Csv, NodeTable) {
  auto graph = Graph::InMemory();
  LoadClean(*graph, "n.csv",
            "id,type,text,tags,trust,access_count,scope,colour\n"
            "m1,memory,hello,red; blue,0.25,3,team,green\n"
            "m2,,,,,,,\n");
  const Snapshot s = graph->snapshot();
  const NodeId m = Id(s, "m1");
  EXPECT_EQ(s.node_kind(m), kMemory);
  EXPECT_EQ(s.f64(kTrust, m), 0.25);
  EXPECT_EQ(s.i64(kAccessCount, m), 3);
  EXPECT_EQ(s.scope(m), "team");
  EXPECT_EQ(Edges(s, "has_tag"), "m1>red m1>blue");
  EXPECT_EQ(JsonFromProperties(s.Payload(m, NodeField::kProperties).value()).value(),
            R"({"colour":"green"})");
  EXPECT_EQ(s.node_kind(Id(s, "m2")), kNode);
  EXPECT_EQ(LoadClean(*graph, "n.csv", "key,text\nm1,hello\n").nodes, (ChangeCounts{0, 0, 1}));
}

TEST(Csv, Delimiters) {
  for (char d : {',', ';', '|', '\t'}) {
    auto graph = Graph::InMemory();
    std::string text = "source*target*weight\na*b*0.5\n";
    std::replace(text.begin(), text.end(), '*', d);
    EXPECT_EQ(LoadClean(*graph, d == '\t' ? "e.tsv" : "e.csv", text).edges.added, 1u);
    auto sniffed = Graph::InMemory();
    EXPECT_EQ(LoadClean(*sniffed, "noextension", text).edges.added, 1u) << d;
  }
}

TEST(Csv, SecondImportIsSame) {
  auto graph = Graph::InMemory();
  const std::string text = "source,target,kind,note\na,b,x,hello\nb,a,x,\n";
  LoadClean(*graph, "e.csv", text);
  const Sequence sequence = graph->snapshot().sequence();
  const ImportReport r = LoadClean(*graph, "e.csv", text);
  EXPECT_EQ(r.edges, (ChangeCounts{0, 0, 2}));
  EXPECT_EQ(r.nodes, (ChangeCounts{0, 0, 2}));
  EXPECT_EQ(r.sequence, sequence);
}

TEST(Csv, Refuses) {
  struct Case {
    const char *text, *error;
  };
  for (const Case& c : {
           Case{"source,target,\na,b,c\n", "e.csv:1: header: column 3 has no name"},
           Case{"a,b\n1,2\n", "e.csv:1: header: expected source and target"},
           Case{"source,target,n\n\"x\ny\",b,\n\na\"b,c,\n", "e.csv:5: a quote inside a cell"},
           Case{"source,target\n\"a\"b,c\n", "e.csv:2: a closing quote must be followed"},
           Case{"source,target,weight\na,b,-1\n", "e.csv:2: weight \"-1\" is negative"},
           Case{"source,target,created_at\na,b,1.5\n",
                "e.csv:2: column \"created_at\": \"1.5\" is no time; expected milliseconds since "
                "1970, or 2026-11-21T22:05:00Z"},
           Case{"source,target\na,\n", "e.csv:2: node key is empty"},
           Case{"source,target,kind\na,a,is-a\n",
                "e.csv:2: an edge of kind 'is-a' cannot join 'a' to itself"},
       }) {
    const std::string error = OneError("e.csv", c.text);
    EXPECT_TRUE(error.starts_with(c.error)) << error << "\n  expected " << c.error;
  }
}

TEST(Csv, OpenQuoteDoesNotSwallowMemory) {
  ImportOptions options = Skip();
  options.block_bytes = 512;
  options.limits.line_bytes = 4096;
  std::string text = "source,target\na,b\nc,\"d\n";
  for (int i = 0; i < 5000; ++i) text += "x" + std::to_string(i) + ",y\n";
  auto graph = Graph::InMemory();
  const ImportReport r = Load(*graph, "e.csv", text, options);
  EXPECT_EQ(r.errors, 1u);
  ASSERT_FALSE(r.kept_errors.empty());
  EXPECT_EQ(r.kept_errors[0].line, 3u);
  EXPECT_NE(r.kept_errors[0].reason.find("never closed"), std::string::npos);
  EXPECT_TRUE(graph->snapshot().Find("x4999"));
}

TEST(Csv, FormulaGuardComesOff) {
  for (const char* cell : {"=1+1", "@user", "+x", "-5", "'=x", "plain", "'quoted'", ""}) {
    const std::string text(cell);
    const std::string guarded = NeedsFormulaGuard(text) ? "'" + text : text;
    EXPECT_EQ(WithoutFormulaGuard(guarded), text);
    EXPECT_TRUE(guarded.empty() || std::string("=+-@").find(guarded[0]) == std::string::npos);
  }
}

}  // namespace
}  // namespace plexus::formats::internal
