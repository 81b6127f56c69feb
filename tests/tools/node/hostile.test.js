// Arguments that nobody should give: an error that names them, and nothing is written or lost.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {test} = require('node:test');
const {Worker} = require('node:worker_threads');

const plexus = require('../../../tools/node');
const {native} = require('../../../tools/node/operations.js');

async function scratch(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plexus-'));
  const graph = plexus.open(path.join(folder, 'graph'));
  t.after(async () => {
    await graph.close();
    fs.rmSync(folder, {recursive: true});
  });
  await graph.putEdges({sources: Uint32Array.of(0, 1), targets: Uint32Array.of(1, 2),
                        keys: ['a', 'b', 'c']});
  const before = graph.sequence;
  const refused = async (message, use) => {
    await assert.rejects(async () => use(), {code: 'invalid_argument', message});
    assert.strictEqual(graph.sequence, before);
  };
  return {folder, graph, refused};
}

test('arrays that are resized or transferred meanwhile', async (t) => {
  const {graph, refused} = await scratch(t);
  const ends = new Uint32Array(1 << 20), edges = {sources: ends, targets: ends, keys: ['a', 'b']};
  let running = graph.putEdges(edges);
  structuredClone(ends.buffer, {transfer: [ends.buffer]});
  assert.strictEqual((await running).added, 1);
  await assert.rejects(graph.putEdges(edges), {code: 'invalid_argument', message: /transferred/});
  if (ArrayBuffer.prototype.resize) {
    const buffer = new ArrayBuffer(1 << 22, {maxByteLength: 1 << 22});
    running = graph.putEdges({...edges, sources: new Uint32Array(buffer),
                              targets: new Uint32Array(buffer), kind: 'likes'});
    buffer.resize(0);
    assert.strictEqual((await running).added, 1);
  }
  const shared = new Uint32Array(new SharedArrayBuffer(8));
  assert.strictEqual((await graph.putEdges({...edges, sources: shared, targets: shared})).same, 1);
  const worker = new Worker('require("worker_threads").parentPort.once("message", () => {})',
                            {eval: true});
  const moved = new Uint32Array(1 << 20);
  running = graph.putEdges({...edges, sources: moved, targets: moved});
  worker.postMessage(moved.buffer, [moved.buffer]);
  assert.ok((await running).same > 0);
  await worker.terminate();
});

test('texts and lists', async (t) => {
  const {folder, graph, refused} = await scratch(t);
  const ends = {sources: Uint32Array.of(0), targets: Uint32Array.of(1)};
  const half = '\ud800';
  await refused(/keys\[1\] is not Unicode/, () => graph.putEdges({...ends, keys: ['a', half]}));
  await refused(/kind is not well-formed/, () => graph.putEdges({...ends, kind: half}));
  await refused(/no JSON/, () => graph.put({key: 'k', text: half}));
  await refused(/path is not well-formed/, () => plexus.open(path.join(folder, half)));
  await refused(/keys\[0\] is not a string/, () => graph.putEdges({...ends, keys: [1, 2]}));
  for (const keys of ['ab', 3, {}])
    await refused(/keys is not a list of strings/, () => graph.putEdges({...ends, keys}));
  await refused(/keys is not as long as values/, () =>
    graph.putVectors({values: Float32Array.of(1, 2), dimensions: 1, keys: []}));
  for (const keys of [[], ['a', 'b']])
    await refused(/keys is not as long as values/, () =>
      graph.putColumn({column: 'score', values: Float64Array.of(1), keys}));
  await refused(/keys and ids exclude/, () => graph.putEdges({...ends, keys: ['x'], ids: true}));
  await refused(/putEdges has no kinds/, () => graph.putEdges({...ends, kinds: ['likes']}));
  for (const use of [() => graph.putEdges(), () => graph.putEdges({})])
    await refused(/sources is not a Uint32Array/, use);
  await refused(/content is not a Uint8Array/, () => graph.importBytes(undefined));
  const keys = ['\ufeffa', '\ufffd\ud83d\ude00'];  // no byte order mark, no replaced one
  await graph.putEdges({...ends, keys});
  assert.deepStrictEqual((await graph.snapshot().keys()).slice(-2), keys);
});

test('options of open', async (t) => {
  const {folder, refused} = await scratch(t);
  const directory = path.join(folder, 'other');
  for (const readOnly of [1, 'true', null])
    await refused(/readOnly is not a boolean/, () => plexus.open(directory, {readOnly}));
  await refused(/create is not a boolean/, () => plexus.open(directory, {create: 1}));
  for (const lockWaitMs of ['500', -1, NaN, 1n])
    await refused(/lockWaitMs is not a whole/, () => plexus.open(directory, {lockWaitMs}));
  await refused(/open has no readonly/, () => plexus.open(directory, {readonly: true}));
  assert.deepStrictEqual(fs.readdirSync(folder), ['graph']);
});

test('numbers', async (t) => {
  const {graph, refused} = await scratch(t);
  const snapshot = graph.snapshot();
  for (const iterations of [-1, 1.5, NaN, Infinity, 2 ** 40, 2 ** 70, '3', {}, 2n ** 64n])
    await refused(/iterations is not/, () => snapshot.pagerank({iterations}));
  for (const since of [-1, 1.5, NaN, 'x'])
    await refused(/since is not a whole number/, async () => {
      for await (const _batch of graph.changes({since})) ;
    });
  await refused(/trust is NaN/, () => graph.importRecords([{node: 'a', trust: NaN}]));
  await refused(/top is Infinity/, () => graph.recall({words: 'x', top: Infinity}));
  await refused(/beyond the numbers of JSON/, () => graph.put({key: 'a', expect_sequence: 2n ** 60n}));
  const cycle = {};
  cycle.cycle = cycle;
  await refused(/no JSON/, () => graph.get(cycle));
  for (const request of [() => 1, null, 'a', ['a']])
    await refused(/object/, () => graph.get(request));
  assert.strictEqual((await graph.get({key: 'a', as_of: undefined})).key, 'a');
});

test('records that are refused are no reply', async (t) => {
  const {graph, refused} = await scratch(t);
  await refused(/not a record/, () => graph.importRecords([{nod: 1}]));
  await assert.rejects(graph.importBytes('x', {format: 'jsonl'}), ({reply}) => reply.stopped);
  await refused(/no object/, () => graph.importRecords([() => 1]));
});

test('columns in and out', async (t) => {
  const {graph, refused} = await scratch(t);
  const put = (column, values, more) => graph.putColumn({column, values, ...more});
  await refused(/value 1: not finite/, () => put('score', Float64Array.of(1, NaN)));
  await refused(/values is not a Float64Array/, () => put('score', Float32Array.of(1)));
  await refused(/values\[0\] is not a string/, () => put('category', [1]));
  await refused(/ids is not as long as values/, () =>
    put('score', Float64Array.of(1), {ids: Uint32Array.of(0, 1)}));
  await refused(/holds f64, the values are i64/, () => put('trust', BigInt64Array.of(1n)));
  assert.strictEqual((await put('score', Float64Array.of(0.5, 2), {keys: ['a', 'x']})).added, 1);
  await put('hits', BigInt64Array.of(7n, 2n ** 60n), {ids: Uint32Array.of(0, 1)});
  await put('text', ['Deploys stop.', 'Zebras.'], {keys: ['a', 'm'], kind: 'memory'});
  assert.strictEqual((await graph.search({query: 'deploys'})).results[0].key, 'a');
  assert.deepStrictEqual((await graph.snapshot().column('hits')).values,
                         BigInt64Array.of(7n, 2n ** 60n));
  assert.deepStrictEqual([...(await graph.snapshot().column('score')).values], [0.5, 2]);
});

test('signals', async (t) => {
  const {graph, refused} = await scratch(t);
  for (const signal of [3, {aborted: true, addEventListener() {}, removeEventListener() {}}])
    await refused(/signal is not an AbortSignal/, () => graph.find({words: 'a'}, {signal}));
  const why = new TypeError('mine');
  await assert.rejects(graph.recall({words: 'a'}, {signal: AbortSignal.abort(why)}),
                       {name: 'AbortError', code: 'cancelled', cause: why});
  await assert.rejects(graph.snapshot().pagerank({signal: AbortSignal.abort()}),
                       {name: 'AbortError'});
  assert.strictEqual((await graph.get({key: 'a'}, null)).key, 'a');
});

test('those that follow leave the threads of operations free', async (t) => {
  const {graph} = await scratch(t);
  const since = graph.sequence, left = graph.changes({since, follow: true});
  const followers = Array.from({length: 40}, async () => {
    for await (const batch of graph.changes({since, follow: true})) return batch.sequence;
  });
  await graph.put({key: 'n'});
  assert.strictEqual(new Set(await Promise.all(followers)).size, 1);
  const next = left.next(), ended = left.return();
  assert.deepStrictEqual([(await next).done, (await ended).done], [false, true]);
});

test('a worker that ends with an open graph', async (t) => {
  const {folder} = await scratch(t);
  const text = `
    const {parentPort, workerData} = require('node:worker_threads');
    const graph = globalThis.graph = require(workerData.package).open(workerData.directory);
    graph.callSync('put', {key: 'm1', text: 'kept'});
    if (workerData.mode === 'throw') throw new Error('on purpose');
    if (workerData.mode === 'follow')
      (async () => { for await (const _ of graph.changes({follow: true})) ; })();
    if (workerData.mode === 'busy') {
      const ends = Uint32Array.from({length: 300000}, (_, i) => i % 50000);
      graph.putEdges({sources: ends, targets: ends.slice().reverse()}).catch(() => {});
    }
    if (workerData.mode !== 'exit') setInterval(() => parentPort.postMessage('busy'), 20);`;
  for (const mode of ['exit', 'throw', 'busy', 'follow', 'follow']) {
    const directory = path.join(folder, mode);
    const worker = new Worker(text, {eval: true, workerData: {
      mode, directory, package: path.resolve(__dirname, '../../../tools/node')}});
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.on('error', (error) => assert.match(error.message, /on purpose/));
    worker.once('message', () => worker.terminate());
    await ended;
    const graph = plexus.open(directory, {create: false});
    assert.strictEqual((await graph.get({key: 'm1'})).text, 'kept', mode);
    await graph.close();
  }
});

test('closing while promises run', async (t) => {
  const {folder, graph} = await scratch(t);
  for (const close of [(g) => g.close(), (g) => g[Symbol.dispose]()]) {
    const other = plexus.open(path.join(folder, 'other'));
    const running = Array.from({length: 40}, (_, i) =>
      other.put({key: `k${i}`}).then(() => 'done', ({code}) => code));
    await close(other);
    for (const how of await Promise.all(running))
      assert.ok(['done', 'failed_precondition'].includes(how), how);
  }
  const snapshot = graph.snapshot(), rank = snapshot.pagerank();
  snapshot.close();
  assert.ok(await rank.then(() => true, ({code}) => code === 'failed_precondition'));
  snapshot.close();
  snapshot[Symbol.dispose]();
  await assert.rejects(snapshot.csr(), {code: 'failed_precondition'});
});

test('the functions below the package', async () => {
  const values = [undefined, null, NaN, -1, 1e300, {}, 'x', 0, 2 ** 53, 1n, -1n, 2n ** 70n,
                  Symbol('x'), 'x'.repeat(5000), new Uint32Array(2), [], () => 1];
  for (const [name, use] of Object.entries(native)) {
    if (name === 'open') continue;
    for (const first of [0, 2 ** 40, undefined])
      for (const value of values) {
        try {
          const got = await use(first, ...Array(12).fill(value));
          if (/^call/.test(name)) assert.ok(typeof got === 'string' || Buffer.isBuffer(got), name);
        } catch (error) {
          assert.strictEqual(typeof error.code, 'string', `${name}: ${error}`);
          assert.notStrictEqual(error.code, 'ERR_ASSERTION', `${name}: ${error}`);
        }
      }
  }
  const graph = plexus.inMemory();
  for (const operation of [undefined, null])
    assert.throws(() => graph.callSync(operation),
                  {code: 'invalid_argument', message: /operation/});
  await graph.close();
});
