// npm without a network, the types, the MCP program and the README's lines.
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
  return folder;
}

test('types are made of all operations', () => {
  const {declarations} = require(`${PACKAGE}/generate.js`);
  const text = declarations();
  const {rows} = require(`${PACKAGE}/operations.js`);
  for (const row of rows()) {
    assert.ok(text.includes(`/** ${row.summary}. */`), row.operation);
    for (const parameter of Object.keys(row.request.properties))
      assert.match(text, new RegExp(`\\b${parameter}\\??: `));
  }
});

test('rows whose reply is no JSON have types of their own', () => {
  const {declarations} = require(`${PACKAGE}/generate.js`);
  for (const line of [/export\(parameters: {output: string;.*: Promise<Reply>/,
                      /stats\(parameters: {metrics: true;.*: Promise<string>/])
    assert.match(declarations(), line);
  assert.strictEqual(declarations().match(/Promise<Uint8Array>/g).length, 1);
});

test('versions are those of the library', () => {
  const tree = path.resolve(PACKAGE, '../..');
  const lists = fs.readFileSync(`${tree}/CMakeLists.txt`, 'utf8');
  const [, numbers] = lists.match(/VERSION (\d+\.\d+\.\d+)/);
  const [, prerelease] = lists.match(/PLEXUS_PRERELEASE "([^"]*)"/);
  assert.strictEqual(require(`${PACKAGE}/package.json`).version,
    prerelease ? `${numbers}-${prerelease}` : numbers);
});

test('a copy without its tree builds nothing', (t) => {
  // node_modules/plexus of a user whose project is one of CMake.
  const user = scratch(t), copy = path.join(user, 'node_modules', 'plexus');
  fs.mkdirSync(copy, {recursive: true});
  fs.copyFileSync(`${PACKAGE}/build.js`, path.join(copy, 'build.js'));
  fs.writeFileSync(path.join(user, 'CMakeLists.txt'), 'message(FATAL_ERROR "not ours")\n');
  const env = {...process.env};
  delete env.PLEXUS_BUILD;
  const done = spawnSync(process.execPath, ['build.js'], {cwd: copy, env});
  assert.strictEqual(done.status, 1);
  assert.match(done.stderr.toString(), /set PLEXUS_BUILD/);
  assert.deepStrictEqual(fs.readdirSync(user).sort(), ['CMakeLists.txt', 'node_modules']);
  fs.mkdirSync(path.join(copy, 'build'));
  fs.writeFileSync(path.join(copy, 'build', 'plexus.node'), '');  // as it was packed
  assert.strictEqual(spawnSync(process.execPath, ['build.js'], {cwd: copy, env}).status, 0);
});

test('npm pack takes what was built', (t) => {
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--offline', '--ignore-scripts'],
                           {cwd: PACKAGE});
  if (packed.error) return t.skip('no npm');
  const files = JSON.parse(packed.stdout)[0].files.map(({path: file}) => file);
  for (const file of fs.readdirSync(PACKAGE).filter((name) => /\.(js|d\.ts)$/.test(name)))
    assert.ok(files.includes(file), file);
  for (const file of fs.existsSync(`${PACKAGE}/build`) ? fs.readdirSync(`${PACKAGE}/build`) : [])
    assert.ok(files.includes(`build/${file}`), file);
});

test('the README runs', (t) => {
  const folder = scratch(t);
  const readme = fs.readFileSync(`${PACKAGE}/README.md`, 'utf8');
  const [, code] = readme.match(/```js\n([\s\S]*?)```/);
  const done = spawnSync(process.execPath,
    ['-e', code.replace("require('plexus')", `require(${JSON.stringify(PACKAGE)})`)],
    {cwd: folder});
  assert.strictEqual(done.status, 0, done.stderr.toString());
  assert.match(done.stdout.toString(), /Deploys stop on Fridays/);
});

test('plexus-mcp is a server of MCP', (t) => {
  const input = JSON.stringify({jsonrpc: '2.0', id: 1, method: 'initialize', params: {
    protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {name: 't', version: '1'}}});
  const done = spawnSync(process.execPath,
    [`${PACKAGE}/plexus-mcp.js`, '--db', path.join(scratch(t), 'g')], {input: input + '\n'});
  assert.strictEqual(done.status, 0, done.stderr.toString());
  assert.match(done.stdout.toString(), /"serverInfo"/);
});

test('npm installs a copy without a network', (t) => {
  const folder = scratch(t), copy = path.join(folder, 'package');
  fs.cpSync(PACKAGE, copy, {recursive: true,
    filter: (from) => path.relative(PACKAGE, from).split(path.sep)[0] !== 'build'});
  const user = path.join(folder, 'user');
  fs.mkdirSync(user);
  const env = {...process.env};
  delete env.PLEXUS_NODE;
  delete env.PLEXUS_PROGRAM;
  const options = {cwd: user, env};
  const installed = spawnSync('npm', ['install', '--offline', '--no-audit', '--no-fund', copy],
                              options);
  if (installed.error) return t.skip('no npm');
  assert.strictEqual(installed.status, 0, installed.stderr.toString());
  const text = "const g = require('plexus').open('g'); g.put({key: 'm1', text: 'a'})" +
    ".then(() => g.get({key: 'm1'})).then((reply) => { console.log(reply.key); g.close(); });";
  const done = spawnSync(process.execPath, ['-e', text], options);
  assert.strictEqual(done.status, 0, done.stderr.toString());
  assert.strictEqual(done.stdout.toString(), 'm1\n');
  assert.ok(fs.statSync(path.join(copy, 'index.d.ts')).size > 10000);
  assert.ok(fs.existsSync(path.join(user, 'node_modules/.bin/plexus-mcp')));
});
