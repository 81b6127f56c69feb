// A small validator of JSON Schema: the words that the schemas of operations use (type, enum,
// properties, required, additionalProperties, items, minimum, maximum, minLength), and no others:
// an unknown one is an error, so that nothing passes unread.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace plexus::testing {

// What is wrong and where, "" when the value is as the schema says.
std::string SchemaProblem(const boost::json::value& schema, const boost::json::value& value);

}  // namespace plexus::testing
