// Fuzz target: retrieval plans in JSON from anywhere. What is read lies in its limits, and is read
// the same again; what is refused is refused with a reason.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/graph.h"
#include "tools/operations/retrieve/plan_json.h"

namespace {

using namespace plexus;  // NOLINT: a program of one file

const Schema& TheSchema() {
  static const Snapshot made = [] {
    auto graph = Graph::InMemory();
    WriteBatch batch(1000);
    batch.DefineSpace({"default", 2, Metric::kCosine});
    if (!graph->Apply(batch)) std::abort();
    return graph->snapshot();
  }();
  return made.schema();
}

bool Same(const retrieval::RetrievalPlan& a, const retrieval::RetrievalPlan& b) {
  return a.seeds.size() == b.seeds.size() && a.expand.kinds == b.expand.kinds &&
         a.filter.tags == b.filter.tags && a.filter.where == b.filter.where &&
         a.score.weights == b.score.weights && a.score.required == b.score.required &&
         a.top == b.top;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = tools::PlanFromJson(text, TheSchema(), kNoTime);
  if (!first) {
    if (first.error().code != ErrorCode::kInvalidArgument || first.error().message.empty())
      std::abort();
    return 0;
  }
  if (!retrieval::CheckPlan(*first)) std::abort();
  const auto second = tools::PlanFromJson(text, TheSchema(), kNoTime);
  if (!second || !Same(*first, *second)) std::abort();
  return 0;
}
