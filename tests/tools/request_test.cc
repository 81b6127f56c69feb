// Requests are checked against their row, whatever the door.
#include "tools/operations/framework/request.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"

namespace plexus::tools {
namespace {

Operation Row() {
  return {.name = "ask",
          .group = "Ask",
          .title = "Ask",
          .summary = "Ask",
          .parameters = {Text("key", "KEY", "a key").Positional(),
                         Count("top", "K", "at most K").Between(1, 100).Default(std::uint64_t{20}),
                         Number("damping", "D", "a factor").Default(0.85),
                         Choice("mode", {"slow", "fast"}, "how"), List("kinds", "A,B", "kinds"),
                         Repeated("seed", "KEY", "seeds"), Flag("paths", "show paths"),
                         Count("max_nodes", "N", "nodes").ForPeople(7),
                         Text("props", "JSON", "properties"),
                         Text("plan", "FILE", "a plan").Named(Means::kContent),
                         Text("proposal", "FILE", "rows").Lines(),
                         Text("weight", "W", "of an edge").Named(Means::kNumeral),
                         Repeated("set", "COLUMN=VALUE", "columns")}};
}

std::string Why(const Status& status) { return status ? "" : status.error().message; }

TEST(Request, DefaultsStandWhereNothingIsGiven) {
  const Operation row = Row();
  const Request request(row);
  EXPECT_EQ(request.Count("top"), 20u);
  EXPECT_EQ(request.Number("damping"), 0.85);
  EXPECT_EQ(request.Text("mode"), "slow");
  EXPECT_FALSE(request.Flag("paths"));
  EXPECT_TRUE(request.List("kinds").empty());
  EXPECT_FALSE(request.MaybeCount("max_nodes"));
  EXPECT_FALSE(request.Given("top"));
}

TEST(Request, AnUnknownParameterNamesTheNearest) {
  const Operation row = Row();
  Request request(row);
  EXPECT_EQ(Why(request.Set("tpo", std::uint64_t{1})),
            "ask has no parameter 'tpo'; did you mean 'top'?");
  EXPECT_EQ(Why(request.Set("as_of", std::string("7"))), "");  // common to all
}

TEST(Request, LimitsHoldAndTypesAreChecked) {
  const Operation row = Row();
  Request names(row), flags(row, Spelling::kFlags);
  EXPECT_EQ(Why(names.Set("top", std::uint64_t{101})), "top is 1 to 100");
  EXPECT_EQ(Why(flags.Set("top", std::uint64_t{0})), "--top is 1 to 100");
  EXPECT_EQ(Why(names.Set("top", std::string("5"))), "top is a whole number >= 0");
  EXPECT_EQ(Why(names.Set("damping", 0.0 / 0.0)), "damping is a finite number");
  EXPECT_EQ(Why(names.Set("damping", std::uint64_t{1})), "");  // whole numbers serve
  EXPECT_EQ(names.Number("damping"), 1.0);
  EXPECT_EQ(Why(names.Set("mode", std::string("fsat"))),
            "mode: 'fsat' is not one of slow|fast; did you mean 'fast'?");
  EXPECT_EQ(Why(names.Set("key", std::string())), "key: is empty; leave it out or give a value");
  EXPECT_EQ(Why(names.Check()), "key is required");
  EXPECT_EQ(Why(flags.Check()), "KEY is required");
}

TEST(Request, TextsOfACommandLineAreRead) {
  const Operation row = Row();
  Request request(row, Spelling::kFlags);
  EXPECT_EQ(Why(request.SetFromText("top", "five")), "--top: 'five' is no whole number >= 0");
  EXPECT_EQ(Why(request.SetFromText("damping", "0.5x")), "--damping: '0.5x' is no finite number");
  EXPECT_EQ(Why(request.SetFromText("kinds", "a,\"b,c\"")), "");
  EXPECT_EQ(Why(request.SetFromText("kinds", "d")), "");
  EXPECT_EQ(request.List("kinds"), (std::vector<std::string>{"a", "b,c", "d"}));
  EXPECT_EQ(Why(request.SetFromText("seed", "x,y")), "");  // one a flag
  EXPECT_EQ(request.List("seed"), (std::vector<std::string>{"x,y"}));
}

TEST(Request, PeopleAreShownFewerRows) {
  const Operation row = Row();
  Request request(row);
  request.SetForPeople();
  EXPECT_EQ(request.MaybeCount("max_nodes"), 7u);
  EXPECT_FALSE(request.Given("max_nodes"));
  ASSERT_EQ(Why(request.Set("max_nodes", std::uint64_t{3})), "");
  EXPECT_EQ(request.MaybeCount("max_nodes"), 3u);
}

TEST(Request, IsReadFromJsonAsFromFlags) {
  const Operation row = Row();
  const Result<Request> request = RequestFromJson(
      row, R"({"key":"a","top":5,"damping":-1,"mode":"fast","kinds":["x","y,z"],"paths":true,)"
           R"("as_of":1700000000000,"scope":["user"],"max_nodes":null})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->Text("key"), "a");
  EXPECT_EQ(request->Count("top"), 5u);
  EXPECT_EQ(request->Number("damping"), -1.0);
  EXPECT_EQ(request->List("kinds"), (std::vector<std::string>{"x", "y,z"}));
  EXPECT_TRUE(request->Flag("paths"));
  EXPECT_EQ(request->Text("as_of"), "1700000000000");
  EXPECT_FALSE(request->Given("max_nodes"));
}

// As a client that has them writes them, not as text within text.
TEST(Request, JsonHoldsObjectsListsAndNumbersAsTheyAre) {
  const Operation row = Row();
  const Result<Request> request = RequestFromJson(
      row, R"({"key":"a","props":{"x":[1,{"y":"\u0000"}]},"plan":[1.5,2],"weight":0.25,)"
           R"("proposal":[{"node":"a"},"{\"node\":\"b\"}"],)"
           R"("set":{"trust":0.1,"n":-3,"name":"b c","tag":["x","y"]}})");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->Text("props"), R"({"x":[1,{"y":"\u0000"}]})");
  EXPECT_EQ(request->Text("plan"), "[1.5E0,2]");
  EXPECT_EQ(request->Text("weight"), "0.25");
  EXPECT_EQ(request->Text("proposal"), "{\"node\":\"a\"}\n{\"node\":\"b\"}\n");
  EXPECT_EQ(request->List("set"),
            (std::vector<std::string>{"trust=0.1", "n=-3", "name=b c", "tag=x", "tag=y"}));
  const Result<Request> texts = RequestFromJson(
      row, R"({"key":"a","props":"{}","plan":"recall","weight":"1e-3","set":["n=1"]})");
  ASSERT_TRUE(texts) << texts.error().message;
  EXPECT_EQ(texts->Text("weight"), "1e-3");
}

TEST(Request, WrongJsonIsRefusedByName) {
  const Operation row = Row();
  const auto why = [&](std::string_view json) {
    const Result<Request> request = RequestFromJson(row, json);
    return request ? std::string() : request.error().message;
  };
  EXPECT_EQ(why("[]"), "a request is an object of parameters");
  EXPECT_TRUE(why("{\"key\":").starts_with("the request is no JSON"));
  EXPECT_EQ(why("{}"), "key is required");
  EXPECT_EQ(why(R"({"key":"a","kyes":1})"), "ask has no parameter 'kyes'; did you mean 'key'?");
  EXPECT_EQ(why(R"({"key":"a","top":-1})"), "top is a whole number >= 0");
  EXPECT_EQ(why(R"({"key":"a","top":1.5})"), "top is a whole number >= 0");
  EXPECT_EQ(why(R"({"key":"a","top":1e3})"), "top is a whole number >= 0");
  EXPECT_EQ(why(R"({"key":1})"), "key is a text");
  EXPECT_EQ(why(R"({"key":{}})"), "key is no object");
  EXPECT_EQ(why(R"({"key":"a","kinds":[1]})"), "kinds is a list of texts");
  EXPECT_EQ(why(R"({"key":"a","kinds":[[]]})"), "kinds is a list of texts");
  EXPECT_EQ(why(R"({"key":"a","kinds":{"a":"b"}})"), "kinds is no object");
  EXPECT_EQ(why(R"({"key":"a","props":[1]})"), "props is a list of texts");
  EXPECT_EQ(why(R"({"key":"a","set":{"a":{}}})"), "set has texts and numbers as values");
  EXPECT_EQ(why(R"({"key":"a","set":{"a=b":1}})"), "set has a name with '='");
  EXPECT_EQ(why("{\"key\":" + std::string(33, '[')),
            "the request is no JSON: too deep");
  // One reader takes the first and another the last of them: neither is believed.
  EXPECT_EQ(why(R"({"key":"a","key":"b"})"), "the request is no JSON: a member is there twice");
  EXPECT_EQ(why(R"({"key":"a","\u006bey":"b"})"),
            "the request is no JSON: a member is there twice");
  EXPECT_EQ(why(R"({"key":"a","props":{"x":1,"x":2}})"),
            "the request is no JSON: a member is there twice");
  EXPECT_EQ(why(R"({"key":"a:{\":b\\"})"), "");
}

}  // namespace
}  // namespace plexus::tools
