// All that a host needs: an open database or a graph in RAM, batches, snapshots, every kernel, and
// files in and out. Installed as "plexus/plexus.h".
//
// Hosts that care about compile time include what they use instead.
#pragma once

#include "algorithms/algorithms.h"
#include "engine/bulk/load.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/properties/properties.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "engine/write_batch.h"
#include "storage/database.h"
#include "storage/formats/array_file.h"
#include "storage/formats/export.h"
#include "storage/formats/follow.h"
#include "storage/formats/import.h"
#include "storage/repair.h"
#include "storage/replica.h"
