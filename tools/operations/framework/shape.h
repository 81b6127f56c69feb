// The shape of a reply, in the words of a row:
//
//   truncated:b, resume?:s, nodes:[{key:k, score:x}], kinds:{*:n}
//
// n: a whole number >= 0; i: one of either sign; t: a time, as the request has `times`; x: a
// number, or null where it is not finite; b: true or false; s: a text; k: a node's key; j: any
// JSON; E: an edge of a path; [T]: a list; {...}: an object; *:T represents members of any other
// name. A member with ? may be left out. Schemas, CSV headers and the reference are made from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plexus::tools {

struct ShapeMember;

struct Shape {
  enum class Kind : std::uint8_t {
    kCount,
    kInteger,
    kTime,
    kNumber,
    kBool,
    kText,
    kKey,
    kAny,
    kArray,
    kObject,
  };
  Kind kind = Kind::kObject;
  std::vector<Shape> parts;          // of an array: what its elements are
  std::vector<ShapeMember> members;  // of an object
  std::vector<Shape> others;         // of an object: what members of any other name are

  const Shape& element() const { return parts.front(); }
};

struct ShapeMember {
  std::string name;
  bool optional = false;
  Shape shape;
};

// The members of a reply's object. A text that is no shape is a programmer's error.
Shape ParseShape(std::string_view members);

// The member "a/b" of an object, where a may be a list of such; null: none.
const Shape* FindMember(const Shape& object, std::string_view path);

// What a member of that name says, for schemas and the reference; "" when the name says it all.
std::string_view MemberMeaning(std::string_view name);

}  // namespace plexus::tools
