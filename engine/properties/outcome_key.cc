// Names of outcomes from their content; see outcome_key.h.
#include "engine/properties/outcome_key.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <charconv>

#include "engine/properties/json_writer.h"
#include "engine/vocabulary.h"

namespace plexus::engine_internal {

namespace {

void AppendEscaped(std::string& name, std::string_view part) {
  for (const char c : part) {
    if (c == '/')
      name += "%2F";
    else if (c == '%')
      name += "%25";
    else
      name += c;
  }
}

// nullopt: it holds a "%" that AppendEscaped does not write.
std::optional<std::string> Unescaped(std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '%') {
      text += part[i];
      continue;
    }
    const std::string_view code = part.substr(i, 3);
    if (code != "%2F" && code != "%25") return std::nullopt;
    text += code == "%2F" ? '/' : '%';
    i += 2;
  }
  return text;
}

bool IsTime(std::string_view text) {
  if (text == "-") return true;
  std::int64_t time = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), time);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

std::string Name(const OutcomeContent& outcome, std::string_view digest) {
  std::string name;
  AppendEscaped(name, outcome.type);
  name += '/';
  name += outcome.labeled_at ? std::to_string(*outcome.labeled_at) : "-";
  name += '/';
  AppendEscaped(name, outcome.source);
  if (!digest.empty()) name.append("%=").append(digest);
  name += '/';
  return name.append(outcome.event);
}

// Notes and the rest as one JSON text: equal texts, equal contents.
std::string Spelled(const OutcomeContent& outcome) {
  std::string json = "{";
  AppendJsonMember(json, "notes", outcome.notes);
  AppendJsonKey(json, "rest");
  json += '{';
  for (const auto& [key, value] : outcome.rest) {
    AppendJsonKey(json, key);
    json += value;
  }
  return json += "}}";
}

// Whether `node` holds these notes and this rest.
Result<bool> Holds(const Snapshot& now, NodeId node, const OutcomeContent& outcome) {
  PLEXUS_ASSIGN(const std::string notes, now.PayloadOrEmpty(node, NodeField::kText));
  PLEXUS_ASSIGN(const std::string properties, now.PayloadOrEmpty(node, NodeField::kProperties));
  PLEXUS_ASSIGN(JsonProperties rest, SplitProperties(properties));
  rest.erase("type");
  rest.erase("source");
  return notes == outcome.notes && rest == outcome.rest;
}

}  // namespace

std::string OutcomeName(const OutcomeContent& outcome) { return Name(outcome, {}); }

std::string OutcomeNameWithDigest(const OutcomeContent& outcome) {
  boost::uuids::name_generator_sha1 digest(boost::uuids::ns::oid());
  return Name(outcome, boost::uuids::to_string(digest(Spelled(outcome))));
}

std::optional<OutcomeNameParts> ParseOutcomeName(std::string_view name) {
  std::string_view parts[3];
  for (std::string_view& part : parts) {
    const std::size_t end = name.find('/');
    if (end == std::string_view::npos) return std::nullopt;
    part = name.substr(0, end);
    name.remove_prefix(end + 1);
  }
  const auto type = Unescaped(parts[0]);
  const auto source = Unescaped(parts[2].substr(0, parts[2].find("%=")));
  if (!type || !source || !IsTime(parts[1])) return std::nullopt;
  return OutcomeNameParts{*type, *source, name};
}

Result<std::string> OutcomeNameIn(const Snapshot* now, const OutcomeContent& outcome) {
  std::string name = OutcomeName(outcome);
  std::optional<NodeId> there;
  if (now) there = now->Find(IndexKey(now->schema().node_kind(builtin::kOutcome).name, name));
  if (!there || !now->alive(*there)) return outcome.plain() ? name : OutcomeNameWithDigest(outcome);
  PLEXUS_ASSIGN(const bool same, Holds(*now, *there, outcome));
  return same ? name : OutcomeNameWithDigest(outcome);
}

}  // namespace plexus::engine_internal
