// What people and scripts read: escaping, numbers, tables, JSON, the progress line.
#include "tools/operations/reply/human_format.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "tools/cli/progress_bar.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/operations/reply/text_table.h"

namespace plexus::tools {
namespace {

TEST(Format, Numbers) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(ShortNumber(999), "999");
  EXPECT_EQ(ShortNumber(1234567), "1.2 M");
  EXPECT_EQ(Bytes(1536), "1.5 KiB");
  EXPECT_EQ(Number(0.5), "0.5");
  EXPECT_EQ(IsoTime(1795298701123), "2026-11-21T22:05:01.123Z");
  EXPECT_EQ(IsoTime(-1000), "1969-12-31T23:59:59.000Z");
  EXPECT_EQ(IsoTime(std::numeric_limits<std::int64_t>::max()), "9223372036854775807ms");
}

TEST(Escaped, LeavesNothingThatDrivesATerminal) {
  EXPECT_EQ(Escaped("plain, Grüße, 日本"), "plain, Grüße, 日本");
  EXPECT_EQ(Escaped("\x1b[31mred"), "\\x1B[31mred");
  EXPECT_EQ(Escaped("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(Escaped(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(Escaped("\xC2\x9B"
                    "31m"),
            "\\u{009B}31m");  // C1 control sequence
  EXPECT_EQ(Escaped("\xE2\x80\xAE"
                    "abc"),
            "\\u{202E}abc");                              // right-to-left override
  EXPECT_EQ(Escaped("\xFF\xC3"), "\\xFF\\xC3");           // not UTF-8
  EXPECT_EQ(Escaped("\xED\xA0\x80"), "\\xED\\xA0\\x80");  // a surrogate
}

TEST(Cut, MeasuresInColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("日本"), 4u);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1u);  // a combining accent
  EXPECT_EQ(Cut("abcdef", 6), "abcdef");
  EXPECT_EQ(Cut("abcdef", 4), "abc…");
  EXPECT_EQ(Cut("日本語", 5), "日本…");
}

TEST(Table, LinesUp) {
  TextTable table;
  table.Column("n", TextTable::Align::kRight).Column("na\x1bme");  // a column's may be a user's
  table.Row({"1", "one"});
  table.Row({"12", "tw\x1bo"});
  EXPECT_EQ(table.Text(), " n  na\\x1Bme\n 1  one\n12  tw\\x1Bo\n");
}

TEST(JsonWriter, NestsAndEscapes) {
  std::ostringstream out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("text", "a\"b\\\n\x1f");
  json.Field("float", 0.7f);
  json.Field("double", 0.1);
  json.Field("nan", std::numeric_limits<double>::quiet_NaN());
  json.Field("big", std::numeric_limits<std::uint64_t>::max());
  json.Field("negative", std::int64_t{-5});
  json.Field("yes", true);
  json.BeginArray("list");
  json.Value(1);
  json.BeginObject();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  EXPECT_EQ(out.str(),
            "{\"text\":\"a\\\"b\\\\\\n\\u001f\",\"float\":0.7,\"double\":0.1,\"nan\":null,"
            "\"big\":18446744073709551615,\"negative\":-5,\"yes\":true,\"list\":[1,{}]}");
}

TEST(ProgressLine, ShowsRatePercentAndTimeLeft) {
  EXPECT_EQ(ProgressLine("writing", 500, 1000, 500, 2, 60),
            "writing  [============            ]   50%  250/s  2 s left");
  EXPECT_EQ(ProgressLine("importing", 512 << 20, 1 << 30, 512 << 20, 2, 80),
            "importing  [=========         ]   50%  512 MiB of 1.0 GiB  256 MiB/s  2 s left");
  EXPECT_EQ(ProgressLine("replaying", 1500, 0, 1500, 1, 60), "replaying  1.5 k  1.5 k/s");
  EXPECT_LT(ProgressLine("a phase with a very long name", 1, 2, 1, 1, 20).size(), 20u);
}

}  // namespace
}  // namespace plexus::tools
