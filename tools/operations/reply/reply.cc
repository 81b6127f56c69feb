// One object; at its end what holds for all operations, and what went wrong with the directory.
#include "tools/operations/reply/reply.h"

namespace plexus::tools {

void WriteReply(Reply& reply, const std::vector<std::string>& warnings, ReplyWriter& writer) {
  LimitedWriter limited(writer, reply.limit);
  limited.BeginObject();
  if (reply.members) reply.members(limited);
  reply.cut = limited.cut();
  reply.truncated |= reply.cut || limited.truncated().value_or(false);
  if (reply.truncated || limited.truncated()) writer.Field("truncated", reply.truncated);
  if (reply.time_moved) writer.Field("time_moved", true);
  if (!warnings.empty()) writer.Values("warnings", warnings);
  writer.EndObject();
}

void WriteError(const Error& error, ReplyWriter& writer) {
  writer.BeginObject();
  writer.BeginObject("error");
  writer.Field("code", ErrorCodeName(error.code));
  writer.Field("message", error.message);
  writer.EndObject();
  writer.EndObject();
}

}  // namespace plexus::tools
