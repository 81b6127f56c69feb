// Other inputs of the kinds that cases_test.cc holds one of each: through other doors, in other
// formats, on other commands.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class SameKinds : public ProgramTest {
 protected:
  Finished Good(const Words& words) const {
    Finished run = Run(words);
    EXPECT_TRUE(Ends(run, 0)) << words[0];
    return run;
  }
  Finished ImportFile(const char* name, const std::string& text) const {
    return Good({"import", dir_.File(name, text)});
  }
};

// 1.1: of one batch records are compared, whatever they state.
TEST_F(SameKinds, VectorsAndEventsThatALaterRecordReplacesAreNamed) {
  const std::string nodes = "{\"node\":\"a\"}\n{\"node\":\"b\"}\n";
  const std::string vector = R"({"vector":"a","space":"v","values":[1,0]}
)";
  const std::string event = R"({"event":"e","members":[{"id":"a"}],"query":"x"}
)";
  EXPECT_EQ(ImportFile("same.jsonl", nodes + vector + vector + event + event).err, "");
  const std::string vectors =
      ImportFile("v.jsonl", nodes + vector + R"({"vector":"a","space":"v","values":[0,1]})").err;
  EXPECT_TRUE(Says(vectors,
                   "v.jsonl:3: the node 'a' stands again with another vector of space v, "
                   "which replaces this one: line 4"));
  const std::string events =
      ImportFile("e.jsonl", nodes + event + R"({"event":"e","members":[{"id":"b"}],"query":"y"})")
          .err;
  EXPECT_TRUE(Says(events,
                   "e.jsonl:3: the node 'event:e' stands again with another query, which "
                   "replaces this one: line 4 (2 such)"));
  const std::string tools = ImportFile("t.jsonl", R"({"event":"f","tool":"t","created_at":1000}
{"event":"f","tool":"u","created_at":2000})")
                                .err;
  EXPECT_TRUE(Says(tools,
                   "t.jsonl:1: the node 'event:f' stands again with another created_at, which "
                   "replaces this one: line 2 (2 such)"));
  const std::string columns =
      ImportFile("c.jsonl", "{\"node\":\"a\",\"trust\":0.5}\n{\"node\":\"a\",\"trust\":0.9}\n").err;
  EXPECT_TRUE(Says(columns,
                   "c.jsonl:1: the node 'a' stands again with another trust, which replaces "
                   "this one: line 2"));
}

// 1.2: what to type next is one word of a shell, in the file's own words.
TEST_F(SameKinds, AHeaderThatCannotBeReadSaysWhatWouldHelp) {
  const auto refused = [&](const std::string& header, const Words& more, const std::string& part) {
    const Words words = With({"import", dir_.File("h.csv", header + "\na,b\n")}, more);
    EXPECT_TRUE(Ends(Run(words), 1, part));
  };
  refused("Source Id,Target Id", {}, "--columns 'source=Source Id,target=Target Id'");
  refused("My key,x", {}, "--columns 'key=My key'");
  refused("person_id,name", {}, "--columns key=person_id");
  refused("person_id,name", {"--columns", "source=person_id"},
          R"(got "person_id", "name"; for example --columns key=person_id)");
}

// 1.9: NUL enters texts through no door.
TEST_F(SameKinds, NoRequestHoldsNul) {
  Good({"remember", "a fact", "--key", "a"});
  const std::int64_t before = Sequence();
  for (const char* request :
       {R"({"put":{"key":"k","text":"a\u0000b"}})", R"({"remember":{"text":"a\u0000b"}})",
        R"({"correct":{"old":"a","text":"x\u0000"}})",
        R"({"ledger_record":{"member":["a"],"query":"x\u0000"}})",
        R"({"put":{"key":"k","tags":["x\u0000"]}})", R"({"find":{"words":"x\u0000"}})"}) {
    RunOptions options;
    options.input = std::string(request) + "\n";
    EXPECT_TRUE(Ends(Run({"shell"}, options), 2, "holds U+0000 (NUL)")) << request;
  }
  EXPECT_EQ(Sequence(), before);
}

// 1.9: the rank stays where history begins behind a purge, too.
TEST_F(SameKinds, APurgedMembersRankOutlivesATrim) {
  ImportFile("e.jsonl",
             "{\"node\":\"a\"}\n{\"node\":\"b\"}\n"
             R"({"event":"e","members":[{"id":"a","rank":3},{"id":"b","rank":7,"preview":"p"}]})");
  Good({"put", "z"});
  Good({"purge", "b"});
  const std::string member = R"({"key":"b","role":"related","rank":7,"tags":[])";
  const auto seen = [&](const char* when) {
    const std::string out = Good({"ledger", "get", "e", "--json", "--as-of", when}).out;
    EXPECT_TRUE(Says(out, member)) << when << ": ";
    EXPECT_FALSE(Says(out, "preview"));
  };
  seen("1");
  seen("2");
  Good({"put", "y"});
  Good({"trim", "--before", "2"});
  seen("2");
  seen("4");
  Good({"verify"});
  Good({"backup", "--to", dir_ / "copy"});
  Good({"trim", "--before", "3"});
  seen("3");
  Good({"compact"});
  seen("4");
  Good({"verify"});
}

// 1.10: a kind of the graph's own has an inverse name as a built-in one.
TEST_F(SameKinds, ParallelEdgesOfAnInverseNameOfTheGraph) {
  const std::string head =
      R"(<graphml><key id="k" for="edge" attr.name="kind" attr.type="string"/>)"
      R"(<key id="w" for="edge" attr.name="weight" attr.type="double"/>)"
      R"(<graph edgedefault="directed"><node id="a"/><node id="b"/>)";
  const auto edges = [&](const std::string& one, const std::string& other) {
    return head + R"(<edge id="e0" source="a" target="b"><data key="k">)" + one +
           R"(</data><data key="w">1</data></edge>)"
           R"(<edge id="e1" source="b" target="a"><data key="k">)" +
           other + R"(</data><data key="w">2</data></edge></graph></graphml>)";
  };
  const std::string own =
      dir_.File("own.jsonl",
                R"({"kind":"mentors","plane":"fact","symmetric":false,"inverse":"mentored_by"})");
  Good({"import", own, dir_.File("own.graphml", edges("mentored_by", "mentors"))});
  EXPECT_TRUE(Says(Good({"neighbors", "a", "--json"}).out, R"("total":2)"));
  db_ = dir_ / "renamed";
  Good({"import", dir_.File("r.graphml", edges("wegen", "causes")), "--kind-map",
        "wegen=caused_by"});
  EXPECT_TRUE(Says(Good({"neighbors", "a", "--json"}).out, R"("total":2)"));
}

// 1.5: `text` is whole in every reply, and a hit shows the line that matches in tables, too.
TEST_F(SameKinds, TextsAreWholeAndHitsShowTheirLine) {
  Good({"remember", "First line\nthe Friday rule", "--key", "t1"});
  const std::string near =
      Good({"remember", "First line\nthe Friday rules", "--key", "t2", "--json"}).out;
  EXPECT_TRUE(Says(near, R"("text":"First line\nthe Friday rule")"));
  for (const Words& words : {Words{"search", "Friday"}, {"recall", "Friday"}, {"find", "Friday"}}) {
    const std::string out = Good(words).out;
    EXPECT_TRUE(Says(out, "t1   the Friday rule")) << words[0];
    EXPECT_FALSE(Says(out, "First line")) << words[0];
  }
  EXPECT_TRUE(Says(Good({"find", "First"}).out, "First line"));
}

// 1.8: columns that are asked for beside keys keep to the scopes.
TEST_F(SameKinds, ColumnsBesideKeysKeepToTheScopes) {
  ImportFile("s.jsonl", R"({"node":"a","scope":"ann"}
{"node":"b","scope":"bob"}
{"edge":["b","a"],"kind":"supersedes"}
)");
  const auto out = [&](Words words) {
    words.insert(words.end(), {"--json", "--node-columns", "superseded_by,degree"});
    return Good(words).out;
  };
  EXPECT_TRUE(Says(out({"list"}), R"("node_columns":{"superseded_by":"b","degree":1})"));
  for (const Words& words : {Words{"list", "--scope", "ann"}, {"components", "--scope", "ann"}}) {
    EXPECT_FALSE(Says(out(words), "\"b\""));
    EXPECT_TRUE(Says(out(words), R"("node_columns":{"degree":0})"));
  }
}

// 2.12: places as their neighbours have them.
TEST_F(SameKinds, ASubjectNeedsNoFlag) {
  ImportFile("e.csv", "source,target,kind\na,c,supports\nb,c,supports\n");
  EXPECT_EQ(Good({"similar", "a"}).out, Good({"similar", "--of", "a"}).out);
  EXPECT_NE(Good({"similar"}).out, "");  // the pairs of the whole graph
  EXPECT_EQ(Good({"match", "supports", "a", "b"}).out,
            Good({"match", "supports", "--from", "a", "--from", "b"}).out);
  ImportFile("v.jsonl",
             "{\"vector\":\"a\",\"values\":[1,0]}\n{\"vector\":\"b\",\"values\":[1,1]}\n");
  EXPECT_EQ(Good({"rerank", "a"}).out, Good({"rerank", "--like", "a"}).out);
  EXPECT_TRUE(Ends(Run({"rerank"}), 2, "like what?"));
  Good({"backup", dir_ / "copy"});
  const std::string whole = Good({"export", "--format", "csv"}).out;
  db_ = dir_ / "again";
  Good({"restore", dir_ / "copy"});
  EXPECT_EQ(Good({"export", "--format", "csv"}).out, whole);
}

// 2.16: what to type next, by people who type it for the first time.
TEST_F(SameKinds, ErrorsSayWhatToTypeNext) {
  Good({"remember", "a fact", "--key", "a"});
  EXPECT_TRUE(Ends(Run({"recall", "how", "do", "we", "deploy"}), 2,
                   "'do' is left over; a text of several words stands in quotes"));
  EXPECT_TRUE(
      Ends(Run({"remember", "two", "words"}), 2, "; a text of several words stands in quotes"));
  EXPECT_TRUE(Ends(Run({"search", "zebra's"}), 3,
                   "`plexus find --db " + db_ + " 'zebra'\\''s'` looks in keys"));
  EXPECT_TRUE(
      Ends(Run({"remember", "another", "--key", "a"}), 1, "`plexus correct --db " + db_ + " a`"));
  EXPECT_TRUE(
      Ends(Run({"conflicts", "resolve", "a", "a", "--keep"}), 2, "did you mean '--keep-both'?"));
  Good({"put", "b"});
  EXPECT_TRUE(Ends(Run({"link", "a", "b", "contradicts"}), 2,
                   "the kind stands between the nodes: link a contradicts b"));
  EXPECT_TRUE(Ends(Run({"help", "recal"}), 2, "did you mean 'recall'?"));
  EXPECT_TRUE(Ends(Run({"retrieve", "x", "--plan", "nope"}), 3, "and it is none of dual"));
  const Finished none = Run({"stats", "--foo"});  // no option is near
  EXPECT_EQ(none.code, 2);
  EXPECT_FALSE(Says(none.err, "did you mean"));
}

// 2.18: what an import would build, too.
TEST_F(SameKinds, AnImportShowsWhatItWouldBuild) {
  const std::string file = dir_.File("turns.jsonl", R"({"node":"t1","kind":"turn","text":"x"}
{"node":"t2","kind":"turn","text":"y"}
{"edge":["t1","s"],"kind":"in_session"}
{"edge":["t2","s"],"kind":"in_session"}
)");
  const Words words = {"import", file, "--build", "temporal", "--json"};
  Words dry = words;
  dry.push_back("--dry-run");
  const auto would = Good(dry).Json();
  EXPECT_EQ(would.at("built").at("new"), 1);
  EXPECT_EQ(would.at("built").at("dry_run"), true);
  EXPECT_TRUE(Ends(Run({"stats"}), 3, "holds no Plexus database"));
  const auto real = Good(words).Json();
  EXPECT_EQ(real.at("built").at("new"), 1);
  EXPECT_EQ(Good(dry).Json().at("built").at("same"), 1);
}

}  // namespace
}  // namespace plexus::testing
