// BatchProgress: the progress of work that takes hours, batch by batch.
//
// A door that hands in such a progress hears of each batch when it is durable, and says what time
// it is then, as no operation reads a clock.
#pragma once

#include <cstdint>
#include <string>

#include "engine/monitoring/monitoring.h"

namespace plexus::tools {

class BatchProgress : public Progress {
 public:
  // The batch as an object of JSON, and in words. Called in the thread of the operation.
  virtual void BatchDone(const std::string& json, const std::string& words) = 0;
  virtual std::int64_t ClockMs() = 0;
};

}  // namespace plexus::tools
