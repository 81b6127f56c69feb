// RandomBatch: the same random operations on a WriteBatch and on the model.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "engine/write_batch.h"
#include "tests/model/model.h"

namespace plexus::model {

struct RandomOptions {
  int keys = 24;        // distinct fact keys
  int most_ops = 12;    // operations in a batch
  double purge = 0.02;  // chances
  double remove = 0.06;
};

// The batch that defines the kinds, columns and spaces the random ones use.
void FirstBatch(WriteBatch& batch, Batch& model);

// Adds random operations to both.
void FillRandom(std::mt19937_64& rng, const RandomOptions& options, WriteBatch& batch,
                Batch& model);

// Adds one expectation of the graph that `before` is the model of; whether it holds.
bool AddExpectation(std::mt19937_64& rng, const RandomOptions& options, const Model& before,
                    WriteBatch& batch);

// Adds one operation that Apply must refuse.
void AddBadOperation(std::mt19937_64& rng, WriteBatch& batch);

}  // namespace plexus::model
