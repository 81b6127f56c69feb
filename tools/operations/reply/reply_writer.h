// What replies are written to: JSON events, streamed.
//
// Numbers keep their types: a float is written by its own shortest text. A node is written as its
// stored key; a tree keeps the node, so that tables show its text. Not thread-safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "engine/snapshot.h"

namespace plexus::tools {

class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;

  virtual void BeginObject() = 0;
  virtual void EndObject() = 0;
  virtual void BeginArray() = 0;
  virtual void EndArray() = 0;
  virtual void Key(std::string_view name) = 0;

  virtual void Value(std::string_view text) = 0;
  virtual void Value(double number) = 0;  // null where it is not finite
  virtual void Value(float number) = 0;
  virtual void Value(bool truth) = 0;
  virtual void Integer(std::int64_t number) = 0;
  virtual void Unsigned(std::uint64_t number) = 0;
  // Milliseconds since 1970: an integer, unless a writer says otherwise (iso_times.h).
  virtual void Time(std::int64_t time_ms) { Integer(time_ms); }
  virtual void Raw(std::string_view json) = 0;  // text that is JSON already
  virtual void Node(const Snapshot& snapshot, NodeId node) = 0;

  // Whether the list that is open is full: a loop may end. REQUIRES that there is
  // another one, as the reply is then cut.
  virtual bool LeavesOut() { return false; }
  // Lists end at this part of a limited reply, until it is said again: what follows has the rest.
  virtual void Share(double /*of_reply*/) {}
  // Whether elements were left out.
  virtual bool cut() const { return false; }

  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(std::integral auto number) {
    if constexpr (std::signed_integral<decltype(number)>)
      Integer(static_cast<std::int64_t>(number));
    else
      Unsigned(static_cast<std::uint64_t>(number));
  }

  template <class T>
  void Field(std::string_view name, const T& value) {
    Key(name);
    if constexpr (std::convertible_to<T, std::string_view>)
      Value(std::string_view(value));
    else
      Value(value);
  }
  void Time(std::string_view name, std::int64_t time_ms) {
    Key(name);
    Time(time_ms);
  }
  void Node(std::string_view name, const Snapshot& snapshot, NodeId node) {
    Key(name);
    Node(snapshot, node);
  }
  void BeginObject(std::string_view name) {
    Key(name);
    BeginObject();
  }
  void BeginArray(std::string_view name) {
    Key(name);
    BeginArray();
  }
  // "name":[{...},...]: `write` is called with each element inside of its object.
  template <class List, class Write>
  void Objects(std::string_view name, const List& list, Write&& write) {
    BeginArray(name);
    for (const auto& element : list) {
      if (LeavesOut()) break;
      BeginObject();
      write(element);
      EndObject();
    }
    EndArray();
  }
  template <class List>
  void Values(std::string_view name, const List& list) {
    BeginArray(name);
    for (const auto& element : list) {
      if (LeavesOut()) break;
      Value(element);
    }
    EndArray();
  }
  template <class List>
  void Nodes(std::string_view name, const Snapshot& snapshot, const List& list) {
    BeginArray(name);
    for (const NodeId node : list) {
      if (LeavesOut()) break;
      Node(snapshot, node);
    }
    EndArray();
  }
};

}  // namespace plexus::tools
