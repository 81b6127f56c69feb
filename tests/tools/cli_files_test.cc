// import and export through the program: formats, counts, errors, pipes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

int Number(const boost::json::object& object, const char* name) {
  return object.at(name).to_number<int>();
}

TEST(Files, ImportReportsNewChangedSameAndIsIdempotent) {
  const TempDir dir;
  const std::string db = dir / "g";
  const std::string csv =
      dir.File("e.csv", "source,target,kind,weight\na,b,knows,0.5\nb,c,knows,1\n");
  const auto first = Plexus({"import", "--db", db, "--json", csv}).Json();
  EXPECT_EQ(Number(first.at("nodes").as_object(), "new"), 3);
  EXPECT_EQ(Number(first.at("edges").as_object(), "new"), 2);
  EXPECT_EQ(Number(first, "errors"), 0);
  EXPECT_TRUE(first.contains("outcomes") && first.contains("vectors") && first.contains("events"));

  const auto again = Plexus({"import", "--db", db, "--json", csv}).Json();
  EXPECT_EQ(Number(again.at("edges").as_object(), "new"), 0);
  EXPECT_EQ(Number(again.at("edges").as_object(), "same"), 2);
  EXPECT_EQ(again.at("sequence"), first.at("sequence"));

  dir.File("e.csv", "source,target,kind,weight\na,b,knows,0.75\n");
  const auto changed = Plexus({"import", "--db", db, "--json", csv}).Json();
  EXPECT_EQ(Number(changed.at("edges").as_object(), "changed"), 1);
  EXPECT_GT(changed.at("sequence").to_number<int>(), first.at("sequence").to_number<int>());
}

TEST(Files, ErrorsNameFileLineAndReason) {
  const TempDir dir;
  const std::string csv = dir.File("bad.csv", "source,target,weight\na,b,1\nc,d,many\ne,f,1\n");
  const Finished stopped = Plexus({"import", "--db", dir / "stop", "--json", csv});
  EXPECT_EQ(stopped.code, 1);
  EXPECT_NE(stopped.err.find("bad.csv:3: "), std::string::npos) << stopped.err;
  EXPECT_EQ(Number(stopped.Json(), "errors"), 1);

  const Finished skipped =
      Plexus({"import", "--db", dir / "skip", "--json", "--on-error", "skip", csv});
  EXPECT_EQ(skipped.code, 0);
  EXPECT_NE(skipped.err.find("bad.csv:3: "), std::string::npos) << skipped.err;
  EXPECT_EQ(Number(skipped.Json(), "errors"), 1);
  EXPECT_EQ(Number(skipped.Json().at("edges").as_object(), "new"), 2);
}

// A bad record behind many good ones, a bad file behind a good one, from a file or from
// standard input, with terms or without: the graph is as it was.
TEST(Files, ARefusedFileChangesNothing) {
  const TempDir dir;
  const std::string db = dir / "g";
  ASSERT_EQ(Plexus({"import", "--db", db, "--format", "jsonl", "-"},
                   {.input = "{\"node\":\"m1\",\"kind\":\"memory\",\"text\":\"some words\"}\n"})
                .code,
            0);
  std::string lines;
  for (int i = 0; i < 5000; ++i)
    lines +=
        "{\"node\":\"n" + std::to_string(i) + "\",\"kind\":\"person\",\"text\":\"more words\"}\n";
  const std::string bad_line = "{\"edge\":[\"n1\",\"n2\"],\"kind\":\"person\\u0007\"}\n";
  const std::string good = dir.File("good.jsonl", lines),
                    bad = dir.File("bad.jsonl", lines + bad_line + lines);
  const auto read_stats = [&] {  // but for how RocksDB keeps its own books
    const std::string all = Plexus({"stats", "--db", db, "--json"}).out;
    return all.substr(0, all.find("\"storage\""));
  };
  const std::string exported = Plexus({"export", "--db", db}).out, stats = read_stats(),
                    kinds = Plexus({"kinds", "--db", db, "--json"}).out;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& place,
                           const std::string& input) {
    arguments.insert(arguments.begin(), {"import", "--db", db, "--json"});
    const Finished done = Plexus(arguments, {.input = input});
    EXPECT_EQ(done.code, 1) << done.err;
    EXPECT_NE(done.err.find(place), std::string::npos) << done.err;
    EXPECT_EQ(Number(done.Json(), "batches"), 0);
    EXPECT_EQ(Number(done.Json().at("nodes").as_object(), "new"), 0);
    EXPECT_EQ(Plexus({"export", "--db", db}).out, exported);
    EXPECT_EQ(read_stats(), stats);
    EXPECT_EQ(Plexus({"kinds", "--db", db, "--json"}).out, kinds);
  };
  refused({bad}, "bad.jsonl:5001: ", "");
  refused({"--terms", bad}, "bad.jsonl:5001: ", "");
  refused({good, bad}, "bad.jsonl:5001: ", "");
  refused({"--format", "jsonl", "-"}, "standard input:5001: ", lines + bad_line);
  const Finished said = Plexus({"import", "--db", db, bad});
  EXPECT_NE(said.out.find("nothing was imported; the graph is as it was"), std::string::npos)
      << said.out;
  const Finished taken = Plexus({"import", "--db", db, "--json", good});
  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_EQ(Number(taken.Json().at("nodes").as_object(), "new"), 5000);
}

TEST(Files, JsonLinesGoRoundByteForByte) {
  const TempDir dir;
  const std::string lines =
      R"({"node":"m1","kind":"memory","text":"first \u001b[31m","tags":["a","b"],"trust":0.5,)"
      R"("props":{"n":1}})"
      "\n"
      R"({"node":"m2","kind":"memory","text":"second","created_at":1700000000000})"
      "\n"
      R"({"edge":["m2","m1"],"kind":"supersedes","weight":0.25,"created_by":"me","valid_from":5})"
      "\n";
  ASSERT_EQ(
      Plexus({"import", "--db", dir / "a", "-", "--format", "jsonl", "--now", "1800000000000"},
             {.input = lines})
          .code,
      0);
  const Finished first = Plexus({"export", "--db", dir / "a"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("\"m1\""), std::string::npos);
  dir.File("x.jsonl", first.out);
  ASSERT_EQ(Plexus({"import", "--db", dir / "b", dir / "x.jsonl"}).code, 0);
  EXPECT_EQ(Plexus({"export", "--db", dir / "b"}).out, first.out);
}

TEST(Files, ExportWritesToAFileWhole) {
  const TempDir dir;
  ASSERT_EQ(Plexus({"link", "--db", dir / "g", "--quiet", "a", "knows", "b"}).code, 0);
  const std::string file = dir / "out.csv";
  const auto reply =
      Plexus({"export", "--db", dir / "g", "--format", "csv", "--output", file, "--json"}).Json();
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(static_cast<int>(text.size()), Number(reply, "bytes"));
  EXPECT_NE(text.find("knows"), std::string::npos);
  // A graph's folder is no place for it: the anchor would be gone.
  for (const char* inside : {"g/anchor", "g/new.jsonl", "g/generation-1/new.jsonl"}) {
    const Finished refused =
        Plexus({"export", "--db", dir / "g", "--output", dir / std::string(inside)});
    EXPECT_EQ(refused.code, 2) << inside << refused.err;
    EXPECT_EQ(Plexus({"verify", "--db", dir / "g"}).code, 0);
  }
  const Finished bad = Plexus({"export", "--db", dir / "g", "--output", dir / "no/such/dir.jsonl"});
  EXPECT_EQ(bad.code, 1) << bad.err;
}

TEST(Files, DotOfANeighbourhoodShowsTextsAndLeavesOutTheRest) {
  const TempDir dir;
  const std::string lines =
      "{\"node\":\"a\",\"text\":\"apple\\nround\"}\n{\"node\":\"b\",\"text\":\"bread\"}\n"
      "{\"node\":\"c\",\"text\":\"cheese\"}\n{\"edge\":[\"a\",\"b\"],\"kind\":\"with\"}\n"
      "{\"edge\":[\"b\",\"c\"],\"kind\":\"with\"}\n";
  ASSERT_EQ(Plexus({"import", "--db", dir / "g", "--format", "jsonl", "-"}, {.input = lines}).code,
            0);
  const Finished dot = Plexus({"export", "--db", dir / "g", "--format", "dot", "--around", "a"});
  EXPECT_EQ(dot.code, 0) << dot.err;
  EXPECT_TRUE(dot.out.starts_with("digraph")) << dot.out;
  EXPECT_NE(dot.out.find("apple"), std::string::npos);
  EXPECT_NE(dot.out.find("bread"), std::string::npos);
  EXPECT_EQ(dot.out.find("cheese"), std::string::npos);
  EXPECT_EQ(dot.out.find("round"), std::string::npos);  // the first line only
}

TEST(Files, AReaderThatLeavesEarlyIsNoError) {
  const TempDir dir;
  std::string lines;
  for (int i = 0; i < 20'000; ++i)
    lines += "a" + std::to_string(i) + " b" + std::to_string(i) + "\n";
  ASSERT_EQ(Plexus({"import", "--db", dir / "g", "--quiet", dir.File("e.el", lines)}).code, 0);
  const Finished run = Plexus({"export", "--db", dir / "g"}, {.close_out_early = true});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
}

TEST(Files, AFullDiskOnStdoutIsAnError) {
  const TempDir dir;
  ASSERT_EQ(Plexus({"link", "--db", dir / "g", "--quiet", "a", "knows", "b"}).code, 0);
  RunOptions full;
  full.out_file = "/dev/full";
  const Finished run = Plexus({"stats", "--db", dir / "g"}, full);
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("standard output"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace plexus::testing
