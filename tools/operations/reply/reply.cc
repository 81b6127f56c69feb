// One object, and what went wrong with the directory at its end.
#include "tools/operations/reply/reply.h"

namespace plexus::tools {

void WriteReply(Reply& reply, const std::vector<std::string>& warnings, ReplyWriter& writer) {
  writer.BeginObject();
  if (reply.members) reply.members(writer);
  if (!warnings.empty()) writer.Values("warnings", warnings);
  writer.EndObject();
}

}  // namespace plexus::tools
