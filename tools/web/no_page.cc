// In place of the page, where the program is built without PLEXUS_WEB.
#include "tools/operations/files/explorer_page.h"

namespace plexus::tools {

std::string_view ExplorerPage() { return {}; }

}  // namespace plexus::tools
