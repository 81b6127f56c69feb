// Decisions: everything that can be asked of the graph of decisions, in one include.
#pragma once

#include "algorithms/memory/decision_status.h"
#include "algorithms/memory/decisions_blocked.h"
#include "algorithms/memory/decisions_guardrails.h"
#include "algorithms/memory/decisions_queue.h"
#include "algorithms/memory/decisions_salience.h"
#include "algorithms/memory/decisions_suggest.h"
