// An agent that remembers, recalls before it acts, and records what came of it.
//
//     node agent_loop.js DIRECTORY
//
// `act` is where a language model answers: this one answers with the memories it was given.
'use strict';
const plexus = require('plexus');

function act(task, memories) {
  return `${task}: ${memories.map((hit) => hit.text).join(' ') || 'nothing is known'}`;
}

// One turn: what is known about the task, the answer, and a record of what it was made of.
async function step(graph, task) {
  const {hits} = await graph.recall({words: task, top: 3, details: ['text']});
  const answer = act(task, hits);
  if (hits.length === 0) return {answer};
  const member = hits.map((hit) => hit.key);
  return {answer, event: await graph.ledger.record({tool: 'agent', query: task, member})};
}

async function main(directory) {
  const graph = plexus.open(directory);
  try {
    if (graph.sequence === 0n) {  // the first time
      await graph.remember({text: 'Deploys stop on Fridays.', key: 'deploys', tags: ['deploy']});
      await graph.remember({text: 'The gateway needs two reviews.', tags: ['review']});
      await graph.correct({old: 'deploys', text: 'Deploys stop on Thursdays.'});
    }
    for (const task of ['when do deploys stop', 'who reviews the gateway', 'zebras']) {
      const {answer, event} = await step(graph, task);
      console.log(answer);
      if (event)  // whoever reads the answer says whether it helped
        await graph.ledger.label({event: event.event_id, type: 'helpful'});
    }
    const {events} = await graph.ledger.recent({limit: 2});
    for (const event of events) console.log(event.event_id, ...event.outcomes);
  } finally {
    await graph.close();
  }
}

main(process.argv[2]);
