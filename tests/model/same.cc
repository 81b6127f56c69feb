// A model against a snapshot, through the public API only.
#include <algorithm>
#include <bit>
#include <sstream>
#include <tuple>

#include "engine/vocabulary.h"
#include "tests/model/model.h"
#include "tests/support/vector_values.h"

namespace plexus::model {

namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

// An arc as both sides tell it, comparable and printable.
struct Line {
  EdgeKindId kind;
  NodeId neighbor;
  StringId label_id;  // the order among labels is the engine's
  EdgeId id;
  EdgeValue value;
  bool operator==(const Line&) const = default;
};

std::string Text(const Line& l) {
  std::ostringstream out;
  out << l.id.source << ' ' << l.id.kind << ' ' << l.id.target << " \"" << l.id.label
      << "\" weight " << l.value.weight << " at " << l.value.created_at << " by "
      << l.value.created_by << " valid " << l.value.valid_from << ".." << l.value.valid_until
      << " properties of " << l.value.properties.size() << " bytes";
  return out.str();
}

AssertionResult SameLines(const std::string& where, const std::vector<Line>& expected,
                          const std::vector<Line>& seen) {
  for (std::size_t i = 0; i < std::max(expected.size(), seen.size()); ++i) {
    if (i < expected.size() && i < seen.size() && expected[i] == seen[i]) continue;
    return AssertionFailure() << where << ", arc " << i << "\n  expected: "
                              << (i < expected.size() ? Text(expected[i]) : "<end>")
                              << "\n  seen:     " << (i < seen.size() ? Text(seen[i]) : "<end>");
  }
  return AssertionSuccess();
}

class Comparison {
 public:
  Comparison(const Model& model, const Snapshot& snapshot) : m_(model), s_(snapshot) {}

  AssertionResult Run() {
    if (s_.sequence() != m_.sequence)
      return AssertionFailure() << "sequence " << s_.sequence() << ", expected " << m_.sequence;
    if (m_.sequence && s_.time_ms() != m_.time_ms)
      return AssertionFailure() << "time " << s_.time_ms() << ", expected " << m_.time_ms;
    if (s_.node_count() != m_.nodes.size())
      return AssertionFailure() << s_.node_count() << " nodes, expected " << m_.nodes.size();
    for (NodeId v = 0; v < m_.nodes.size(); ++v)
      if (auto ok = SameNode(v); !ok) return ok;
    if (auto ok = SameCounts(); !ok) return ok;
    return SameEdges();
  }

 private:
  AssertionResult SameNode(NodeId v) {
    const Node& n = m_.nodes[v];
    auto bad = [&] { return AssertionFailure() << "node " << v << " '" << n.key << "': "; };
    if (s_.key(v) != n.key || s_.Find(n.key) != v) return bad() << "key or look-up differs";
    if (s_.schema().node_kind(s_.node_kind(v)).name != n.kind)
      return bad() << "kind " << s_.schema().node_kind(s_.node_kind(v)).name << ", expected "
                   << n.kind;
    if (s_.alive(v) != n.alive) return bad() << "alive is " << s_.alive(v);
    if (s_.purged(v) != n.purged) return bad() << "purged is " << s_.purged(v);
    const auto& columns = s_.schema().columns();
    for (ColumnId c{}; c < columns.size(); ++c) {
      if (columns[c].name.empty()) continue;
      auto it = n.columns.find(columns[c].name);
      const std::uint64_t absent = AbsentBits(columns[c].type), bits = s_.column_bits(c, v);
      if ((it == n.columns.end()) != (bits == absent))
        return bad() << "column " << columns[c].name
                     << (bits == absent ? " is absent" : " is there");
      if (it == n.columns.end()) continue;
      const bool same = columns[c].type == ColumnType::kString
                            ? s_.string(*s_.string_column(c, v)) == it->second.text
                            : bits == it->second.bits;
      if (!same) return bad() << "column " << columns[c].name << " has bits " << bits;
    }
    auto scope = n.columns.find("scope");
    if (s_.scope(v) != (scope == n.columns.end() ? "user" : scope->second.text))
      return bad() << "scope " << s_.scope(v);
    for (int f = 0; f < kNodeFieldCount; ++f) {
      auto bytes = s_.Payload(v, static_cast<NodeField>(f));
      if (bytes.has_value() != n.payloads[f].has_value())
        return bad() << "payload " << f << ": " << (bytes ? "is there" : bytes.error().ToString());
      if (bytes && *bytes != *n.payloads[f])
        return bad() << "payload " << f << " is '" << *bytes << "'";
    }
    for (SpaceId p{}; p < s_.schema().spaces().size(); ++p) {
      auto it = n.vectors.find(s_.schema().spaces()[p].name);
      const auto space = s_.vectors(p);
      if (!space) return bad() << "vectors cannot be read: " << space.error().ToString();
      const auto row = testing::VectorOf(**space, v);
      if (row.empty() != (it == n.vectors.end()))
        return bad() << "vector " << p << " is " << (row.empty() ? "absent" : "there");
      if (!row.empty() && !std::equal(row.begin(), row.end(), it->second.begin(), it->second.end()))
        return bad() << "vector " << p << " differs";
    }
    return AssertionSuccess();
  }

  AssertionResult SameCounts() {
    std::uint64_t nodes[2] = {0, 0}, edges[2] = {0, 0};
    for (const Node& n : m_.nodes)
      nodes[static_cast<int>(m_.schema.node_kind(*m_.schema.FindNodeKind(n.kind)).plane)] +=
          n.alive;
    for (const auto& [id, value] : m_.edges) ++edges[static_cast<int>(m_.edge_kind(id.kind).plane)];
    for (Plane p : {Plane::kFact, Plane::kIndex}) {
      const int i = static_cast<int>(p);
      if (s_.CountNodes(p) != nodes[i])
        return AssertionFailure() << "plane " << i << ": " << s_.CountNodes(p)
                                  << " nodes, expected " << nodes[i];
      if (s_.CountEdges(p) != edges[i])
        return AssertionFailure() << "plane " << i << ": " << s_.CountEdges(p)
                                  << " edges, expected " << edges[i];
    }
    return AssertionSuccess();
  }

  Line LineOf(const Edge& e, NodeId neighbor) {
    Line l{
        e.kind,
        neighbor,
        e.label,
        {e.source, s_.schema().edge_kind(e.kind).name, e.target, std::string(s_.string(e.label))},
        {e.weight, e.created_at, std::string(s_.string(e.created_by)), e.valid_from, e.valid_until,
         ""}};
    if (e.properties) {
      auto bytes = s_.Payload(e.properties);
      l.value.properties = bytes ? *bytes : "!" + bytes.error().ToString();
    }
    return l;
  }

  std::vector<Line> Seen(Direction d, NodeId v, const ArcFilter& filter) {
    std::vector<Line> lines;
    s_.ForEachArc(d, v, filter,
                  [&](const Arc& arc) { lines.push_back(LineOf(s_.edge(arc, v), arc.neighbor)); });
    return lines;
  }

  AssertionResult SameEdges() {
    std::vector<std::vector<Line>> out(m_.nodes.size()), in(m_.nodes.size());
    std::vector<Line> all;
    for (const auto& [id, value] : m_.edges) {
      const EdgeKind& traits = m_.edge_kind(id.kind);
      const EdgeKindId kind = s_.schema().FindEdgeKind(id.kind)->kind;
      auto label = s_.FindString(id.label);
      if (!label) return AssertionFailure() << "label '" << id.label << "' is not interned";
      const Line line{kind, id.target, *label, id, value};
      out[id.source].push_back(line);
      all.push_back(line);
      Line back = line;
      back.neighbor = id.source;
      in[id.target].push_back(back);
      if (traits.symmetric && id.source != id.target) {
        out[id.target].push_back(back);
        in[id.source].push_back(line);
      }
      auto found = s_.FindEdge(id.source, kind, id.target, *label);
      if (!found || !(LineOf(*found, id.target) == line))
        return AssertionFailure() << "FindEdge: "
                                  << (found ? Text(LineOf(*found, id.target)) : "none")
                                  << ", expected " << Text(line);
      if (traits.symmetric && !s_.FindEdge(id.target, kind, id.source, *label))
        return AssertionFailure() << "FindEdge in the other order misses " << Text(line);
      if (!traits.symmetric && id.source != id.target &&
          s_.FindEdge(id.target, kind, id.source, *label).has_value() !=
              m_.edges.contains({id.target, id.kind, id.source, id.label}))
        return AssertionFailure() << "FindEdge of the reverse is wrong for " << Text(line);
    }
    auto order = [](const Line& a, const Line& b) {
      return std::tie(a.kind, a.neighbor, a.label_id) < std::tie(b.kind, b.neighbor, b.label_id);
    };
    const ArcFilter everything = ArcFilter::All(), facts = ArcFilter::Kinds(s_.schema(), {});
    const std::int64_t at = static_cast<std::int64_t>(m_.sequence % 100);
    const ArcFilter valid = facts.ValidAt(at);
    for (NodeId v = 0; v < m_.nodes.size(); ++v) {
      std::sort(out[v].begin(), out[v].end(), order);
      std::sort(in[v].begin(), in[v].end(), order);
      std::vector<Line> both = out[v];
      for (const Line& l : in[v])
        if (l.neighbor != v && !m_.edge_kind(l.id.kind).symmetric) both.push_back(l);
      for (Direction d : {Direction::kOut, Direction::kIn, Direction::kBoth}) {
        std::vector<Line> expected = d == Direction::kOut  ? out[v]
                                     : d == Direction::kIn ? in[v]
                                                           : both;
        const std::string where =
            "node " + std::to_string(v) + ", direction " + std::to_string(static_cast<int>(d));
        if (auto ok = SameLines(where, expected, Seen(d, v, everything)); !ok) return ok;
        if (s_.Degree(d, v, everything) != expected.size())
          return AssertionFailure() << where << ": Degree";
        std::erase_if(expected,
                      [&](const Line& l) { return m_.edge_kind(l.id.kind).plane != Plane::kFact; });
        if (auto ok = SameLines(where + ", facts", expected, Seen(d, v, facts)); !ok) return ok;
        std::erase_if(expected, [&](const Line& l) {
          return (l.value.valid_from != kNoTime && l.value.valid_from > at) ||
                 (l.value.valid_until != kNoTime && at >= l.value.valid_until);
        });
        if (auto ok = SameLines(where + ", valid", expected, Seen(d, v, valid)); !ok) return ok;
        if (s_.Degree(d, v, valid) != expected.size())
          return AssertionFailure() << where << ": Degree, valid";
      }
    }
    // Scans: the same rows again, over a range that begins and ends anywhere.
    const auto nodes = static_cast<NodeId>(m_.nodes.size());
    const NodeId first = static_cast<NodeId>(m_.sequence % (nodes + 1));
    for (const auto& [from, to] :
         {std::pair{NodeId{0}, nodes}, std::pair{first, nodes}, std::pair{NodeId{0}, first}}) {
      for (Direction d : {Direction::kOut, Direction::kIn}) {
        for (const ArcFilter* filter : {&everything, &valid}) {
          std::vector<Line> rows, scanned;
          for (NodeId v = from; v < to; ++v) {
            auto row = Seen(d, v, *filter);
            rows.insert(rows.end(), row.begin(), row.end());
          }
          NodeId last = from;
          s_.ScanArcs(d, from, to, *filter, [&](NodeId v, const Arc& arc) {
            if (v < last || v >= to) scanned.push_back({});
            last = v;
            scanned.push_back(LineOf(s_.edge(arc, v), arc.neighbor));
          });
          if (auto ok = SameLines("scan from " + std::to_string(from), rows, scanned); !ok)
            return ok;
        }
      }
    }
    std::sort(all.begin(), all.end(), [&](const Line& a, const Line& b) {
      return a.id.source != b.id.source ? a.id.source < b.id.source : order(a, b);
    });
    std::vector<Line> seen;
    s_.ForEachEdge(everything, [&](const Edge& e) { seen.push_back(LineOf(e, e.target)); });
    return SameLines("all edges", all, seen);
  }

  const Model& m_;
  const Snapshot& s_;
};

}  // namespace

::testing::AssertionResult Same(const Model& model, const Snapshot& snapshot) {
  return Comparison(model, snapshot).Run();
}

}  // namespace plexus::model
