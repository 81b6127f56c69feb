// The version that the program, the server and the C interface say.
#pragma once

namespace plexus::tools {

// As "1.0.0" or "1.0.0-rc.1" (semver.org): what CMakeLists.txt says.
const char* Version();

}  // namespace plexus::tools
