// The same calls to MCP's memory server and to `serve --tools server-memory`: equal replies but for
// what README's table names, then how long each call takes at 10,000 entities (printed, not judged:
// machines differ).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const program = process.argv[2];
const scratch = mkdtempSync(join(tmpdir(), 'plexus-memory-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

async function connect(command, args, env = {}) {
  const client = new Client({ name: 'comparison', version: '1' });
  await client.connect(new StdioClientTransport(
    { command, args, env: { ...process.env, ...env }, stderr: 'ignore' }));
  return client;
}
const official = (file) => connect(process.execPath,
  ['node_modules/@modelcontextprotocol/server-memory/dist/index.js'], { MEMORY_FILE_PATH: file });
const ours = (directory) => connect(program,
  ['serve', '--db', directory, '--mcp', '--quiet', '--tools', 'server-memory']);

// Members in one order; without what README names.
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (!value || typeof value !== 'object') return value;
  return Object.fromEntries(Object.keys(value).filter((key) => key !== '$schema').sort()
    .map((key) => [key, sorted(value[key])]));
}
const reply = async (client, name, args) => {
  const { _meta, ...result } = await client.callTool({ name, arguments: args });
  if (result.isError === false) delete result.isError;
  return JSON.stringify(sorted(result));
};

async function compare() {
  const there = await official(join(scratch, 'compare.jsonl'));
  const here = await ours(join(scratch, 'compare'));
  const tools = async (client) => JSON.stringify(sorted((await client.listTools()).tools
    .map(({ execution, ...tool }) => tool)));
  assert.equal(await tools(here), await tools(there), 'tools/list');
  let calls = 0;
  const both = async (name, args) => {
    ++calls;
    const expected = await reply(there, name, args);
    assert.equal(await reply(here, name, args), expected, `${name} ${JSON.stringify(args)}`);
  };
  const entity = (name, entityType, ...observations) => ({ name, entityType, observations });
  const relation = (from, to, relationType) => ({ from, to, relationType });
  await both('read_graph', {});
  await both('create_entities', { entities: [
    entity('Ada', 'person', 'wrote notes', 'likes "quotes" and \\ back'), entity('Engine', 'machine'),
    entity('naïve ☕ 漢字', 'node'), entity('f', 'file', 'a file'), entity('t', 'tag')] });
  await both('create_entities', { entities: [
    entity('Ada', 'robot', 'other'), entity('Bob', 'person', '', 'two\nlines', '\ttab')] });
  await both('create_relations', { relations: [
    relation('Ada', 'Engine', 'wrote'), relation('Ada', 'Nobody', 'knows'),
    relation('Bob', 'Ada', 'caused_by'), relation('Ada', 'Bob', 'contradicts'),
    relation('Ada', 'Ada', 'is-a'), relation('Engine', 'Ada', ''), relation('Zed', 'Yves', 'knows')] });
  await both('add_observations', { observations: [
    { entityName: 'Ada', contents: ['wrote notes', 'new', 'new'] },
    { entityName: 'Engine', contents: [] }] });
  await both('add_observations', { observations: [{ entityName: 'Nobody', contents: ['a'] }] });
  await both('open_nodes', { names: ['Bob', 'Ada', 'Nobody', 'Bob'] });
  for (const query of ['ada', 'WROTE', '', '漢', 'quotes" and', 'two\nlines', 'person', 'nothing'])
    await both('search_nodes', { query });
  await both('delete_observations', { deletions: [{ entityName: 'Ada', observations: ['new', 'no'] }] });
  await both('delete_relations', { relations: [relation('Ada', 'Bob', 'contradicts')] });
  await both('delete_entities', { entityNames: ['Ada', 'Ghost', 'Zed'] });
  await both('read_graph', {});
  for (const [name, args] of [['create_entities', {}], ['create_entities', { entities: 'x' }],
    ['search_nodes', { query: null }], ['open_nodes', { names: {} }], ['add_observations',
      { observations: [{}] }]])
    await both(name, args);
  // Random calls, from a fixed seed.
  let state = 7;
  const random = (most) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % most;
  const some = (make) => Array.from({ length: 1 + random(4) }, make);
  const name = () => 'n' + random(30);
  const text = () => 'o' + random(12);
  const type = (list) => list[random(list.length)];
  const unique = (list, key) => [...new Map(list.map((one) => [key(one), one])).values()];
  const pair = () => relation(name(), name(), type(['knows', 'caused_by', 'supports', 'has tag']));
  for (let i = 0; i < 400; ++i) {
    const kind = random(8);
    if (kind < 2)
      await both('create_entities', { entities: unique(some(() =>
        entity(name(), type(['person', 'memory', 'tag', 'node']), ...some(text))), (one) => one.name) });
    else if (kind < 4)
      await both('create_relations', { relations: unique(some(pair), JSON.stringify) });
    else if (kind === 4)
      await both('add_observations', { observations:
        some(() => ({ entityName: name(), contents: some(text) })) });
    else if (kind === 5)
      await both('delete_relations', { relations: some(pair) });
    else if (kind === 6)
      await both('search_nodes', { query: random(2) ? name() : text() });
    else
      await both('open_nodes', { names: some(name) });
    if (i % 20 === 0) await both('delete_entities', { entityNames: [name()] });
    if (i % 10 === 0) await both('read_graph', {});
  }
  await here.close();
  await there.close();
  console.log(`memory server: ${calls} calls with equal replies`);
}

async function time(entities) {
  const file = join(scratch, 'time.jsonl'), directory = join(scratch, 'time');
  const lines = [];
  for (let i = 0; i < entities; ++i)
    lines.push({ type: 'entity', name: `entity ${i}`, entityType: `type${i % 7}`,
      observations: [`observation one of ${i}`, `a second observation, number ${i}`] });
  for (let i = 0; i < entities; ++i)
    lines.push({ type: 'relation', from: `entity ${i}`, to: `entity ${(i * 7 + 1) % entities}`,
      relationType: 'knows' });
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n') + '\n');
  execFileSync(program, ['import', '--quiet', '--db', directory, file], { stdio: 'ignore' });
  const there = await official(file), here = await ours(directory);
  const calls = [
    ['create_entities', (i) => ({ entities: [
      { name: `new ${i}`, entityType: 't', observations: ['o'] }] })],
    ['create_relations', (i) => ({ relations: [
      { from: `entity ${i}`, to: 'entity 77', relationType: 'made' }] })],
    ['open_nodes', (i) => ({ names: [`entity ${i * 11}`] })],
    ['search_nodes', (i) => ({ query: `observation one of ${4321 + i}` })],
    ['search_nodes', (i) => ({ query: `number ${12 + i}` })],
    ['read_graph', () => ({})]];
  for (const [name, make] of calls) {
    const times = [[], []];
    let bytes = 0;
    for (let i = 0; i < 21; ++i)  // by turns, so that both see the same machine
      for (const [side, client] of [there, here].entries()) {
        const begun = performance.now();
        const result = await client.callTool({ name, arguments: make(i) });
        times[side].push(performance.now() - begun);
        assert.ok(!result.isError, JSON.stringify(result).slice(0, 300));
        bytes = JSON.stringify(result.content).length;
      }
    const [a, b] = times.map((list) => list.sort((x, y) => x - y));
    console.log(`${entities} entities, ${name} ${JSON.stringify(make(0)).slice(0, 60)}: p50 ` +
      `${a[10].toFixed(2)} ms there, ${b[10].toFixed(2)} ms here, ${(a[10] / b[10]).toFixed(1)}x; ` +
      `best ${a[0].toFixed(2)} and ${b[0].toFixed(2)} ms, ${(a[0] / b[0]).toFixed(1)}x; ` +
      `${bytes} bytes`);
  }
  await here.close();
  await there.close();
}

await compare();
await time(10_000);
process.exit(0);
