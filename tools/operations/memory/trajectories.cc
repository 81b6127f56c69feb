// A line of JSON, or a row of a table: the same members, checked in the same way.
#include "tools/operations/memory/trajectories.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cmath>

#include "engine/schema.h"
#include "storage/formats/csv/csv.h"
#include "tools/operations/framework/arguments.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kMaxColumns = 1024;

class Reader {
 public:
  Reader(const std::string& source, std::string_view text) : source_(source), text_(text) {}

  Result<std::vector<memory::TurnTrajectory>> Read() {
    if (!IsValidUtf8(text_)) return Invalid(source_, ": it is no UTF-8");
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return std::move(list_);
    if (text_[first] == '{') {
      PLEXUS_TRY(ReadLines());
    } else {
      PLEXUS_TRY(ReadTable());
    }
    return std::move(list_);
  }

 private:
  std::unexpected<Error> Bad(const std::string& why) const {
    return Invalid(source_, ":", line_, ": ", why);
  }

  Status ReadLines() {
    for (; !text_.empty(); ++line_) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      const std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      PLEXUS_TRY(ReadObject(line));
    }
    return {};
  }

  Status ReadObject(std::string_view line) {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse(line, failed);
    if (failed || !value.is_object()) return Bad("it is no JSON object");
    PLEXUS_TRY(CheckJson(source_ + ":" + std::to_string(line_), line));
    memory::TurnTrajectory made;
    for (const auto& [key, member] : value.get_object()) {
      if (member.is_null()) continue;
      const std::string_view name = key;
      if (name == "reward") {
        if (!member.is_number()) return Bad("\"reward\" must be a number");
        PLEXUS_TRY(SetReward(made, member.to_number<double>()));
      } else if (std::string* to = TextMember(made, name)) {
        if (!member.is_string()) return Bad("\"" + std::string(name) + "\" must be a text");
        *to = std::string(std::string_view(member.get_string()));
      }
    }
    return Add(std::move(made));
  }

  Status ReadTable() {
    const char delimiter =
        text_.substr(0, text_.find('\n')).find('\t') != std::string_view::npos ? '\t' : ',';
    std::vector<std::string> header;
    formats::internal::CsvRow row;
    while (!text_.empty()) {
      const std::string_view rest = text_;
      const Status read = formats::internal::ReadCsvRow(rest, delimiter, kMaxColumns,
                                                        Limits::kMaxPayloadBytes, row);
      if (!read) return Bad(read.error().message);
      const std::string_view record = rest.substr(0, row.length);
      const bool empty = record.find_first_not_of(" \t\r\n") == std::string_view::npos;
      text_.remove_prefix(row.length);
      if (!empty) {
        if (header.empty()) {
          PLEXUS_TRY(ReadHeader(row, header));
        } else {
          PLEXUS_TRY(ReadRow(row, header));
        }
      }
      for (const char c : record) line_ += c == '\n';
    }
    return {};
  }

  Status ReadHeader(const formats::internal::CsvRow& row, std::vector<std::string>& header) {
    bool has_session = false;
    for (const std::string_view cell : row.cells) {
      if (!cell.empty())
        for (const std::string& other : header)
          if (other == cell) return Bad("two columns are called '" + other + "'");
      header.emplace_back(cell);
      has_session |= cell == "session_id";
    }
    if (!has_session) return Bad("the header has no column session_id");
    return {};
  }

  Status ReadRow(const formats::internal::CsvRow& row, const std::vector<std::string>& header) {
    if (row.cells.size() != header.size())
      return Bad(std::to_string(row.cells.size()) + " cells, the header has " +
                 std::to_string(header.size()));
    memory::TurnTrajectory made;
    for (std::size_t i = 0; i < header.size(); ++i) {
      const std::string_view cell = row.cells[i];
      if (cell.empty()) continue;
      if (header[i] == "reward") {
        const auto number = ParseNumber(cell);
        if (!number) return Bad("the reward '" + std::string(cell) + "' is no number");
        PLEXUS_TRY(SetReward(made, *number));
      } else if (std::string* to = TextMember(made, header[i])) {
        *to = cell;
      }
    }
    return Add(std::move(made));
  }

  static std::string* TextMember(memory::TurnTrajectory& made, std::string_view name) {
    if (name == "session_id") return &made.of;
    if (name == "correction_of") return &made.correction_of;
    if (name == "skill") return &made.skill;
    if (name == "domain") return &made.domain;
    return nullptr;
  }

  Status SetReward(memory::TurnTrajectory& made, double reward) const {
    if (!(reward >= 0) || !std::isfinite(static_cast<float>(reward)))
      return Bad("the reward is a finite number of 0 or more, as it becomes a weight");
    made.reward = reward;
    return {};
  }

  Status Add(memory::TurnTrajectory made) {
    if (made.of.empty()) return Bad("it has no session_id");
    list_.push_back(std::move(made));
    return {};
  }

  const std::string& source_;
  std::string_view text_;
  std::size_t line_ = 1;
  std::vector<memory::TurnTrajectory> list_;
};

}  // namespace

Result<std::vector<memory::TurnTrajectory>> ParseTrajectories(const std::string& source,
                                                              std::string_view text) {
  return Reader(source, text).Read();
}

}  // namespace plexus::tools
