// A request as a JSON object: what doors without a command line take.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "tools/operations/framework/request.h"

namespace plexus::tools {

// Of a request, and of a file that a parameter takes the contents of.
inline constexpr std::size_t kMaxRequestBytes = std::size_t{64} << 20;

// {"parameter": value, ...}, as the schema of the request says. null means a parameter that is
// left out. Times and sequences may be numbers. What a file would hold on a command line is the
// text itself. kInvalidArgument: no object, more than kMaxRequestBytes, nested deeper than two, a
// name that is not known or comes twice, a value that the row refuses.
Result<Request> RequestFromJson(const Operation& operation, std::string_view json,
                                Spelling spelling = Spelling::kNames);
// The object that says the same: what is given, defaults aside.
std::string RequestToJson(const Request& request);
// The members of the objects at that depth of a text that is JSON (the whole is at 1; 0: of all),
// equal ones counted each time. Of equal members one reader takes the first and another the last.
std::size_t CountMembers(std::string_view json, std::size_t depth = 0);
// {"operation": {"parameter": value, ...}}: a request that names what it asks. kInvalidArgument
// also: not one member, no such operation.
Result<Request> NamedRequestFromJson(std::string_view json);

}  // namespace plexus::tools
