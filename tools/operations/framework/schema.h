// JSON Schemas (draft 2020-12) of requests and replies, made from the rows.
#pragma once

#include "tools/operations/framework/operation.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// The object of a request's parameters, the common ones included, as a JSON Schema.
void WriteRequestSchema(ReplyWriter& json, const Operation& operation);
// The object of a reply. It allows nothing that the row does not name.
void WriteReplySchema(ReplyWriter& json, const Operation& operation);

}  // namespace plexus::tools
