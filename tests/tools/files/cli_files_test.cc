// import and export through the program: formats, counts, errors, pipes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class Files : public ProgramTest {};

TEST_F(Files, ImportReportsNewChangedSameAndIsIdempotent) {
  const std::string csv =
      dir_.File("e.csv", "source,target,kind,weight\na,b,knows,0.5\nb,c,knows,1\n");
  const auto first = Json({"import", csv});
  EXPECT_EQ(first.at("nodes").at("new"), 3);
  EXPECT_EQ(first.at("edges").at("new"), 2);
  EXPECT_EQ(first.at("errors"), 0);
  EXPECT_TRUE(first.contains("outcomes") && first.contains("vectors") && first.contains("events"));

  const auto again = Json({"import", csv});
  EXPECT_EQ(again.at("edges").at("new"), 0);
  EXPECT_EQ(again.at("edges").at("same"), 2);
  EXPECT_EQ(again.at("sequence"), first.at("sequence"));

  dir_.File("e.csv", "source,target,kind,weight\na,b,knows,0.75\n");
  const auto changed = Json({"import", csv});
  EXPECT_EQ(changed.at("edges").at("changed"), 1);
  EXPECT_GT(changed.at("sequence").as_int64(), first.at("sequence").as_int64());
}

TEST_F(Files, ErrorsNameFileLineAndReason) {
  const std::string csv = dir_.File("bad.csv", "source,target,weight\na,b,1\nc,d,many\ne,f,1\n");
  const Finished stopped = Plexus({"import", "--db", dir_ / "stop", "--json", csv});
  EXPECT_EQ(stopped.code, 1);
  EXPECT_TRUE(Says(stopped.err, "bad.csv:3: "));
  EXPECT_EQ(stopped.Json().at("errors"), 1);

  const Finished skipped =
      Plexus({"import", "--db", dir_ / "skip", "--json", "--on-error", "skip", csv});
  EXPECT_EQ(skipped.code, 0);
  EXPECT_TRUE(Says(skipped.err, "bad.csv:3: "));
  EXPECT_EQ(skipped.Json().at("errors"), 1);
  EXPECT_EQ(skipped.Json().at("edges").at("new"), 2);
}

// A bad record behind many good ones, a bad file behind a good one, from a file or from
// standard input, with terms or without: the graph is as it was.
TEST_F(Files, ARefusedFileChangesNothing) {
  ASSERT_EQ(Run({"import", "--format", "jsonl", "-"},
                {.input = "{\"node\":\"m1\",\"kind\":\"memory\",\"text\":\"some words\"}\n"})
                .code,
            0);
  std::string lines;
  for (int i = 0; i < 5000; ++i)
    lines +=
        "{\"node\":\"n" + std::to_string(i) + "\",\"kind\":\"person\",\"text\":\"more words\"}\n";
  const std::string bad_line = "{\"edge\":[\"n1\",\"n2\"],\"kind\":\"person\\u0007\"}\n";
  const std::string good = dir_.File("good.jsonl", lines),
                    bad = dir_.File("bad.jsonl", lines + bad_line + lines);
  const auto read_stats = [&] {  // but for how RocksDB keeps its own books
    const std::string all = Run({"stats", "--json"}).out;
    return all.substr(0, all.find("\"storage\""));
  };
  const std::string exported = Run({"export"}).out, stats = read_stats(),
                    kinds = Run({"kinds", "--json"}).out;
  const auto refused = [&](Words arguments, const std::string& place, const std::string& input) {
    arguments.insert(arguments.begin(), {"import", "--json"});
    const Finished done = Run(arguments, {.input = input});
    EXPECT_EQ(done.code, 1) << done.err;
    EXPECT_TRUE(Says(done.err, place));
    EXPECT_EQ(done.Json().at("batches"), 0);
    EXPECT_EQ(done.Json().at("nodes").at("new"), 0);
    EXPECT_EQ(Run({"export"}).out, exported);
    EXPECT_EQ(read_stats(), stats);
    EXPECT_EQ(Run({"kinds", "--json"}).out, kinds);
  };
  refused({bad}, "bad.jsonl:5001: ", "");
  refused({"--terms", bad}, "bad.jsonl:5001: ", "");
  refused({good, bad}, "bad.jsonl:5001: ", "");
  refused({"--format", "jsonl", "-"}, "standard input:5001: ", lines + bad_line);
  const Finished said = Run({"import", bad});
  EXPECT_TRUE(Says(said.out, "nothing was imported; the graph is as it was"));
  const Finished taken = Run({"import", "--json", good});
  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_EQ(taken.Json().at("nodes").at("new"), 5000);
}

TEST_F(Files, JsonLinesGoRoundByteForByte) {
  const std::string lines =
      R"({"node":"m1","kind":"memory","text":"first \u001b[31m","tags":["a","b"],"trust":0.5,)"
      R"("props":{"n":1}}
{"node":"m2","kind":"memory","text":"second","created_at":1700000000000}
{"edge":["m2","m1"],"kind":"supersedes","weight":0.25,"created_by":"me","valid_from":5}
)";
  ASSERT_EQ(
      Plexus({"import", "--db", dir_ / "a", "-", "--format", "jsonl", "--now", "1800000000000"},
             {.input = lines})
          .code,
      0);
  const Finished first = Plexus({"export", "--db", dir_ / "a"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(Says(first.out, "\"m1\""));
  dir_.File("x.jsonl", first.out);
  ASSERT_EQ(Plexus({"import", "--db", dir_ / "b", dir_ / "x.jsonl"}).code, 0);
  EXPECT_EQ(Plexus({"export", "--db", dir_ / "b"}).out, first.out);
}

TEST_F(Files, ExportWritesToAFileWhole) {
  ASSERT_EQ(Run({"link", "--quiet", "a", "knows", "b"}).code, 0);
  const std::string file = dir_ / "out.csv";
  const auto reply = Json({"export", "--format", "csv", "--output", file});
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(static_cast<int>(text.size()), reply.at("bytes"));
  EXPECT_TRUE(Says(text, "knows"));
  // A graph's folder is no place for it: the anchor would be gone.
  for (const char* inside : {"g/anchor", "g/new.jsonl", "g/generation-1/new.jsonl"}) {
    EXPECT_TRUE(Ends(Run({"export", "--output", dir_ / std::string(inside)}), 2)) << inside;
    EXPECT_EQ(Run({"verify"}).code, 0);
  }
  EXPECT_TRUE(Ends(Run({"export", "--output", dir_ / "no/such/dir.jsonl"}), 1));
}

TEST_F(Files, DotOfANeighbourhoodShowsTextsAndLeavesOutTheRest) {
  const std::string lines =
      "{\"node\":\"a\",\"text\":\"apple\\nround\"}\n{\"node\":\"b\",\"text\":\"bread\"}\n"
      "{\"node\":\"c\",\"text\":\"cheese\"}\n{\"edge\":[\"a\",\"b\"],\"kind\":\"with\"}\n"
      "{\"edge\":[\"b\",\"c\"],\"kind\":\"with\"}\n";
  ASSERT_EQ(Run({"import", "--format", "jsonl", "-"}, {.input = lines}).code, 0);
  const Finished dot = Run({"export", "--format", "dot", "--around", "a"});
  EXPECT_EQ(dot.code, 0) << dot.err;
  EXPECT_TRUE(dot.out.starts_with("digraph")) << dot.out;
  EXPECT_TRUE(Says(dot.out, "apple"));
  EXPECT_TRUE(Says(dot.out, "bread"));
  EXPECT_FALSE(Says(dot.out, "cheese"));
  EXPECT_FALSE(Says(dot.out, "round"));  // the first line only
}

TEST_F(Files, AReaderThatLeavesEarlyIsNoError) {
  std::string lines;
  for (int i = 0; i < 20'000; ++i)
    lines += "a" + std::to_string(i) + " b" + std::to_string(i) + "\n";
  ASSERT_EQ(Run({"import", "--quiet", dir_.File("e.el", lines)}).code, 0);
  const Finished run = Run({"export"}, {.close_out_early = true});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
}

TEST_F(Files, AFullDiskOnStdoutIsAnError) {
  ASSERT_EQ(Run({"link", "--quiet", "a", "knows", "b"}).code, 0);
  RunOptions full;
  full.out_file = "/dev/full";
  EXPECT_TRUE(Ends(Run({"stats"}, full), 1, "standard output"));
}

}  // namespace
}  // namespace plexus::testing
