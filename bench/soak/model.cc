// Steps of the soak: what each does to the model, and the batch that does it to a graph.
#include "bench/soak/model.h"

#include <algorithm>

namespace plexus::bench::soak {

namespace {

// Purposes of a hash, so that no two draws are the same.
enum Purpose : std::uint64_t {
  kLifeOf = 1,
  kWordOf,
  kTagOf,
  kValueOf,
  kKindOf,
  kTargetOf,
  kWeightOf,
  kTrustOf,
  kEmbed,
  kRewrite,
  kRetag,
  kCount,
  kTrustWhom,
  kWeigh,
  kCut
};

double Unit(std::uint64_t hash) { return static_cast<double>(hash >> 11) * 0x1p-53; }

// Syllables, so that a word is one word for every splitter and no stop word.
std::string Syllables(std::uint64_t number, int least) {
  static constexpr char kConsonants[] = "bdfgklmnprstvz", kVowels[] = "aeiou";
  std::string word;
  for (int i = 0; i < least || number > 0; ++i) {
    word += kConsonants[number % 14];
    number /= 14;
    word += kVowels[number % 5];
    number /= 5;
  }
  return word;
}

// (0, 1], of 1,024 values so that sums and products of few are the same everywhere.
float WeightOf(std::uint64_t hash) { return static_cast<float>(1 + hash % 1024) / 1024.0f; }

}  // namespace

std::uint64_t MixNumbers(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x =
      a * 0x9E3779B97F4A7C15ull + b * 0xC2B2AE3D27D4EB4Full + c + 0x165667B19E3779F9ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

std::uint64_t Model::Hash(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
  return MixNumbers(scenario_.seed * 64 + a, b, c);
}

Model Model::At(const Scenario& scenario, Step step, bool purged) {
  Model model(scenario, step > scenario.horizon() ? step - scenario.horizon() : 0);
  model.Advance(step, purged);
  return model;
}

void Model::Advance(Step step, bool purged) {
  if (step > step_ + 2 * scenario_.horizon()) *this = Model(scenario_, step - scenario_.horizon());
  while (step_ < step) Next();
  if (purged) FinishPurge();
}

const Memory* Model::Find(Number n) const {
  const auto it = memories_.find(n);
  return it == memories_.end() ? nullptr : &it->second;
}

Number Model::Draw(std::uint64_t drawn) const {
  if (memories_.empty()) return 0;
  const Number first = memories_.begin()->first, last = memories_.rbegin()->first;
  return memories_.lower_bound(first + drawn % (last - first + 1))->first;
}

// Recent ones mostly; never one of the step under way. 0 is no memory.
Number Model::DrawAny(std::uint64_t drawn) const {
  const Number made = (step_ - 1) * scenario_.per_step;
  if (made == 0) return 0;
  return made - drawn % std::min<Number>(made, Number{scenario_.life} * scenario_.per_step * 3 / 4);
}

void Model::Unlink(Number n, int slot) {
  ModelEdge& edge = memories_.at(n).edges[static_cast<std::size_t>(slot)];
  if (!edge.present) return;
  edge.present = false;
  --edge_count_;
  std::erase(memories_.at(edge.target).in, std::pair(n, slot));
}

void Model::Remove(Number n) {
  for (int slot = 0; slot < kSlots; ++slot) Unlink(n, slot);
  const auto in = memories_.at(n).in;
  for (const auto& [source, slot] : in) Unlink(source, slot);
  count_sum_ -= memories_.at(n).count;
  memories_.erase(n);
}

void Model::FinishPurge() {
  for (const Number n : due_) Remove(n);
  due_.clear();
}

const StepOps& Model::Next() {
  FinishPurge();
  ++step_;
  ops_ = StepOps();
  const Step s = step_;
  std::vector<Number> waiting;
  for (auto it = ending_.begin(); it != ending_.end() && it->first <= s; it = ending_.erase(it)) {
    if (Victim(it->second)) {
      waiting.push_back(it->second);
    } else {
      ops_.removed.push_back(it->second);
      Remove(it->second);
    }
  }
  for (const Number n : waiting) {  // until the next purge
    if (scenario_.PurgesAt(s))
      due_.push_back(n);
    else
      ending_.emplace((s / scenario_.purge_every + 1) * scenario_.purge_every, n);
  }
  for (std::uint32_t i = 0; i < scenario_.per_step; ++i) {
    const Number n = (s - 1) * scenario_.per_step + i + 1;  // from 1
    Memory m;
    m.made = s;
    m.ends = s + scenario_.life / 2 + Hash(kLifeOf, n, 0) % (scenario_.life / 2);
    m.trust = Unit(Hash(kTrustOf, n, s));
    for (int slot = 0; slot < kSlots; ++slot) {
      const std::uint64_t drawn = Hash(kTargetOf, n, static_cast<std::uint64_t>(slot));
      const Number target = DrawAny(drawn);
      const auto to = memories_.find(target);
      if (to == memories_.end()) continue;
      m.edges[static_cast<std::size_t>(slot)] = {target, true, WeightOf(drawn >> 32)};
      to->second.in.emplace_back(n, slot);
      ++edge_count_;
    }
    ending_.emplace(m.ends, n);
    memories_.emplace(n, std::move(m));
    ops_.made.push_back(n);
  }
  // fn of the memory that a draw of this step meets, if it is alive. Each once a step and purpose.
  const auto draw = [&](Purpose purpose, std::uint64_t times, auto&& fn) {
    Number before = 0;
    for (std::uint64_t k = 0; k < times; ++k) {
      const std::uint64_t drawn = Hash(purpose, s, k);
      const Number n = DrawAny(drawn);
      const auto it = memories_.find(n);
      if (it == memories_.end() || n == before) continue;
      before = n;
      fn(n, it->second, drawn >> 40);
    }
  };
  draw(kEmbed, 2, [&](Number n, Memory& m, std::uint64_t) {
    ++m.vector_version;
    ops_.embedded.push_back(n);
  });
  if (s % 4 == 0)
    draw(kRewrite, 1, [&](Number n, Memory& m, std::uint64_t) {
      ++m.text_version;
      ops_.rewritten.push_back(n);
    });
  if (s % 4 == 1)
    draw(kRetag, 1, [&](Number n, Memory& m, std::uint64_t) {
      ++m.tag_version;
      ops_.retagged.push_back(n);
    });
  draw(kCount, 2, [&](Number n, Memory& m, std::uint64_t) {
    m.count += 1 + static_cast<std::int64_t>(n % 5);
    count_sum_ += 1 + static_cast<std::int64_t>(n % 5);
    ops_.counted.push_back(n);
  });
  draw(kTrustWhom, 1, [&](Number n, Memory& m, std::uint64_t) {
    m.trust = Unit(Hash(kTrustOf, n, s));
    ops_.trusted.push_back(n);
  });
  draw(kWeigh, 1, [&](Number n, Memory& m, std::uint64_t bits) {
    const int slot = static_cast<int>(bits % kSlots);
    if (!m.edges[static_cast<std::size_t>(slot)].present) return;
    m.edges[static_cast<std::size_t>(slot)].weight = WeightOf(Hash(kWeightOf, n, s));
    ops_.weighed.emplace_back(n, slot);
  });
  if (s % 8 == 3)
    draw(kCut, 1, [&](Number n, Memory& m, std::uint64_t bits) {
      const int slot = static_cast<int>(bits % kSlots);
      if (!m.edges[static_cast<std::size_t>(slot)].present) return;
      ops_.unlinked.emplace_back(n, slot);
      Unlink(n, slot);
    });
  return ops_;
}

std::string Model::Key(Number n) const {
  if (Fresh(n)) return "fresh" + std::to_string(n) + "f";  // none is part of another
  return "ring" + std::to_string(n % ((Number{scenario_.life} + 1) * scenario_.per_step));
}

std::string Model::Word(std::uint64_t rank) const { return Syllables(rank, 3); }

std::string Model::SecretWord(Number n) const {
  return "q" + Syllables(Hash(kWordOf, n, ~0ull), 8);
}

std::vector<std::string> Model::Words(Number n, std::uint32_t version) const {
  std::vector<std::string> words;
  for (std::uint64_t k = 0; k < 8; ++k) {
    const double u = Unit(Hash(kWordOf, n, version * 16ull + k));
    words.push_back(Word(static_cast<std::uint64_t>(u * u * u * kVocabulary)));
  }
  if (Victim(n)) words.push_back(SecretWord(n));
  return words;
}

std::string Model::Text(Number n, const Memory& m) const {
  std::string text;
  for (const std::string& word : Words(n, m.text_version)) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::array<std::string, 2> Model::Tags(Number n, const Memory& m) const {
  const std::uint64_t h = Hash(kTagOf, n, m.tag_version);
  return {"tag" + std::to_string(h % kTags),
          "tag" + std::to_string((h / kTags % (kTags - 1) + 1 + h) % kTags)};
}

std::vector<float> Model::Vector(Number n, const Memory& m) const {
  std::vector<float> values(scenario_.dimensions);
  for (std::uint32_t d = 0; d < scenario_.dimensions; d += 2) {
    const std::uint64_t h = Hash(kValueOf, n, std::uint64_t{m.vector_version} << 32 | d);
    values[d] = static_cast<float>(h & 0xFFFFFF) * 0x1p-23f - 1.0f;
    if (d + 1 < scenario_.dimensions) values[d + 1] = static_cast<float>(h >> 40) * 0x1p-23f - 1.0f;
  }
  return values;
}

EdgeKindOf Model::Kind(Number n, int slot) {
  if (slot == 0) return n % 3 ? builtin::kLink : builtin::kSupports;
  return n % 2 ? builtin::kSimilar : builtin::kCauses;
}

bool Model::Symmetric(Number n, int slot) { return slot == 1 && n % 2; }

namespace {

void Tag(const Model& model, WriteBatch& batch, Number n, const Memory& m, bool linked) {
  const NodeRef node = batch.Node(model.Key(n));
  for (const std::string& tag : model.Tags(n, m)) {
    const NodeRef to = batch.IndexNode(builtin::kTag, tag);
    if (linked)
      batch.Link(node, builtin::kHasTag, to);
    else
      batch.Unlink(node, builtin::kHasTag, to);
  }
}

void AddMade(const Model& model, WriteBatch& batch, Number n) {
  // As it was made: later operations of this step are operations of their own.
  const Memory& now = *model.Find(n);
  const NodeRef node = batch.UpsertNode(model.Key(n), builtin::kMemory);
  batch.SetPayload(node, NodeField::kText, model.Text(n, now));
  batch.SetVector(node, batch.SpaceNamed(kSpace), model.Vector(n, now));
  batch.SetF64(node, builtin::kTrust, now.trust);
  Tag(model, batch, n, now, true);
  for (int slot = 0; slot < kSlots; ++slot) {
    const ModelEdge& edge = now.edges[static_cast<std::size_t>(slot)];
    if (edge.present)
      batch.Link(node, Model::Kind(n, slot), batch.Node(model.Key(edge.target)), edge.weight);
  }
}

}  // namespace

WriteBatch BatchOf(const Model& model, const StepOps& ops) {
  const Step s = model.step();
  WriteBatch batch(kFirstTimeMs + static_cast<std::int64_t>(s));
  batch.set_links_revive(true);
  if (s == 1) {
    batch.DefineSpace({kSpace, model.scenario().dimensions, Metric::kCosine, Prefilter::kInt8});
    batch.DefineColumn({kStepColumn, ColumnType::kI64});
  }
  const NodeRef control = batch.UpsertNode(kControlKey);
  const auto column = batch.ColumnNamed(kStepColumn);
  if (s > 1) batch.ExpectI64(control, column, static_cast<std::int64_t>(s - 1));
  batch.SetI64(control, column, static_cast<std::int64_t>(s));
  for (const Number n : ops.removed) batch.RemoveNode(batch.Node(model.Key(n)));
  for (const Number n : ops.made) AddMade(model, batch, n);
  for (const Number n : ops.embedded)
    batch.SetVector(batch.Node(model.Key(n)), batch.SpaceNamed(kSpace),
                    model.Vector(n, *model.Find(n)));
  for (const Number n : ops.rewritten)
    batch.SetPayload(batch.Node(model.Key(n)), NodeField::kText, model.Text(n, *model.Find(n)));
  for (const Number n : ops.retagged) {
    Memory before = *model.Find(n);
    --before.tag_version;
    Tag(model, batch, n, before, false);
    Tag(model, batch, n, *model.Find(n), true);
  }
  for (const Number n : ops.counted)
    batch.AddI64(batch.Node(model.Key(n)), builtin::kAccessCount,
                 1 + static_cast<std::int64_t>(n % 5));
  for (const Number n : ops.trusted)
    batch.SetF64(batch.Node(model.Key(n)), builtin::kTrust, model.Find(n)->trust);
  const auto linked = [&](const std::pair<Number, int>& of, auto&& fn) {
    const auto& [n, slot] = of;
    const ModelEdge& edge = model.Find(n)->edges[static_cast<std::size_t>(slot)];
    fn(batch.Node(model.Key(n)), Model::Kind(n, slot), batch.Node(model.Key(edge.target)),
       edge.weight);
  };
  for (const auto& of : ops.weighed)
    linked(of,
           [&](NodeRef a, auto kind, NodeRef b, float weight) { batch.Link(a, kind, b, weight); });
  for (const auto& of : ops.unlinked)
    linked(of, [&](NodeRef a, auto kind, NodeRef b, float) { batch.Unlink(a, kind, b); });
  return batch;
}

}  // namespace plexus::bench::soak
