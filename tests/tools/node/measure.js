// What the Node package costs; run by hand: PLEXUS_NODE=BUILD_DIR/tools/node/plexus.node node
// measure.js [EDGES [GRAPH]]. A call (c_measure times the same request through C), edges from typed arrays
// and PageRank. Times are of the processor, but for the promise.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const plexus = require('../../../tools/node');
const {native} = require('../../../tools/node/operations.js');

function seconds() {
  const {user, system} = process.cpuUsage();
  return (user + system) / 1e6;
}

function timed(name, count, work) {
  let best = Infinity;
  for (let round = 0; round < 9; ++round) {
    const start = seconds();
    for (let i = 0; i < count; ++i) work();
    best = Math.min(best, (seconds() - start) / count);
  }
  console.log(`${name.padEnd(34)} ${(best * 1e6).toFixed(2).padStart(8)} us`);
}

async function edges(graph, count) {
  const ends = new Uint32Array(2 * count);
  for (let i = 0; i < 2 * count; ++i) {  // as measure.py makes them
    let mixed = Math.imul(i, 2654435761);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 2246822519);
    ends[i] = ((mixed ^ (mixed >>> 13)) >>> 0) % Math.floor(count / 8);
  }
  const start = seconds();
  await graph.putEdges({sources: ends.subarray(0, count), targets: ends.subarray(count)});
  const spent = seconds() - start;
  console.log(`put_edges: ${spent.toFixed(2)} s, ${(count / spent / 1e6).toFixed(1)} M edges/s`);
  await rank(graph.snapshot());
}

async function rank(snapshot) {
  let best = Infinity, bits = 0n;
  for (let i = 0; i < 9; ++i) {
    const start = seconds();
    const scores = await snapshot.pagerank({iterations: 20});
    best = Math.min(best, seconds() - start);
    if (i === 0) for (const word of new BigUint64Array(scores.buffer)) bits ^= word;
  }
  snapshot.close();
  console.log(`pagerank, 20 iterations: ${best.toFixed(4)} s, bits ${bits.toString(16)}`);
}

(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plexus-'));
  try {
    let graph = plexus.open(path.join(folder, 'g'));
    graph.callSync('put', {key: 'm1', text: 'a'});
    const reply = JSON.stringify(graph.callSync('get', {key: 'm1'}));
    timed("graph.callSync('get', ..)", 20000, () => graph.callSync('get', {key: 'm1'}));
    timed('graph.callSync("conflicts_list")', 20000, () => graph.callSync('conflicts_list', {}));
    timed('JSON of the reply', 20000, () => JSON.parse(reply));
    timed('the sequence (no operation)', 20000, () => graph.sequence);
    timed('an empty call', 20000, () => native.cancelFree(0));
    const start = performance.now();
    for (let i = 0; i < 20000; ++i) await graph.get({key: 'm1'});
    console.log(`await graph.get(..): ${((performance.now() - start) / 20).toFixed(1)} us of the clock`);
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 100000; ++i) graph.callSync('get', {key: 'm1'});
    console.log(`10^5 calls: ${((process.memoryUsage().rss - before) / 1024).toFixed(0)} KiB more`);
    await graph.close();
    graph = plexus.open(path.join(folder, 'e'));
    await edges(graph, Number(process.argv[2] ?? 4000000));
    await graph.close();
    if (process.argv[3]) {
      graph = plexus.open(process.argv[3], {readOnly: true});
      await rank(graph.snapshot());
      await graph.close();
    }
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
})();
