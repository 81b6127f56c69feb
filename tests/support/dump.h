// Dump: everything a Snapshot tells through its public API, as text lines.
//
// Floats are printed by their bits, so equal dumps mean equal bits and equal
// order. A test compares two dumps and shows the first line that differs.
#pragma once

#include <bit>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/snapshot.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {

inline void DumpEdge(std::ostream& out, const Snapshot& s, const Edge& e) {
  out << e.source << ' ' << s.schema().edge_kind(e.kind).name << '(' << e.kind << ") " << e.target
      << " label " << e.label << '"' << s.string(e.label) << "\" w "
      << std::bit_cast<std::uint32_t>(e.weight) << " at " << e.created_at << " by \""
      << s.string(e.created_by) << "\" valid " << e.valid_from << ".." << e.valid_until;
  if (e.properties) {
    auto bytes = s.Payload(e.properties);
    out << " props " << (bytes ? *bytes : "!" + std::string(ErrorCodeName(bytes.error().code)));
  }
}

inline void DumpNode(std::ostream& out, const Snapshot& s, NodeId v) {
  out << "node " << v << " [" << s.key(v) << "] kind " << s.node_kind(v) << " alive " << s.alive(v)
      << " purged " << s.purged(v) << " scope " << s.scope(v) << '\n';
  for (ColumnId c{}; c < s.schema().columns().size(); ++c) {
    const Column& column = s.schema().columns()[c];
    if (column.name.empty()) continue;
    std::uint64_t bits = s.column_bits(c, v);
    if (bits != AbsentBits(column.type))
      out << "  column " << v << ' ' << column.name << ' ' << bits << '\n';
  }
  for (int f = 0; f < kNodeFieldCount; ++f) {
    auto field = static_cast<NodeField>(f);
    if (!s.payload_ref(v, field)) continue;
    auto bytes = s.Payload(v, field);
    out << "  payload " << v << ' ' << f << ' '
        << (bytes ? *bytes : "!" + std::string(ErrorCodeName(bytes.error().code))) << '\n';
  }
  for (SpaceId p{}; p < s.schema().spaces().size(); ++p) {
    const auto space = s.vectors(p);
    if (space && !(*space)->has(v)) continue;
    out << "  vector " << v << ' ' << s.schema().spaces()[p].name;
    if (!space) out << " !" << ErrorCodeName(space.error().code);
    for (float x : space ? VectorOf(**space, v) : std::vector<float>())
      out << ' ' << std::bit_cast<std::uint32_t>(x);
    out << '\n';
  }
  for (Direction d : {Direction::kOut, Direction::kIn}) {
    s.ForEachArc(d, v, ArcFilter::All(), [&](const Arc& arc) {
      out << (d == Direction::kOut ? "  out " : "  in ") << v << " -> " << arc.neighbor << ": ";
      DumpEdge(out, s, s.edge(arc, v));
      out << '\n';
    });
  }
}

inline std::string Dump(const Snapshot& s) {
  std::ostringstream out;
  out << "sequence " << s.sequence() << " time " << s.time_ms() << " nodes " << s.node_count()
      << " alive " << s.CountNodes(Plane::kFact) << '+' << s.CountNodes(Plane::kIndex) << " edges "
      << s.CountEdges(Plane::kFact) << '+' << s.CountEdges(Plane::kIndex) << '\n';
  for (const auto& kind : s.schema().node_kinds())
    if (!kind.name.empty()) out << "node kind " << kind.name << '\n';
  for (const auto& kind : s.schema().edge_kinds())
    if (!kind.name.empty()) out << "edge kind " << kind.name << ' ' << kind.symmetric << '\n';
  for (NodeId v = 0; v < s.node_count(); ++v) DumpNode(out, s, v);
  s.ForEachEdge(ArcFilter::All(), [&](const Edge& e) {
    out << "edge ";
    DumpEdge(out, s, e);
    out << '\n';
  });
  return out.str();
}

// Equal texts, or the first line that differs.
inline ::testing::AssertionResult SameText(const std::string& a, const std::string& b) {
  if (a == b) return ::testing::AssertionSuccess();
  std::istringstream in_a(a), in_b(b);
  std::string line_a, line_b;
  for (int line = 1;; ++line) {
    bool has_a = static_cast<bool>(std::getline(in_a, line_a));
    bool has_b = static_cast<bool>(std::getline(in_b, line_b));
    if (!has_a) line_a = "<end>";
    if (!has_b) line_b = "<end>";
    if (line_a != line_b || !has_a || !has_b)
      return ::testing::AssertionFailure()
             << "line " << line << " differs\n  first:  " << line_a << "\n  second: " << line_b;
  }
}

}  // namespace plexus::testing
