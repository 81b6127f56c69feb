// The work of jobs, and the handles that it uses.
#pragma once

#include "tools/node/job.h"

static inline plexus_graph* GraphOf(const Job* job) {
  return (plexus_graph*)(uintptr_t)job->handle;
}
static inline plexus_snapshot* SnapshotOf(const Job* job) {
  return (plexus_snapshot*)(uintptr_t)job->handle;
}

void RunCall(Job* job);
void RunImport(Job* job);
void RunChanges(Job* job);
void RunClose(Job* job);
void RunEdges(Job* job);
void RunVectors(Job* job);
void RunPutColumn(Job* job);
void RunPageRank(Job* job);
void RunCsr(Job* job);
void RunKeys(Job* job);
void RunColumn(Job* job);
void RunSpace(Job* job);
