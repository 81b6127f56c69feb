// Replies for people and for spreadsheets: tables and CSV, laid out as the row declares.
#pragma once

#include <ostream>
#include <string>

#include "tools/cli/reply_tree.h"
#include "tools/operations/framework/request.h"

namespace plexus::tools {

struct TableOptions {
  bool names = false;     // nodes by their text, the key only where none exists
  std::size_t width = 0;  // of the terminal; 0: nothing is cut
};

// The tables of the row, those whose list is in the reply; a row without tables shows the reply's
// own members, a name and a value a line. Stored text is escaped. Keys are never cut; texts are,
// where a line would not fit. False: nothing was there to show.
bool PrintTables(const Request& request, const TreeWriter& reply, const TableOptions& options,
                 std::ostream& out);

// RFC 4180, lines ending with a line feed: a header of the names that the elements of the first
// list may have, and a line each. Lists and objects in a cell are JSON. A reply without a list is
// one line. Keys are stored keys, numbers read back to the same bits.
void PrintCsv(const Request& request, const TreeWriter& reply, std::ostream& out);

// One cell of a CSV line: texts and keys as they are, everything else as JSON; quoted where it must
// be. "" for null.
std::string CsvCell(const TreeNode* cell, const Snapshot& snapshot);

}  // namespace plexus::tools
