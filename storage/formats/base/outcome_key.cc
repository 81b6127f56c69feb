// Names of outcomes from their content; see outcome_key.h.
#include "storage/formats/base/outcome_key.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "engine/vocabulary.h"
#include "storage/formats/base/json_writer.h"

namespace plexus::formats_internal {

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
  AppendJsonKey(json, "notes");
  AppendJsonString(json, outcome.notes);
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
  auto payload = [&](NodeField field) -> Result<std::string> {
    if (!now.payload_ref(node, field)) return std::string();
    Result<std::string> bytes = now.Payload(node, field);
    if (!bytes && bytes.error().code == ErrorCode::kNotFound) return std::string();
    return bytes;
  };
  PLEXUS_ASSIGN(const std::string notes, payload(NodeField::kText));
  PLEXUS_ASSIGN(const std::string properties, payload(NodeField::kProperties));
  PLEXUS_ASSIGN(PropertyMap rest, SplitProperties(properties));
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

Result<std::string> OutcomeNameIn(const Snapshot* now, const OutcomeContent& outcome) {
  std::string name = OutcomeName(outcome);
  std::optional<NodeId> there;
  if (now) there = now->Find(IndexKey(now->schema().node_kind(kOutcome).name, name));
  if (!there || !now->alive(*there)) return outcome.plain() ? name : OutcomeNameWithDigest(outcome);
  PLEXUS_ASSIGN(const bool same, Holds(*now, *there, outcome));
  return same ? name : OutcomeNameWithDigest(outcome);
}

}  // namespace plexus::formats_internal
