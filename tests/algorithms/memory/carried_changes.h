// Random batches of everything that can change what is carried from state to state, and a look
// whether it is what is made from nothing, bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "algorithms/memory/visibility.h"
#include "algorithms/retrieval/term_lengths.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"

namespace plexus::testing {

// Random changes of a graph of up to `most` facts.
class Changer {
 public:
  Changer(std::uint64_t seed, std::size_t most) : random_(seed), most_(most) {}

  WriteBatch Next() {
    WriteBatch batch(1);
    const std::size_t changes = 1 + random_() % 6;
    for (std::size_t i = 0; i < changes; ++i) One(batch);
    return batch;
  }
  std::size_t Below(std::size_t n) { return random_() % n; }

 private:
  std::string Key() { return "n" + std::to_string(Below(most_)); }
  EdgeKindRef Suppressing(WriteBatch& batch) {
    switch (Below(6)) {
      case 0: {
        EdgeKind kind;
        kind.name = "replaces";
        kind.suppresses = true;
        batch.DefineEdgeKind(kind);
        return batch.EdgeKindNamed("replaces");
      }
      case 1: {
        EdgeKind kind;
        kind.name = "rivals";
        kind.suppresses = kind.symmetric = true;
        batch.DefineEdgeKind(kind);
        return batch.EdgeKindNamed("rivals");
      }
      default:
        return kSupersedes;
    }
  }
  void Link(WriteBatch& batch, const std::string& from, const std::string& to) {
    WriteBatch::EdgeInput in;
    in.source = batch.Node(from);
    in.target = batch.Node(to);
    in.kind = Suppressing(batch);
    in.weight = 1;
    in.created_at = static_cast<std::int64_t>(Below(5));
    const std::string label = "l" + std::to_string(Below(2));
    if (Below(4) == 0) in.label = label;
    if (Below(3) == 0) in.valid_from = static_cast<std::int64_t>(Below(50));
    if (Below(3) == 0) in.valid_until = static_cast<std::int64_t>(50 + Below(60));
    batch.Link(in);
  }
  void One(WriteBatch& batch) {
    const std::string key = Key(), other = Key();
    switch (Below(16)) {
      case 0:
        batch.RemoveNode(batch.Node(key));
        break;
      case 1:
        if (Below(3) == 0) batch.PurgeNode(batch.Node(key));
        break;
      case 2:
        batch.UpsertNode(key, Below(4) ? kMemory : kConcept);
        break;
      case 3:
        batch.SetI64(batch.UpsertNode(key), kValidFrom, static_cast<std::int64_t>(Below(100)));
        break;
      case 4:
        batch.SetI64(batch.UpsertNode(key), kValidUntil,
                     static_cast<std::int64_t>(20 + Below(100)));
        break;
      case 5:
        batch.ClearColumn(batch.UpsertNode(key), Below(2) ? kValidFrom : kValidUntil);
        break;
      case 6:
        batch.Unlink(batch.Node(key), kSupersedes, batch.Node(other));
        break;
      case 7:
        batch.SetF64(batch.UpsertNode(key), kTrust, 0.5);
        break;
      case 8:
      case 9:
      case 10:
        batch.UpsertNode(key);
        batch.UpsertNode(other);
        Link(batch, key, other);
        break;
      case 11: {  // a small cycle, or a longer chain
        const std::size_t first = Below(most_), length = 2 + Below(4);
        for (std::size_t k = 0; k < length; ++k) {
          const std::string a = "n" + std::to_string((first + k) % most_);
          const std::string b =
              "n" + std::to_string((first + (k + 1) % (length + Below(2))) % most_);
          batch.UpsertNode(a);
          batch.UpsertNode(b);
          Link(batch, a, b);
        }
        break;
      }
      default: {
        const NodeRef term = batch.IndexNode(kTerm, "t" + std::to_string(Below(9)));
        if (Below(4) == 0)
          batch.Unlink(batch.UpsertNode(key), kHasTerm, term);
        else
          batch.Link(batch.UpsertNode(key), kHasTerm, term, static_cast<float>(Below(5)) * 0.3f);
      }
    }
  }

  std::mt19937_64 random_;
  std::size_t most_;
};

inline constexpr std::int64_t kTimes[] = {-1, 0, 13, 49, 50, 75, 108, 109, 200};

inline void ExpectSame(const Snapshot& s, std::span<const std::int64_t> times, Executor& executor) {
  for (const bool all : {false, true})
    for (const std::int64_t now : times) {
      const auto kept = VisibleNodes(s, now, {all, true, &executor}).value();
      const auto made = VisibleNodes(s, now, {all, false, &executor}).value();
      ASSERT_EQ(kept->ToList(), made->ToList()) << "at " << now << (all ? ", all" : "");
      ASSERT_EQ(*kept, *made);
      ASSERT_EQ(kept->capacity(), s.node_count());
    }
  const auto kept = TermLengths::Of(s, executor, [] { return false; });
  const auto made = TermLengths::Make(s, executor);
  ASSERT_EQ(kept->documents(), made->documents());
  ASSERT_EQ(kept->average(), made->average());
  for (NodeId v = 0; v < s.node_count(); ++v) ASSERT_EQ((*kept)[v], (*made)[v]);
}

}  // namespace plexus::testing
