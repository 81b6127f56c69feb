// A request as a JSON object: what doors without a command line take.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "tools/operations/framework/request.h"

namespace plexus::tools {

// Of a request, and of a file that a parameter takes the contents of.
inline constexpr std::size_t kMaxRequestBytes = std::size_t{64} << 20;

inline constexpr std::size_t kMaxRequestDepth = 32;

// kInvalidArgument: no JSON, nested deeper than kMaxRequestDepth, or an object has two members of
// one name: one reader takes the first and another the last of them.
Result<boost::json::value> ParseJson(std::string_view text);
// {"parameter": value, ...}, as the schema of the request says. null means a parameter that is
// left out. Times, sequences and numerals may be numbers. What a file would hold on a command line
// is the text itself; where that is JSON, an object or a list serves, and a list of lines where it
// has a line each. A list of NAME=VALUE may be an object. kInvalidArgument: no object, more than
// kMaxRequestBytes, what ParseJson refuses, a name that is not known, a value that the row refuses.
Result<Request> RequestFromJson(const Operation& operation, std::string_view json,
                                Spelling spelling = Spelling::kNames);
// The object that says the same: what is given, defaults aside.
std::string RequestToJson(const Request& request);
// {"operation": {"parameter": value, ...}}: a request that names what it asks. kInvalidArgument
// also: not one member, no such operation.
Result<Request> NamedRequestFromJson(std::string_view json);

}  // namespace plexus::tools
