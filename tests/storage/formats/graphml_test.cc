// GraphML: keys, types, defaults, direction; hostile XML refused by line.
#include "storage/formats/xml/graphml.h"
#include "tests/support/text_support.h"

namespace plexus::formats::internal {
using namespace formats;
namespace {

const std::string kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";

TEST(GraphMl, KeysTypesDefaultsDirections) {
  auto graph = Graph::InMemory();
  const std::string text =
      kHead + R"(<key id="d0" for="node" attr.name="color" attr.type="string"><default>)"
              R"(yel&lt;low</default></key>
<key id="d1" for="edge" attr.name="weight" attr.type="double"/>
<key id="d2" for="all" attr.name="size" attr.type="long"/>
<key id="d3" for="node" attr.name="on" attr.type="boolean"/>
<key id="d4" for="node" attr.name="id" attr.type="string"/>
<key id="y" for="node" yfiles.type="nodegraphics"/>
<graph id="G" edgedefault="undirected">
 <desc>words</desc>
 <node id="n0"><data key="d0">gr&#xe9;en</data><data key="d2"> 7 </data><data key="d4">)"
              R"(own</data></node>
 <node id="n1"><data key="d3">true</data><port name="p"/></node>
 <node id="n2"><data key="y"><y:ShapeNode xmlns:y="http://y"><y:Fill/></y:ShapeNode></data></node>
 <edge id="e0" source="n0" target="n1"><data key="d1">0.5</data></edge>
 <edge id="e1" source="n2" target="n0" directed="true"><data key="d2">-3</data></edge>
</graph></graphml>
)";
  const ImportReport r = LoadClean(*graph, "g.graphml", text);
  EXPECT_EQ(r.nodes, (ChangeCounts{3, 0, 0}));
  EXPECT_EQ(r.edges, (ChangeCounts{2, 0, 0}));
  const std::string at = "\"created_at\":1700000000000";
  EXPECT_EQ(
      JsonLines(graph->snapshot()),
      "{\"kind\":\"linked\",\"plane\":\"fact\",\"symmetric\":true}\n"
      "{\"node\":\"n0\",\"kind\":\"node\",\"props\":{\"color\":\"gr\xc3\xa9"
      "en\",\"id\":\"own\",\"size\":7}," +
          at +
          "}\n"
          "{\"node\":\"n1\",\"kind\":\"node\",\"props\":{\"color\":\"yel<low\",\"on\":true}," +
          at +
          "}\n"
          "{\"node\":\"n2\",\"kind\":\"node\",\"props\":{\"color\":\"yel<low\"}," +
          at +
          "}\n"
          "{\"edge\":[\"n0\",\"n1\"],\"kind\":\"linked\",\"weight\":0.5," +
          at +
          "}\n"
          "{\"edge\":[\"n2\",\"n0\"],\"kind\":\"link\",\"weight\":1," +
          at + ",\"props\":{\"size\":-3}}\n");
  const Sequence before = graph->snapshot().sequence();
  const ImportReport again = LoadClean(*graph, "g.graphml", text);
  EXPECT_EQ(again.nodes, (ChangeCounts{0, 0, 3}));
  EXPECT_EQ(again.edges, (ChangeCounts{0, 0, 2}));
  EXPECT_EQ(again.sequence, before);
}

std::string RefusedGraphMl(const std::string& text, ImportOptions options = {}) {
  return RefusedAs(FileFormat::kGraphMl, text, options);
}

std::string Document(const std::string& keys, const std::string& body) {
  return kHead + keys + "\n<graph edgedefault=\"directed\">\n<node id=\"a\"/>\n" + body +
         "\n</graph></graphml>";
}

TEST(GraphMl, RefusedWithLineAndNoChange) {
  const std::string real = "<key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>";
  const auto edge = [&](const std::string& value) {
    return RefusedGraphMl(Document(
        real, "<edge source=\"a\" target=\"a\"><data key=\"w\">" + value + "</data></edge>"));
  };
  for (const char* value : {"NaN", "INF", "-INF", "1e400", "", "x", "0x1"})
    EXPECT_EQ(edge(value),
              "g:6: \"weight\": \"" + std::string(value) + "\" is not a finite value of its type");
  EXPECT_EQ(edge("+-5"), "g:6: \"weight\": \"+-5\" is not a finite value of its type");
  EXPECT_EQ(edge("-1"), "g:6: weight -1.0 is negative");
  EXPECT_EQ(RefusedGraphMl(Document("", "<edge source=\"a\"/>")), "g:6: no \"target\"");
  EXPECT_EQ(RefusedGraphMl(Document("", "<node/>")), "g:6: no \"id\"");
  EXPECT_EQ(RefusedGraphMl(Document("", "<node id=\"b\"><data key=\"k\"/></node>")),
            "g:6: no <key> \"k\"");
  EXPECT_EQ(RefusedGraphMl(Document("", "<edge source=\"a\" target=\"a\" directed=\"maybe\"/>")),
            "g:6: \"directed\" must be true or false");
  EXPECT_EQ(RefusedGraphMl(Document(real + real, "")), "g:3: key \"w\" stands twice");
  EXPECT_EQ(RefusedGraphMl(Document(real + "<key id=\"w\" attr.name=\"other\"/>", "")),
            "g:3: key \"w\" stands twice");
  EXPECT_EQ(RefusedGraphMl(Document("<key id=\"w\" attr.name=\"x\" attr.type=\"complex\"/>", "")),
            "g:3: unknown attr.type \"complex\"");
  EXPECT_EQ(RefusedGraphMl(Document(
                "<key id=\"w\" attr.name=\"x\" attr.type=\"int\"><default>z</default></key>", "")),
            "g:3: <default> of \"x\" is not an integer within 64 bits");
  EXPECT_EQ(RefusedGraphMl(Document("<key id=\"w\" for=\"edge\" attr.name=\"weight\" "
                                    "attr.type=\"double\"><default>NaN</default></key>",
                                    "")),
            "g:3: <default> of \"weight\" is not a finite value of its type");
  EXPECT_EQ(RefusedGraphMl(Document(real,
                                    "<edge source=\"a\" target=\"a\"><data key=\"w\">1</data><data "
                                    "key=\"w\">2</data></edge>")),
            "g:6: \"weight\" stands twice");
  EXPECT_EQ(RefusedGraphMl(Document("", "<hyperedge/>")), "g:6: hyperedges are not read");
  EXPECT_EQ(RefusedGraphMl(Document("", "<node id=\"b\"><graph edgedefault=\"directed\"/></node>")),
            "g:6: a graph inside of another is not read");
  EXPECT_EQ(RefusedGraphMl(Document("", "<nodes/>")), "g:6: unexpected element <nodes>");
  EXPECT_EQ(RefusedGraphMl(kHead + "<graph/></graphml>"),
            "g:3: a graph's edgedefault must be directed or undirected");
  EXPECT_EQ(RefusedGraphMl(kHead + "</graphml>"), "g:3: the file has no <graph>");
  EXPECT_EQ(RefusedGraphMl("<svg/>"), "g:1: expected <graphml>, got <svg>");
  EXPECT_EQ(RefusedGraphMl(""), "g:1: XML: no element found");
  EXPECT_EQ(RefusedGraphMl(Document("", "<node id=\"\xff\"/>")),
            "g:6: XML: not well-formed (invalid token)");
  EXPECT_EQ(RefusedGraphMl(Document("", "<node id=\"b\" id=\"c\"/>")),
            "g:6: XML: duplicate attribute");
  EXPECT_EQ(RefusedGraphMl(Document("", "<node id=\"&who;\"/>")), "g:6: XML: undefined entity");
  const std::string whole =
      Document(real, "<edge source=\"a\" target=\"a\"><data key=\"w\">1</data></edge>");
  for (std::size_t size = 1; size < whole.size(); size += 7)
    EXPECT_NE(RefusedGraphMl(whole.substr(0, size)), "") << size;
}

TEST(GraphMl, HostileXmlIsBounded) {
  EXPECT_EQ(RefusedGraphMl(
                "<?xml version=\"1.0\"?>\n<!DOCTYPE graphml [<!ENTITY a \"aaaaaaaa\"><!ENTITY b "
                "\"&a;&a;&a;\">]>\n"
                "<graphml><graph edgedefault=\"directed\"><node id=\"&b;\"/></graph></graphml>"),
            "g:2: a document type declaration is refused");
  EXPECT_EQ(RefusedGraphMl("<!DOCTYPE graphml SYSTEM \"file:///etc/passwd\">\n<graphml/>"),
            "g:1: a document type declaration is refused");
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<x>";
  EXPECT_EQ(RefusedGraphMl(Document("<key id=\"k\" attr.name=\"k\"/>",
                                    "<node id=\"b\"><data key=\"k\">" + deep)),
            "g:6: elements nested over 64 deep");
  ImportOptions options;
  options.limits.line_bytes = 4096;
  options.limits.field_bytes = 1000;
  EXPECT_EQ(
      RefusedGraphMl(Document("", "<node id=\"" + std::string(2'000'000, 'x') + "\"/>"), options),
      "g:6: one piece of markup is over 4096 bytes");
  EXPECT_EQ(RefusedGraphMl(Document("<key id=\"k\" attr.name=\"k\"/>",
                                    "<node id=\"b\"><data key=\"k\">" +
                                        std::string(2'000'000, 'x') + "</data></node>"),
                           options),
            "g:6: \"k\" is over 1000 bytes");
  auto skipping = Graph::InMemory();
  const ImportReport r =
      Load(*skipping, "g.graphml",
           Document("", "<node id=\"b\"><data key=\"none\"/></node>\n<node id=\"c\"/>"), Skip());
  EXPECT_EQ(r.errors, 1u);
  EXPECT_EQ(r.nodes.added, 2u);
}

std::string Key(const std::string& name, const std::string& defaults) {
  return "<key id=\"" + name + "\" for=\"node\" attr.name=\"" + name + "\">" + defaults + "</key>";
}
std::string Default(std::size_t size) {
  return "<default>" + std::string(size, 'x') + "</default>";
}

TEST(GraphMl, DefaultsAreOneEachAndFewBytes) {
  EXPECT_EQ(RefusedGraphMl(Document(Key("k", "<default>5</default>\n<default>6</default>"), "")),
            "g:4: a second <default> of \"k\"");
  EXPECT_EQ(RefusedGraphMl(Document(Key("k", "<default/>\n<default/>"), "")),
            "g:4: a second <default> of \"k\"");
  EXPECT_EQ(
      RefusedGraphMl(Document(Key("a", Default(40'000)) + "\n" + Key("b", Default(40'000)), "")),
      "g:4: with <default> of \"b\" the defaults are over 65536 bytes");
  EXPECT_EQ(RefusedGraphMl(Document("\n" + Key("a", Default(70'000)), "")),
            "g:4: with <default> of \"a\" the defaults are over 65536 bytes");
  const std::string name(70'000, 'n');
  EXPECT_EQ(
      RefusedGraphMl(Document(Key(name, Default(1)), "")),
      "g:3: with <default> of \"" + name.substr(0, 80) + "\" the defaults are over 65536 bytes");
  ImportOptions options;
  options.limits.field_bytes = 1000;
  EXPECT_EQ(RefusedGraphMl(Document(Key("a", Default(1001)), ""), options),
            "g:3: <default> of \"a\" is over 1000 bytes");
  // The element with its defaults must be within the limit of a record.
  options.limits.line_bytes = 2000;
  const std::string keys =
      Key("a", Default(900)) + Key("b", Default(900)) + Key("id", Default(900));
  EXPECT_EQ(RefusedGraphMl(Document(keys, ""), options), "g:5: element over 2000 bytes");
}

// Few bytes that ask for many: a block is handed out as soon as it is full, not when
// the bytes that were read have all been turned into elements.
TEST(GraphMl, DefaultsDoNotOutgrowABlock) {
  std::string body;
  for (int i = 0; i < 5000; ++i) body += "<node id=\"n" + std::to_string(i) + "\"/>\n";
  const std::string text = Document(Key("a", Default(170)), body);  // 90 KB for 1 MB
  constexpr std::size_t kBlock = 2000;
  ImportOptions small;
  small.block_bytes = kBlock;
  GraphMlReader reader(OpenBytes(text), small);
  std::size_t lines = 0, blocks = 0;
  for (;; ++blocks) {
    auto block = reader.Next();
    ASSERT_TRUE(block);
    if (!*block) break;
    EXPECT_LE((*block)->text.size(), kBlock + 200);
    for (const std::uint64_t line : (*block)->lines) EXPECT_EQ(line, 5 + lines++);
  }
  EXPECT_EQ(lines, 5001u);
  EXPECT_GT(blocks, 400u);
  EXPECT_EQ(reader.bytes_read(), text.size());
  // An error behind a stop has its own line.
  auto graph = Graph::InMemory();
  ImportOptions options = Skip();
  options.block_bytes = 64;
  const ImportReport r =
      Load(*graph, "g.graphml",
           Document("", "<node id=\"b\"/>\n<node/>\n<node id=\"c\"/>\n<nodes/>"), options);
  ASSERT_EQ(r.kept_errors.size(), 2u);
  EXPECT_EQ(r.kept_errors[0].ToString(), "g.graphml:7: no \"id\"");
  EXPECT_EQ(r.kept_errors[1].ToString(), "g.graphml:9: unexpected element <nodes>");
  EXPECT_EQ(r.nodes.added, 3u);
}

TEST(GraphMl, ThreadsAndCutsChangeNothing) {
  std::string body;
  for (int i = 0; i < 2000; ++i)
    body += i % 3 ? "<edge source=\"n" + std::to_string(i % 50) + "\" target=\"n" +
                        std::to_string(i % 71) + "\"/>\n"
                  : "<node id=\"n" + std::to_string(i) + "\"><data key=\"a\">" + std::to_string(i) +
                        "</data></node>";
  const std::string text = Document(Key("a", Default(10)) + Key("b", Default(20)), body);
  ExpectSameAtAnyCut("g.graphml", text, {1, 3000, 1 << 22});
}

}  // namespace
}  // namespace plexus::formats::internal
