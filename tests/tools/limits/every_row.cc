// Keys are a letter and a number: m memory, d decision, c concept, t turn, e event.
#include "tests/tools/limits/every_row.h"

namespace plexus::testing {
namespace {

constexpr std::int64_t kTime = 1'700'000'000'000;

std::string Sentence(int i) {
  const char* const words[] = {"gateway", "ledger", "payout", "oracle", "broker", "rounding"};
  return std::string("the ") + words[i % 6] + " and the " + words[i / 6 % 6] + " of note " +
         std::to_string(i);
}

std::string Node(const std::string& key, const char* kind, int i, const std::string& more = "") {
  return R"({"node":")" + key + R"(","kind":")" + kind + R"(","text":")" + Sentence(i) +
         R"(","created_at":)" + std::to_string(kTime + i * 1000) + more + "}\n";
}

std::string Edge(const std::string& a, const char* kind, const std::string& b) {
  return R"({"edge":[")" + a + "\",\"" + b + R"("],"kind":")" + kind + "\"}\n";
}

}  // namespace

std::string EverythingLines(int size) {
  const auto key = [](char letter, int i) { return letter + std::to_string(i); };
  std::string lines;
  for (int i = 0; i < 5 * size; ++i) {
    lines += Node(key('m', i), "memory", i,
                  R"(,"tags":["tag)" + std::to_string(i % 7) + R"("],"trust":0.5)");
    lines += Edge(key('m', i), i % 3 ? "supports" : "related", key('m', i / 2));
    lines += Edge(key('m', i), "supports", key('m', (i * 7 + 1) % (5 * size)));
    if (i % 5 == 1) lines += Edge(key('m', i), "contradicts", key('m', i - 1));
    if (i % 10 == 3) lines += Edge(key('m', i), "supersedes", key('m', i - 1));
  }
  for (int i = 0; i < 2 * size; ++i) {
    lines += Node(key('d', i), "decision", i);
    if (i > 0) lines += Edge(key('d', i), i % 4 ? "depends_on" : "blocks", key('d', i / 2));
    if (i % 6 == 5) lines += Edge(key('d', i), "contradicts", key('d', i - 1));
  }
  for (int i = 0; i < size; ++i) {
    lines += Node(key('c', i), "concept", i);
    if (i > 0) lines += Edge(key('c', i), "evokes", key('c', i / 2));
  }
  for (int i = 0; i < size; ++i) {
    lines += Node(key('t', i), "turn", i);
    lines += Edge(key('t', i), "in_session", i % 2 ? "s1" : "s2");
  }
  for (int i = 0; i < size; ++i)
    lines += R"({"event":")" + key('e', i) + R"(","tool":"t","query":")" + Sentence(i) +
             R"(","created_at":)" + std::to_string(kTime + i * 1000) + R"(,"members":[{"id":")" +
             key('m', i) + R"(","role":"primary"},{"id":")" + key('m', i + 1) +
             R"(","role":"supporting"}]})" + "\n";
  return lines;
}

std::vector<RowRequest> EveryRow() {
  const std::string rules =
      R"([{\"name\":\"a\",\"edge\":\"contradicts\",\"target\":{\"active\":true},)"
      R"(\"message\":\"m\"}])";
  const std::string proposal =
      R"({\"node\":\"new\",\"kind\":\"decision\"}\n)"
      R"({\"edge\":[\"new\",\"d3\"],\"kind\":\"contradicts\"})";
  return {
      {"export", R"({"format":"csv","output":"DIR/out.csv"})"},
      {"export", R"({"format":"dot","around":["m3"],"hops":2})"},
      {"get", R"({"key":["m1","m2","m3"]})"},
      {"neighbors", R"({"key":"m1"})"},
      {"list", R"({"top":0,"sort":"created_at"})"},
      {"list", R"({"edges":true,"where":"weight > 0"})"},
      {"bounty", R"({"event_time":"2024-01-01"})"},
      {"list", R"({"index":true,"where":"exists text"})"},
      {"find", R"({"words":"ledger"})"},
      {"history", R"({"key":"m1","all":true})"},
      {"undo", R"({"dry_run":true})"},
      {"log", R"({"top":0})"},
      {"diff", R"({"from":"0","top":0})"},
      {"stats", "{}"},
      {"kinds", "{}"},
      {"schema", "{}"},
      {"ledger_recent", R"({"limit":100})"},
      {"ledger_get", R"({"event":"e1"})"},
      {"ledger_memory", R"({"key":"m1"})"},
      {"ledger_neighbors", R"({"key":"m1"})"},
      {"session", R"({"key":"t3"})"},
      {"pagerank", "{}"},
      {"pagerank", R"({"seed":["m1"],"push":0.0001})"},
      {"traverse", R"({"from":["m5"],"hops":4})"},
      {"match", R"({"pattern":"supports+","from":["m5"]})"},
      {"neighborhood", R"({"from":["m5"],"hops":4})"},
      {"neighborhood", R"({"from":["m5"],"hops":4,"places":true})"},
      {"path", R"({"from":"m399","to":"m0","count":3})"},
      {"distances", R"({"from":"m5"})"},
      {"bfs", R"({"from":["m5"]})"},
      {"ancestors", R"({"key":"m0"})"},
      {"descendants", R"({"key":"m399"})"},
      {"components", "{}"},
      {"components", R"({"strong":true})"},
      {"communities", "{}"},
      {"communities", R"({"method":"labels"})"},
      {"triangles", "{}"},
      {"kcore", "{}"},
      {"betweenness", "{}"},
      {"closeness", "{}"},
      {"closeness", R"({"of":["m1","m2"]})"},
      {"katz", "{}"},
      {"eigenvector", "{}"},
      {"hits", "{}"},
      {"forest", "{}"},
      {"cuts", "{}"},
      {"dominators", R"({"key":"m399"})"},
      {"flow", R"({"from":"m399","to":"m0"})"},
      {"search", R"({"query":"ledger \"payout of note\""})"},
      {"similar", R"({"of":"m5"})"},
      {"similar", "{}"},
      {"topo", R"({"kinds":["depends_on"]})"},
      {"rerank", R"({"like":"m5","k":20})"},
      {"frontier", R"({"kinds":["has_tag"]})"},
      {"frontier", R"({"lens":"surface"})"},
      {"frontier", R"({"lens":"likely"})"},
      {"frontier", R"({"lens":"likely","arity":3})"},
      {"frontier", R"({"lens":"bridge"})"},
      {"concept_recall", R"({"seeds":["c0"],"hops":3,"dry_run":true})"},
      {"concept_recall", R"({"seeds":["c0"],"hops":3,"commit":true})"},
      {"concept_activate", R"({"sources":["c2","c3"],"dry_run":true})"},
      {"concept_search", "{}"},
      {"recall", R"({"words":"gateway ledger"})"},
      {"recall", R"({"words":"gateway ledger","commit":true})"},
      {"recall", R"({"words":"gateway ledger","plan":"recall"})"},
      {"retrieve", R"({"words":"gateway ledger"})"},
      {"bounty", "{}"},
      {"conflicts_list", "{}"},
      {"conflicts_candidates", R"({"key":"m5"})"},
      {"conflicts_candidates", R"({"key":"new","proposal":")" + proposal + R"("})"},
      {"conflicts_duplicates", R"({"least":0.3})"},
      {"conflicts_chain", R"({"key":"m3"})"},
      {"decisions_status", "{}"},
      {"decisions_ancestors", R"({"key":"d9"})"},
      {"decisions_descendants", R"({"key":"d0"})"},
      {"decisions_salience", "{}"},
      {"decisions_salience", R"({"apply":true})"},
      {"decisions_blocked", "{}"},
      {"decisions_contradictions", "{}"},
      {"decisions_check", R"({"rules":")" + rules + R"(","proposal":")" + proposal + R"("})"},
      {"decisions_suggest", R"({"key":"d9","least":0.9})"},
      {"decisions_rules", R"({"rules":")" + rules + R"("})"},
      {"decisions_suggest", R"({"key":"d9","least":0.9,"apply":true})"},
      {"decisions_queue", "{}"},
      // What writes.
      {"import", R"({"files":["DIR/more.jsonl"]})"},
      {"import", R"({"files":["DIR/more.jsonl"],"dry_run":true})"},
      {"remember", R"({"text":"the gateway of note 3 is new"})"},
      {"correct", R"({"old":"m9","text":"the gateway of note 9 is closed"})"},
      {"put", R"({"key":"m1","text":"another text"})"},
      {"link", R"({"source":"m1","kind":"supports","target":"m9"})"},
      {"unlink", R"({"source":"m1","kind":"supports","target":"m8"})"},
      {"decisions_unlink", R"({"source":"d9","target":"d4"})"},
      {"conflicts_resolve", R"({"a":"m1","b":"m0","keep_both":true})"},
      {"ledger_record", R"({"tool":"t","query":"q","member":["m1"]})"},
      {"ledger_label", R"({"event":"e1","type":"helpful"})"},
      {"concept_upsert", R"({"name":"c0"})"},
      {"concept_affect", R"({"name":"c0","delta":0.5})"},
      {"concept_episode", R"({"summary":"an episode","concepts":["c0","c1"]})"},
      {"concept_relate", R"({"source":"c0","kind":"evokes","target":"c1"})"},
      {"concept_dampen", R"({"name":"c0","ratio":0.5})"},
      {"build", R"({"recipes":["temporal"]})"},
      {"decisions_compaction", R"({"apply":true})"},
      {"decisions_fold", "{}"},
      {"decisions_fold", R"({"apply":true})"},
      {"terms", R"({"renew":true})"},
      {"embed", "{}"},
      {"embed", R"({"replace":true})"},
      {"remove", R"({"key":"m7"})"},
      {"purge", R"({"key":"m8"})"},
      {"checkpoint", "{}"},
      {"compact", "{}"},
      {"trim", R"({"before":"2"})"},
      {"verify", "{}"},
      {"backup", R"({"to":"DIR/backup"})"},
      {"restore", R"({"from":"GRAPH"})"},
      {"repair", R"({"to":"DIR/repaired"})"},
  };
}

}  // namespace plexus::testing
