// Lines of MCP: each is answered with one object of JSON-RPC, or with nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/server_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plexus::tools::server;
  static FuzzedServer fuzzed;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Conversation conversation(fuzzed.reader, [](std::string) {});
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto message = Protocol::Read(text.substr(0, end));
    const RpcAnswer answer =
        message ? fuzzed.protocol->Answer(*message, conversation) : message.error();
    if (!answer.text.empty()) {
      const auto value = plexus::tools::ParseJson(answer.text);
      if (!value || !value->is_object()) std::abort();
      if (TextMember(value->get_object(), "jsonrpc") != "2.0") std::abort();
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  fuzzed.protocol->subscriptions().RemoveOwner(conversation.number);
  return 0;
}
