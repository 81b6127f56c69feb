// Each fixture is what the suite's own text says of it, and no more.
#include "tests/tools/server/conformance_backend.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "tools/server/http/tokens.h"

namespace plexus::tools::server {
namespace {

constexpr std::string_view kPixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg"
    "==";
constexpr std::string_view kSound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

constexpr std::string_view kTools[] = {"test_simple_text",
                                       "test_image_content",
                                       "test_audio_content",
                                       "test_embedded_resource",
                                       "test_multiple_content_types",
                                       "test_error_handling",
                                       "test_tool_with_progress",
                                       "test_tool_with_logging",
                                       "test_missing_capability",
                                       "test_logging_tool",
                                       "test_streaming_elicitation",
                                       "test_trigger_tool_change",
                                       "test_trigger_prompt_change",
                                       "test_input_required_result_elicitation",
                                       "test_input_required_result_sampling",
                                       "test_input_required_result_list_roots",
                                       "test_input_required_result_request_state",
                                       "test_input_required_result_multiple_inputs",
                                       "test_input_required_result_multi_round",
                                       "test_input_required_result_tampered_state",
                                       "test_input_required_result_capabilities"};

std::string TextBlock(std::string_view text) {
  return ObjectText().Text("type", "text").Text("text", text).object();
}
std::string Content(const std::string& blocks) { return "\"content\":[" + blocks + "]"; }
std::string Image() {
  return ObjectText()
      .Text("type", "image")
      .Text("data", kPixel)
      .Text("mimeType", "image/png")
      .object();
}
std::string Resource(std::string_view uri, std::string_view type, std::string_view text) {
  return ObjectText()
      .Text("type", "resource")
      .Raw("resource",
           ObjectText().Text("uri", uri).Text("mimeType", type).Text("text", text).object())
      .object();
}

std::string Elicit(std::string_view message, std::string_view name, std::string_view type) {
  const std::string property =
      ObjectText().Raw(name, ObjectText().Text("type", type).object()).object();
  const std::string schema = ObjectText()
                                 .Text("type", "object")
                                 .Raw("properties", property)
                                 .Raw("required", "[" + QuotedJson(name) + "]")
                                 .object();
  return ObjectText()
      .Text("method", "elicitation/create")
      .Raw("params", ObjectText()
                         .Text("mode", "form")
                         .Text("message", message)
                         .Raw("requestedSchema", schema)
                         .object())
      .object();
}
std::string Sample(std::string_view text) {
  const std::string message =
      ObjectText().Text("role", "user").Raw("content", TextBlock(text)).object();
  return ObjectText()
      .Text("method", "sampling/createMessage")
      .Raw("params",
           ObjectText().Raw("messages", "[" + message + "]").Number("maxTokens", 100).object())
      .object();
}
constexpr std::string_view kRoots = R"({"method":"roots/list","params":{}})";

Outcome InputRequired(const std::string& requests, std::string_view state = {}) {
  ObjectText result;
  result.Text("resultType", "input_required").Raw("inputRequests", "{" + requests + "}");
  if (!state.empty()) result.Text("requestState", state);
  return result.members();
}

// A state that a client cannot change.
std::string Signed(std::string_view state) {
  return std::string(state) + "." + Sha256("a secret of this process" + std::string(state));
}
// "" where it was changed.
std::string_view Verified(std::string_view state) {
  const std::size_t dot = state.rfind('.');
  if (dot == std::string_view::npos || Signed(state.substr(0, dot)) != state) return {};
  return state.substr(0, dot);
}

std::string NameIn(const json::object& responses, std::string_view key, std::string_view member) {
  const json::object* response = ObjectMember(responses, key);
  const json::object* content = response ? ObjectMember(*response, "content") : nullptr;
  return content ? std::string(TextMember(*content, member)) : std::string();
}

}  // namespace

std::string ConformanceBackend::ServerInfo() const {
  return R"({"name":"plexus-conformance","version":"1"})";
}

std::string ConformanceBackend::Capabilities(Era era) const {
  std::string all = R"("tools":{"listChanged":true},"prompts":{"listChanged":true},)"
                    R"("resources":{"subscribe":true,"listChanged":true},"completions":{})";
  if (era == Era::kHandshake) all += R"(,"logging":{})";
  return all;
}

std::vector<std::string> ConformanceBackend::Tools(Era) const {
  std::vector<std::string> tools;
  for (const std::string_view name : kTools)
    tools.push_back(ObjectText()
                        .Text("name", name)
                        .Text("description", "a fixture")
                        .Raw("inputSchema", R"({"type":"object","additionalProperties":false})")
                        .object());
  return tools;
}

bool ConformanceBackend::HasTool(std::string_view name) const {
  return std::ranges::find(kTools, name) != std::end(kTools);
}

Outcome ConformanceBackend::CallTool(std::string_view name, const json::object&, Call& call) {
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  if (name == "test_simple_text")
    return Content(TextBlock("This is a simple text response for testing."));
  if (name == "test_image_content") return Content(Image());
  if (name == "test_audio_content")
    return Content(ObjectText()
                       .Text("type", "audio")
                       .Text("data", kSound)
                       .Text("mimeType", "audio/wav")
                       .object());
  if (name == "test_embedded_resource")
    return Content(Resource("test://embedded-resource", "text/plain",
                            "This is an embedded resource content."));
  if (name == "test_multiple_content_types")
    return Content(TextBlock("Multiple content types test:") + "," + Image() + "," +
                   Resource("test://mixed-content-resource", "application/json",
                            R"({"test":"data","value":123})"));
  if (name == "test_error_handling")
    return ToolError("This tool intentionally returns an error for testing");
  if (name == "test_tool_with_progress") {
    for (const double done : {0.0, 50.0, 100.0}) {
      call.progress(done, 100, "");
      wait();
    }
    return Content(TextBlock("done"));
  }
  if (name == "test_tool_with_logging") {
    for (const char* text :
         {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
      call.notify("notifications/message",
                  ObjectText().Text("level", "info").Text("data", text).members());
      wait();
    }
    return Content(TextBlock("done"));
  }
  if (name == "test_missing_capability") {
    if (call.capabilities && Member(*call.capabilities, "sampling"))
      return Content(TextBlock("ok"));
    return Refused(kMissingCapability, "the client does not declare sampling",
                   R"({"requiredCapabilities":{"sampling":{}}})");
  }
  if (name == "test_trigger_tool_change") {
    subscriptions->ListChanged(Listed::kTools);
    return Content(TextBlock("changed"));
  }
  if (name == "test_trigger_prompt_change") {
    subscriptions->ListChanged(Listed::kPrompts);
    return Content(TextBlock("changed"));
  }
  if (name.starts_with("test_input_required")) return AskForInput(name, call);
  return Content(TextBlock("done"));
}

Outcome ConformanceBackend::AskForInput(std::string_view name, Call& call) {
  static const json::object none;
  const json::object* given = ObjectMember(call.params, "inputResponses");
  const json::object& responses = given ? *given : none;
  const std::string_view state = TextMember(call.params, "requestState");
  const auto is = [&](std::string_view what) {
    return name == "test_input_required_result_" + std::string(what);
  };
  const auto has = [&](std::string_view key) { return ObjectMember(responses, key) != nullptr; };
  const auto one = [](std::string_view key, const std::string& request) {
    return ObjectText().Raw(key, request).members();
  };
  if (!state.empty() && Verified(state).empty())
    return Refused(kInvalidParams, "requestState is not what was sent");

  if (is("elicitation")) {
    const std::string user = NameIn(responses, "user_name", "name");
    if (!user.empty()) return Content(TextBlock("Hello, " + user + "!"));
    return InputRequired(one("user_name", Elicit("What is your name?", "name", "string")));
  }
  if (is("sampling")) {
    if (has("capital_question")) {
      const std::string text = NameIn(responses, "capital_question", "text");
      return Content(TextBlock("The model says: " + text));
    }
    return InputRequired(one("capital_question", Sample("What is the capital of France?")));
  }
  if (is("list_roots")) {
    if (has("client_roots"))
      return Content(TextBlock("Roots: " + JsonOf(*Member(responses, "client_roots"))));
    return InputRequired(one("client_roots", std::string(kRoots)));
  }
  if (is("request_state") || is("tampered_state")) {
    if (has("confirm") && !state.empty()) return Content(TextBlock("state-ok: integrity-ok"));
    return InputRequired(one("confirm", Elicit("Please confirm", "ok", "boolean")),
                         Signed("confirm"));
  }
  if (is("multiple_inputs")) {
    if (has("user_name") && has("greeting") && has("client_roots") && !state.empty())
      return Content(TextBlock("all there"));
    return InputRequired(ObjectText()
                             .Raw("user_name", Elicit("What is your name?", "name", "string"))
                             .Raw("greeting", Sample("Generate a greeting"))
                             .Raw("client_roots", kRoots)
                             .members(),
                         Signed("multiple"));
  }
  if (is("multi_round")) {
    if (Verified(state) == "round2" && has("step2")) return Content(TextBlock("three rounds"));
    if (Verified(state) == "round1" && has("step1"))
      return InputRequired(
          one("step2", Elicit("Step 2: What is your favorite color?", "color", "string")),
          Signed("round2"));
    return InputRequired(one("step1", Elicit("Step 1: What is your name?", "name", "string")),
                         Signed("round1"));
  }
  // Only what the client has said that it can do.
  ObjectText requests;
  if (!responses.empty()) return Content(TextBlock("capabilities-ok"));
  if (call.capabilities && Member(*call.capabilities, "elicitation"))
    requests.Raw("elicit_input", Elicit("A value", "value", "string"));
  if (call.capabilities && Member(*call.capabilities, "sampling"))
    requests.Raw("sample_input", Sample("Sample request"));
  if (requests.members().empty()) return Content(TextBlock("nothing to ask"));
  return InputRequired(requests.members());
}

std::vector<std::string> ConformanceBackend::Resources() const {
  std::vector<std::string> list;
  for (const auto& [uri, type] : {std::pair("test://static-text", "text/plain"),
                                  std::pair("test://static-binary", "image/png"),
                                  std::pair("test://watched-resource", "text/plain")})
    list.push_back(ObjectText()
                       .Text("uri", uri)
                       .Text("name", uri + 7)
                       .Text("mimeType", type)
                       .Text("description", "a fixture")
                       .object());
  return list;
}

std::vector<std::string> ConformanceBackend::ResourceTemplates() const {
  return {ObjectText()
              .Text("uriTemplate", "test://template/{id}/data")
              .Text("name", "template")
              .Text("mimeType", "application/json")
              .object()};
}

Outcome ConformanceBackend::ReadResource(std::string_view uri, Call& call) {
  constexpr std::string_view kBegin = "test://template/", kEnd = "/data";
  ObjectText content;
  content.Text("uri", uri);
  if (uri == "test://static-text" || uri == "test://watched-resource") {
    content.Text("mimeType", "text/plain")
        .Text("text", "This is the content of the static text resource.");
  } else if (uri == "test://static-binary") {
    content.Text("mimeType", "image/png").Text("blob", kPixel);
  } else if (uri.starts_with(kBegin) && uri.ends_with(kEnd)) {
    const std::string id(uri.substr(kBegin.size(), uri.size() - kBegin.size() - kEnd.size()));
    content.Text("mimeType", "application/json")
        .Text("text", ObjectText()
                          .Text("id", id)
                          .Bool("templateTest", true)
                          .Text("data", "Data for ID: " + id)
                          .object());
  } else {
    return Backend::ReadResource(uri, call);
  }
  return "\"contents\":[" + content.object() + "]";
}

std::vector<std::string> ConformanceBackend::Prompts() const {
  const auto prompt = [](std::string_view name, const std::vector<std::string>& arguments) {
    std::vector<std::string> list;
    for (const std::string& argument : arguments)
      list.push_back(ObjectText()
                         .Text("name", argument)
                         .Text("description", "a fixture")
                         .Bool("required", true)
                         .object());
    ObjectText object;
    object.Text("name", name).Text("description", "a fixture");
    if (!list.empty()) object.Raw("arguments", ArrayText(list));
    return object.object();
  };
  return {prompt("test_simple_prompt", {}), prompt("test_prompt_with_arguments", {"arg1", "arg2"}),
          prompt("test_prompt_with_embedded_resource", {"resourceUri"}),
          prompt("test_prompt_with_image", {}), prompt("test_input_required_result_prompt", {})};
}

Outcome ConformanceBackend::GetPrompt(std::string_view name, const json::object& arguments,
                                      Call& call) {
  const auto says = [](const std::string& content) {
    return ObjectText().Text("role", "user").Raw("content", content).object();
  };
  const auto messages = [](const std::string& list) { return "\"messages\":[" + list + "]"; };
  if (name == "test_simple_prompt")
    return messages(says(TextBlock("This is a simple prompt for testing.")));
  if (name == "test_prompt_with_arguments")
    return messages(says(TextBlock("Prompt with arguments: arg1='" +
                                   std::string(TextMember(arguments, "arg1")) + "', arg2='" +
                                   std::string(TextMember(arguments, "arg2")) + "'")));
  if (name == "test_prompt_with_embedded_resource")
    return messages(says(Resource(TextMember(arguments, "resourceUri"), "text/plain",
                                  "Embedded resource content for testing.")) +
                    "," + says(TextBlock("Please process the embedded resource above.")));
  if (name == "test_prompt_with_image")
    return messages(says(Image()) + "," + says(TextBlock("Please analyze the image above.")));
  if (name == "test_input_required_result_prompt") {
    const json::object* responses = ObjectMember(call.params, "inputResponses");
    if (responses && ObjectMember(*responses, "user_context"))
      return messages(
          says(TextBlock("Prompt with context: " + NameIn(*responses, "user_context", "context"))));
    return InputRequired(
        ObjectText()
            .Raw("user_context", Elicit("What context should the prompt use?", "context", "string"))
            .members());
  }
  return Backend::GetPrompt(name, arguments, call);
}

}  // namespace plexus::tools::server
