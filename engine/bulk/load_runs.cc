// A run has the entries of some batches in a row, as many as the memory holds, partitioned by part
// of the rows and written to the scratch. Then some parts at a time are read from all runs, in
// the order of the batches, decided in memory as always, and become rows; the changes go back to
// where the entries were. For the records the changes of one run at a time are read and given to
// its batches. So every entry is written and read a fixed number of times, whatever the memory is.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <utility>

#include "engine/bulk/load_parts.h"
#include "engine/bulk/stored_batch.h"
#include "engine/mutex.h"

namespace plexus::engine_internal {

namespace {

struct Run {
  std::size_t first_batch = 0, end_batch = 0;
  std::uint64_t at = 0;                // in the scratch
  std::vector<std::uint64_t> begin;    // of each part, and the end
  std::vector<std::uint32_t> changes;  // of each part, once decided
  std::vector<std::uint32_t> digests;  // of what lies there of each part
};

constexpr std::size_t kGroup = 1 << 16;  // entries written at once, about

// Of a part of a run. Its pieces are digested as they are made.
template <class Stored>
std::uint32_t DigestOf(std::span<const Stored> slice) {
  std::uint64_t digest = 0;
  for (; !slice.empty(); slice = slice.subspan(std::min(kGroup, slice.size())))
    digest = ScratchDigest(std::as_bytes(slice.first(std::min(kGroup, slice.size()))), digest);
  return static_cast<std::uint32_t>(digest);
}

// The first error of blocks that run at once.
class FirstError {
 public:
  void Note(Status status) {
    if (status) return;
    const MutexLock lock(mutex_);
    if (status_) status_ = std::move(status);
  }
  // REQUIRES that none of them runs any more.
  const Status& status() const PLEXUS_NO_THREAD_SAFETY_ANALYSIS { return status_; }

 private:
  Mutex mutex_;
  Status status_ PLEXUS_GUARDED_BY(mutex_);
};

template <class Entry>
class Runs final : public LoadRuns {
 public:
  Runs(const LoadPlan& plan, std::shared_ptr<LoadScratch> scratch, std::uint64_t memory)
      : plan_(plan), scratch_(std::move(scratch)), memory_(memory) {}

  Status Form(std::vector<LoadBatch>& batches) {
    changes.assign(batches.size(), 0);
    changed.assign(batches.size(), 0);
    run_of_.resize(batches.size());
    std::uint64_t formed = 0, all = 0;  // edges
    for (const LoadBatch& batch : batches) all += batch.edge_count();
    for (std::size_t first = 0; first < batches.size();) {
      std::size_t end = first;
      std::uint64_t now = 0, fetched = 0;  // what it takes while it is formed, and later
      for (; end < batches.size(); ++end) {
        const LoadBatch& batch = batches[end];
        const std::uint64_t edges = batch.edge_count();
        const std::uint64_t arcs = edges * (plan_.used.any_symmetric ? 2 : 1);
        const auto columns = static_cast<std::uint8_t>(ColumnsOf(batch) | batch.stored.columns);
        now += ColumnBytes(batch) + arcs * sizeof(Entry);
        fetched += arcs * (sizeof(Entry) + (Entry::kHasValues ? sizeof(LoadValue) : 0)) +
                   edges * ChangeBytes(plan_, Entry::kHasValues, columns);
        if (end > first && std::max(now, fetched) > memory_) break;
        formed += edges;
      }
      PLEXUS_TRY(FormRun(batches, first, end));
      first = end;
      PLEXUS_TRY(plan_.Report(formed, all, "partitioning"));
    }
    return {};
  }

  // The rows of all batches; leaves the changes in the runs.
  Result<LoadedRows> Decide() { return MakeRows(plan_, changes.size(), false); }
  Result<std::size_t> Fetch(std::vector<LoadBatch>& batches, std::size_t batch) override {
    const std::size_t wanted = run_of_[batch];
    if (fetched_ == wanted) return runs_[wanted].end_batch;
    Drop(batches);
    fetched_ = wanted;
    const Run& run = runs_[wanted];
    PartEntries<Entry> parts;
    parts.begin = {0};
    for (std::size_t p = 0; p < plan_.parts; ++p)
      parts.begin.push_back(parts.begin.back() + run.changes[p]);
    parts.changes.assign(run.changes.begin(), run.changes.end());
    parts.entries = AlignedArray<Entry>(parts.begin.back());
    parts.values.resize(Entry::kHasValues ? plan_.parts : 0);
    BatchPlaces places(plan_.parts, run.first_batch, run.end_batch);
    FirstError error;
    auto read = [&](std::size_t p) {
      if (run.changes[p] == 0) return;
      Status status = ReadSlice(run, p, run.changes[p], parts.of(p),
                                Entry::kHasValues ? &parts.values[p] : nullptr);
      if (status) CountChanges(plan_, parts, p, places);
      error.Note(std::move(status));
    };
    RunBlocks(plan_.executor, plan_.parts, read);
    PLEXUS_TRY(error.status());
    const std::vector<std::uint32_t> counts = PlaceChanges(places);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      LoadBatch& into = batches[run.first_batch + i];
      MakeChangeArrays(plan_, Entry::kHasValues, into.stored.columns, counts[i], into);
    }
    auto fill = [&](std::size_t p) {
      FillPart<false, true>(plan_, parts, p, nullptr, 0, nullptr, nullptr, batches, &places);
    };
    RunBlocks(plan_.executor, plan_.parts, fill);
    return run.end_batch;
  }

  void Drop(std::vector<LoadBatch>& batches) override {
    if (fetched_ >= runs_.size()) return;
    for (std::size_t b = runs_[fetched_].first_batch; b < runs_[fetched_].end_batch; ++b)
      MakeChangeArrays(plan_, Entry::kHasValues, batches[b].stored.columns, 0, batches[b]);
    fetched_ = ~std::size_t{0};
  }
  Result<std::shared_ptr<Csr>> RowsBefore(std::size_t batch, NodeId nodes,
                                          const Schema& schema) override {
    LoadPlan plan = plan_;
    plan.nodes = nodes;
    plan.progress = nullptr;
    plan.wide_kinds = schema.edge_kinds().size() > 256;
    PLEXUS_ASSIGN(LoadedRows rows, MakeRows(plan, batch, true));
    return std::move(rows.rows);
  }

 private:
  using Stored = typename Entry::Stored;
  // What an entry of a part takes while it is decided: with values, what it states and what
  // becomes of it.
  static constexpr std::uint64_t kInPart =
      sizeof(Entry) + (Entry::kHasValues ? 2 * sizeof(LoadValue) : 0);

  Status FormRun(std::vector<LoadBatch>& batches, std::size_t first, std::size_t end) {
    for (std::size_t b = first; b < end; ++b) {
      LoadBatch& batch = batches[b];
      run_of_[b] = static_cast<std::uint32_t>(runs_.size());
      if (batch.stored.edges > 0) {
        PLEXUS_ASSIGN(LoadBatch read, ReadStored(batch, *scratch_));
        ForgetStored(batch, *scratch_);
        read.stored.columns = batch.stored.columns;
        batch = std::move(read);
      } else {
        batch.stored.columns = ColumnsOf(batch);
      }
    }
    PartEntries<Entry> parts = Partition<Entry>(plan_, batches, first, end);
    Run run{first,       end, scratch_->Reserve(parts.entries.size() * sizeof(Stored)),
            parts.begin, {},  {}};
    run.changes.assign(plan_.parts, 0);
    run.digests.assign(plan_.parts, 0);
    PLEXUS_TRY(WriteRun(batches, parts, run));
    for (std::size_t b = first; b < end; ++b) {
      LoadBatch& batch = batches[b];
      const std::uint8_t columns = batch.stored.columns;
      const NodeId nodes = batch.nodes;
      batch = {};
      batch.nodes = nodes;
      batch.stored.columns = columns;  // without edges: nothing is stored
    }
    runs_.push_back(std::move(run));
    return {};
  }

  Status WriteRun(const std::vector<LoadBatch>& batches, PartEntries<Entry>& parts, Run& run) {
    FirstError error;
    std::vector<std::size_t> groups = {0};  // first part of each, and the end
    for (std::size_t p = 1; p <= plan_.parts; ++p)
      if (p == plan_.parts || parts.begin[p] - parts.begin[groups.back()] >= kGroup)
        groups.push_back(p);
    auto write = [&](std::size_t g) {
      const std::uint64_t begin = parts.begin[groups[g]];
      std::uint64_t at = run.at + begin * sizeof(Stored);
      [[maybe_unused]] std::vector<Stored> values;
      for (std::size_t p = groups[g]; p < groups[g + 1]; ++p) {
        std::span<const Entry> own(parts.of(p), parts.size(p));
        std::uint64_t digest = 0;
        if constexpr (!Entry::kHasValues) {
          digest = DigestOf(own);
        } else {
          for (; !own.empty(); own = own.subspan(std::min(kGroup, own.size()))) {
            const std::size_t before = values.size();
            for (const Entry& e : own.first(std::min(kGroup, own.size())))
              values.push_back({e.key, StatedBy(batches[e.batch], e.at), e.batch, 0});
            digest = ScratchDigest(std::as_bytes(std::span(values).subspan(before)), digest);
            if (values.size() < kGroup) continue;
            error.Note(scratch_->Write(at, std::as_bytes(std::span(values))));
            at += values.size() * sizeof(Stored);
            values.clear();
          }
        }
        run.digests[p] = static_cast<std::uint32_t>(digest);
      }
      if constexpr (Entry::kHasValues) {
        error.Note(scratch_->Write(at, std::as_bytes(std::span(values))));
      } else {
        const std::span<const Entry> all(parts.entries.data() + begin,
                                         parts.begin[groups[g + 1]] - begin);
        error.Note(scratch_->Write(at, std::as_bytes(all)));
      }
    };
    RunBlocks(plan_.executor, groups.size() - 1, write);
    return error.status();
  }

  std::uint64_t SizeOf(const Run& run, std::size_t part, bool decided) const {
    return decided ? run.changes[part] : run.begin[part + 1] - run.begin[part];
  }
  // Parts from `first` on that fit the memory together, without their entries.
  PartEntries<Entry> NextParts(std::size_t first, bool decided) const {
    PartEntries<Entry> parts;
    parts.first = first;
    parts.begin = {0};
    std::uint64_t largest = 0;
    for (std::size_t part = first; part < plan_.parts; ++part) {
      std::uint64_t size = 0;
      for (const Run& run : runs_) size += SizeOf(run, part, decided);
      largest = std::max(largest, size);
      const std::uint64_t end = parts.begin.back() + size;
      // Each thread that sorts has as much again as the largest one.
      if (part > first && end * kInPart + plan_.threads() * largest * sizeof(Stored) > memory_)
        break;
      parts.begin.push_back(end);
    }
    parts.entries = AlignedArray<Entry>(parts.begin.back());
    parts.stated.resize(Entry::kHasValues ? parts.count() : 0);
    return parts;
  }

  Status ReadPart(PartEntries<Entry>& parts, std::size_t i, bool decided) {
    const std::size_t part = parts.first + i;
    Entry* to = parts.of(i);
    if (Entry::kHasValues) parts.stated[i].reserve(parts.size(i));
    for (const Run& run : runs_) {
      const std::uint64_t count = SizeOf(run, part, decided);
      if (count == 0) continue;
      PLEXUS_TRY(ReadSlice(run, part, count, to, Entry::kHasValues ? &parts.stated[i] : nullptr));
      to += count;
    }
    return {};
  }

  // `values`: behind what it has, where entries have them. kCorruption: not what was written.
  Status ReadSlice(const Run& run, std::size_t part, std::uint64_t count, Entry* to,
                   [[maybe_unused]] std::vector<LoadValue>* values) {
    const std::uint64_t at = run.at + run.begin[part] * sizeof(Stored);
    if constexpr (Entry::kHasValues) {
      std::vector<Stored> read(count);
      PLEXUS_TRY(scratch_->Read(at, std::as_writable_bytes(std::span(read))));
      if (DigestOf(std::span<const Stored>(read)) != run.digests[part]) return DamagedScratch();
      values->reserve(values->size() + count);
      for (const Stored& s : read) {
        *to++ = {s.key, static_cast<std::uint32_t>(values->size()), s.batch, s.is_new};
        values->push_back(s.value);
      }
      return {};
    } else {
      PLEXUS_TRY(scratch_->Read(at, std::as_writable_bytes(std::span(to, count))));
      if (DigestOf(std::span<const Entry>(to, count)) != run.digests[part]) return DamagedScratch();
      return {};
    }
  }

  // The changes of a part, each to its run: in order, at the front of what the run had there.
  Status WriteChanges(PartEntries<Entry>& parts, std::size_t i, Entry* scratch) {
    const std::size_t part = parts.first + i;
    const Entry* own = parts.of(i);
    std::vector<std::uint64_t> place(runs_.size() + 1, 0);
    for (std::size_t e = 0; e < parts.changes[i]; ++e) ++place[run_of_[own[e].Batch(plan_.bits)]];
    std::uint64_t sum = 0;
    for (std::uint64_t& p : place) sum += std::exchange(p, sum);
    for (std::size_t e = 0; e < parts.changes[i]; ++e)
      scratch[place[run_of_[own[e].Batch(plan_.bits)]]++] = own[e];
    std::uint64_t begin = 0;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      Run& run = runs_[r];
      const std::span<const Entry> slice(scratch + begin, place[r] - begin);
      begin = place[r];
      run.changes[part] = static_cast<std::uint32_t>(slice.size());
      if (slice.empty()) continue;
      const std::uint64_t at = run.at + run.begin[part] * sizeof(Stored);
      if constexpr (Entry::kHasValues) {
        std::vector<Stored> values;
        values.reserve(slice.size());
        for (const Entry& e : slice)
          values.push_back({e.key, parts.values[i][e.at], e.batch, e.is_new});
        run.digests[part] = DigestOf(std::span<const Stored>(values));
        PLEXUS_TRY(scratch_->Write(at, std::as_bytes(std::span(values))));
      } else {
        run.digests[part] = DigestOf(slice);
        PLEXUS_TRY(scratch_->Write(at, std::as_bytes(slice)));
      }
    }
    return {};
  }

  void CountByBatch(PartEntries<Entry>& parts, std::size_t i) {
    const std::size_t first_row = plan_.FirstRow(parts.first + i);
    std::vector<std::uint32_t> all(changes.size(), 0), old(changes.size(), 0);
    const Entry* own = parts.of(i);
    for (std::size_t e = 0; e < parts.changes[i]; ++e) {
      if (plan_.IsMirror(first_row + plan_.bits.Row(own[e].key), own[e].key)) continue;
      const std::size_t batch = own[e].Batch(plan_.bits);
      ++all[batch];
      if constexpr (Entry::kHasValues)
        old[batch] += own[e].is_new == 0;
      else
        old[batch] += std::signbit(own[e].weight());
    }
    for (std::size_t b = 0; b < all.size(); ++b) {
      if (all[b] > 0) std::atomic_ref(changes[b]).fetch_add(all[b], std::memory_order_relaxed);
      if (old[b] > 0) std::atomic_ref(changed[b]).fetch_add(old[b], std::memory_order_relaxed);
    }
  }

  // Changes of batches before `batches` as lines that say the same; the others go.
  void KeepBefore(PartEntries<Entry>& parts, std::size_t batches) const {
    std::uint64_t kept = 0;
    for (std::size_t i = 0; i < parts.count(); ++i) {
      const std::uint64_t begin = std::exchange(parts.begin[i], kept), end = parts.begin[i + 1];
      for (std::uint64_t e = begin; e < end; ++e) {
        Entry entry = parts.entries[e];
        if (entry.Batch(plan_.bits) >= batches) continue;
        entry.MakeStated();
        parts.entries[kept++] = entry;
      }
    }
    parts.begin.back() = kept;
  }

  // The rows of the batches before `batches`: of entries, or once they are decided, of changes.
  Result<LoadedRows> MakeRows(const LoadPlan& plan, std::size_t batches, bool decided) {
    auto csr = std::make_shared<Csr>();
    csr->node_count = plan.nodes;
    csr->out_offsets = AlignedArray<std::uint32_t>(std::size_t{plan.nodes} + 1);
    std::uint64_t most = 0;  // arcs: memory that is not written takes no room
    for (const Run& run : runs_)
      for (std::size_t p = 0; p < plan.parts; ++p) most += SizeOf(run, p, decided);
    if (most > Limits::kMaxArcs) return Exhausted("too many edges and nodes to load at once");
    MakeOutArrays(*csr, most, plan.wide_kinds);
    ArcValues<Entry> values(most);
    std::uint64_t arcs = 0, same = 0, done = 0;
    for (std::size_t first = 0; first < plan.parts;) {
      PartEntries<Entry> parts = NextParts(first, decided);
      first += parts.count();
      FirstError error;
      auto read = [&](std::size_t i) { error.Note(ReadPart(parts, i, decided)); };
      RunBlocks(plan.executor, parts.count(), read);
      PLEXUS_TRY(error.status());
      if (decided) KeepBefore(parts, batches);
      const auto settle = [&](std::size_t i, Entry* scratch) {
        if (decided) return;
        CountByBatch(parts, i);
        error.Note(WriteChanges(parts, i, scratch));
      };
      const std::vector<LoadBatch> none;
      PLEXUS_ASSIGN(Decided made, DecideParts(plan, none, parts, *csr, settle));
      PLEXUS_TRY(error.status());
      same += made.same;
      for (std::uint64_t& slot : made.edges) arcs += std::exchange(slot, arcs);
      std::vector<SlotColumns> sparse(Entry::kHasValues ? parts.count() : 1);
      std::vector<LoadBatch> no_batches;
      auto fill = [&](std::size_t i) {
        FillPart<true, false>(plan, parts, i, csr.get(), made.edges[i], &values,
                              &sparse[Entry::kHasValues ? i : 0], no_batches, nullptr);
      };
      RunBlocks(plan.executor, parts.count(), fill);
      for (SlotColumns& s : sparse) csr->Append(std::move(s));
      done += parts.begin.back();
      PLEXUS_TRY(plan.Report(done, most));
    }
    csr->out_offsets[plan.nodes] = static_cast<std::uint32_t>(arcs);
    csr->out_neighbors.Truncate(arcs);
    csr->out_kinds.Truncate(arcs);
    csr->out_kinds_high.Truncate(arcs);
    values.MoveTo(*csr, arcs, plan);
    if (!plan.merges) {
      constexpr std::uint64_t kMoved = 16;  // bytes an arc (transpose.cc)
      AlignedArray<std::uint64_t> moved(std::min(arcs * kMoved, memory_) / sizeof(std::uint64_t) +
                                        1);
      BuildInArrays(*csr, plan.executor, moved.span());
    }
    return LoadedRows{std::move(csr), same};
  }

  const LoadPlan plan_;
  const std::shared_ptr<LoadScratch> scratch_;
  const std::uint64_t memory_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> run_of_;  // by batch
  std::size_t fetched_ = ~std::size_t{0};
};

}  // namespace

template <class Entry>
Result<LoadedRows> BuildRuns(const LoadPlan& plan, std::vector<LoadBatch>& batches,
                             std::shared_ptr<LoadScratch> scratch, std::uint64_t memory) {
  auto runs = std::make_shared<Runs<Entry>>(plan, std::move(scratch), memory);
  PLEXUS_TRY(runs->Form(batches));
  PLEXUS_ASSIGN(LoadedRows rows, runs->Decide());
  rows.runs = std::move(runs);
  return rows;
}

template Result<LoadedRows> BuildRuns<PlainEntry>(const LoadPlan&, std::vector<LoadBatch>&,
                                                  std::shared_ptr<LoadScratch>, std::uint64_t);
template Result<LoadedRows> BuildRuns<WeightedEntry>(const LoadPlan&, std::vector<LoadBatch>&,
                                                     std::shared_ptr<LoadScratch>, std::uint64_t);
template Result<LoadedRows> BuildRuns<ValuedEntry>(const LoadPlan&, std::vector<LoadBatch>&,
                                                   std::shared_ptr<LoadScratch>, std::uint64_t);

}  // namespace plexus::engine_internal
