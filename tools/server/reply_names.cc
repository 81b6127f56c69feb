// One pass over the text: numbers keep their digits.
#include "tools/server/reply_names.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace plexus::tools::server {
namespace {

// What the names say of a path; nullopt: nothing.
std::optional<std::string_view> NameOf(std::string_view path, std::string_view names) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(';'), names.size());
    const std::string_view one = Trimmed(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    if (one.substr(0, equals) == path) return one.substr(std::min(equals + 1, one.size()));
  }
  return std::nullopt;
}

class Renamer {
 public:
  Renamer(std::string_view json, std::string_view names) : json_(json), names_(names) {}

  Result<std::string> Run() {
    if (!Value("") || at_ != json_.size()) return Fail(ErrorCode::kInternal, "a reply is no JSON");
    return std::move(out_);
  }

 private:
  bool Is(char c) const { return at_ < json_.size() && json_[at_] == c; }

  // The text in quotes that begins here.
  std::optional<std::string_view> Text() {
    if (!Is('"')) return std::nullopt;
    std::size_t end = at_ + 1;
    while (end < json_.size() && json_[end] != '"') end += json_[end] == '\\' ? 2 : 1;
    if (end >= json_.size()) return std::nullopt;
    return json_.substr(std::exchange(at_, end + 1), end + 1 - at_);
  }

  bool Value(const std::string& path) {
    if (Is('{')) return Object(path);
    if (Is('[')) return Array(path);
    if (Is('"')) {
      const auto text = Text();
      if (text) out_ += *text;
      return text.has_value();
    }
    const std::size_t end = std::min(json_.find_first_of(",]}", at_), json_.size());
    out_.append(json_, at_, end - at_);
    return std::exchange(at_, end) != end;
  }

  bool Array(const std::string& path) {
    out_ += json_[at_++];
    while (!Is(']')) {
      if (!Value(path)) return false;
      if (!Is(',')) continue;
      out_ += json_[at_++];
    }
    out_ += json_[at_++];
    return true;
  }

  bool Object(const std::string& path) {
    out_ += json_[at_++];
    for (bool first = true; !Is('}');) {
      const auto quoted = Text();
      if (!quoted || !Is(':')) return false;
      ++at_;
      const std::string_view name = quoted->substr(1, quoted->size() - 2);
      const std::string own = path.empty() ? std::string(name) : path + "." + std::string(name);
      const auto given = NameOf(own, names_);
      const std::size_t before = out_.size();
      if (!first) out_ += ',';
      if (given && given->find('|') != std::string_view::npos) {
        if (!Split(*given)) return false;
      } else if (given == "*") {
        if (!Spread()) return false;
        if (out_.back() == ',') out_.resize(before);  // there was none
      } else {
        out_ += '"';
        out_ += given ? *given : name;
        out_ += "\":";
        if (!Value(own)) return false;
        if (given && given->empty()) out_.resize(before);
      }
      first = first && out_.size() == before;
      if (Is(','))
        ++at_;
      else if (!Is('}'))
        return false;
    }
    out_ += json_[at_++];
    return true;
  }

  // ["a","b"] as "A":"a","B":"b".
  bool Split(std::string_view names) {
    if (!Is('[')) return false;
    while (!names.empty()) {
      const std::size_t bar = std::min(names.find('|'), names.size());
      ++at_;  // '[' or ','
      out_.append(1, '"').append(names.substr(0, bar)).append("\":");
      if (!Value("")) return false;
      names.remove_prefix(std::min(bar + 1, names.size()));
      if (!names.empty()) out_ += ',';
      if (!Is(names.empty() ? ']' : ',')) return false;
    }
    ++at_;
    return true;
  }

  // [{"name":"a","value":1,..},..] as "a":1,...
  bool Spread() {
    if (!Is('[')) return false;
    const std::size_t begin = out_.size();
    for (++at_; !Is(']');) {
      if (!Is('{')) return false;
      ++at_;
      const auto name = Text() == "\"name\"" && Is(':') ? (++at_, Text()) : std::nullopt;
      if (!name || !Is(',') || (++at_, Text()) != "\"value\"" || !Is(':')) return false;
      if (out_.size() > begin) out_ += ',';
      out_.append(*name).append(1, ':');
      ++at_;
      if (!Value("")) return false;
      const std::size_t end = out_.size();
      while (Is(',')) {  // what else it says is left out
        ++at_;
        if (!Text() || !Is(':')) return false;
        ++at_;
        if (!Value("")) return false;
      }
      out_.resize(end);
      if (!Is('}')) return false;
      ++at_;
      if (Is(',')) ++at_;
    }
    ++at_;
    return true;
  }

  const std::string_view json_, names_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

Result<std::string> RenamedReply(std::string_view json, std::string_view names) {
  if (names.empty()) return std::string(json);
  return Renamer(json, names).Run();
}

std::string_view RenamedMember(std::string_view name, std::string_view names) {
  const auto given = NameOf(name, names);
  return given ? *given : name;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace plexus::tools::server
