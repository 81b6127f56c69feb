// The position is a map of properties, as every export carries it.
#include "storage/formats/follow/position.h"

#include <algorithm>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

#include "engine/properties/properties.h"
#include "engine/vocabulary.h"

namespace plexus::formats::internal {
namespace {

std::string Digest(std::string_view bytes) {
  boost::uuids::name_generator_sha1 digest(boost::uuids::ns::oid());
  return boost::uuids::to_string(digest(bytes.data(), bytes.size()));
}

std::string StoredName(std::string_view name) { return "plexus.follow." + std::string(name); }

}  // namespace

FollowWindows::FollowWindows(std::uint64_t size, std::string head, std::string tail)
    : size_(size), head_(std::move(head)), tail_(std::move(tail)) {}

void FollowWindows::Add(std::string_view bytes) {
  constexpr std::size_t kWindow = FollowPosition::kWindow;
  size_ += bytes.size();
  head_.append(bytes.substr(0, kWindow - std::min(kWindow, head_.size())));
  tail_.append(bytes.substr(bytes.size() - std::min(kWindow, bytes.size())));
  if (tail_.size() > kWindow) tail_.erase(0, tail_.size() - kWindow);
}

FollowPosition FollowWindows::At(std::string_view more, std::uint64_t lines) const {
  FollowWindows then = *this;
  then.Add(more);
  return {then.size_, lines, Digest(then.head_), Digest(then.tail_)};
}

std::string FollowPositionKey(std::string_view name) { return "inscription:" + StoredName(name); }

Result<std::optional<FollowPosition>> ReadFollowPosition(const Snapshot& snapshot,
                                                         std::string_view name) {
  const auto node = snapshot.Find(IndexKey("inscription", StoredName(name)));
  if (!node || !snapshot.alive(*node)) return std::nullopt;
  const PayloadRef ref = snapshot.payload_ref(*node, NodeField::kProperties);
  if (!ref) return std::nullopt;
  PLEXUS_ASSIGN(const std::string bytes, snapshot.Payload(ref));
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(bytes));
  const PropertyView root = map.root();
  FollowPosition position;
  const auto number = [&](const char* member, std::uint64_t& to) {
    const auto value = root.Find(member);
    const auto whole = value ? value->AsUint() : std::nullopt;
    if (whole) to = *whole;
    return whole.has_value();
  };
  const auto text = [&](const char* member, std::string& to) {
    const auto value = root.Find(member);
    const auto string = value ? value->AsString() : std::nullopt;
    if (string) to = *string;
    return string.has_value();
  };
  if (!number("offset", position.offset) || !number("lines", position.lines) ||
      !text("head", position.head) || !text("tail", position.tail))
    return Corrupted("the position ", FollowPositionKey(name), " cannot be read; remove it");
  return position;
}

Status WriteFollowPosition(WriteBatch& batch, std::string_view name,
                           const FollowPosition& position) {
  PropertyMapBuilder made;
  made.Uint("offset", position.offset)
      .Uint("lines", position.lines)
      .String("head", position.head)
      .String("tail", position.tail);
  PLEXUS_ASSIGN(const std::string bytes, made.Finish());
  const NodeRef node = batch.IndexNode(builtin::kInscription, StoredName(name));
  batch.UpsertNode(node);
  batch.SetPayload(node, NodeField::kProperties, bytes);
  return {};
}

}  // namespace plexus::formats::internal
