// The table of tools against the rows of operations, and against what a model can carry.
#include "tools/server/tool_sets.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>
#include <set>

#include "tools/operations/framework/registry.h"
#include "tools/server/json_text.h"
#include "tools/server/operation_backend.h"

namespace plexus::tools::server {
namespace {

TEST(ToolSets, EveryBranchIsAnOperationWithThoseParameters) {
  for (const ToolRow& row : ToolRows()) {
    for (const Branch& branch : row.branches) {
      const Operation* operation = FindOperation(branch.operation);
      ASSERT_TRUE(operation) << row.name << ": " << branch.operation;
      std::size_t taken = 0;
      for (const ToolParameter& parameter : row.parameters) {
        const std::string_view own = Taken(branch, parameter.name);
        if (own.empty()) continue;
        ++taken;
        EXPECT_TRUE(operation->Find(own)) << row.name << " " << parameter.name << ": " << own;
      }
      const auto commas = std::ranges::count(branch.takes, ',');
      EXPECT_EQ(taken, branch.takes.empty() ? 0u : static_cast<std::size_t>(commas) + 1)
          << row.name << " " << branch.action << " takes what the tool does not have";
    }
    for (const ToolParameter& parameter : row.parameters)
      EXPECT_TRUE(std::ranges::any_of(
          row.branches,
          [&](const Branch& branch) { return !Taken(branch, parameter.name).empty(); }))
          << row.name << " " << parameter.name;
  }
}

TEST(ToolSets, TheDefaultSetIsSmall) {
  const ChosenTools tools = *ChooseTools({"memory"});
  EXPECT_LE(tools.rows.size() + tools.operations.size(), 12u);
  std::size_t bytes = 0;
  for (const ToolRow* row : tools.rows) bytes += ToolJson(*row).size() + 1;
  EXPECT_LE(bytes, 12'000u);
}

TEST(ToolSets, WhatMayRemoveAMemorySaysSo) {
  std::set<std::string> removing;
  for (const ToolRow& row : ToolRows())
    if (ToolJson(row).find(R"("destructiveHint":true)") != std::string::npos)
      removing.emplace(row.name);
  EXPECT_TRUE(removing.contains("conflicts"));
  EXPECT_TRUE(removing.contains("forget"));
  EXPECT_FALSE(removing.contains("recall"));
}

TEST(ToolSets, NamesAreOfTheSpecificationAndOnce) {
  for (const std::string_view set : ToolSetNames()) {
    const auto tools = ChooseTools({std::string(set)});
    ASSERT_TRUE(tools) << set;
    std::set<std::string> names;
    for (const ToolRow* row : tools->rows) EXPECT_TRUE(names.emplace(row->name).second);
    for (const Operation* row : tools->operations) EXPECT_TRUE(names.insert(row->name).second);
    for (const std::string& name : names) {
      EXPECT_LE(name.size(), 64u);
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
                std::string::npos)
          << name;
    }
  }
  EXPECT_FALSE(ChooseTools({"memry"}));
  EXPECT_NE(ChooseTools({"memry"}).error().message.find("memory"), std::string::npos);
}

TEST(ToolSets, SchemasAreObjectsThatRefuseOtherMembers) {
  for (const std::string_view set : ToolSetNames()) {
    const ChosenTools tools = *ChooseTools({std::string(set)});
    std::vector<std::string> texts;
    for (const ToolRow* row : tools.rows) texts.push_back(ToolJson(*row));
    for (const Operation* operation : tools.operations) texts.push_back(ToolJson(*operation));
    for (const std::string& text : texts) {
      const auto value = ParseJson(text);
      ASSERT_TRUE(value) << value.error().message << text;
      const json::object& tool = value->get_object();
      const json::object& input = *ObjectMember(tool, "inputSchema");
      EXPECT_EQ(TextMember(input, "type"), "object");
      EXPECT_EQ(*Member(input, "additionalProperties"), json::value(false));
      EXPECT_EQ(TextMember(*ObjectMember(tool, "outputSchema"), "type"), "object");
      EXPECT_EQ(ObjectMember(tool, "annotations")->size(), 4u);
      EXPECT_EQ(text.find(R"("type":[)"), std::string::npos) << text;  // some clients refuse it
      EXPECT_NE(TextMember(tool, "description").find("Example: "), std::string_view::npos);
    }
  }
}

// The example in a description is a call that the tool takes.
TEST(ToolSets, ExamplesAreCallsOfTheTool) {
  for (const ToolRow& row : ToolRows()) {
    std::string_view left = row.description;
    std::size_t examples = 0;
    for (std::size_t at; (at = left.find('{')) != std::string_view::npos; ++examples) {
      left.remove_prefix(at);
      json::stream_parser parser;
      std::size_t taken = 0;
      boost::system::error_code failed;
      taken = parser.write_some(left.data(), left.size(), failed);
      ASSERT_FALSE(failed) << row.name << ": " << left;
      const json::value example = parser.release();
      left.remove_prefix(taken);
      const std::string_view action = TextMember(example.get_object(), "action");
      const auto branch = std::ranges::find_if(
          row.branches, [&](const Branch& one) { return action.empty() || one.action == action; });
      ASSERT_NE(branch, row.branches.end()) << row.name << " " << action;
      for (const auto& [key, value] : example.get_object()) {
        const std::string_view name(key.data(), key.size());
        if (name == "action") continue;
        const bool any =
            row.runs != Runs::kOne && std::ranges::any_of(row.branches, [&](const Branch& one) {
              return !Taken(one, name).empty();
            });
        EXPECT_TRUE(any || !Taken(*branch, name).empty()) << row.name << " " << name;
      }
    }
    EXPECT_GE(examples, 1u) << row.name;
  }
}

TEST(ToolSets, KeysInUrisAreUnescaped) {
  EXPECT_EQ(Unescaped("a%20b%2Fc"), "a b/c");
  EXPECT_EQ(Unescaped("%"), "%");
  EXPECT_EQ(Unescaped("%4"), "%4");
  EXPECT_EQ(Unescaped("%41"), "A");
  EXPECT_EQ(Unescaped("%zz"), "%zz");
  EXPECT_TRUE(RequestOfUri("plexus://memory/m%201"));
  EXPECT_FALSE(RequestOfUri("plexus://memory/"));
  EXPECT_FALSE(RequestOfUri("plexus://no"));
  EXPECT_FALSE(RequestOfUri("file:///etc/passwd"));
}

}  // namespace
}  // namespace plexus::tools::server
