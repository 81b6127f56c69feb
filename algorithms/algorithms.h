// Includes every algorithm.
//
// The adaptors for Boost.Graph and Eigen are apart (boost_graph.h, eigen.h): they need these
// libraries' headers.
#pragma once

#include "algorithms/centrality/centrality.h"
#include "algorithms/common/common.h"
#include "algorithms/common/dense_view.h"
#include "algorithms/community/community.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/memory/concepts/concepts.h"
#include "algorithms/memory/conflicts/conflicts.h"
#include "algorithms/memory/decisions/decisions.h"
#include "algorithms/memory/decisions/decisions_guardrails.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/ledger/ledger.h"
#include "algorithms/memory/recall/recall.h"
#include "algorithms/memory/turns/turns.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/paths.h"
#include "algorithms/retrieval/bm25.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/scan.h"
#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "algorithms/retrieval/where.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/traversal.h"
