// Collecting changes, carrying values over them, adopting what readers made.
#include "engine/lineage.h"

#include <algorithm>
#include <exception>

#include "engine/state.h"

namespace plexus {

namespace {

template <class T>
void SortOnce(std::vector<T>& list) {
  if (!std::is_sorted(list.begin(), list.end())) std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

template <class T>
void Append(std::vector<T>& to, const std::vector<T>& from, NodeId first_new) {
  for (const T& entry : from) {
    if constexpr (std::is_same_v<T, NodeId>) {
      if (entry < first_new) to.push_back(entry);
    } else {
      if (entry.node < first_new) to.push_back(entry);
    }
  }
}

// One list of changes out of several steps, or of none, to a state of `nodes`.
std::shared_ptr<const StateChanges> Join(
    const std::vector<std::shared_ptr<const StateChanges>>& steps, NodeId nodes) {
  if (steps.size() == 1) return steps.front();
  auto all = steps.empty() ? std::make_shared<StateChanges>()
                           : std::make_shared<StateChanges>(*steps.front());
  if (steps.empty()) all->first_new = nodes;
  for (std::size_t i = 1; i < steps.size(); ++i) all->Add(*steps[i]);
  all->Sort();
  return all;
}

// Whether a value of the state at `from` is the one of `to` as it is.
bool Holds(const Carried& value, const LineagePlace& from, const LineagePlace& to) {
  return from.version == to.version &&
         (from.moves == to.moves || value.made_of() == MadeOf::kContent);
}

std::shared_ptr<const Carried> TryCarry(const Carried& value, const Snapshot& now,
                                        const StateChanges& changes) {
  try {
    return value.Carry(now, changes);
  } catch (const std::exception&) {  // no memory: made again when read
    return nullptr;
  }
}

}  // namespace

std::uint64_t StateChanges::size_bytes() const {
  return nodes.capacity() * sizeof(NodeId) + columns.capacity() * sizeof(Column) +
         payloads.capacity() * sizeof(Payload) + vectors.capacity() * sizeof(Vector) +
         edges.capacity() * sizeof(Edge);
}

void StateChanges::Add(const Record& r) {
  for (const NodeChange& c : r.node_changes)
    if (c.node < first_new) nodes.push_back(c.node);
  for (const ColumnChange& c : r.columns)
    if (c.node < first_new) columns.push_back({c.column, c.node});
  for (const PayloadChange& c : r.payload_changes)
    if (c.node < first_new) payloads.push_back({static_cast<NodeField>(c.field), c.node});
  for (const VectorChange& c : r.vectors)
    if (c.node < first_new) vectors.push_back({static_cast<SpaceId>(c.space), c.node});
  for (const EdgeChange& e : r.edges) edges.push_back({e.source, e.target, e.label, e.kind});
}

void StateChanges::Add(const StateChanges& later) {
  Append(nodes, later.nodes, first_new);
  Append(columns, later.columns, first_new);
  Append(payloads, later.payloads, first_new);
  Append(vectors, later.vectors, first_new);
  edges.insert(edges.end(), later.edges.begin(), later.edges.end());
}

void StateChanges::Sort() {
  SortOnce(nodes);
  SortOnce(columns);
  SortOnce(payloads);
  SortOnce(vectors);
  SortOnce(edges);
}

std::size_t ChangeLimit(NodeId nodes) {
  constexpr std::size_t kLeast = 8192;
  return std::max<std::size_t>(kLeast, nodes / 8);
}

StateDerived& StateDerived::operator=(const StateDerived& other) {
  if (this == &other) return *this;
  kept = other.kept;
  lineage = nullptr;
  place = {};
  return *this;
}

bool Lineage::StepsFrom(const LineagePlace& from, const LineagePlace& to, Steps& steps) const {
  const std::uint64_t first = place_.version - steps_.size();  // the oldest that can be carried
  if (from.version < first || from > to) return false;
  for (std::uint64_t v = from.version; v < to.version; ++v) steps.push_back(steps_[v - first]);
  return true;
}

Lineage::Newest* Lineage::Find(DerivedKey key) {
  const auto at = std::ranges::find(newest_, key, &Newest::key);
  return at == newest_.end() ? nullptr : &*at;
}

void Lineage::Advance(const std::shared_ptr<FrozenState>& state,
                      std::shared_ptr<StateChanges> changes, bool moved) {
  if (changes) changes->Sort();
  {
    Steps gone;  // freed after the lock, as are the values
    std::vector<Newest> dropped;
    const MutexLock lock(mutex_);
    const std::size_t limit = ChangeLimit(state->keys.size());
    if (!changes) {
      gone.assign(steps_.begin(), steps_.end());
      steps_.clear();
      entries_ = 0;
      dropped.swap(newest_);
      ++place_.version;
    } else if (!changes->empty(state->keys.size())) {
      constexpr std::size_t kStep = 8;  // what a step itself takes, in entries
      steps_.push_back(changes);
      entries_ += changes->size() + kStep;
      ++place_.version;
      std::size_t drop = 0;
      for (; entries_ > limit; ++drop) entries_ -= steps_[drop]->size() + kStep;
      gone.assign(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(drop));
      steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(drop));
    }
    if (moved) ++place_.moves;
    state->derived.place = place_;
  }
  CarryTo(state);
}

// Values that cannot be carried any more are forgotten here.
void Lineage::CarryTo(const std::shared_ptr<FrozenState>& state) {
  std::vector<Newest> values, kept;  // freed outside the lock
  {
    const MutexLock lock(mutex_);
    for (Newest& newest : newest_) newest.idle = newest.value->was_read() ? 0 : newest.idle + 1;
    values = newest_;
  }
  const Snapshot now(state);
  const LineagePlace place = state->derived.place;
  std::uint64_t joined_from = place.version;
  std::shared_ptr<const StateChanges> changes;
  for (Newest& newest : values) {
    std::shared_ptr<const Carried> carried = newest.value;
    if (!Holds(*newest.value, newest.place, place)) {
      Steps steps;
      bool known = false;
      {
        const MutexLock lock(mutex_);
        known = StepsFrom(newest.place, place, steps);
      }
      if (known && newest.idle > kIdleSteps) continue;
      if (known && (!changes || joined_from != newest.place.version))
        changes = Join(steps, state->keys.size());
      if (known) joined_from = newest.place.version;
      carried = known ? TryCarry(*newest.value, now, *changes) : nullptr;
    }
    if (carried) state->derived.kept.Add(newest.key, carried, true);
    const MutexLock lock(mutex_);
    Newest* const held = Find(newest.key);
    if (!held || held->value != newest.value) continue;  // a reader replaced it meanwhile
    if (carried) {
      kept.push_back(*held);
      held->value = carried;
      held->place = place;
    } else {
      kept.push_back(std::move(*held));
      newest_.erase(newest_.begin() + (held - newest_.data()));
    }
  }
}

std::shared_ptr<const Carried> Lineage::CatchUp(const Snapshot& snapshot, DerivedKey key) {
  Newest from;
  Steps steps;
  const LineagePlace place = snapshot.state().derived.place;
  {
    const MutexLock lock(mutex_);
    const Newest* const newest = Find(key);
    if (!newest) return nullptr;
    if (Holds(*newest->value, newest->place, place)) return newest->value;
    if (!StepsFrom(newest->place, place, steps)) return nullptr;
    from = *newest;
  }
  try {
    return from.value->Carry(snapshot, *Join(steps, snapshot.node_count()));
  } catch (const std::exception&) {  // no memory for it: the reader makes it again, or fails
    return nullptr;
  }
}

void Lineage::Offer(DerivedKey key, LineagePlace place, std::shared_ptr<const Carried> value) {
  std::shared_ptr<const Carried> gone;  // freed after the lock
  const MutexLock lock(mutex_);
  if (Newest* const newest = Find(key)) {
    if (newest->place > place) return;
    gone = std::exchange(newest->value, std::move(value));
    newest->place = place;
    newest->idle = 0;
  } else if (newest_.size() < DerivedData::kMaxValues) {
    newest_.push_back({key, place, std::move(value), 0});
  }
}

std::uint64_t Lineage::size_bytes() const {
  const MutexLock lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& step : steps_) bytes += step->size_bytes() + sizeof(StateChanges);
  return bytes;
}

std::shared_ptr<const Carried> FindCarried(const Snapshot& snapshot, DerivedKey key) {
  const StateDerived& derived = snapshot.state().derived;
  auto found = std::static_pointer_cast<const Carried>(derived.kept.Get(key));
  if (!found && derived.lineage) {
    found = derived.lineage->CatchUp(snapshot, key);
    if (found) found = KeepCarried(snapshot, key, std::move(found), false);
  }
  if (found) found->MarkAsked();
  return found;
}

std::shared_ptr<const Carried> KeepCarried(const Snapshot& snapshot, DerivedKey key,
                                           std::shared_ptr<const Carried> made, bool replace) {
  const StateDerived& derived = snapshot.state().derived;
  auto kept =
      std::static_pointer_cast<const Carried>(derived.kept.Add(key, std::move(made), replace));
  kept->MarkAsked();
  if (derived.lineage) derived.lineage->Offer(key, derived.place, kept);
  return kept;
}

// --- The table of derived values: few entries, looked through in order.

Derived::~Derived() = default;

DerivedData& DerivedData::operator=(const DerivedData& other) {
  if (this == &other) return *this;
  std::vector<Entry> gone;  // freed after the lock
  const MutexLock lock(mutex_);
  gone.swap(entries_);
  return *this;
}

std::shared_ptr<const Derived> DerivedData::Get(DerivedKey key) const {
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.first == key) return entry.second;
  return nullptr;
}

std::shared_ptr<const Derived> DerivedData::Add(DerivedKey key, std::shared_ptr<const Derived> made,
                                                bool replace) const {
  std::shared_ptr<const Derived> gone;  // freed after the lock
  const MutexLock lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.first != key) continue;
    if (!replace) return entry.second;
    gone = std::exchange(entry.second, made);
    return made;
  }
  if (entries_.size() < kMaxValues) entries_.emplace_back(key, made);
  return made;
}

std::vector<std::pair<DerivedKey, std::shared_ptr<const Derived>>> DerivedData::Values() const {
  const MutexLock lock(mutex_);
  return entries_;
}

std::uint64_t DerivedData::size_bytes() const {
  std::uint64_t bytes = 0;
  for (const Entry& entry : Values()) bytes += entry.second->size_bytes();
  return bytes;
}

}  // namespace plexus
