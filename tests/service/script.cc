// Drawing the steps, and their batches.
#include "tests/service/script.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace plexus::service_test {

namespace {

// Letters alone, so that every splitter takes it for one word.
std::string Letters(std::uint64_t number, int least) {
  std::string word;
  for (int i = 0; i < least || number > 0; ++i, number /= 20)
    word += static_cast<char>('b' + number % 20);
  return word;
}

std::string TextOf(Chance& chance, int writer, Step step, bool secret) {
  std::string text;
  for (std::uint64_t n = 3 + chance.Below(6); n > 0; --n)
    text += Word(chance.Below(kWords) * chance.Below(kWords) / kWords) + " ";
  if (secret) text += "zz" + Letters(step * kWriters + static_cast<Step>(writer), 6) + " ";
  return text;
}

Op Make(Op::What what, std::string key, std::string text = {}) {
  Op op;
  op.what = what;
  op.key = std::move(key);
  op.text = std::move(text);
  return op;
}

class Drawer {
 public:
  Drawer(const Settings& settings, int writer, Step step, std::vector<Op>& ops)
      : settings_(settings),
        writer_(writer),
        step_(step),
        chance_(settings.seed, static_cast<std::uint64_t>(writer) + 11, step),
        ops_(ops) {}

  void All() {
    for (std::uint64_t n = 2 + chance_.Below(4); n > 0; --n) One();
    Victim();
  }

 private:
  std::string Any() {
    if (chance_.OneIn(8)) return PinnedKey(chance_.Below(kPinned));
    return MemoryKey(chance_.Below(static_cast<std::uint64_t>(settings_.memories)));
  }
  // Of those whose texts this writer writes: all, or half of them.
  std::uint64_t Mine(std::uint64_t below) {
    const std::uint64_t n = chance_.Below(below);
    return settings_.Has("texts") ? n : n / 2 * 2 + static_cast<std::uint64_t>(writer_);
  }
  std::string MyMemory() { return MemoryKey(Mine(static_cast<std::uint64_t>(settings_.memories))); }

  void Text(const std::string& key, bool secret) {
    const bool own_word = secret && settings_.Has("events");  // words keep their ids for ever
    ops_.push_back(Make(Op::kText, key, TextOf(chance_, writer_, step_, own_word)));
  }
  void Vector(const std::string& key, int space) {
    Op op = Make(Op::kVector, key);
    op.number = space;
    op.values = DrawVector(chance_, space);
    ops_.push_back(op);
  }
  void Connect(const std::string& source, const std::string& target) {
    if (source == target) return;
    Op op = Make(Op::kConnect, source, chance_.OneIn(6) ? "a" : "");
    op.other = target;
    op.number = static_cast<int>(chance_.OneIn(4) ? 3 + chance_.Below(2) : chance_.Below(3));
    op.value = static_cast<double>(1 + chance_.Below(256)) / 256;
    const std::int64_t now = TimeOf(writer_, step_);
    if (chance_.OneIn(5)) op.from = now + static_cast<std::int64_t>(chance_.Below(4000)) - 2000;
    if (chance_.OneIn(5))
      op.until = std::max(now, op.from) + static_cast<std::int64_t>(chance_.Below(8000));
    ops_.push_back(op);
  }
  void Cut(const std::string& source) {
    Op op = Make(Op::kCut, source, chance_.OneIn(6) ? "a" : "");
    op.other = Any();
    op.number = static_cast<int>(chance_.Below(std::size(kKinds)));
    if (op.other != source) ops_.push_back(op);
  }
  void Use() {
    Op op = Make(Op::kUse, "", "e" + std::to_string(writer_) + "-" + std::to_string(step_));
    op.from = TimeOf(writer_, step_);
    static const char* kRoles[] = {"primary", "supporting"};
    const std::uint64_t first = chance_.Below(kPinned);
    for (std::uint64_t i = 0; i < 2; ++i)
      op.members.emplace_back(PinnedKey((first + i * 5) % kPinned), kRoles[i]);
    for (std::uint64_t n = chance_.Below(3); n > 0; --n) {
      const std::string key = MyMemory();
      if (std::ranges::count(op.members, key, &std::pair<std::string, std::string>::first))
        continue;
      ops_.push_back(Make(Op::kMake, key));
      op.members.emplace_back(key, "supporting");
    }
    ops_.push_back(op);
  }

  void One() {
    switch (chance_.Below(22)) {
      case 0:
      case 1:
      case 2:
        return Text(chance_.OneIn(8) ? PinnedKey(Mine(kPinned)) : MyMemory(), chance_.OneIn(6));
      case 3:
      case 4:
      case 5:
      case 6:
        return Vector(Any(), static_cast<int>(chance_.Below(kSpaces)));
      case 7:
      case 8:
      case 9:
      case 10:
        return Connect(Any(), Any());
      case 11:
        return Cut(Any());
      case 12:
        return ops_.push_back(Make(Op::kRemove, MyMemory()));
      case 13:
        return ops_.push_back(Make(Op::kTag, Any(), TagName(chance_.Below(kTags))));
      case 14:
        return ops_.push_back(Make(Op::kUntag, Any(), TagName(chance_.Below(kTags))));
      case 15: {
        Op op = Make(Op::kTrustIs, Any());
        op.value = static_cast<double>(chance_.Below(65)) / 64;
        return ops_.push_back(op);
      }
      case 16: {
        Op op = Make(Op::kCount, chance_.OneIn(2) ? kCounterKey : Any());
        op.value = op.key == kCounterKey ? 1 : static_cast<double>(1 + chance_.Below(3));
        if (std::ranges::count(ops_, op.key, &Op::key) == 0) ops_.push_back(op);
        return;
      }
      case 17:
        return ops_.push_back(Make(Op::kScopeIs, Any(), chance_.OneIn(2) ? "team" : "agent"));
      case 18:
        return ops_.push_back(Make(Op::kClearText, MyMemory()));
      case 19: {
        Op op = Make(chance_.OneIn(2) ? Op::kClearTrust : Op::kClearVector, Any());
        op.number = static_cast<int>(chance_.Below(kSpaces));
        return ops_.push_back(op);
      }
      default:
        if (settings_.Has("events") && std::ranges::count(ops_, Op::kUse, &Op::what) == 0) Use();
        return;
    }
  }

  // Victims of the next purge are made, written anew, linked and used in the steps before it.
  void Victim() {
    const Step purge = (step_ + kPurgeEvery - 1) / kPurgeEvery * kPurgeEvery;
    const Step in = step_ % kPurgeEvery;
    const std::vector<std::string> victims = VictimsOf(writer_, purge);
    for (int i = 0; i < kVictims; ++i) {
      const std::string& key = victims[static_cast<std::size_t>(i)];
      const Step made = 20 + 40 * static_cast<Step>(i);
      if (in == made || in == made + 15 || in == 240 + static_cast<Step>(i)) {
        // A purge without words of its own writes no log anew, so feeds go on over it.
        Text(key, purge / kPurgeEvery % 3 != 0);
        Vector(key, i % kSpaces);
        Connect(key, PinnedKey(chance_.Below(kPinned)));
        Connect(PinnedKey(chance_.Below(kPinned)), key);
      }
      if (in == made + 5) ops_.push_back(Make(Op::kTag, key, TagName(chance_.Below(kTags))));
      if (in == made + 9 && i > 0) Connect(key, victims[static_cast<std::size_t>(i) - 1]);
    }
  }

  const Settings& settings_;
  const int writer_;
  const Step step_;
  Chance chance_;
  std::vector<Op>& ops_;
};

}  // namespace

std::uint64_t Chance::Next() {
  std::uint64_t x = state_ += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

std::string WriterKey(int writer) { return "writer" + std::to_string(writer); }
std::string MemoryKey(std::uint64_t number) { return "m" + std::to_string(number); }
std::string PinnedKey(std::uint64_t number) { return "pin" + std::to_string(number); }
std::string TagName(std::uint64_t number) { return "tag" + std::to_string(number); }
std::string Word(std::uint64_t number) { return "w" + Letters(number * 7919 + 5, 4); }
std::int64_t TimeOf(int writer, Step step) {
  return kFirstTimeMs + static_cast<std::int64_t>(step) * 10 + writer;
}

std::vector<std::string> VictimsOf(int writer, Step purge) {
  std::vector<std::string> keys;
  for (int i = 0; i < kVictims; ++i)
    keys.push_back("victim" + std::to_string(writer) + "_" + std::to_string(purge) + "_" +
                   std::to_string(i));
  return keys;
}

std::vector<float> DrawVector(Chance& chance, int space) {
  // Half of them are one of 40, so that equal vectors, and so ties, are common.
  Chance values = chance.OneIn(2) ? Chance(7, static_cast<std::uint64_t>(space), chance.Below(40))
                                  : Chance(chance.Next());
  std::vector<float> vector(kDimensions[space]);
  for (float& v : vector) v = static_cast<float>(values.Below(2049)) / 1024.0f - 1.0f;
  return vector;
}

std::vector<Op> SetupOps(const Settings& settings) {
  std::vector<Op> ops;
  Chance chance(settings.seed, 3, 0);
  std::string all;  // keeps every word and tag in use
  for (std::uint64_t w = 0; w < kWords; ++w) all += Word(w) + " ";
  ops.push_back(Make(Op::kText, "dictionary", all));
  for (std::uint64_t t = 0; t < kTags; ++t) ops.push_back(Make(Op::kTag, "dictionary", TagName(t)));
  Op count = Make(Op::kCount, kCounterKey);
  ops.push_back(count);
  const auto add = [&](const std::string& key) {
    ops.push_back(Make(Op::kText, key, TextOf(chance, 0, 0, false)));
    for (int space = 0; space < kSpaces; ++space) {
      Op op = Make(Op::kVector, key);
      op.number = space;
      op.values = DrawVector(chance, space);
      ops.push_back(op);
    }
  };
  for (std::uint64_t i = 0; i < kPinned; ++i) add(PinnedKey(i));
  for (int i = 0; i < settings.memories; ++i) add(MemoryKey(static_cast<std::uint64_t>(i)));
  for (int w = 0; w < kWriters; ++w) ops.push_back(Make(Op::kMake, WriterKey(w)));
  return ops;
}

std::vector<Op> OpsOf(const Settings& settings, int writer, Step step) {
  std::vector<Op> ops;
  ops.push_back(Make(Op::kMake, WriterKey(writer)));
  Drawer(settings, writer, step, ops).All();
  // An event of some steps ago, if there was one, gets an outcome.
  if (step % 4 == 3 && step > 8) {
    std::vector<Op> before;
    Drawer(settings, writer, step - 5, before).All();
    for (const Op& op : before) {
      if (op.what != Op::kUse) continue;
      static const char* kTypes[] = {"helpful", "dead_end"};
      Op outcome = Make(Op::kOutcome, op.text, kTypes[step / 4 % 2]);
      outcome.from = TimeOf(writer, step);
      ops.push_back(outcome);
      break;
    }
  }
  // Live data is bounded: edges go after some thousand steps.
  constexpr Step kEdgeSteps = 2'000;
  if (!settings.Has("events") && step > kEdgeSteps) {
    std::vector<Op> before;
    Drawer(settings, writer, step - kEdgeSteps, before).All();
    for (Op& op : before) {
      if (op.what != Op::kConnect || IsVictim(op.key) || IsVictim(op.other)) continue;
      op.what = Op::kCut;
      ops.push_back(std::move(op));
    }
  }
  return ops;
}

}  // namespace plexus::service_test
