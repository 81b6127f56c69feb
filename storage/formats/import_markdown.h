// A folder of Markdown notes as a mirror: the graph follows the folder.
//
// A note is a node of kind `note` (or what its front matter says as `kind` or `type`); its key is
// the path in the folder without ".md". Its text is what is below the front matter. Tags are
// those of the front matter and #words of the text, `created` or `date` is created_at, other fields
// are properties. [[other]], [[other|words]], [[other#part]] and [words](other.md) are edges
// `link`; a name without a folder means the one note of that name. %XX in (other.md) is the byte,
// where it makes a character. Code is not looked at.
//
// What was made of a folder is kept in the graph under the mirror's name: notes are `inscribed`
// with plexus.mirror.NAME by mirror:PATH, the folder's path, and their links have the author
// mirror:NAME. Importing it again unlinks and removes what is gone from the folder. A note that
// cannot be read is not gone. Nodes and edges that others made stay as they are, and a note of such
// a key is left out with a warning; a key of another mirror is an error. A kind of the index plane,
// as `event`, stays a property.
#pragma once

#include <string>

#include "storage/formats/import.h"

namespace plexus {

// Whether the path is a folder with a Markdown file in it, and is not WordNet's.
bool IsMarkdownFolder(const std::string& path);

// Computes: the folder's notes into the graph, all or nothing, as ImportFiles does. `mirror`: its
//   name, "" is the folder's own. Hidden files and folders are passed over, links of the file
//   system are not followed.
// Errors: kInvalidArgument: the mirror is of another folder; one that moved may take its place
//   where `mirror` names it and the old path is no folder any more. kNotFound: no Markdown file is
//   there, so that a wrong path removes nothing. kIo. As ImportFiles. A note that cannot be read is
//   in the report with file and reason.
// Memory: the notes. Threads: as ImportFiles.
Result<ImportReport> ImportMarkdown(Graph& graph, const std::string& folder,
                                    const std::string& mirror, const ImportOptions& options);

}  // namespace plexus
