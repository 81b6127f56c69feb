// Runs the official suite on the fixtures and on the product, and official clients of both eras on
// the product. Scenarios are named; only those that fail on a port where nothing listens are
// counted.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const [program, fixtures] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'plexus-official-'));
const children = [];
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

const stateless = `server-stateless completion-complete tools-list tools-call-simple-text
  tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content
  tools-call-error tools-call-with-progress server-sse-multiple-streams resources-list
  resources-read-text resources-read-binary resources-templates-read sep-2164-resource-not-found
  prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource
  prompts-get-with-image dns-rebinding-protection caching input-required-result-basic-elicitation
  input-required-result-basic-sampling input-required-result-basic-list-roots
  input-required-result-request-state input-required-result-multiple-input-requests
  input-required-result-multi-round input-required-result-missing-input-response
  input-required-result-non-tool-request input-required-result-result-type
  input-required-result-unsupported-methods input-required-result-tampered-state
  input-required-result-capability-check input-required-result-ignore-extra-params
  input-required-result-validate-input`.split(/\s+/);
const handshake = `server-initialize logging-set-level ping completion-complete tools-list
  tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource
  tools-call-mixed-content tools-call-with-logging tools-call-error tools-call-with-progress
  resources-list resources-read-text resources-read-binary resources-templates-read
  resources-subscribe resources-unsubscribe prompts-list prompts-get-simple prompts-get-with-args
  prompts-get-embedded-resource prompts-get-with-image dns-rebinding-protection`.split(/\s+/);
// Those that no fixture is needed for.
const product = {
  '2026-07-28': `tools-list resources-list
    sep-2164-resource-not-found prompts-list dns-rebinding-protection caching`.split(/\s+/),
  '2025-11-25': `server-initialize logging-set-level ping tools-list
    resources-list prompts-list dns-rebinding-protection`.split(/\s+/),
};
function suite(port, revision) {
  const run = spawnSync(process.execPath,
    ['node_modules/@modelcontextprotocol/conformance/dist/index.js', 'server', '--url',
      `http://127.0.0.1:${port}/mcp`, '--requirements', revision, '-o', join(scratch, 'out')],
    { encoding: 'utf8', timeout: 120000 });
  const found = new Map();
  for (const [, mark, name, passed, failed] of
    run.stdout.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm))
    found.set(name, { ok: mark === '✓', passed: Number(passed), failed: Number(failed) });
  assert.ok(found.size > 20, run.stdout + run.stderr);
  return found;
}

// What passes where nothing listens says nothing: it has to pass, and is not counted.
function counted(live, dead, names, what) {
  const failed = names.filter((name) => !live.get(name)?.ok || live.get(name).failed > 0);
  assert.deepEqual(failed, [], `${what}: scenarios failed`);
  const says = names.filter((name) => {
    const none = dead.get(name);
    return !none?.ok || none.failed > 0;
  });
  const rest = names.filter((name) => !says.includes(name));
  console.log(`${what}: ${says.length} scenarios pass` +
    (rest.length ? `; not counted, as a dead port passes them: ${rest.join(', ')}` : ''));
  assert.ok(says.length > 0, what);
}

function start(command, words, pattern, stream) {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'pipe'] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child[stream].on('data', (piece) => {
      text += piece;
      const match = text.match(pattern);
      if (match) resolve({ child, port: Number(match[1]) });
    });
    child.on('exit', () => reject(new Error('ended: ' + text)));
  });
}

async function useClient(client, transport, what) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 10 && tools.length <= 12, what);
  const key = what.replace(/\W/g, '-');
  const stored = await client.callTool({ name: 'remember',
    arguments: { key, kind: 'memory', text: `A snow leopard was seen by ${key}.` } });
  assert.ok(!stored.isError, JSON.stringify(stored));
  const found = await client.callTool({ name: 'recall', arguments: { words: 'leopard' } });
  assert.ok(found.structuredContent.hits.some((hit) => hit.key === key));
  assert.deepEqual(JSON.parse(found.content[0].text), found.structuredContent);
  const failed = await client.callTool({ name: 'explore', arguments: { from: ['none'] } });
  assert.ok(failed.isError);
  const resource = await client.readResource({ uri: `plexus://memory/${key}` });
  assert.equal(JSON.parse(resource.contents[0].text).key, key);
  const prompt = await client.getPrompt({ name: 'recall', arguments: { topic: 'snow' } });
  assert.match(prompt.messages[0].content.text, /snow/);
  const flying = await Promise.all(Array.from({ length: 200 }, (_, i) => client.callTool({
    name: 'remember', arguments: { key: `${key}-${i}`, text: 'one of many' } })));
  assert.deepEqual(flying.filter((one) => one.isError), []);
  const times = [];
  for (let i = 0; i < 300; ++i) {
    const begun = performance.now();
    await client.callTool({ name: 'status', arguments: {} });
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  await client.close();
  console.log(`${what}: works; status p50 ${times[150].toFixed(3)} ms`);
}

const info = { name: 'official-test', version: '1' };
const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

const fixture = await start(fixtures, [join(scratch, 'f')], /(\d+)\n/, 'stdout');
const served = await start(program, ['serve', '--db', join(scratch, 'g'), '--http', '0'],
  /http=http:\/\/127\.0\.0\.1:(\d+)/, 'stderr');
const names = { '2026-07-28': stateless, '2025-11-25': handshake };
for (const revision of Object.keys(names)) {
  const dead = suite(1, revision);
  counted(suite(fixture.port, revision), dead, names[revision], `fixtures, ${revision}`);
  counted(suite(served.port, revision), dead, product[revision], `product, ${revision}`);
}

const mcp = { command: program, args: ['serve', '--db', join(scratch, 's'), '--mcp', '--quiet'] };
const url = new URL(`http://127.0.0.1:${served.port}/mcp`);
await useClient(new Client1(info), new Stdio1(mcp), 'SDK 1 on stdio');
await useClient(new Client2(info), new Stdio2(mcp), 'client 2 on stdio');
await useClient(new Client2(info, pinned), new Stdio2(mcp), 'client 2, stateless, on stdio');
// Through the socket of a process that holds the graph.
const holder = await start(program, ['serve', '--db', join(scratch, 'h'), '--http', '0'],
  /http=http:\/\/127\.0\.0\.1:(\d+)/, 'stderr');
const second = { command: program, args: ['serve', '--db', join(scratch, 'h'), '--mcp', '--quiet'] };
await useClient(new Client1(info), new Stdio1(second), 'SDK 1 through the socket');
await useClient(new Client2(info, pinned), new Stdio2(second), 'client 2 through the socket');
await useClient(new Client1(info), new Http1(url), 'SDK 1 over HTTP');
await useClient(new Client2(info), new Http2(url), 'client 2 over HTTP');
await useClient(new Client2(info, pinned), new Http2(url), 'client 2, stateless, over HTTP');
for (const { child } of [fixture, served, holder]) child.kill('SIGTERM');
console.log('official: all pass');
process.exit(0);
