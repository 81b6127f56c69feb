// The tools of MCP's memory server over a graph of their own.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/run_plexus.h"
#include "tools/server/knowledge/knowledge_tools.h"
#include "tools/server/operation_backend.h"

namespace plexus::tools::server {

class KnowledgeTest : public ::testing::Test {
 protected:
  KnowledgeTest() { Open(); }
  void Open(double max_seconds = 60) {
    tools_.reset();
    service_.reset();
    ServiceOptions options;
    options.max_seconds = max_seconds;
    options.directory = dir_ / "g";
    service_ = *Service::Open(options);
    tools_ = std::make_unique<KnowledgeTools>(*service_);
  }
  // The result of a call, as an object.
  json::object Result(std::string_view tool, std::string_view arguments, Caller caller = {}) {
    static const json::object none;
    const json::value given = *ParseJson(arguments);
    server::Call call{.params = none, .caller = std::move(caller)};
    const Outcome outcome = tools_->CallTool(tool, given.get_object(), call);
    if (!outcome) return {};
    return ParseJson("{" + *outcome + "}")->get_object();
  }
  std::string Text(std::string_view tool, std::string_view arguments, Caller caller = {}) {
    const json::object result = Result(tool, arguments, std::move(caller));
    const json::value& content = result.at("content").get_array().at(0);
    return std::string(TextMember(content.get_object(), "text"));
  }
  // Every text is checked to be the structured content, too.
  json::value Shown(std::string_view tool, std::string_view arguments, Caller caller = {}) {
    const json::object result = Result(tool, arguments, std::move(caller));
    const json::value& content = result.at("content").get_array().at(0);
    const json::value text = *ParseJson(TextMember(content.get_object(), "text"));
    const json::object* structured = ObjectMember(result, "structuredContent");
    EXPECT_TRUE(structured) << tool << " " << arguments;
    if (!structured) return text;
    EXPECT_EQ(text, text.is_array() ? structured->begin()->value() : json::value(*structured));
    return text;
  }
  testing::TempDir dir_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<KnowledgeTools> tools_;
};

}  // namespace plexus::tools::server
