// The batch of a step, as hosts write them.
#include <array>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/state.h"
#include "tests/service/script.h"

namespace plexus::service_test {
using namespace builtin;

namespace {

Status Record(const Snapshot& snapshot, const Op& op, WriteBatch& batch) {
  memory::NewEvent event;
  event.id = op.text;
  event.tool = "service";
  event.mode = "test";
  event.query = "what is " + op.text;
  event.created_at = op.from;
  for (std::size_t i = 0; i < 2; ++i) {
    memory::NewMember member;
    member.key = op.members[i].first;
    member.role = op.members[i].second;
    member.tags = std::vector<std::string>{TagName(0)};
    event.members.push_back(member);
  }
  PLEXUS_ASSIGN(const memory::RecordedEvent recorded, memory::RecordEvent(snapshot, event));
  batch.Append(recorded.batch);
  // Members that may be removed later, as an import writes them.
  for (std::size_t i = 2; i < op.members.size(); ++i) {
    batch.Link({.source = batch.IndexNode(kEvent, op.text),
                .target = batch.Node(op.members[i].first),
                .kind = kMember,
                .label = op.members[i].second});
  }
  return {};
}

Status One(const Snapshot& snapshot, const Op& op, WriteBatch& batch) {
  const auto named = [&] { return batch.UpsertNode(op.key, kMemory); };
  switch (op.what) {
    case Op::kMake:
      (void)named();
      break;
    case Op::kRemove:
      batch.RemoveNode(batch.Node(op.key));
      break;
    case Op::kText:
      batch.SetPayload(named(), NodeField::kText, op.text);
      break;
    case Op::kClearText:
      batch.ClearPayload(batch.Node(op.key), NodeField::kText);
      break;
    case Op::kVector:
      batch.SetVector(named(), batch.SpaceNamed(kSpaceNames[op.number]), op.values);
      break;
    case Op::kClearVector:
      batch.ClearVector(batch.Node(op.key), batch.SpaceNamed(kSpaceNames[op.number]));
      break;
    case Op::kTag: {
      const NodeRef node = named();
      batch.Link(node, kHasTag, batch.IndexNode(kTag, op.text));
      break;
    }
    case Op::kUntag: {
      const NodeRef node = batch.Node(op.key);
      batch.Unlink(node, kHasTag, batch.IndexNode(kTag, op.text));
      break;
    }
    case Op::kConnect: {
      batch.Link({.source = named(),
                  .target = batch.UpsertNode(op.other, kMemory),
                  .kind = kKinds[op.number],
                  .label = op.text,
                  .weight = static_cast<float>(op.value),
                  .valid_from = op.from,
                  .valid_until = op.until});
      break;
    }
    case Op::kCut: {
      const NodeRef source = batch.Node(op.key);
      batch.Unlink(source, kKinds[op.number], batch.Node(op.other), op.text);
      break;
    }
    case Op::kTrustIs:
      batch.SetF64(named(), kTrust, op.value);
      break;
    case Op::kClearTrust:
      batch.ClearColumn(batch.Node(op.key), kTrust);
      break;
    case Op::kCount:
      if (op.key == kCounterKey) {  // a conditional write, which the other writer may refuse
        const auto node = snapshot.shared_state() ? snapshot.Find(op.key) : std::nullopt;
        const std::int64_t was = node ? snapshot.i64(kAccessCount, *node).value_or(0) : 0;
        if (node) batch.ExpectI64(batch.Node(op.key), kAccessCount, was);
        batch.SetI64(named(), kAccessCount, was + static_cast<std::int64_t>(op.value));
      } else {
        batch.AddI64(named(), kAccessCount, static_cast<std::int64_t>(op.value));
      }
      break;
    case Op::kScopeIs:
      batch.SetString(named(), kScope, op.text);
      break;
    case Op::kUse:
      return Record(snapshot, op, batch);
    case Op::kOutcome: {
      PLEXUS_ASSIGN(const NodeId event, memory::FindEvent(snapshot, op.key));
      memory::NewLabel label;
      label.type = op.text;
      label.labeled_at = op.from;
      PLEXUS_ASSIGN(const memory::LabeledEvent labeled, memory::LabelEvent(snapshot, event, label));
      batch.Append(labeled.batch);
      break;
    }
  }
  return {};
}

}  // namespace

void FillSetup(const Settings& settings, WriteBatch& batch) {
  const Prefilter prefilters[kSpaces] = {Prefilter::kNone, Prefilter::kInt8, Prefilter::kInt8};
  const Metric metrics[kSpaces] = {Metric::kL2, Metric::kCosine, Metric::kCosine};
  for (int i = 0; i < kSpaces; ++i)
    batch.DefineSpace(
        {kSpaceNames[i], static_cast<std::uint32_t>(kDimensions[i]), metrics[i], prefilters[i]});
  batch.DefineColumn({kStepColumn, ColumnType::kI64});
  for (const Op& op : SetupOps(settings)) (void)One(Snapshot(), op, batch);
  for (int w = 0; w < kWriters; ++w)
    batch.SetI64(batch.Node(WriterKey(w)), batch.ColumnNamed(kStepColumn), 0);
}

Status Fill(const Snapshot& snapshot, int writer, Step step, const std::vector<Op>& ops,
            WriteBatch& batch) {
  for (const Op& op : ops) PLEXUS_TRY(One(snapshot, op, batch));
  const NodeRef node = batch.Node(WriterKey(writer));
  const auto column = batch.ColumnNamed(kStepColumn);
  batch.ExpectI64(node, column, static_cast<std::int64_t>(step) - 1);
  batch.SetI64(node, column, static_cast<std::int64_t>(step));
  return {};
}

}  // namespace plexus::service_test
