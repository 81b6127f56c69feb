// Other inputs of the kinds that cases_test.cc holds one of each: through other doors, in other
// formats, on other commands.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using Words = std::vector<std::string>;

class SameKinds : public ::testing::Test {
 protected:
  SameKinds() : db_(dir_ / "g") {}
  Finished Run(Words words, const RunOptions& options = {}) const {
    words.insert(words.end(), {"--db", db_});
    return Plexus(words, options);
  }
  Finished Good(const Words& words) const {
    Finished run = Run(words);
    EXPECT_EQ(run.code, 0) << words[0] << ": " << run.err;
    return run;
  }
  Finished Import(const char* name, const std::string& text, Words more = {}) const {
    more.insert(more.begin(), {"import", dir_.File(name, text)});
    return Good(more);
  }
  std::int64_t Sequence() const {
    return Run({"stats", "--json"}).Json().at("sequence").to_number<std::int64_t>();
  }
  void Says(const Words& words, int code, const std::string& part) const {
    const Finished run = Run(words);
    EXPECT_EQ(run.code, code) << words[0] << ": " << run.err;
    EXPECT_NE((run.out + run.err).find(part), std::string::npos) << run.out << run.err;
  }

  TempDir dir_;
  std::string db_;
};

// 1.1: of one batch records are compared, whatever they state.
TEST_F(SameKinds, VectorsAndEventsThatALaterRecordReplacesAreNamed) {
  const std::string nodes = "{\"node\":\"a\"}\n{\"node\":\"b\"}\n";
  const std::string vector = R"({"vector":"a","space":"v","values":[1,0]})"
                             "\n";
  const std::string event = R"({"event":"e","members":[{"id":"a"}],"query":"x"})"
                            "\n";
  EXPECT_EQ(Import("same.jsonl", nodes + vector + vector + event + event).err, "");
  const std::string vectors =
      Import("v.jsonl", nodes + vector + R"({"vector":"a","space":"v","values":[0,1]})").err;
  EXPECT_NE(vectors.find("v.jsonl:3: the node 'a' stands again with another vector of space v, "
                         "which replaces this one: line 4"),
            std::string::npos)
      << vectors;
  const std::string events =
      Import("e.jsonl", nodes + event + R"({"event":"e","members":[{"id":"b"}],"query":"y"})").err;
  EXPECT_NE(events.find("e.jsonl:3: the node 'event:e' stands again with another query, which "
                        "replaces this one: line 4 (2 such)"),
            std::string::npos)
      << events;
  const std::string tools = Import("t.jsonl", R"({"event":"f","tool":"t","created_at":1000})"
                                              "\n"
                                              R"({"event":"f","tool":"u","created_at":2000})")
                                .err;
  EXPECT_NE(tools.find("t.jsonl:1: the node 'event:f' stands again with another created_at, which "
                       "replaces this one: line 2 (2 such)"),
            std::string::npos)
      << tools;
  const std::string columns =
      Import("c.jsonl", "{\"node\":\"a\",\"trust\":0.5}\n{\"node\":\"a\",\"trust\":0.9}\n").err;
  EXPECT_NE(columns.find("c.jsonl:1: the node 'a' stands again with another trust, which replaces "
                         "this one: line 2"),
            std::string::npos)
      << columns;
}

// 1.2: what to type next is one word of a shell, in the file's own words.
TEST_F(SameKinds, AHeaderThatCannotBeReadSaysWhatWouldHelp) {
  const auto refused = [&](const std::string& header, const Words& more, const std::string& part) {
    Words words = {"import", dir_.File("h.csv", header + "\na,b\n")};
    words.insert(words.end(), more.begin(), more.end());
    Says(words, 1, part);
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
    const Finished run = Run({"shell"}, options);
    EXPECT_EQ(run.code, 2) << request << run.out;
    EXPECT_NE(run.err.find("holds U+0000 (NUL)"), std::string::npos) << run.err;
  }
  EXPECT_EQ(Sequence(), before);
}

// 1.9: the rank stays where history begins behind a purge, too.
TEST_F(SameKinds, APurgedMembersRankOutlivesATrim) {
  Import("e.jsonl",
         "{\"node\":\"a\"}\n{\"node\":\"b\"}\n"
         R"({"event":"e","members":[{"id":"a","rank":3},{"id":"b","rank":7,"preview":"p"}]})");
  Good({"put", "z"});
  Good({"purge", "b"});
  const std::string member = R"({"key":"b","role":"related","rank":7,"tags":[])";
  const auto seen = [&](const char* when) {
    const std::string out = Good({"ledger", "get", "e", "--json", "--as-of", when}).out;
    EXPECT_NE(out.find(member), std::string::npos) << when << ": " << out;
    EXPECT_EQ(out.find("preview"), std::string::npos) << out;
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
  EXPECT_NE(Good({"neighbors", "a", "--json"}).out.find(R"("total":2)"), std::string::npos);
  db_ = dir_ / "renamed";
  Good({"import", dir_.File("r.graphml", edges("wegen", "causes")), "--kind-map",
        "wegen=caused_by"});
  EXPECT_NE(Good({"neighbors", "a", "--json"}).out.find(R"("total":2)"), std::string::npos);
}

// 1.5: `text` is whole in every reply, and a hit shows the line that matches in tables, too.
TEST_F(SameKinds, TextsAreWholeAndHitsShowTheirLine) {
  Good({"remember", "First line\nthe Friday rule", "--key", "t1"});
  const std::string near =
      Good({"remember", "First line\nthe Friday rules", "--key", "t2", "--json"}).out;
  EXPECT_NE(near.find(R"("text":"First line\nthe Friday rule")"), std::string::npos) << near;
  for (const Words& words : {Words{"search", "Friday"}, {"recall", "Friday"}, {"find", "Friday"}}) {
    const std::string out = Good(words).out;
    EXPECT_NE(out.find("t1   the Friday rule"), std::string::npos) << words[0] << "\n" << out;
    EXPECT_EQ(out.find("First line"), std::string::npos) << words[0] << "\n" << out;
  }
  EXPECT_NE(Good({"find", "First"}).out.find("First line"), std::string::npos);
}

// 1.8: columns that are asked for beside keys keep to the scopes.
TEST_F(SameKinds, ColumnsBesideKeysKeepToTheScopes) {
  Import("s.jsonl", R"({"node":"a","scope":"ann"}
{"node":"b","scope":"bob"}
{"edge":["b","a"],"kind":"supersedes"}
)");
  const auto out = [&](Words words) {
    words.insert(words.end(), {"--json", "--node-columns", "superseded_by,degree"});
    return Good(words).out;
  };
  EXPECT_NE(out({"list"}).find(R"("node_columns":{"superseded_by":"b","degree":1})"),
            std::string::npos);
  for (const Words& words : {Words{"list", "--scope", "ann"}, {"components", "--scope", "ann"}}) {
    EXPECT_EQ(out(words).find("\"b\""), std::string::npos) << out(words);
    EXPECT_NE(out(words).find(R"("node_columns":{"degree":0})"), std::string::npos) << out(words);
  }
}

// 2.12: places as their neighbours have them.
TEST_F(SameKinds, ASubjectNeedsNoFlag) {
  Import("e.csv", "source,target,kind\na,c,supports\nb,c,supports\n");
  EXPECT_EQ(Good({"similar", "a"}).out, Good({"similar", "--of", "a"}).out);
  EXPECT_NE(Good({"similar"}).out, "");  // the pairs of the whole graph
  EXPECT_EQ(Good({"match", "supports", "a", "b"}).out,
            Good({"match", "supports", "--from", "a", "--from", "b"}).out);
  Import("v.jsonl", "{\"vector\":\"a\",\"values\":[1,0]}\n{\"vector\":\"b\",\"values\":[1,1]}\n");
  EXPECT_EQ(Good({"rerank", "a"}).out, Good({"rerank", "--like", "a"}).out);
  Says({"rerank"}, 2, "like what?");
  Good({"backup", dir_ / "copy"});
  const std::string whole = Good({"export", "--format", "csv"}).out;
  db_ = dir_ / "again";
  Good({"restore", dir_ / "copy"});
  EXPECT_EQ(Good({"export", "--format", "csv"}).out, whole);
}

// 2.16: what to type next, by people who type it for the first time.
TEST_F(SameKinds, ErrorsSayWhatToTypeNext) {
  Good({"remember", "a fact", "--key", "a"});
  Says({"recall", "how", "do", "we", "deploy"}, 2,
       "'do' is left over; a text of several words stands in quotes");
  Says({"remember", "two", "words"}, 2, "; a text of several words stands in quotes");
  Says({"search", "zebra's"}, 3, "`plexus find --db " + db_ + " 'zebra'\\''s'` looks in keys");
  Says({"remember", "another", "--key", "a"}, 1, "`plexus correct --db " + db_ + " a`");
  Says({"conflicts", "resolve", "a", "a", "--keep"}, 2, "did you mean '--keep-both'?");
  Good({"put", "b"});
  Says({"link", "a", "b", "contradicts"}, 2,
       "the kind stands between the nodes: link a contradicts b");
  Says({"help", "recal"}, 2, "did you mean 'recall'?");
  Says({"retrieve", "x", "--plan", "nope"}, 3, "and it is none of dual");
  const Finished none = Run({"stats", "--foo"});  // no option is near
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.err.find("did you mean"), std::string::npos) << none.err;
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
  Says({"stats"}, 3, "holds no Plexus database");
  const auto real = Good(words).Json();
  EXPECT_EQ(real.at("built").at("new"), 1);
  EXPECT_EQ(Good(dry).Json().at("built").at("same"), 1);
}

}  // namespace
}  // namespace plexus::testing
