// Graph::Load into a directory: a wrong load leaves it empty and sound, a right one is there when
// it is opened again. Before the checks such directories were refused as corrupt.
#include "tests/engine/bulk/edge_loads.h"
#include "tests/support/dump.h"
#include "tests/support/store_test_util.h"

namespace plexus::storage_internal::testing {
namespace {

TEST(LoadChecks, ADirectoryIsSoundAfterEveryLoad) {
  for (const plexus::testing::LoadCase& c : plexus::testing::LoadCases()) {
    SCOPED_TRACE(c.name);
    ScratchDirectory scratch;
    OpenOptions options = Create();
    options.checkpoint_on_close = CheckpointOnClose::kNever;
    auto db = MustOpen(scratch.path(), options);
    EXPECT_EQ(db->graph().Load(c.make()).has_value(), c.error.empty());
    const std::string before = plexus::testing::Dump(db->snapshot());
    EXPECT_EQ(db->snapshot().sequence() > 0, c.error.empty());
    auto report = db->Verify();
    PLEXUS_OK(report);
    EXPECT_TRUE(report->ok);
    PLEXUS_OK(db->Close());
    db = MustOpen(scratch.path(), options);
    ASSERT_TRUE(db);
    EXPECT_EQ(plexus::testing::Dump(db->snapshot()), before);
    WriteBatch batch(10);
    batch.Link(batch.Node("a"), kLink, batch.Node("new"));
    PLEXUS_OK(db->graph().Apply(batch));
    PLEXUS_OK(db->Close());
  }
}

}  // namespace
}  // namespace plexus::storage_internal::testing
