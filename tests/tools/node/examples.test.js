// The examples as a user runs them, where `plexus` is an installed package.
'use strict';
const assert = require('node:assert');
const {spawnSync} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {test} = require('node:test');

const PACKAGE = path.resolve(__dirname, '../../../tools/node');

function scratch(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plexus-'));
  t.after(() => fs.rmSync(folder, {recursive: true}));
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(PACKAGE, path.join(folder, 'node_modules', 'plexus'));
  return folder;
}

function run(folder, ...words) {
  const env = {...process.env, NODE_PATH: path.join(folder, 'node_modules')};
  const done = spawnSync(process.execPath, words, {cwd: folder, env, encoding: 'utf8'});
  assert.strictEqual(done.status, 0, done.stderr);
  return done.stdout;
}

test('the agent loop finds what it wrote before', (t) => {
  const folder = scratch(t), example = `${PACKAGE}/examples/agent_loop.js`;
  const [first, second] = [run(folder, example, 'g'), run(folder, example, 'g')];
  for (const text of [first, second]) {
    assert.match(text, /^when do deploys stop: Deploys stop on Thursdays\./m);
    assert.match(text, /^who reviews the gateway: .*two reviews/m);
    assert.match(text, /^zebras: nothing is known$/m);
    assert.strictEqual(text.match(/^\S+ helpful$/gm).length, 2, text);
    assert.doesNotMatch(text, /Fridays/);
  }
  assert.notStrictEqual(first, second);  // other events
  const code = fs.readFileSync(example, 'utf8').split('\n');
  assert.ok(code.filter((line) => line && !line.startsWith('//')).length <= 40);
});

test('the service of decisions runs', (t) => {
  const folder = scratch(t), example = `${PACKAGE}/examples/decisions.js`;
  for (let round = 0; round < 2; ++round)
    assert.strictEqual(run(folder, example, 'g'), [
      'ancestors writer storage', 'descendants writer readers', 'contradictions 1', 'paths 1',
      'blocked readers', 'salience storage', 'nodes 4', 'contradictions 0', ''].join('\n'));
});

test('the store of triplets runs', (t) => {
  const [around, map] = JSON.parse(run(scratch(t), `${PACKAGE}/examples/graph_stores.js`, 'g'));
  assert.deepStrictEqual(around, [['depends_on', 'engine']]);
  assert.deepStrictEqual(map.storage.sort(),
    [['engine', 'part_of', 'plexus'], ['storage', 'depends_on', 'engine']]);
});

test('the store of documents writes nodes and edges', (t) => {
  const text = run(scratch(t), '-e', `
    const {PropertyGraph} = require('${PACKAGE}/examples/graph_stores.js');
    const graph = require('plexus').open('g');
    const nodes = ['a', 'b'].map((id) =>
      ({id, type: 'memory', properties: {text: 'note ' + id, node: 'another'}}));
    const edge = {source: nodes[0], target: nodes[1], type: 'supports', properties: {weight: 0.5}};
    (async () => {
      const store = new PropertyGraph(graph);
      await store.addGraphDocuments([{nodes, relationships: [edge]}]);
      const found = await store.query('note b');
      const {neighbors} = await graph.neighbors({key: 'a'});
      const schema = JSON.stringify(await store.getStructuredSchema());
      await graph.close();
      console.log(JSON.stringify([found.map((hit) => hit.key), neighbors[0].weight,
                                  schema.includes('"supports"'), schema.includes('"memory"')]));
    })();`);
  assert.deepStrictEqual(JSON.parse(text), [['b'], 0.5, true, true]);
});
