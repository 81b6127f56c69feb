// A look is strict; where a purge or a close began meanwhile, what these explain is let pass.
#include "tests/service/look.h"

namespace plexus::service_test {

void Looker::Bad(const std::string& what) {
  const World& w = timeline_.world();
  Wrong(settings_, who_,
        "steps " + std::to_string(w.steps[0]) + " (purged " + std::to_string(w.purged[0]) + "), " +
            std::to_string(w.steps[1]) + " (purged " + std::to_string(w.purged[1]) +
            "), sequence " + std::to_string(w.sequence) + ": " + what);
}

bool Looker::Look(const Snapshot& snapshot, const Since& since, How how, Allowed allowed,
                  const std::function<bool()>& ends) {
  const World* world = timeline_.To(snapshot);
  if (!world) return false;
  allowed.prefilters = settings_.Has("prefilter");
  const auto once = [&](const Allowed& a, Chance chance) -> std::string {
    const Checker checker(snapshot, *world, a);
    if (!checker.wrong().empty()) return checker.wrong();
    return how == How::kFull   ? checker.Full()
           : how == How::kSome ? checker.Some(chance)
                               : checker.Ask(chance);
  };
  std::string wrong = once(allowed, chance_);
  if (!wrong.empty() && (since.Purged() || ends())) {
    if (allowed.victims == Victims::kExact) allowed.victims = Victims::kMayLackContent;
    allowed.unreadable = true;
    ++TheBoard().excused;
    wrong = once(allowed, chance_);
  }
  chance_.Next();
  if (!wrong.empty()) Bad(wrong + " (at sequence " + std::to_string(snapshot.sequence()) + ")");
  return wrong.empty();
}

}  // namespace plexus::service_test
