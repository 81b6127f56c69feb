// Inputs that were once answered wrongly, or not explained: each row is a case with its number, the
// lines that a user types, and what is right. The files are in cases/. cases.sh prints a table.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tools/cli/shell.h"

namespace plexus::testing {
namespace {

struct Case {
  std::string name;  // group, number in the group, what it is about
  // Of a shell, without "--db G"; "@" stands for the folder of files. The last one is judged.
  std::vector<std::string> lines;
  int code = 0;
  std::vector<std::string> says = {};   // on either stream
  std::vector<std::string> hides = {};  // on neither
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.lines.back(); }

std::vector<std::string> Words(std::string line, const std::string& db) {
  for (std::size_t at = 0; (at = line.find('@', at)) != std::string::npos; at += 1)
    line.replace(at, 1, PLEXUS_CASES "/");
  tools::SplitLine split;
  split.Add(line);
  std::vector<std::string> words = std::move(split).Words();
  words.insert(words.end(), {"--db", db});
  return words;
}

constexpr const char* kNoField = "no file has a column or field 'nonsense'";

const Case kCases[] = {
    // 1. What a file holds is dropped without a word.
    {"1_1_adjacency",
     {"import @adjacency.json", "neighbors a --json"},
     0,
     {R"("key":"b","direction":"out","kind":"link","weight":2)"}},
    {"1_2_relationships",
     {"import @relationships.json", "export --format csv"},
     0,
     {"a,b,KNOWS,1"}},
    {"1_3_parallel_graphml",
     {"import @parallel.graphml", "neighbors a --json"},
     0,
     {R"("total":2)", R"({"relation":"likes"})", R"({"relation":"hates"})"}},
    {"1_4_parallel_csv",
     {"import @parallel.csv --json"},
     0,
     {R"("edges":{"new":1,"changed":1,"same":0})", "stands again with other values"}},
    {"1_5_repeated_entity",
     {"import @repeated_entity.json"},
     0,
     {"stands again with another record", "line 2"}},
    {"1_6_integer",
     {"import @integer.jsonl", "get a --json"},
     0,
     {R"("big":"36893488147419103233")"}},
    // 2. The first line decides what a file is, even when it is the damaged one.
    {"2_1_memory_line",
     {"import @memory_line_1.json"},
     1,
     {"memory_line_1.json:1: JSON: something follows the value at byte 82"}},
    {"2_2_memory_line_skipped",
     {"import --on-error skip @memory_line_1.json"},
     0,
     {"nodes    2", "edges    1", "1 records refused"}},
    {"2_3_marker", {"import @marker.jsonl"}, 0, {"nodes    2", "1 lines passed over"}},
    {"2_4_comment",
     {"import --on-error skip @comment_line.json", "list --keys"},
     0,
     {"Ada\nBo\n"},
     {"//"}},
    {"2_5_cypher", {"import @create.cypher"}, 1, {"cannot tell its format"}},
    {"2_6_markdown", {"import @todo.md"}, 1, {"cannot tell its format"}},
    {"2_6_sql", {"import @select.sql"}, 1, {"cannot tell its format", "is not two numbers"}},
    {"2_6_python", {"import @os.py"}, 1, {"cannot tell its format"}},
    {"2_6_ini", {"import @core.ini"}, 1, {"cannot tell its format"}},
    {"2_7_array", {"import @array.json"}, 0, {"nodes    2"}},
    // 3. Tables.
    {"3_1_gephi", {"import @gephi_edges.csv", "bfs --from c"}, 0, {"3 nodes reached"}},
    {"3_2_blanks", {"import @blanks.csv", "get bob"}, 0, {"key    bob\n"}},
    {"3_3_returns", {"import @cr_only.csv", "list --keys"}, 0, {"a\nb\nc\nd\n"}},
    {"3_4_byte_order_mark", {"import @bom.mtx"}, 0, {"edges    1"}},
    {"3_5_trailing_comma",
     {"import @trailing_comma.json"},
     1,
     {"JSON: nothing stands behind the comma at byte 32"}},
    // 4. GraphML.
    {"4_1_columns",
     {"import @described.graphml --columns text=description,kind=entity_type", "list"},
     0,
     {"PERSON  Ada wrote the first program"}},
    {"4_2_columns_of_none",
     {"import @described.graphml --columns text=nonsense"},
     2,
     {"no file has a column or field 'nonsense'"}},
    {"4_3_booleans",
     {"import @true.graphml", "list --columns key,active --json"},
     0,
     {R"({"key":"p1","active":false})", R"({"key":"o1","active":true})"}},
    {"4_4_nan",
     {"import @missing_value.graphml"},
     0,
     {"nodes    2", "\"age\" is NaN here: read as a value that is missing"}},
    {"4_1_columns_of_node_link", {"import @adjacency.json --columns text=nonsense"}, 2, {kNoField}},
    {"4_1_columns_of_json_lines", {"import @integer.jsonl --columns text=nonsense"}, 2, {kNoField}},
    {"4_1_columns_of_memory_files",
     {"import @marker.jsonl --columns text=nonsense"},
     2,
     {kNoField}},
    {"4_1_columns_of_edge_lists",
     {"import --format edgelist @todo.md --columns text=nonsense"},
     2,
     {kNoField}},
    {"4_1_columns_of_matrices", {"import @bom.mtx --columns text=nonsense"}, 2, {kNoField}},
    {"4_1_space_of_a_table", {"import @blanks.csv --space x"}, 2, {"go with a vector file"}},
    // 5. Words.
    {"5_1_case", {"import @case.jsonl", "find ärger"}, 0, {"de"}},
    {"5_1_russian", {"import @case.jsonl", "find москва"}, 0, {"ru"}},
    {"5_1_french", {"import @case.jsonl", "find école"}, 0, {"fr", "nfd"}},
    {"5_1_capitals", {"import @case.jsonl", "find ÉCOLE"}, 0, {"fr", "nfd"}},
    {"5_2_possessive", {"import @possessive.jsonl --terms", "search Ada"}, 0, {"m1"}},
    {"5_3_apostrophe", {"import @possessive.jsonl --terms", "search \"O'Brien\""}, 0, {"m2"}},
    {"5_2_possessive_whole", {"import @possessive.jsonl --terms", "search \"Ada's\""}, 0, {"m1"}},
    {"5_2_stemmed", {"import @possessive.jsonl", "terms --stem english", "search Ada"}, 0, {"m1"}},
    {"5_3_stemmed",
     {"import @possessive.jsonl", "terms --stem english", "search \"O'Brien\""},
     0,
     {"m2"}},
    {"5_4_inch", {"import @inch.jsonl --terms", "search '5\" pipe'"}, 0, {"m1"}},
    {"5_5_inch_recalled", {"import @inch.jsonl --terms", "recall '5\" pipe'"}, 0, {"m1"}},
    {"5_6_quoted_kind",
     {R"(link s 'say "x"' t)", R"(match '"say ""x"""' --from s)"},
     0,
     {"1     1  t"}},
    // 6. Vectors, scopes, damage.
    {"6_1_stale",
     {"import @stale.jsonl", "put b --text changed", "rerank --vector '[0,1]' --json"},
     0,
     {R"("older_than_text":1)"}},
    {"6_2_bounty",
     {"import @scopes.jsonl", "bounty --scope ann --json"},
     0,
     {R"("scanned":)"},
     {"bob", "b1"}},
    {"6_3_heir",
     {"import @scope_heir.jsonl --terms", "recall price --scope general --json"},
     0,
     {"which was superseded"},
     {R"("C")"}},
    {"6_5_nul", {"import @nul.jsonl"}, 1, {"a string holds U+0000 (NUL) at byte 29"}},
};

class Cases : public ::testing::TestWithParam<Case> {};

TEST_P(Cases, IsRight) {
  const TempDir dir;
  const Case& one = GetParam();
  Finished last;
  for (const std::string& line : one.lines) last = Plexus(Words(line, dir / "G"));
  EXPECT_EQ(last.code, one.code) << last.err;
  const std::string all = last.out + last.err;
  for (const std::string& says : one.says) EXPECT_TRUE(Says(all, says));
  for (const std::string& hides : one.hides) EXPECT_FALSE(Says(all, hides));
}

INSTANTIATE_TEST_SUITE_P(All, Cases, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace plexus::testing
