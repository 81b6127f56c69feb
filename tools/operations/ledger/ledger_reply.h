// Pieces of replies about the ledger: events, members, outcomes; and naming an event.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// Their shapes.
std::string EventShape();     // an object
std::string EventsShape();    // a list of them
std::string MembersShape();   // a list of objects
std::string OutcomesShape();  // the same

void WriteEventFields(ReplyWriter& json, const Snapshot& snapshot,
                      const memory::LedgerEvent& event);
void WriteMembers(ReplyWriter& json, const Snapshot& snapshot, const memory::EventDetails& details);
void WriteOutcomeFields(ReplyWriter& json, const Snapshot& snapshot,
                        const memory::LedgerOutcome& outcome);
void WriteOutcomes(ReplyWriter& json, const Snapshot& snapshot,
                   const memory::EventDetails& details);

// An alive event by its id, or as any command names an index node. kNotFound.
Result<NodeId> EventNamed(const Snapshot& snapshot, std::string_view name);

// The state that a request of a list is about: that of its cursor, if it has one and no as_of. A
// cursor of an event time ends with '@' and that time in ms, and is taken with the same words only.
struct PageState {
  Snapshot snapshot;
  std::string cursor;          // without the time
  std::string state, ending;   // of the event time; "": none
  std::string Next(const std::string& next) const { return next.empty() ? next : next + ending; }
};
// Errors: a cursor that is none; of a sequence that the graph does not have, or had; of an
// event time that the request does not name.
Result<PageState> StateOfPage(Workspace& workspace, const Request& request);

Parameter LimitParameter();
Parameter CursorParameter();

}  // namespace plexus::tools
