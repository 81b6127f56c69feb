// Lines of mine come in the same order whether the others' stand between them or not.
#include "tests/hostile/two_scopes.h"

#include <cstdint>

#include "algorithms/retrieval/terms.h"
#include "storage/formats/import.h"

namespace plexus::testing {
namespace {

std::string Node(const std::string& key, const std::string& scope, const std::string& kind,
                 const std::string& text, const std::string& more = "") {
  return R"({"node":")" + key + R"(","scope":")" + scope + R"(","kind":")" + kind +
         R"(","text":")" + text + R"(","created_at":1700000000000)" + more + "}\n";
}

std::string Edge(const std::string& from, const std::string& to, const std::string& kind,
                 const std::string& more = "") {
  return R"({"edge":[")" + from + R"(",")" + to + R"("],"kind":")" + kind +
         R"(","weight":0.5,"created_at":1700000001000)" + more + "}\n";
}

// One scope: memories, decisions, concepts, episodes, turns, an event, an outcome, vectors.
std::string Scope(const std::string& scope, const std::string& mark) {
  const auto key = [&](const char* letter, int i) { return mark + letter + std::to_string(i); };
  const std::string secret = mark.empty() ? "" : " " + mark + "word";
  std::string lines;
  for (int i = 0; i < 8; ++i)
    lines += Node(key("m", i), scope, "memory",
                  "the gateway remembers keys and rounding " + std::to_string(i % 3) + secret,
                  R"(,"tags":["shared",")" + mark + "tag" + std::to_string(i % 2) +
                      R"("],"trust":0.)" + std::to_string(i + 1) +
                      R"(,"retention":0.5,"props":{")" + mark + R"(colour":")" + mark + R"(red"})");
  for (int i = 0; i < 5; ++i)
    lines +=
        Node(key("d", i), scope, "decision", "decide on the oracle " + std::to_string(i) + secret,
             R"(,"category":")" + mark + R"(cat","outcome":"pending","tags":["shared"])");
  for (int i = 0; i < 5; ++i)
    lines += Node(key("c", i), scope, "concept", mark + "concept", R"(,"arousal_level":0.5)");
  lines += Node(key("p", 0), scope, "episode", "an episode of the ledger" + secret);
  for (int i = 0; i < 2; ++i)
    lines += Node(key("t", i), scope, "turn", "a turn" + secret) +
             Edge(key("t", i), mark + "session", "in_session");
  for (int i = 0; i < 7; ++i)
    lines += Edge(key("m", i), key("m", i + 1), i % 2 ? "supports" : "relates_to",
                  R"(,"label":")" + mark + R"(label","created_by":")" + mark + R"(author")");
  for (int i = 0; i < 4; ++i) {
    lines += Edge(key("d", i), key("d", i + 1), "depends_on");
    lines += Edge(key("c", i), key("c", i + 1), i % 2 ? "is-a" : "evokes");
  }
  lines +=
      Edge(key("m", 0), key("m", 5), "contradicts") + Edge(key("m", 6), key("m", 2), "supersedes");
  lines += Edge(key("d", 4), key("d", 0), mark.empty() ? "hinders" : mark + "kind");
  lines += R"({"edge":[")" + key("m", 1) +
           R"(","src/a.cc"],"kind":"mentions"})"
           "\n";
  lines += R"({"event":")" + mark + R"(e0","tool":"recall","query":"gateway answered)" + secret +
           R"(","created_at":1700000002000,"members":[{"id":")" + key("m", 0) +
           R"(","role":"supporting","rank":0},{"id":")" + key("m", 1) +
           R"(","role":"supporting","rank":1}]})"
           "\n";
  lines += R"({"outcome":")" + mark + R"(e0","type":"helpful","notes":")" + mark +
           R"(note","source":"user","labeled_at":1700000003000})"
           "\n";
  for (int i = 0; i < 6; ++i)
    lines += R"({"vector":")" + key("m", i) + R"(","space":"default","values":[1,0.)" +
             std::to_string(i) +
             R"(,0.5]})"
             "\n";
  return lines;
}

std::string Across(const std::string& x) {
  std::string lines;
  for (int i = 0; i < 5; ++i) {
    const std::string m = "m" + std::to_string(i), d = "d" + std::to_string(i),
                      c = "c" + std::to_string(i);
    lines += Edge(m, x + m, "relates_to") + Edge(x + m, m, "supports") + Edge(x + d, d, "blocks") +
             Edge(d, x + d, "depends_on") + Edge(c, x + c, "evokes") + Edge(x + c, c, "is-a");
  }
  lines += Edge(x + "m1", "m1", "supersedes") + Edge(x + "m3", "m3", "contradicts") +
           Edge("m4", x + "m4", "duplicates") + Edge(x + "d2", "d2", "supersedes");
  lines += R"({"event":")" + x + R"(both","tool":"recall","query":")" + x +
           R"(query","created_at":1700000002500,"members":[{"id":"m2","role":"supporting"},)" +
           R"({"id":")" + x +
           R"(m2","role":"supporting"}]})"
           "\n";
  lines += R"({"outcome":")" + x + R"(both","type":"dead_end","notes":")" + x +
           R"(why","source":"user","labeled_at":1700000003500})"
           "\n";
  return lines;
}

}  // namespace

std::string ScopeLines(bool others) {
  std::string lines = Scope(kMine, "");
  if (!others) return lines;
  const std::string x = kSecret;
  // Half of them before, so that ids, strings and kinds are others.
  return Scope(x + "first", x + "f") + lines + Scope(x + "scope", x) + Across(x) + Across(x + "f") +
         R"({"node":")" + x + R"(orphan","scope":")" + x +
         R"(scope","text":"gateway"})"
         "\n";
}

std::unique_ptr<Graph> TwoScopes(bool others) {
  std::unique_ptr<Graph> graph = Graph::InMemory();
  formats::ImportOptions options;
  options.format = formats::FileFormat::kJsonLines;
  options.now_ms = kScopesNow;
  options.complete = [](const Snapshot& snapshot, WriteBatch& batch) -> Status {
    retrieval::TermOptions terms;
    terms.event_queries = true;
    const auto added = retrieval::AddTerms(snapshot, terms, batch);
    if (!added) return std::unexpected(added.error());
    return {};
  };
  const std::string space = R"({"space":"default","dimensions":3})"
                            "\n";
  const std::string lines = space + ScopeLines(others);
  const auto report = formats::ImportBytes(*graph, "lines", lines, options);
  return report && !report->stopped ? std::move(graph) : nullptr;
}

RequestWords WordsOfMine() {
  RequestWords words;
  for (const char* letter : {"m", "d", "c"})
    for (int i = 0; i < 5; ++i) words.keys.push_back(letter + std::to_string(i));
  words.keys.insert(words.keys.end(), {"p0", "t0", "m6", "nobody"});
  words.events = {"e0", "nothing"};
  words.edge_kinds = {"supports", "relates_to", "contradicts", "supersedes", "depends_on",
                      "is-a",     "evokes",     "hinders",     "duplicates"};
  words.node_kinds = {"memory", "decision", "concept", "turn", "event", "tag"};
  words.scopes = {kMine, "user", "nowhere"};
  words.texts = {"gateway", "answered", "keys rounding", "oracle", "the gateway remembers keys"};
  return words;
}

}  // namespace plexus::testing
