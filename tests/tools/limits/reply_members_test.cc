// Members of replies, of every row: no name stands twice in an object, times are those that the
// row declares, and what a user wrote stays as it was written.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/times.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_plexus.h"
#include "tests/tools/limits/every_row.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request_json.h"
#include "tools/operations/framework/schema.h"
#include "tools/operations/framework/shape.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

namespace json = boost::json;
using testing::EveryRow;
using testing::kEveryRowNow;
using testing::RowRequest;

// Columns and properties of the graph's own, named as members of replies are.
constexpr const char* kOwn =
    R"({"column":"reviewed_at","type":"i64"})"
    "\n"
    R"({"column":"out_degree","type":"i64"})"
    "\n"
    R"({"column":"node_kind","type":"i64"})"
    "\n"
    R"({"column":"truncated","type":"i64"})"
    "\n"
    R"({"column":"columns","type":"i64"})"
    "\n"
    R"({"column":"since","type":"i64"})"
    "\n"
    R"({"node":"m1","reviewed_at":1700000000000,"out_degree":77,"node_kind":78,"truncated":79,)"
    R"("columns":80,"since":1700000000001,"props":{"until":1700000000002,"time_ms":1700000000003,)"
    R"("seen_at":1700000000004,"deep":{"valid_from":1700000000005}}})"
    "\n"
    R"({"edge":["m1","m2"],"kind":"supports","props":{"created_at":1700000000006}})"
    "\n";

// The names of each object that are in it already; "" when none stands twice.
std::string NameThatStandsTwice(std::string_view text) {
  std::vector<std::set<std::string>> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') open.emplace_back();
    if (text[at] == '}') open.pop_back();
    if (text[at] != '"') continue;
    const std::size_t begin = ++at;
    for (; text[at] != '"'; ++at) at += text[at] == '\\';
    const std::string name(text.substr(begin, at - begin));
    if (at + 1 < text.size() && text[at + 1] == ':' && !open.back().insert(name).second)
      return name;
  }
  return "";
}

class ReplyMembers : public ::testing::Test {
 protected:
  ReplyMembers() {
    std::ofstream(Path("all.jsonl")) << testing::EverythingLines(80) << kOwn;
    std::ofstream(Path("more.jsonl")) << R"({"node":"m1","text":"more"})"
                                      << "\n";
    Ask({"import", R"({"files":["DIR/all.jsonl"]})"});
    Ask({"terms", "{}"});
    Ask({"embed", R"({"dimensions":16})"});
    Ask({"backup", R"({"to":"DIR/copy"})"});
  }

  std::string Path(const std::string& name) const { return scratch_.path() + "/" + name; }

  // The reply as JSON; "" of a row that only streams.
  std::string Ask(const RowRequest& asked, const std::string& times = "ms",
                  const std::vector<std::string>& details = {}) const {
    const Operation* row = FindOperation(asked.operation);
    std::string members = asked.json;
    for (const auto& [name, value] :
         {std::pair<std::string, std::string>{"DIR", scratch_.path()}, {"GRAPH", Path("copy")}})
      for (std::size_t at; (at = members.find(name)) != std::string::npos;)
        members.replace(at, name.size(), value);
    Result<Request> request = RequestFromJson(*row, members);
    if (!request) {
      ADD_FAILURE() << asked.operation << ": " << request.error().message;
      return "";
    }
    EXPECT_TRUE(request->Set("times", times));
    if (!details.empty()) {
      EXPECT_TRUE(request->Set("details", details));
    }
    for (const char* made : {"backup", "restored", "repaired"})
      std::filesystem::remove_all(Path(made));
    WorkspaceOptions options;
    options.directory = row->name == "restore"  ? Path("restored")
                        : row->name == "repair" ? Path("copy")
                                                : Path("g");
    options.access = row->AccessFor(*request);
    options.clock_ms = kEveryRowNow;
    auto opened = Workspace::Open(options);
    if (!opened) {
      ADD_FAILURE() << asked.operation << ": " << opened.error().message;
      return "";
    }
    Result<Reply> reply = Answer(**opened, *request);
    if (!reply) {
      ADD_FAILURE() << asked.operation << ": " << reply.error().message;
      return "";
    }
    std::ostringstream text;
    if (reply->members) {
      JsonWriter out(text);
      WriteReply(*reply, {}, out);
    } else if (reply->stream) {
      std::ostringstream streamed;
      EXPECT_TRUE(reply->stream(streamed)) << asked.operation;
    }
    EXPECT_TRUE((*opened)->Close());
    return std::move(text).str();
  }

  testing::TempDir scratch_;
};

bool LooksLikeATime(const json::value& value) {
  return value.is_number() && !value.is_double() && value.to_number<double>() > 1.5e12 &&
         value.to_number<double>() < 2.0e12;
}

// `plain` and `iso` are one reply with times as numbers and as texts.
void CheckTimes(const Shape& shape, const json::value& plain, const json::value& iso,
                const std::string& place) {
  if (place.ends_with("/process")) return;  // of the moment
  switch (shape.kind) {
    case Shape::Kind::kTime:
      ASSERT_TRUE(iso.is_string()) << place;
      EXPECT_EQ(std::string(iso.as_string()), IsoTime(plain.to_number<std::int64_t>())) << place;
      return;
    case Shape::Kind::kAny: {  // what a user wrote, but for columns of times
      const std::string name = place.substr(place.rfind('/') + 1);
      if (name == "created_at" || name == "reviewed_at" || name == "accessed_at") return;
      if (place == "history/results/value") return;  // what such a column was set to
      EXPECT_EQ(plain, iso) << place;
      return;
    }
    case Shape::Kind::kArray:
      for (std::size_t i = 0; i < plain.as_array().size(); ++i)
        CheckTimes(shape.element(), plain.at(i), iso.at(i), place);
      return;
    case Shape::Kind::kObject:
      for (const auto& [name, value] : plain.as_object()) {
        const Shape* member = shape.others.empty() ? nullptr : &shape.others.front();
        for (const ShapeMember& one : shape.members)
          if (one.name == name) member = &one.shape;
        if (member) CheckTimes(*member, value, iso.at(name), place + "/" + std::string(name));
      }
      return;
    default:
      EXPECT_FALSE(LooksLikeATime(plain)) << place << " holds a time that its row does not declare";
      EXPECT_EQ(plain, iso) << place;
  }
}

TEST_F(ReplyMembers, NoneStandsTwice) {
  for (const RowRequest& request : EveryRow()) {
    SCOPED_TRACE(request.operation + " " + request.json);
    const bool of_edges = request.json.find(R"("edges":true)") != std::string::npos;
    const std::vector<std::string> details = {"kind", "line", "text"};  // of nodes
    const std::string text = Ask(request, "ms", of_edges ? std::vector<std::string>() : details);
    EXPECT_EQ(NameThatStandsTwice(text), "") << text.substr(0, 2000);
  }
}

TEST_F(ReplyMembers, ColumnsOfTakenNamesAreBelow) {
  const std::string text = Ask({"get", R"({"key":["m1"]})"}, "ms", {"kind"});
  const json::value m1 = json::parse(text);
  EXPECT_EQ(NameThatStandsTwice(text), "") << text;
  EXPECT_EQ(m1.at("node_kind"), "memory");
  EXPECT_EQ(json::serialize(m1.at("columns")),
            R"({"out_degree":77,"node_kind":78,"truncated":79,"columns":80})");
  auto request = RequestFromJson(*FindOperation("list"),
                                 R"({"columns":["key","node_kind"],"details":["kind"]})");
  ASSERT_TRUE(request);
  WorkspaceOptions options;
  options.directory = Path("g");
  options.access = Access::kRead;
  auto opened = Workspace::Open(options);
  ASSERT_TRUE(opened);
  const auto refused = Answer(**opened, *request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.error().message.find("both name 'node_kind'"), std::string::npos)
      << refused.error().message;
}

TEST_F(ReplyMembers, TimesAreThoseOfTheRow) {
  std::set<std::string> with_times;
  for (const RowRequest& request : EveryRow()) {
    SCOPED_TRACE(request.operation + " " + request.json);
    const Operation& row = *FindOperation(request.operation);
    const bool writes = row.effect != Effect::kRead ||
                        request.json.find("\"commit\"") < request.json.size() ||
                        request.json.find("\"apply\"") < request.json.size();
    const std::string text = Ask(request);
    const std::string texts = writes ? text : Ask(request, "iso");
    if (text.empty() || row.name == "schema") continue;
    const json::value plain = json::parse(text), iso = json::parse(texts);
    std::ostringstream schema;
    JsonWriter out(schema);
    out.BeginObject();
    WriteReplySchema(out, row);
    out.EndObject();
    EXPECT_EQ(testing::SchemaProblem(json::parse(schema.str()), iso), "");
    if (writes) continue;
    Shape shape;
    const Shape reply = ParseShape(row.ReplyMembers());
    CheckTimes(reply, plain, iso, row.name);
    if (text != texts) with_times.insert(row.name);
  }
  EXPECT_EQ(with_times, (std::set<std::string>{"bounty",
                                               "conflicts_chain",
                                               "conflicts_list",
                                               "cuts",
                                               "decisions_contradictions",
                                               "flow",
                                               "forest",
                                               "get",
                                               "history",
                                               "ledger_get",
                                               "ledger_memory",
                                               "ledger_neighbors",
                                               "ledger_recent",
                                               "list",
                                               "log",
                                               "match",
                                               "neighborhood",
                                               "neighbors",
                                               "path",
                                               "recall",
                                               "session",
                                               "stats",
                                               "traverse"}));
}

}  // namespace
}  // namespace plexus::tools
