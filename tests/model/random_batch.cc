// Choosing random operations. Few keys, kinds and labels, so that they meet.
#include "tests/model/random_batch.h"

#include <bit>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "engine/vocabulary.h"
#include "tests/support/property_map.h"
#include "tests/support/vector_values.h"

namespace plexus::model {
using namespace builtin;

namespace {

// Every sort of edge kind; "undefined..." ones come into being by use.
constexpr const char* kEdgeKinds[] = {"link",        "supports",   "causes", "caused_by",
                                      "contradicts", "friends",    "keeps",  "undefined1",
                                      "undefined2",  "mentored_by"};
constexpr const char* kNodeKinds[] = {"", "", "memory", "concept", "robot"};
constexpr const char* kLabels[] = {"", "", "", "a", "b"};

class Filler {
 public:
  Filler(std::mt19937_64& rng, const RandomOptions& o, WriteBatch& w, Batch& m)
      : rng_(rng), o_(o), w_(w), m_(m) {}

  void One() {
    if (Chance(o_.remove)) return Remove(false);
    if (Chance(o_.purge)) return Remove(true);
    switch (Below(16)) {
      case 0:
      case 1:
        return Upsert();
      case 2:
        return Column();
      case 3:
        return Payload();
      case 4:
        return Vector();
      case 5:
        return Index();
      case 6:
      case 7:
        return Unlink();
      default:
        return Link();
    }
  }

 private:
  std::uint64_t Below(std::uint64_t n) { return rng_() % n; }
  bool Chance(double p) { return static_cast<double>(rng_() >> 11) * 0x1p-53 < p; }
  template <class T, std::size_t n>
  T Pick(const T (&list)[n]) {
    return list[Below(n)];
  }
  std::string Key() { return "k" + std::to_string(Below(static_cast<std::uint64_t>(o_.keys))); }
  std::string AnyKey() {  // fact or index
    if (Chance(0.8)) return Key();
    return Chance(0.5) ? IndexKey("tag", "t" + std::to_string(Below(4)))
                       : IndexKey("event", "e" + std::to_string(Below(4)));
  }

  void Upsert() {
    const std::string key = Key();
    const std::string kind = Pick(kNodeKinds);
    NodeRef ref = w_.Node(key);
    if (kind.empty())
      w_.UpsertNode(ref);
    else
      w_.UpsertNode(ref, w_.NodeKindNamed(kind));
    m_.Upsert(key, kind);
  }

  void Index() {
    const bool tag = Chance(0.5);
    const std::string name = (tag ? "t" : "e") + std::to_string(Below(4));
    w_.UpsertNode(w_.IndexNode(tag ? kTag : kEvent, name));
    m_.Upsert(IndexKey(tag ? "tag" : "event", name), "");
  }

  void Remove(bool purge) {
    const std::string key = AnyKey();
    if (purge)
      w_.PurgeNode(w_.Node(key));
    else
      w_.RemoveNode(w_.Node(key));
    m_.Remove(key, purge);
  }

  void Column() {
    const std::string key = AnyKey();
    NodeRef ref = w_.Node(key);
    switch (Below(8)) {
      case 6: {
        const double delta = static_cast<double>(Below(5)) / 4 - 0.5;
        const char* name = Chance(0.5) ? "stability" : "stakes";
        w_.AddF64(ref, w_.ColumnNamed(name), delta);
        return m_.AddF64(key, name, delta);
      }
      case 7: {
        const auto delta = static_cast<std::int64_t>(Below(5)) - 2;
        const char* name = Chance(0.7) ? "access_count" : "created_at";
        w_.AddI64(ref, w_.ColumnNamed(name), delta);
        return m_.AddI64(key, name, delta);
      }
      case 0:
      case 1: {
        const double value = static_cast<double>(Below(5)) / 4 - 0.5;
        const char* name = Chance(0.5) ? "stability" : "stakes";
        w_.SetF64(ref, w_.ColumnNamed(name), value);
        return m_.Set(key, name, {std::bit_cast<std::uint64_t>(value), ""});
      }
      case 2: {
        const auto value = static_cast<std::int64_t>(Below(5)) - 2;
        const char* name = Chance(0.7) ? "access_count" : "created_at";
        w_.SetI64(ref, w_.ColumnNamed(name), value);
        return m_.Set(key, name, {static_cast<std::uint64_t>(value), ""});
      }
      case 3: {
        const std::string value = Pick(kLabels);
        w_.SetString(ref, kScope, value);
        return m_.Set(key, "scope", {0, value});
      }
      default: {
        const char* names[] = {"stability", "stakes", "access_count", "created_at", "scope"};
        const char* name = Pick(names);
        w_.ClearColumn(ref, w_.ColumnNamed(name));
        return m_.Clear(key, name);
      }
    }
  }

  void Payload() {
    const std::string key = AnyKey();
    NodeRef ref = w_.Node(key);
    const auto field = Chance(0.6) ? NodeField::kText : NodeField::kProperties;
    std::optional<std::string> bytes;
    if (Chance(0.75))
      bytes = field == NodeField::kText
                  ? "text " + std::to_string(Below(3))
                  : testing::PropertyBytes("p", static_cast<std::int64_t>(Below(3)));
    if (bytes)
      w_.SetPayload(ref, field, *bytes);
    else
      w_.ClearPayload(ref, field);
    m_.SetPayload(key, field, bytes);
  }

  void Vector() {
    const std::string key = AnyKey();
    NodeRef ref = w_.Node(key);
    const bool wide = Chance(0.3);
    const char* space = wide ? "wide" : "narrow";
    std::optional<std::vector<float>> values;
    if (Chance(0.75))
      values = std::vector<float>(wide ? 20 : 3, static_cast<float>(Below(3)) + 0.1f);
    if (values)
      w_.SetVector(ref, w_.SpaceNamed(space), *values);
    else
      w_.ClearVector(ref, w_.SpaceNamed(space));
    if (values && wide) values = testing::Rounded(*std::move(values), VectorElement::kF16);
    m_.SetVector(key, space, values);
  }

  // Source, kind and target that fit each other.
  struct Ends {
    std::string source, kind, target;
  };
  Ends RandomEnds() {
    if (Chance(0.12)) return {Key(), "has_tag", IndexKey("tag", "t" + std::to_string(Below(4)))};
    if (Chance(0.15)) return {IndexKey("event", "e" + std::to_string(Below(4))), "member", Key()};
    Ends e{AnyKey(), Pick(kEdgeKinds), AnyKey()};
    if (e.source == e.target) {
      auto match = m_.after().schema.FindEdgeKind(e.kind);
      if (match && !m_.after().schema.edge_kind(match->kind).self_loops) e.kind = "link";
    }
    return e;
  }

  void Link() {
    const Ends e = RandomEnds();
    Batch::Link l{e.source, e.kind, e.target, Pick(kLabels), {}, {}, {}, {}, {}, {}};
    NodeRef source = w_.Node(e.source);
    NodeRef target = w_.Node(e.target);
    EdgeKindRef kind = w_.EdgeKindNamed(e.kind);
    if (l.label.empty() && Chance(0.4)) {  // the short form
      l.weight = static_cast<float>(Below(4)) / 4;
      w_.Link(source, kind, target, *l.weight);
      return m_.AddLink(l);
    }
    if (Chance(0.6)) l.weight = static_cast<float>(Below(4)) / 4;
    if (Chance(0.4)) l.created_at = static_cast<std::int64_t>(Below(4));
    if (Chance(0.2)) l.created_by = Pick(kLabels);
    if (Chance(0.2)) l.valid_from = Chance(0.3) ? kNoTime : static_cast<std::int64_t>(Below(100));
    if (Chance(0.2))
      l.valid_until = Chance(0.3) ? kNoTime : static_cast<std::int64_t>(100 + Below(100));
    if (Chance(0.15))
      l.properties =
          Chance(0.3) ? "" : testing::PropertyBytes("q", static_cast<std::int64_t>(Below(3)));
    WriteBatch::EdgeInput in;
    in.source = source;
    in.target = target;
    in.kind = kind;
    in.label = l.label;
    in.weight = l.weight;
    in.created_at = l.created_at;
    if (l.created_by) in.created_by = *l.created_by;
    in.valid_from = l.valid_from;
    in.valid_until = l.valid_until;
    if (l.properties) in.properties = *l.properties;
    w_.Link(in);
    m_.AddLink(l);
  }

  void Unlink() {
    Ends e = RandomEnds();
    std::string label = Pick(kLabels);
    // Mostly an edge that is there.
    if (const auto& edges = m_.after().edges; !edges.empty() && Chance(0.7)) {
      auto it = std::next(edges.begin(), static_cast<std::ptrdiff_t>(Below(edges.size())));
      e = {m_.after().nodes[it->first.source].key, it->first.kind,
           m_.after().nodes[it->first.target].key};
      label = it->first.label;
    }
    NodeRef source = w_.Node(e.source);
    NodeRef target = w_.Node(e.target);
    w_.Unlink(source, w_.EdgeKindNamed(e.kind), target, label);
    m_.Unlink(e.source, e.kind, e.target, label);
  }

  std::mt19937_64& rng_;
  const RandomOptions& o_;
  WriteBatch& w_;
  Batch& m_;
};

}  // namespace

void FirstBatch(WriteBatch& w, Batch& m) {
  auto edge = [&](EdgeKind kind) {
    w.DefineEdgeKind(kind);
    m.Define(kind);
  };
  edge({.name = "friends", .inverse = "", .symmetric = true});
  edge({.name = "keeps", .inverse = "", .survives_removal = true});
  edge({.name = "mentors", .inverse = "mentored_by", .self_loops = false});
  w.DefineColumn({"stakes", ColumnType::kF64});
  w.DefineSpace({"narrow", 3, Metric::kCosine});
  w.DefineSpace({"wide", 20, Metric::kL2, Prefilter::kNone, VectorElement::kF16});
}

void FillRandom(std::mt19937_64& rng, const RandomOptions& o, WriteBatch& w, Batch& m) {
  Filler filler(rng, o, w, m);
  for (std::uint64_t n = rng() % static_cast<std::uint64_t>(o.most_ops) + 1; n > 0; --n)
    filler.One();
}

void AddBadOperation(std::mt19937_64& rng, WriteBatch& w) {
  NodeRef a = w.UpsertNode("bad operation");
  switch (rng() % 10) {
    case 0:
      return w.Link(a, kLink, w.Node("k0"), -1);
    case 1:
      return w.Link(a, kSupports, a);
    case 2:
      return w.SetF64(a, kTrust, std::numeric_limits<double>::infinity());
    case 3:
      return w.UpsertNode(w.Node("nul\x1f"));
    case 4:
      return w.SetVector(a, w.SpaceNamed("narrow"), std::vector<float>{1});
    case 9:
      return w.SetVector(a, w.SpaceNamed("wide"), std::vector<float>(20, 65520.0f));
    case 5:
      return w.Link(a, kHasTag, w.Node("k1"));
    case 6:
      return w.AddF64(a, kTrust, std::numeric_limits<double>::quiet_NaN());
    case 7:
      w.SetI64(a, kAccessCount, std::numeric_limits<std::int64_t>::max());
      return w.AddI64(a, kAccessCount, 1);
    default:
      return w.DefineColumn({"trust", ColumnType::kString});
  }
}

}  // namespace plexus::model
