// AddTerms where properties or all keys are indexed: a document is then made of what the batch
// writes and of what the graph has, so the batch is looked at through its preview.
#pragma once

#include "algorithms/retrieval/terms.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus::retrieval::internal {

// As AddTerms, without the record. A batch that the graph would refuse gets no terms; Apply says
// why.
Result<IndexTermsReport> AddDocumentTerms(const Snapshot& snapshot, const TermOptions& terms,
                                          WriteBatch& batch, Executor& executor);

}  // namespace plexus::retrieval::internal
