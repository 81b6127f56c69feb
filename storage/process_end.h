// The end of the process: databases that are open then are closed before RocksDB's own objects
// of static storage, which closing needs, are gone. So a Database may be an object of static
// storage. Internal.
#pragma once

#include "storage/database.h"

namespace plexus::storage_internal {

// From now until it is left out, `database` is closed when the process ends by exit() or by
// returning from main. The handler is registered now, once more, when RocksDB is used in a new
// way: it is to run before what that made static ends. In a child of fork exit() closes what
// the child opened and then ends at once, without the destructors of older static objects:
// RocksDB's would wait for threads that only the parent has. Thread-safe.
void CloseAtProcessEnd(Database::Impl* database);
void LeaveOut(Database::Impl* database);  // waits while the handler closes it
void RegisterProcessEnd();

// kFailedPrecondition in a child of a process that has opened a database: RocksDB writes with
// threads that are not there.
Status MayWriteHere(const std::string& directory);

}  // namespace plexus::storage_internal
