// The longest log wins, and among equals the one that begins first.
#include "storage/repair/salvage.h"

#include <sys/random.h>

#include <algorithm>

namespace plexus::storage_internal {

namespace {

// Vectors of a checkpoint are payloads: one that is lost is left out.
class FoundPayloads : public PayloadStore {
 public:
  explicit FoundPayloads(const Salvage& salvage) : salvage_(salvage) {}
  Result<std::string> Get(PayloadRef ref) const override {
    auto found = salvage_.Payload(ref);
    if (!found && found.error().code == ErrorCode::kCorruption)
      return NotFound(found.error().message);
    return found;
  }

 private:
  const Salvage& salvage_;
};

struct Candidate {
  const Manifest* base = nullptr;  // null: the empty graph
  LogPoint start, end;
};

class Planner {
 public:
  Planner(const Salvage& salvage, const Anchor* anchor, const RepairOptions& options,
          RepairReport& report)
      : salvage_(salvage), anchor_(anchor), options_(options), report_(report) {}

  Result<RepairPlan> Plan() {
    RepairPlan plan;
    FindGraph(plan);
    bool found = false;
    for (const Candidate& candidate : Candidates(plan)) {
      if (candidate.base) {
        auto state = ReadCheckpoint(*candidate.base, *salvage_.Sections(*candidate.base),
                                    std::make_shared<FoundPayloads>(salvage_),
                                    options_.executor ? *options_.executor : DefaultExecutor(),
                                    options_.progress);
        if (!state && state.error().code != ErrorCode::kCorruption)
          return std::unexpected(state.error());
        if (!state) {
          Damaged(*candidate.base, state.error().message);
          continue;
        }
        plan.state = *std::move(state);
        plan.base = *candidate.base;
      }
      plan.start = candidate.start;
      found = true;
      break;
    }
    if (found) {
      LogPoint from = plan.start;
      if (plan.new_chain && !salvage_.records().empty() &&
          salvage_.records().front().sequence == 1) {
        plan.records.push_back(&salvage_.records().front());
        from = {1, salvage_.records().front().running_hash};
      }
      plan.end = Follow(from, &plan.records);
    }
    ReportLosses(plan, found);
    if (!found || (plan.end.sequence == 0 && !report_.complete))
      return Corrupted("nothing could be saved",
                       (salvage_.damage().empty() ? std::string()
                                                  : ": " + salvage_.damage().front().where + ": " +
                                                        salvage_.damage().front().what));
    return plan;
  }

 private:
  void FindGraph(RepairPlan& plan) const {
    if (anchor_) {
      plan.graph_id = anchor_->graph_id;
    } else if (!salvage_.manifests().empty()) {
      plan.graph_id = salvage_.manifests().back().graph_id;
    } else {
      plan.new_chain = true;
      if (getrandom(&plan.graph_id, sizeof plan.graph_id, 0) != sizeof plan.graph_id ||
          plan.graph_id == GraphId{})
        plan.graph_id = {1, 1};
    }
  }

  std::vector<Candidate> Candidates(const RepairPlan& plan) {
    std::vector<Candidate> candidates;
    if (floor() == 0) {
      LogPoint start{0, FirstHash(plan.graph_id)};
      LogPoint end = Follow(start, nullptr);
      const auto& all = salvage_.records();
      // Without the graph's id the first record is believed for its own digest.
      if (plan.new_chain && !all.empty() && all.front().sequence == 1)
        end = Follow({1, all.front().running_hash}, nullptr);
      candidates.push_back({nullptr, start, end});
    }
    for (const Manifest& m : salvage_.manifests()) {
      if (!(m.graph_id == plan.graph_id)) {
        Damaged(m, "belongs to another graph");
      } else if (const Status sound = salvage_.CheckSections(m); !sound) {
        Damaged(m, sound.error().message);
      } else if (m.sequence >= floor()) {
        const LogPoint start{m.sequence, m.log_hash};
        candidates.push_back({&m, start, Follow(start, nullptr)});
      }
    }
    std::ranges::sort(candidates, {}, [](const Candidate& c) {
      return std::pair(~c.end.sequence, c.start.sequence);
    });
    return candidates;
  }

  // Along records that follow from one another.
  LogPoint Follow(LogPoint point, std::vector<const Salvage::FoundRecord*>* records) const {
    const auto& all = salvage_.records();
    auto it = std::ranges::upper_bound(all, point.sequence, {}, &Salvage::FoundRecord::sequence);
    for (; it != all.end() && it->sequence <= point.sequence + 1; ++it) {
      if (it->sequence != point.sequence + 1 ||
          ChainHash(point.hash, it->digest) != it->running_hash)
        continue;
      point = {it->sequence, it->running_hash};
      if (records) records->push_back(&*it);
    }
    return point;
  }

  void ReportLosses(const RepairPlan& plan, bool found) {
    if (anchor_ && anchor_->checkpoint_id != 0) {
      const auto is_it = [&](const auto& c) { return c.id == anchor_->checkpoint_id; };
      if (!std::ranges::any_of(salvage_.manifests(), is_it) &&
          !std::ranges::any_of(report_.lost_checkpoints, is_it)) {
        report_.lost_checkpoints.push_back({.id = anchor_->checkpoint_id,
                                            .sequence = anchor_->checkpoint_sequence,
                                            .what = "its manifest is lost"});
      }
    }
    Sequence last = salvage_.last_sequence();
    if (anchor_) last = anchor_->clean ? anchor_->sequence : std::max(last, anchor_->sequence);
    const Sequence end = found ? plan.end.sequence : 0;
    if (end < last) {
      report_.lost_records.push_back({end + 1, last});
      report_.complete = false;
    }
    if (found && plan.start.sequence > floor())
      report_.lost_history.push_back({floor() + 1, plan.start.sequence});
    if (!anchor_ || !anchor_->clean)
      report_.notes.push_back(
          "the database was not closed, or does not say so any more: whether records followed " +
          std::to_string(end) + " cannot be known");
  }

  Sequence floor() const { return anchor_ ? anchor_->floor_sequence : 0; }
  void Damaged(const Manifest& m, const std::string& what) {
    report_.lost_checkpoints.push_back({.id = m.id, .sequence = m.sequence, .what = what});
  }

  const Salvage& salvage_;
  const Anchor* anchor_;
  const RepairOptions& options_;
  RepairReport& report_;
};

}  // namespace

Result<RepairPlan> MakeRepairPlan(const Salvage& salvage, const Anchor* anchor,
                                  const RepairOptions& options, RepairReport& report) {
  return Planner(salvage, anchor, options, report).Plan();
}

}  // namespace plexus::storage_internal
