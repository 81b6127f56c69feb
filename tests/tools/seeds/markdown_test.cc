// A folder of notes as a mirror: what is there comes in, what is gone goes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

using boost::json::array;
using boost::json::object;
using Texts = std::vector<std::string>;

class Notes : public ::testing::Test {
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
  Finished Run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", dir_ / "g", "--now", "1700000100000", "--json"});
    return Plexus(arguments);
  }
  object Ask(std::vector<std::string> arguments) const {
    const Finished run = Run(std::move(arguments));
    EXPECT_EQ(run.code, 0) << run.err << run.out;
    return run.Json();
  }
  Texts Links(const std::string& key) const {
    Texts keys;
    const object reply = Ask({"neighbors", key, "--kinds", "link", "--direction", "out"});
    for (const auto& one : reply.at("neighbors").as_array())
      keys.emplace_back(one.at("key").as_string());
    return keys;
  }
  TempDir dir_;
};

TEST_F(Notes, ComeInWithTagsLinksAndFields) {
  const object in = Ask({"import", Folder()});
  EXPECT_EQ(in.at("nodes").at("new").to_number<int>(), 3);
  const object index = Ask({"get", "index"});
  EXPECT_EQ(index.at("kind").as_string(), "note");
  EXPECT_EQ(index.at("tags").as_array(), array({"home", "start", "daily"}));
  EXPECT_EQ(index.at("props").at("author").as_string(), "Ana");
  EXPECT_EQ(index.at("props").at("aliases").as_array(), array({"Home", "Start"}));
  EXPECT_EQ(index.at("created_at").to_number<std::int64_t>(), 1'698'796'800'000);
  EXPECT_EQ(Links("index"), (Texts{"projects/atlas", "projects/plan"}));
  EXPECT_EQ(Links("projects/atlas"), Texts{"index"});
  EXPECT_EQ(Ask({"get", "projects/plan"}).at("kind").as_string(), "decision");
  EXPECT_EQ(Ask({"recall", "payout"}).at("hits").at(0).at("key").as_string(), "projects/atlas");
  const object again = Ask({"import", Folder()});
  EXPECT_EQ(again.at("sequence"), in.at("sequence"));
}

TEST_F(Notes, WhatIsGoneGoes) {
  Ask({"import", Folder()});
  ASSERT_EQ(Run({"link", "index", "supports", "projects/atlas"}).code, 0);
  std::filesystem::remove(Folder() + "/projects/plan.md");
  Write("index.md", "Only [[atlas]] now, and [[later]].\n");
  const auto before = Ask({"stats"}).at("sequence");
  const object dry = Ask({"import", "--dry-run", Folder()});
  EXPECT_GE(dry.at("removed").to_number<int>(), 1);
  EXPECT_EQ(Ask({"stats"}).at("sequence"), before);
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 0);
  Ask({"import", Folder()});
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 3);
  EXPECT_EQ(Links("index"), (Texts{"projects/atlas", "later"}));
  EXPECT_EQ(Ask({"get", "index"}).at("tags").as_array().size(), 0u);
  const object kept = Ask({"neighbors", "index", "--kinds", "supports"});  // not the mirror's
  EXPECT_EQ(kept.at("neighbors").as_array().size(), 1u);
}

TEST_F(Notes, AWrongPathRemovesNothing) {
  Ask({"import", Folder()});
  std::filesystem::create_directories(dir_ / "empty");
  EXPECT_EQ(Run({"import", "--format", "markdown", "--mirror", "vault", dir_ / "empty"}).code, 3);
  EXPECT_EQ(Run({"get", "projects/plan"}).code, 0);
  Write("bad.md", "---\nno end\n");
  const Finished bad = Run({"import", Folder()});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE((bad.out + bad.err).find("bad.md"), std::string::npos);
  EXPECT_EQ(Run({"get", "bad"}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
