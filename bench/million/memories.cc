// Lines by number: every draw's seed is that of its node or edge.
#include "bench/million/memories.h"

#include <random>

namespace plexus::bench {
namespace {

void WriteEdge(std::ostream& out, const std::string& source, const char* kind,
               const std::string& target, float weight) {
  out << R"({"edge":[")" << source << R"(",")" << target << R"("],"kind":")" << kind
      << R"(","weight":)" << weight << "}\n";
}

}  // namespace

std::string Memories::Text(std::uint64_t node, std::size_t words) const {
  std::mt19937_64 random(kSeed + node);
  std::string text;
  for (std::size_t i = 0; i < words; ++i)
    text += (text.empty() ? "word" : " word") + std::to_string(zipf_(random));
  return text;
}

std::string Memories::Question(std::uint64_t memory) const { return Text(memory, 2); }

void Memories::WriteEdges(std::ostream& out) const {
  constexpr const char* kKinds[] = {"supports", "causes", "relates_to", "depends_on"};
  std::mt19937_64 random(kSeed);
  for (std::uint64_t i = 0; i < 3 * count_; ++i) {
    const std::uint64_t source = random() % count_, even = random() % count_;
    const std::uint64_t which = random() % 50, hub = random() % kHubs, kind = random() % 4;
    // A hub that is replaced or contradicted would take its neighbours along.
    const std::uint64_t target = which >= 2 && i % 3 == 0 ? hub : even;
    if (source == target) continue;
    WriteEdge(out, "m" + std::to_string(source),
              which == 0   ? "contradicts"
              : which == 1 ? "supersedes"
                           : kKinds[kind],
              "m" + std::to_string(target), static_cast<float>(1 + i % 4) / 4);
  }
}

void Memories::WriteOthers(std::ostream& out) const {
  const auto node = [&](char letter, const char* kind, std::uint64_t i, std::uint64_t of) {
    out << R"({"node":")" << letter << i << R"(","kind":")" << kind << R"(","text":")"
        << Text(of + i, 8) << R"(","created_at":)" << kTime + static_cast<std::int64_t>(i) * 1000
        << "}\n";
  };
  for (std::uint64_t i = 0; i < count_ / 10; ++i) {
    node('d', "decision", i, 2 * count_);
    if (i > 0)
      WriteEdge(out, "d" + std::to_string(i), i % 4 ? "depends_on" : "blocks",
                "d" + std::to_string(i - 1 - i % 7 % i), 1);
    node('t', "turn", i, 3 * count_);
    out << R"({"edge":["t)" << i << R"(","s)" << i / 50 << R"("],"kind":"in_session"})" << '\n';
  }
  for (std::uint64_t i = 0; i < count_ / 20; ++i) {
    node('c', "concept", i, 4 * count_);
    if (i > 0) WriteEdge(out, "c" + std::to_string(i), "evokes", "c" + std::to_string(i / 2), 1);
  }
  std::mt19937_64 random(kSeed + 1);
  for (std::uint64_t i = 0; i < count_ / 5; ++i) {
    const std::uint64_t one = random() % count_;
    out << R"({"event":"e)" << i << R"(","tool":"recall","query":")" << Question(one)
        << R"(","created_at":)" << kTime + static_cast<std::int64_t>(i) * 1000
        << R"(,"members":[{"id":"m)" << one << R"(","role":"primary"},{"id":"m)"
        << random() % count_ << R"(","role":"supporting"}]})" << '\n';
  }
}

void Memories::Write(std::ostream& out) const {
  for (std::uint64_t i = 0; i < count_; ++i)
    out << R"({"node":"m)" << i << R"(","kind":"memory","text":")" << Text(i, kWords)
        << R"(","tags":["tag)" << i * 104'729 % scopes() << R"("],"scope":")" << Scope(ScopeOf(i))
        << R"(","trust":)" << static_cast<double>(i % 11) / 10 << R"(,"created_at":)"
        << kTime + static_cast<std::int64_t>(i) * 100 << "}\n";
  WriteEdges(out);
  WriteOthers(out);
}

}  // namespace plexus::bench
