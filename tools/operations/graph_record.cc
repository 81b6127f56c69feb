// The record is a map of properties, so every export and import knows how to carry it.
#include "tools/operations/graph_record.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "engine/vocabulary.h"
#include "storage/formats/base/properties.h"

namespace plexus::tools {

namespace {

std::string StoredName(std::string_view name) { return "plexus." + std::string(name); }

}  // namespace

Result<std::optional<GraphRecord>> ReadRecord(const Snapshot& snapshot, std::string_view name) {
  const auto node = snapshot.Find(IndexKey("inscription", StoredName(name)));
  if (!node || !snapshot.alive(*node)) return std::nullopt;
  const PayloadRef ref = snapshot.payload_ref(*node, NodeField::kProperties);
  if (!ref) return std::nullopt;
  PLEXUS_ASSIGN(const std::string bytes, snapshot.Payload(ref));
  PLEXUS_ASSIGN(const std::string json, formats::internal::JsonFromProperties(bytes));
  boost::system::error_code failed;
  const boost::json::value value = boost::json::parse(json, failed);
  if (failed || !value.is_object())
    return Corrupted("the record inscription:", StoredName(name), " cannot be read; remove it");
  return GraphRecord{value.get_object(), ref.sequence()};
}

Status WriteRecord(WriteBatch& batch, std::string_view name, boost::json::object properties,
                   const std::optional<GraphRecord>& before) {
  std::int64_t runs = 0;
  if (before)
    if (const auto* last = before->properties.if_contains("runs"); last && last->is_int64())
      runs = last->get_int64();
  properties["runs"] = runs + 1;
  PLEXUS_ASSIGN(const std::string bytes,
                formats::internal::PropertiesFromJson(boost::json::serialize(properties)));
  const NodeRef node = batch.IndexNode(builtin::kInscription, StoredName(name));
  batch.UpsertNode(node);
  batch.SetPayload(node, NodeField::kProperties, bytes);
  return {};
}

}  // namespace plexus::tools
