// Operations, arrays, failures and ends of a graph from Node.
'use strict';
const assert = require('node:assert');
const {spawnSync} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {test} = require('node:test');

const plexus = require('../../../tools/node');

const NOW = '1790000000000';
const LINES = [
  {node: 'm1', kind: 'memory', text: 'Deploys stop on Fridays.', tags: ['deploy']},
  {node: 'm2', kind: 'memory', text: 'The gateway needs two reviews.'},
  {node: 'd1', kind: 'decision', text: 'One writer'},
  {node: 'd2', kind: 'decision', text: 'Readers take snapshots'},
  {node: 'c1', kind: 'concept', text: 'care'},
  {edge: ['m2', 'm1'], kind: 'supports', weight: 0.5},
  {edge: ['d2', 'd1'], kind: 'depends_on'},
  {event: 'e1', tool: 't', query: 'q', created_at: Number(NOW),
   members: [{id: 'm1', role: 'primary'}, {id: 'm2', role: 'supporting'}]},
];
async function scratch(t, fill = true) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plexus-'));
  const graph = plexus.open(path.join(folder, 'graph'));
  t.after(async () => {
    await graph.close();
    fs.rmSync(folder, {recursive: true});
  });
  if (fill) await graph.importRecords(LINES, {now: NOW});
  return {folder, graph};
}

test('every row is a method', async (t) => {
  const {graph} = await scratch(t, false);
  for (const {operation} of plexus.callAt(null, 'schema').operations) {
    const family = graph[operation.split('_')[0]], rest = operation.slice(operation.indexOf('_') + 1);
    const method = graph[operation] ?? family?.[rest];
    assert.strictEqual(typeof method, 'function', operation);
  }
});

test('an export is the bytes of a file', async (t) => {
  const {folder, graph} = await scratch(t, false);
  await graph.putVectors(
    {values: Float32Array.of(-1, 2, 0, 0.5), dimensions: 2, keys: ['{a', 'b']});
  const expected = {};
  for (const format of ['jsonl', 'mcp-memory', 'f32', 'dot', 'node-link']) {
    expected[format] = await graph.export({format});
    assert.ok(Buffer.isBuffer(expected[format]), format);
    assert.deepStrictEqual(graph.callSync('export', {format}), expected[format]);
    const file = path.join(folder, format), reply = await graph.export({format, output: file});
    assert.strictEqual(reply.bytes, expected[format].length);
    assert.deepStrictEqual(fs.readFileSync(file), expected[format]);
  }
  const lines = (await graph.export()).toString().trim().split('\n');
  const records = lines.map((line) => JSON.parse(line));
  assert.deepStrictEqual(records.filter(({node}) => node).map(({node}) => node), ['{a', 'b']);
  assert.strictEqual(expected['mcp-memory'].toString().trim().split('\n').length, 2);
  const rows = expected.f32.subarray(-16);
  assert.deepStrictEqual([0, 4, 8, 12].map((at) => rows.readFloatLE(at)), [-1, 2, 0, 0.5]);
  assert.match(await graph.stats({metrics: true}), /^# /);
  await graph.close();
  assert.deepStrictEqual(plexus.callAt(path.join(folder, 'graph'), 'export', {format: 'f32'}),
                         expected.f32);
});

test('failures have codes', async (t) => {
  const {graph} = await scratch(t);
  await assert.rejects(graph.get({key: 'none'}), {code: 'not_found'});
  await assert.rejects(graph.recall({wrds: 'x'}), {code: 'invalid_argument', message: /words/});
  assert.throws(() => graph.callSync('get', {key: 'none'}), {code: 'not_found'});
  assert.throws(() => plexus.open(7), {code: 'invalid_argument'});
  assert.throws(() => plexus.open('/no/such/folder', {create: false}), {code: 'not_found'});
  assert.throws(() => plexus.open('g\0h'), {code: 'invalid_argument', message: /path .* NUL/});
});

test('arrays go in and out', async (t) => {
  const {graph} = await scratch(t, false);
  const u32 = (...numbers) => Uint32Array.from(numbers);
  const counts = await graph.putEdges({
    sources: u32(0, 1), targets: u32(1, 2), keys: ['a', 'b', 'ü'],
    weights: Float32Array.of(0.5, 0.25),
  });
  assert.deepStrictEqual({...counts}, {sequence: 1n, nodesAdded: 3, added: 2, changed: 0, same: 0});
  assert.strictEqual(graph.sequence, 1n);
  const snapshot = graph.snapshot();
  await graph.putVectors({values: Float32Array.of(1, 2, 3, 4), dimensions: 2, keys: ['a', 'b']});
  const vectors = await graph.snapshot().vectors();
  assert.deepStrictEqual([...vectors.values], [1, 2, 3, 4]);
  assert.strictEqual(vectors.dimensions, 2);
  await graph.close();
  // A snapshot outlives its graph.
  assert.deepStrictEqual(await snapshot.keys(), ['a', 'b', 'ü']);
  const scores = await snapshot.pagerank();
  assert.ok(scores instanceof Float64Array);
  assert.ok(Math.abs(scores.reduce((a, b) => a + b) - 1) < 1e-9);
  assert.deepStrictEqual([...await snapshot.pagerank({damping: 0})], [1 / 3, 1 / 3, 1 / 3]);
  for (const damping of [-1, NaN])
    await assert.rejects(snapshot.pagerank({damping}), /damping is not a number >= 0/);
  const {offsets, targets, weights} = await snapshot.csr();
  assert.deepStrictEqual([[...offsets], [...targets], [...weights]],
                         [[0, 1, 2, 2], [1, 2], [0.5, 0.25]]);
  snapshot.close();
  await assert.rejects(snapshot.pagerank(), {code: 'failed_precondition'});
});

test('graphs in RAM, earlier states and columns', async (t) => {
  const {graph} = await scratch(t, false);
  await graph.put({key: 'a'});
  await graph.importRecords([{node: 'b', trust: 0.5, category: 'ü', access_count: 7}]);
  const before = graph.snapshot({asOf: graph.sequence - 1n});
  assert.deepStrictEqual(await before.keys(), ['a']);
  assert.throws(() => graph.snapshot({asOf: 'soon'}), {code: 'invalid_argument'});
  const now = graph.snapshot();
  assert.deepStrictEqual({...await now.column('trust')},
                         {nodes: Uint32Array.of(1), values: Float64Array.of(0.5)});
  assert.deepStrictEqual((await now.column('access_count')).values, BigInt64Array.of(7n));
  assert.deepStrictEqual((await now.column('category')).values, ['ü']);
  await assert.rejects(now.column('nothing'), {code: 'not_found'});
  const memory = plexus.inMemory();
  await memory.put({key: 'a', text: 'kept in RAM'});
  assert.strictEqual((await memory.search({query: 'kept'})).results[0].key, 'a');
  assert.throws(() => memory.snapshot({asOf: 1}), {code: 'failed_precondition'});
  await memory.close();
});

test('wrong arrays are refused by name', async (t) => {
  const {graph} = await scratch(t, false);
  const good = Uint32Array.of(1, 2);
  for (const [edges, why] of [
    [{sources: Float64Array.of(1, 2), targets: good}, /sources is not a Uint32Array/],
    [{sources: good, targets: [1, 2]}, /targets is not a Uint32Array/],
    [{sources: good, targets: Uint32Array.of(1)}, /targets is not as long as sources/],
    [{sources: good, targets: good, weights: Float32Array.of(1)}, /weights is not as long/],
    [{sources: good, targets: good, weights: Float32Array.of(1, NaN)}, /edge 1: weight/],
    [{sources: good, targets: good, keys: ['a']}, /edge 0: 1 is no position in keys/],
    [{sources: good, targets: good, ids: true}, /no node of id 1/],
    [{sources: undefined, targets: good}, /sources is not a Uint32Array/],
    [{sources: good, targets: good, kind: 7}, /kind is not a string/],
  ]) await assert.rejects(graph.putEdges(edges), {code: 'invalid_argument', message: why});
  await assert.rejects(graph.putVectors({values: Float32Array.of(1, 2, 3), dimensions: 2}),
                       /whole number of rows/);
  assert.strictEqual(graph.sequence, 0n);
});

test('signals, changes and closing', async (t) => {
  const {graph} = await scratch(t);
  const lines = Array.from({length: 20000}, (_, i) => `{"node":"n${i}","text":"word ${i}"}\n`);
  await assert.rejects(
    graph.importBytes(lines.join(''), {format: 'jsonl'}, {signal: AbortSignal.abort()}),
    {code: 'cancelled'});
  const since = graph.sequence, seen = [];
  const following = (async () => {
    for await (const batch of graph.changes({since, follow: true})) {
      seen.push(...batch.nodes);
      if (batch.nodes.includes('m9')) break;
    }
  })();
  await graph.put({key: 'm9', expect_sequence: since});
  await following;
  assert.ok(seen.includes('m9'));
  await Promise.all([graph.close(), graph.close(), graph.kinds().catch((error) => error)]);
  assert.ok(graph.closed);
  for (const use of [() => graph.kinds(), async () => graph.sequence, async () => graph.snapshot()])
    await assert.rejects(use(), {code: 'failed_precondition'});
});

test('a graph that is left open ends with its process', async (t) => {
  const {folder, graph} = await scratch(t);
  await graph.close();
  const text = `
    const plexus = require(${JSON.stringify(path.resolve(__dirname, '../../../tools/node'))});
    for (let i = 0; i < 20; ++i) {
      const graph = plexus.open(${JSON.stringify(folder)} + '/' + i);
      graph.callSync('put', {key: 'm1', text: 'kept'});
      graph.snapshot();
    }
    plexus.open(${JSON.stringify(folder)} + '/last').put({key: 'm1', text: 'kept'});`;
  const done = spawnSync(process.execPath, ['-e', text]);
  assert.strictEqual(done.status, 0, done.stderr.toString());
  const again = plexus.open(path.join(folder, 'last'), {create: false});
  assert.strictEqual((await again.get({key: 'm1'})).text, 'kept');
  await again.close();
});

test('changes end when the graph is closed between two pages', async (t) => {
  const {graph} = await scratch(t, false);
  for (let i = 0; i < 5; ++i) await graph.put({key: `n${i}`});
  const seen = [];
  for await (const {sequence} of graph.changes({follow: true, most: 2})) {
    seen.push(sequence);
    await graph.close();
  }
  assert.deepStrictEqual(seen, [1, 2]);
  await assert.rejects(graph.changes().next(), {code: 'failed_precondition'});
});

test('every close waits until the graph is closed', async (t) => {
  const {folder, graph} = await scratch(t);
  const first = graph.close();
  assert.strictEqual(graph.close(), first);
  await graph.close();
  const again = plexus.open(path.join(folder, 'graph'), {create: false});
  await again.close();
});

// In a process of its own, whose collector runs when it is told to.
function collected(t, text, env) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plexus-'));
  t.after(() => fs.rmSync(folder, {recursive: true}));
  const head = `
    const plexus = require(${JSON.stringify(path.resolve(__dirname, '../../../tools/node'))});
    const {setTimeout: sleep} = require('node:timers/promises');
    const directory = ${JSON.stringify(path.join(folder, 'g'))};`;
  const done = spawnSync(process.execPath, ['--expose-gc', '-e', head + text],
                         {env: {...process.env, ...env}});
  assert.strictEqual(done.status, 0, done.stderr.toString());
  return done.stdout.toString();
}

test('a graph that is lost is closed', (t) => {
  assert.strictEqual(collected(t, `
    let lost;
    (() => {
      const graph = plexus.open(directory);
      graph.callSync('put', {key: 'm1', text: 'kept'});
      lost = [new WeakRef(graph), new WeakRef(graph.snapshot())];
    })();
    (async () => {
      for (let i = 0; i < 500; ++i) {
        await sleep(10);
        gc();
        try {
          const again = plexus.open(directory, {create: false});
          console.log(lost.every((one) => one.deref() === undefined),
                      again.callSync('get', {key: 'm1'}).text);
          return again.close();
        } catch (error) {
          if (error.code !== 'locked') throw error;
        }
      }
    })();`), 'true kept\n');
});

test('what a thread works for is not lost', (t) => {
  assert.strictEqual(collected(t, `
    (async () => {
      const ends = Uint32Array.from({length: 300000}, (_, i) => i % 50000);
      let graph = plexus.inMemory();
      await graph.put({key: 'a'});
      const other = plexus.inMemory();
      const busy = other.putEdges({sources: ends, targets: ends.slice().reverse()});
      const work = [
        graph.snapshot().csr(), graph.snapshot().pagerank(), graph.snapshot().keys(),
        graph.put({key: 'b'}), graph.putEdges({sources: ends, targets: ends}),
        graph.putVectors({values: Float32Array.of(1), dimensions: 1}),
        graph.putColumn({column: 'score', values: Float64Array.of(1)})];
      graph = null;
      for (let i = 0; i < 5; ++i) {
        gc();
        await sleep(1);
      }
      await busy;
      for (const one of await Promise.allSettled(work)) if (one.reason) console.log(one.reason);
      console.log('done');
    })();`, {UV_THREADPOOL_SIZE: '1'}), 'done\n');
});
