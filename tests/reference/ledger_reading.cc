// Reading: visibility by definition, tags and terms by arcs or texts, events, typed edges.
#include "tests/reference/ledger_reading.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "engine/properties/properties.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "tests/reference/oracles.h"

namespace plexus::reference {
using namespace builtin;

namespace {

constexpr std::array<std::string_view, 26> kStopWords = {
    "about", "after", "again",   "against", "because", "before", "between", "could", "every",
    "first", "from",  "have",    "into",    "memory",  "needs",  "should",  "their", "there",
    "these", "thing", "through", "using",   "where",   "which",  "while",   "would"};

bool IsStopWord(const std::string& word) {
  return std::find(kStopWords.begin(), kStopWords.end(), word) != kStopWords.end();
}

class Reader {
 public:
  Reader(const Snapshot& snapshot, const memory::NeverComposedOptions& options)
      : s_(snapshot), o_(options) {
    s_.ForEachEdge(ArcFilter::All(), [&](const Edge& e) { edges_.push_back(e); });
    for (std::size_t k = 0; k < s_.schema().edge_kinds().size(); ++k) {
      const EdgeKindId kind(k);
      if (!o_.kinds.given() ? IsFact(kind) && !Kind(kind).suppresses && kind != kContradicts
                            : std::find(o_.kinds.begin(), o_.kinds.end(), kind) != o_.kinds.end())
        walked_kinds_.insert(kind);
    }
  }

  LedgerReading Read() {
    for (const NodeId v : Pool()) ReadMember(v, reading_.pool[v]);
    ReadEvents();
    ReadStructure();
    return std::move(reading_);
  }

 private:
  const EdgeKind& Kind(EdgeKindId kind) const { return s_.schema().edge_kind(kind); }
  bool IsFact(EdgeKindId kind) const { return Kind(kind).plane == Plane::kFact; }
  bool InForce(const Edge& e) const {
    return (e.valid_from == kNoTime || e.valid_from <= o_.now_ms) &&
           (e.valid_until == kNoTime || o_.now_ms < e.valid_until);
  }
  std::string Name(NodeId v) const { return std::string(DisplayName(s_.key(v))); }

  std::set<NodeId> Visible() const {
    std::vector<NodeId> nodes;
    std::map<NodeId, NodeId> dense;
    for (NodeId v = 0; v < s_.node_count(); ++v)
      if (s_.alive(v)) {
        dense[v] = static_cast<NodeId>(nodes.size());
        nodes.push_back(v);
      }
    std::vector<bool> valid;
    for (const NodeId v : nodes)
      valid.push_back(s_.is_fact(v) && s_.i64(kValidFrom, v).value_or(o_.now_ms) <= o_.now_ms &&
                      s_.i64(kValidUntil, v).value_or(o_.now_ms + 1) > o_.now_ms);
    std::vector<bool> stands = valid;
    if (!o_.include_superseded) stands = Stands(dense, valid);
    std::set<NodeId> visible;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (stands[i]) visible.insert(nodes[i]);
    return visible;
  }
  // Supersession by its oracle, over the nodes that such an edge joins alone.
  std::vector<bool> Stands(const std::map<NodeId, NodeId>& dense, std::vector<bool> valid) const {
    std::vector<FlatArc> arcs;
    std::map<NodeId, NodeId> joined;
    for (const Edge& e : edges_) {
      if (!Kind(e.kind).suppresses || e.source == e.target || !InForce(e)) continue;
      if (!dense.contains(e.source) || !dense.contains(e.target)) continue;
      for (const NodeId v : {e.source, e.target})
        joined.emplace(v, static_cast<NodeId>(joined.size()));
      const NodeId a = joined[e.source], b = joined[e.target];
      arcs.push_back({a, b, e.kind, e.weight, e.created_at, false});
      if (Kind(e.kind).symmetric) arcs.push_back({b, a, e.kind, e.weight, e.created_at, true});
    }
    const std::vector<bool> standing = Standing(std::vector<bool>(joined.size(), true), arcs);
    for (const auto& [v, i] : joined)
      if (!standing[i]) valid[dense.at(v)] = false;
    return valid;
  }

  std::vector<NodeId> Pool() const {
    std::vector<NodeId> pool;
    const std::set<NodeId> visible = o_.pool ? std::set<NodeId>() : Visible();
    for (NodeId v = 0; v < s_.node_count(); ++v) {
      const NodeKindId kind = s_.node_kind(v);
      if (o_.pool ? o_.pool->contains(v) && s_.alive(v)
                  : visible.contains(v) && kind != kTurn && kind != kEpisode)
        pool.push_back(v);
    }
    return pool;
  }

  void ReadMember(NodeId v, MemoryFacts& m) {
    if (const auto retention = s_.f64(kRetention, v))
      m.trust = *retention;
    else
      m.trust = s_.f64(kTrust, v).value_or(0.5);
    m.type = s_.schema().node_kind(s_.node_kind(v)).name;
    if (const auto column = s_.schema().FindColumn("memory_type"))
      if (s_.schema().columns()[*column].type == ColumnType::kString)
        if (const auto type = s_.string_column(*column, v); type && !s_.string(*type).empty())
          m.type = s_.string(*type);
    m.scope = s_.scope(v);
    m.created_at = s_.i64(kCreatedAt, v).value_or(kNoTime);
    for (const Edge& e : edges_) {
      if (e.source != v || !InForce(e)) continue;
      if (e.kind == kHasTag) m.tags.insert(Name(e.target));
      if (e.kind == kHasTerm && o_.terms == memory::TermRule::kUnicode)
        AddIndexed(m, Name(e.target));
    }
    if (o_.terms == memory::TermRule::kAscii)
      if (const auto text = s_.Payload(v, NodeField::kText)) AddAscii(m, *text);
    if (!o_.band) return;
    if (const auto space = s_.schema().FindSpace(o_.band->space))
      if (const auto view = s_.vectors(*space)) {
        VectorBuffer buffer;
        const auto values = (*view)->vector(v, buffer);
        m.vector.assign(values.begin(), values.end());
      }
  }

  // A word of the term index that tells: 5 characters, or 2 of a script without blanks.
  static void AddIndexed(MemoryFacts& m, const std::string& word) {
    std::vector<char32_t> characters;
    for (const char byte : word) {
      const auto b = static_cast<unsigned char>(byte);
      if (b < 0x80)
        characters.push_back(b);
      else if (b >= 0xC0)
        characters.push_back(b >= 0xF0 ? b & 7u : b >= 0xE0 ? b & 15u : b & 31u);
      else
        characters.back() = characters.back() << 6 | (b & 63u);
    }
    bool wide = false, letter = false;
    double digits = 0, marks = 0;
    for (const char32_t c : characters) {
      wide |= (c >= 0x3400 && c <= 0x9FFF) || (c >= 0x3040 && c <= 0x30FF) ||
              (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0x20000 && c <= 0x3FFFF);
      letter |= c >= 0x80 || std::isalpha(static_cast<int>(c));
      digits += c >= '0' && c <= '9';
    }
    if (!letter || characters.size() < (wide ? 2u : 5u) || IsStopWord(word)) return;
    marks += word.find('-') != std::string::npos ? 2 : 0;
    marks += word.find('_') != std::string::npos ? 2 : 0;
    m.terms[word] = static_cast<double>(characters.size()) + 2 * digits + marks;
  }

  // The rule of CONTRACTS A1.3, step 4, to the letter.
  static void AddAscii(MemoryFacts& m, const std::string& text) {
    std::string word;
    const auto end = [&] {
      if (word.size() >= 5 && !IsStopWord(word)) {
        double specificity = static_cast<double>(word.size());
        for (const char c : word) specificity += c >= '0' && c <= '9' ? 2 : 0;
        if (word.find('-') != std::string::npos) specificity += 2;
        if (word.find('_') != std::string::npos) specificity += 2;
        m.terms[word] = specificity;
      }
      word.clear();
    };
    for (const char c : text) {
      if (c >= 'A' && c <= 'Z')
        word += static_cast<char>(c - 'A' + 'a');
      else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')
        word += c;
      else
        end();
    }
    end();
  }

  void ReadEvents() {
    const auto& known = BuiltinOutcomeTypes();
    std::map<NodeId, std::set<NodeId>> members;
    std::map<NodeId, std::set<std::string>> types;
    for (const Edge& e : edges_) {
      if (e.kind == kMember && s_.alive(e.source)) members[e.source].insert(e.target);
      if (e.kind != kLabels || !s_.alive(e.source)) continue;
      std::string type = "other";
      if (const auto bytes = s_.Payload(e.source, NodeField::kProperties))
        if (const auto map = PropertyMap::Read(*bytes))
          if (const auto value = map->root().Find("type"))
            if (const auto text = value->AsString();
                text && std::find(known.begin(), known.end(), *text) != known.end())
              type = *text;
      types[e.target].insert(type);
    }
    for (const auto& [event, list] : members) {
      reading_.events.push_back(list);
      for (const NodeId v : list)
        if (const auto m = reading_.pool.find(v); m != reading_.pool.end()) {
          m->second.events.insert(event);
          m->second.outcomes.insert(types[event].begin(), types[event].end());
        }
    }
  }

  bool Walks(const Edge& e) const {
    bool index = false;
    for (const EdgeKindId kind : walked_kinds_) index |= !IsFact(kind);
    return walked_kinds_.contains(e.kind) && InForce(e) && e.source != e.target &&
           s_.alive(e.source) && s_.alive(e.target) &&
           (index || (s_.is_fact(e.source) && s_.is_fact(e.target)));
  }

  void ReadStructure() {
    for (const Edge& e : edges_) {
      if (e.source == e.target) continue;
      reading_.recorded.insert({e.source, e.target});
      reading_.recorded.insert({e.target, e.source});
      if (Walks(e)) {
        walked_edges_.push_back(e);
        reading_.walked[e.source].insert(e.target);
        reading_.walked[e.target].insert(e.source);
      }
      if (IsFact(e.kind) && InForce(e) && s_.is_fact(e.source) && s_.is_fact(e.target)) {
        reading_.fact_neighbors[e.source].insert(e.target);
        reading_.fact_neighbors[e.target].insert(e.source);
      }
    }
    for (const auto& [v, facts] : reading_.pool) {
      auto& profile = reading_.profiles[v];
      CountArcs(v, kNoNode, 1, profile);
      for (const NodeId u : reading_.walked[v]) CountArcs(u, v, 2, profile);
    }
  }
  // The walked edges of `v` but those to `but`.
  void CountArcs(NodeId v, NodeId but, int hop, std::map<std::tuple<int, int, int>, double>& to) {
    for (const Edge& e : walked_edges_) {
      if (e.source != v && e.target != v) continue;
      const NodeId other = e.source == v ? e.target : e.source;
      const int direction = Kind(e.kind).symmetric ? 2 : e.source == v ? 0 : 1;
      if (other != but) to[{e.kind.value(), direction, hop}] += 1;
    }
  }

  const Snapshot& s_;
  const memory::NeverComposedOptions& o_;
  std::vector<Edge> edges_, walked_edges_;
  std::set<EdgeKindId> walked_kinds_;
  LedgerReading reading_;
};

}  // namespace

LedgerReading ReadLedger(const Snapshot& snapshot, const memory::NeverComposedOptions& options) {
  return Reader(snapshot, options).Read();
}

}  // namespace plexus::reference
