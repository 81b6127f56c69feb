// A folder of notes as a mirror: what is there comes in, what is gone goes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/tools/seeds/seed_graph.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;

class Notes : public SeedGraph {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(Folder() + "/projects");
    std::filesystem::create_directories(Folder() + "/.obsidian");
    Write(".obsidian/x.md", "hidden");
    Write("index.md",
          "---\ntags: [home, start]\ncreated: 2023-11-01\nauthor: \"Ana\"\naliases:\n  - Home\n"
          "  - Start\n---\nSee [[atlas|the atlas]] and [plan](projects/plan.md). #daily\n"
          "```\n[[no]] #no\n```\n");
    Write("projects/atlas.md", "# Atlas\nMaps of payouts. Back to [[index#top]].\n");
    Write("projects/plan.md", "---\ntype: decision\n---\nShip it.\n");
  }
  std::string Folder() const { return dir_ / "vault"; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Folder() + "/" + name) << text;
  }
  Words Links(const std::string& key) const {
    return Keys(Json({"neighbors", key, "--kinds", "link", "--direction", "out"}), "neighbors");
  }
};

TEST_F(Notes, ComeInWithTagsLinksAndFields) {
  const object in = Json({"import", Folder()});
  EXPECT_EQ(in.at("nodes").at("new"), 3);
  const object index = Json({"get", "index"});
  EXPECT_EQ(index.at("kind"), "note");
  EXPECT_EQ(index.at("tags").as_array(), array({"home", "start", "daily"}));
  EXPECT_EQ(index.at("props").at("author"), "Ana");
  EXPECT_EQ(index.at("props").at("aliases").as_array(), array({"Home", "Start"}));
  EXPECT_EQ(index.at("created_at"), 1'698'796'800'000);
  EXPECT_EQ(Links("index"), (Words{"projects/atlas", "projects/plan"}));
  EXPECT_EQ(Links("projects/atlas"), Words{"index"});
  EXPECT_EQ(Json({"get", "projects/plan"}).at("kind"), "decision");
  EXPECT_EQ(Json({"recall", "payout"}).at("hits").at(0).at("key"), "projects/atlas");
  const object again = Json({"import", Folder()});
  EXPECT_EQ(again.at("sequence"), in.at("sequence"));
}

TEST_F(Notes, WhatIsGoneGoes) {
  Json({"import", Folder()});
  ASSERT_EQ(Run({"link", "index", "supports", "projects/atlas"}).code, 0);
  std::filesystem::remove(Folder() + "/projects/plan.md");
  Write("index.md", "Only [[atlas]] now, and [[later]].\n");
  const auto before = Json({"stats"}).at("sequence");
  const object dry = Json({"import", "--dry-run", Folder()});
  EXPECT_GE(dry.at("removed").to_number<int>(), 1);
  EXPECT_EQ(Json({"stats"}).at("sequence"), before);
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 0);
  Json({"import", Folder()});
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 3);
  EXPECT_EQ(Links("index"), (Words{"projects/atlas", "later"}));
  EXPECT_EQ(Json({"get", "index"}).at("tags").as_array().size(), 0u);
  const object kept = Json({"neighbors", "index", "--kinds", "supports"});  // not the mirror's
  EXPECT_EQ(kept.at("neighbors").as_array().size(), 1u);
}

TEST_F(Notes, AWrongPathRemovesNothing) {
  Json({"import", Folder()});
  std::filesystem::create_directories(dir_ / "empty");
  EXPECT_EQ(Run({"import", "--format", "markdown", "--mirror", "vault", dir_ / "empty"}).code, 3);
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 0);
  Write("bad.md", "---\nno: end\n");
  const Finished bad = Run({"import", Folder()});
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(Says(bad.out + bad.err, "bad.md"));
  EXPECT_EQ(Run({"get", "bad"}).code, 3);
}

TEST_F(Notes, WhatCannotBeReadIsNotGone) {
  Json({"import", Folder()});
  Write("projects/plan.md", "---\nno: end\n");
  Write("index.md", "To [[plan]].\n");
  const object again = Json({"import", "--on-error", "skip", Folder()});
  EXPECT_EQ(again.at("errors"), 1);
  EXPECT_EQ(Json({"get", "projects/plan"}).at("text"), "Ship it.");
  EXPECT_EQ(Links("index"), Words{"projects/plan"});
  // It is the mirror's still: gone when the file is.
  std::filesystem::remove(Folder() + "/projects/plan.md");
  Write("index.md", "No link.\n");
  Json({"import", Folder()});
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 3);
}

TEST_F(Notes, ANameMeansOneFolder) {
  Json({"import", Folder()});
  const std::string work = dir_ / "work/vault";
  std::filesystem::create_directories(work);
  std::ofstream(work + "/other.md") << "Of work.";
  for (const Words& name : {Words{}, Words{"--mirror", "vault"}}) {
    const Words arguments = With({"import", work}, name);
    const Finished refused = Run(arguments);
    EXPECT_NE(refused.code, 0);
    EXPECT_TRUE(Says(refused.out + refused.err, "--mirror NAME"));
    EXPECT_EQ(Run({"get", "projects/plan"}).code, 0);
    EXPECT_EQ(Run({"get", "other"}).code, 3);
  }
  Json({"import", "--mirror", "work", work});
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 0);
  // A key is of one mirror, and stays with it.
  std::ofstream(work + "/index.md") << "Of work, too.";
  const Finished shared = Run({"import", "--mirror", "work", work});
  EXPECT_EQ(shared.code, 1);
  EXPECT_TRUE(Says(shared.out + shared.err, "the mirror \"vault\" has a note"));
  Json({"import", "--mirror", "work", "--on-error", "skip", work});
  std::filesystem::remove(work + "/index.md");
  Json({"import", "--mirror", "work", work});
  EXPECT_NE(Json({"get", "index"}).at("text"), "Of work, too.");
}

TEST_F(Notes, AMirrorFollowsItsFolder) {
  Json({"import", Folder()});
  std::filesystem::rename(Folder(), dir_ / "moved");
  std::filesystem::remove(dir_ / "moved/projects/plan.md");
  std::ofstream(dir_ / "moved/index.md") << "No link.";
  Json({"import", "--mirror", "vault", dir_ / "moved"});
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 3);
  EXPECT_EQ(Links("projects/atlas"), Words{"index"});
  Json({"import", "--mirror", "vault", dir_ / "moved"});
  EXPECT_EQ(Run({"get", "index"}).code, 0);
}

TEST_F(Notes, WhatOthersMadeStays) {
  ASSERT_EQ(Run({"put", "index", "--kind", "decision", "--text", "Mine."}).code, 0);
  ASSERT_EQ(Run({"link", "projects/atlas", "link", "index", "--weight", "0.5"}).code, 0);
  const Finished in = Run({"import", Folder()});
  EXPECT_EQ(in.code, 0);
  EXPECT_TRUE(Says(in.out + in.err, "index.md"));
  EXPECT_EQ(Json({"get", "index"}).at("text"), "Mine.");
  EXPECT_EQ(Json({"get", "index"}).at("kind"), "decision");
  std::filesystem::remove(Folder() + "/index.md");
  Write("projects/atlas.md", "No link.\n");
  Json({"import", Folder()});
  EXPECT_EQ(Json({"get", "index"}).at("text"), "Mine.");
  const object edge = Json({"neighbors", "projects/atlas", "--kinds", "link"});
  ASSERT_EQ(edge.at("neighbors").as_array().size(), 1u);
  EXPECT_EQ(edge.at("neighbors").at(0).at("weight").to_number<double>(), 0.5);
}

TEST_F(Notes, ANoteIsAFact) {
  for (const char* kind : {"event", "session", "tag", "file", "term", "outcome", "inscription"}) {
    Write("kinds.md", std::string("---\ntype: ") + kind + "\ndate: soon\ncreated: x\n---\nText.\n");
    Json({"import", Folder()});
    const object note = Json({"get", "kinds"});
    EXPECT_EQ(note.at("kind"), "note");
    EXPECT_EQ(note.at("props").at("type").as_string(), kind);
    EXPECT_EQ(note.at("props").at("date"), "soon");
    EXPECT_EQ(note.at("props").at("created"), "x");
  }
}

TEST_F(Notes, ACommaInQuotesDoesNotCutATag) {
  const std::pair<const char*, array> cases[] = {{"\"one, two\"", {"one", "two"}},
                                                 {"one, two", {"one", "two"}},
                                                 {"['x, y', z]", {"x, y", "z"}},
                                                 {"[\"#p\" , it's, 'q]", {"p", "it's", "'q"}},
                                                 {"\n  - \"v, w\"\n  - u", {"v, w", "u"}}};
  for (const auto& [written, tags] : cases) {
    Write("tagged.md", std::string("---\ntags: ") + written + "\n---\nText.\n");
    Json({"import", Folder()});
    EXPECT_EQ(Json({"get", "tagged"}).at("tags").as_array(), tags) << written;
  }
}

TEST_F(Notes, InlineCodeIsNotLookedAt) {
  Write("code.md",
        "Use `[[no]]` and `[x](no.md)`, ``a ` [[no]]``, `a #no`; [[index]] #yes\n"
        "```[[no]]``` in a line, one ` that nothing ends: [[atlas]]\n"
        "and \\`[[plan]]\\` is no code.\n");
  Json({"import", Folder()});
  EXPECT_EQ(Links("code"), (Words{"index", "projects/atlas", "projects/plan"}));
  EXPECT_EQ(Json({"get", "code"}).at("tags").as_array(), array({"yes"}));
}

TEST_F(Notes, EscapesInALinksTarget) {
  std::filesystem::create_directories(Folder() + "/my notes");
  for (const char* name : {"my notes/the plan.md", "r\xC3\xA9sum\xC3\xA9.md", "a#1.md"})
    Write(name, "Text.\n");
  const std::pair<const char*, const char*> cases[] = {
      {"[x](my%20notes/the%20plan.md#top)", "my notes/the plan"},
      {"[x](./r%C3%A9sum%c3%a9.md)", "r\xC3\xA9sum\xC3\xA9"},
      {"[x](a%231.md)", "a#1"},
      {"[[my%20notes]]", "my%20notes"},
      {"[x](a%2.md)", "a%2"},
      {"[x](a%zz%20%-1.md)", "a%zz %-1"},
      {"[x](a%00%0A%1F%7f.md)", "a%00%0A%1F%7f"},
      {"[x](a%C3%20%FF%ED%A0%80.md)", "a%C3 %FF%ED%A0%80"}};
  for (const auto& [link, key] : cases) {
    Write("escapes.md", link);
    Json({"import", Folder()});
    EXPECT_EQ(Links("escapes"), Words{key}) << link;
  }
}

TEST_F(Notes, ErrorsNameTheNote) {
  Write("projects/odd.md", "---\ntags: [\"" + std::string(2000, 'x') + "\"]\n---\nText.\n");
  const Finished in = Run({"import", Folder(), "--json"});
  EXPECT_EQ(in.code, 1);
  const std::string message(in.Json().at("messages").at(0).as_string());
  EXPECT_TRUE(Says(message, "vault/projects/odd.md: node key has"));
}

TEST_F(Notes, BytesThatAreNotUtf8AreTheNotes) {
  const std::pair<const char*, const char*> cases[] = {
      {"\xFF", "vault/bad.md: line 1: the note is not valid UTF-8"},
      {"---\ntitle: x\n---\nr\xE9sum\xE9\n", "vault/bad.md: line 4: the note is not valid UTF-8"}};
  for (const auto& [bytes, says] : cases) {
    Write("bad.md", bytes);
    const Finished in = Run({"import", Folder()});
    EXPECT_EQ(in.code, 1);
    EXPECT_TRUE(Says(in.out + in.err, says)) << in.out << in.err;
    EXPECT_FALSE(Says(in.out + in.err, "JSON"));
  }
}

// The mark is of no scope, so the mirror would not know what it made.
TEST_F(Notes, NotBehindAWall) {
  ASSERT_EQ(Run({"put", "a", "--text", "A."}).code, 0);
  const Finished run = Run({"shell", "--scope", "anna"}, {.input = "import '" + Folder() + "'\n"});
  EXPECT_TRUE(Says(run.out + run.err, "not in a session of a scope"));
  EXPECT_EQ(Run({"get", "index"}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
