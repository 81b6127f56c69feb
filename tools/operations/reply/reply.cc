// One object; at its end what holds for all operations, and what went wrong with the directory.
#include "tools/operations/reply/reply.h"

namespace plexus::tools {

void WriteReply(Reply& reply, const std::vector<std::string>& warnings, ReplyWriter& writer) {
  writer.BeginObject();
  if (reply.members) reply.members(writer);
  if (reply.time_moved) writer.Field("time_moved", true);
  if (!warnings.empty()) writer.Values("warnings", warnings);
  writer.EndObject();
}

}  // namespace plexus::tools
