// Replicas as their users see them: follow, promote, waiting for a write, the lag, and the sources
// that are refused over HTTP. What the library promises of replicas is in tests/storage.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/run_plexus.h"
#include "tests/tools/server/server_process.h"

namespace plexus::testing {
namespace {

class ReplicaDoors : public ::testing::Test {
 protected:
  using Server = std::unique_ptr<ServerProcess>;

  Server Serve(const std::string& name, const Words& more = {}) {
    auto server = std::make_unique<ServerProcess>(With({"--db", dir_ / name, "--http", "0"}, more));
    EXPECT_GT(server->port(), 0) << server->log();
    return server;
  }
  static std::string Url(const Server& server) {
    return "http://127.0.0.1:" + std::to_string(server->port());
  }
  // The sequence of the write.
  static std::int64_t Put(const Server& server, const std::string& text) {
    const HttpAnswer answer =
        Http(server->port(), "POST", "/v1/put", R"({"key":"m","text":")" + text + "\"}");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return boost::json::parse(answer.body).at("sequence").to_number<std::int64_t>();
  }
  Finished Follow(const Server& source, const std::string& name) {
    return PlexusProcess({"follow", Url(source), "--db", dir_ / name, "--once"});
  }
  Finished Get(const std::string& name, const Words& more = {}) {
    return PlexusProcess(With({"get", "m", "--json", "--db", dir_ / name}, more));
  }
  Words FilesWith(const std::string& name, const std::string& text) {
    Words found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / name)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(in)), {});
      if (bytes.find(text) != std::string::npos) found.push_back(entry.path());
    }
    return found;
  }
  static boost::json::value Following(const Server& server) {
    const HttpAnswer answer = Http(server->port(), "GET", "/v1/following");
    EXPECT_EQ(answer.status, 200) << answer.body;
    return boost::json::parse(answer.body);
  }
  // Waits for at most 20 s.
  static void Until(const std::function<bool()>& done) {
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), late);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  TempDir dir_;
};

TEST_F(ReplicaDoors, FollowOnceCatchesUpAndOthersReadIt) {
  const Server source = Serve("source");
  Put(source, "value 1");
  EXPECT_TRUE(Ends(Follow(source, "replica"), 0));
  EXPECT_TRUE(Says(Get("replica").out, "value 1"));
  EXPECT_TRUE(Ends(PlexusProcess({"put", "m", "--text", "x", "--db", dir_ / "replica"}), 1,
                   "a replica of " + Url(source)));
  const std::string wanted = std::to_string(Put(source, "value 2"));
  const Finished late = Get("replica", {"--wait-sequence", wanted, "--wait", "0.1"});
  EXPECT_NE(late.code, 0);
  EXPECT_TRUE(Says(late.err, "--wait-sequence: the graph ends at record"));
  EXPECT_TRUE(Ends(Follow(source, "replica"), 0));
  EXPECT_TRUE(Says(Get("replica", {"--wait-sequence", wanted}).out, "value 2"));
}

// A reader that waits for a write gets it as soon as the follower has it.
TEST_F(ReplicaDoors, AReaderWaitsForItsWrite) {
  const Server source = Serve("source");
  Put(source, "value 1");
  Background follower({"follow", Url(source), "--db", dir_ / "replica"});
  Until([&] { return Says(Get("replica").out, "value 1"); });
  for (int i = 2; i < 6; ++i) {
    const std::string value = "value " + std::to_string(i);
    const std::string sequence = std::to_string(Put(source, value));
    const Finished read = Get("replica", {"--wait-sequence", sequence, "--wait", "20"});
    EXPECT_EQ(read.code, 0) << read.err;
    EXPECT_TRUE(Says(read.out, value));
  }
  EXPECT_TRUE(follower.Running());
}

// What a purged node alone had as scope, label or author leaves the replica's files as well.
TEST_F(ReplicaDoors, StringsOfAHardPurgeLeaveIt) {
  const Server source = Serve("source");
  Put(source, "value 1");
  const auto post = [&](const char* path, const char* body) {
    const HttpAnswer answer = Http(source->port(), "POST", path, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
  };
  post("/v1/put", R"({"key":"gone","set":{"category":"osmiumcategory"}})");
  post("/v1/link", R"({"source":"gone","kind":"relates_to","target":"m","label":"osmiumlabel",)"
                   R"("created_by":"osmiumauthor"})");
  EXPECT_TRUE(Ends(Follow(source, "replica"), 0));
  EXPECT_FALSE(FilesWith("replica", "osmium").empty());
  post("/v1/purge", R"({"key":["gone"],"hard":true})");
  EXPECT_EQ(FilesWith("source", "osmium"), Words());
  EXPECT_TRUE(Ends(Follow(source, "replica"), 0));
  EXPECT_EQ(FilesWith("replica", "osmium"), Words());
  EXPECT_TRUE(Says(Get("replica").out, "value 1"));
}

TEST_F(ReplicaDoors, TheLagIsInStatusAndMetrics) {
  const Server source = Serve("source");
  EXPECT_EQ(Http(source->port(), "GET", "/v1/following").status, 404);
  Put(source, "value 1");
  const Server replica = Serve("replica", {"--follow", Url(source)});
  Until([&] { return Http(replica->port(), "GET", "/ready").status == 200; });
  const std::int64_t sequence = Put(source, "value 2");
  Until([&] { return Following(replica).at("sequence") == sequence; });
  const boost::json::value now = Following(replica);
  EXPECT_EQ(std::string(now.at("source").as_string()), Url(source));
  EXPECT_EQ(now.at("connected"), true);
  EXPECT_EQ(now.at("lag_records"), 0);
  EXPECT_LT(now.at("lag_seconds").to_number<double>(), 20);
  const std::string metrics = Http(replica->port(), "GET", "/metrics").body;
  for (const char* line : {"\nplexus_replica_lag_records 0", "\nplexus_replica_lag_seconds ",
                           "\nplexus_replica_connected 1", "\nplexus_replica_copies "})
    EXPECT_TRUE(Says(metrics, line));
  EXPECT_TRUE(Says(Http(replica->port(), "POST", "/v1/stats", "{}").body, Url(source)));
  // Without its source it still answers, and says how long it has been alone.
  source->Signal(SIGKILL);
  Until([&] { return Following(replica).at("connected") == false; });
  EXPECT_TRUE(Says(Http(replica->port(), "GET", "/v1/get?key=m").body, "value 2"));
  EXPECT_TRUE(Says(Http(replica->port(), "GET", "/metrics").body, "\nplexus_replica_connected 0"));
}

TEST_F(ReplicaDoors, AToolWaitsForTheRecordThatItIsAskedFor) {
  const Server source = Serve("source");
  Put(source, "value 1");
  const Server replica = Serve("replica", {"--follow", Url(source), "--mcp", "--tools", "all"});
  Until([&] { return Http(replica->port(), "GET", "/ready").status == 200; });
  const auto get = [&](const std::string& sequence) {
    return boost::json::serialize(replica->Ask(
        "tools/call", R"({"name":"get","arguments":{"key":["m"]},"_meta":{"plexus/minSequence":)" +
                          sequence + "}}"));
  };
  for (int i = 2; i < 6; ++i) {
    const std::string value = "value " + std::to_string(i);
    EXPECT_TRUE(Says(get(std::to_string(Put(source, value))), value));
  }
  EXPECT_TRUE(Says(get("1000000"), "ends at"));
  EXPECT_TRUE(Says(get("-1"), "plexus/minSequence is the sequence of a write"));
}

TEST_F(ReplicaDoors, APromotedReplicaTakesOverAndItsOldSourceIsRefused) {
  const Server source = Serve("source");
  Put(source, "value 1");
  EXPECT_TRUE(Ends(Follow(source, "replica"), 0));
  EXPECT_TRUE(Ends(Follow(source, "second"), 0));
  EXPECT_NE(PlexusProcess({"promote", "--db", dir_ / "none"}).code, 0);
  EXPECT_TRUE(Ends(PlexusProcess({"promote", "--db", dir_ / "replica"}), 0));
  EXPECT_NE(Follow(source, "replica").code, 0) << "it is no replica any more";
  const Server writer = Serve("replica");
  Put(writer, "value 2");
  // Another replica changes over to it, and refuses the old source from then on.
  EXPECT_TRUE(Ends(Follow(writer, "second"), 0));
  EXPECT_TRUE(Says(Get("second").out, "value 2"));
  const Finished old = Follow(source, "second");
  EXPECT_NE(old.code, 0);
  EXPECT_TRUE(Says(old.err, "promoted"));
  EXPECT_TRUE(Says(Get("second").out, "value 2"));
}

TEST_F(ReplicaDoors, OtherHistoriesAreRefused) {
  const Server source = Serve("source");
  Put(source, "value 1");
  EXPECT_TRUE(Ends(Follow(source, "replica"), 0));
  const Server other = Serve("other");
  Put(other, "value 1");
  const Finished another = Follow(other, "replica");
  EXPECT_NE(another.code, 0);
  EXPECT_TRUE(Says(another.err, "another graph"));
  EXPECT_TRUE(Says(Get("replica").out, "value 1"));
  source->Signal(SIGTERM);
  EXPECT_EQ(source->Wait(), 0);
  EXPECT_NE(Follow(source, "none").code, 0) << "nobody answers there";
}

}  // namespace
}  // namespace plexus::testing
