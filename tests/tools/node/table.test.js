// The table of all doors: the requests of tests/tools/limits/request_table.h, with the same bytes.
'use strict';
const assert = require('node:assert');
const {spawnSync} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {test} = require('node:test');

const {native} = require('../../../tools/node/operations.js');

const withoutTimes = (text) => text.replace(/"stage_ms":\[[^\]]*/g, '"stage_ms":[');

test('the same bytes', (t) => {
  const program = path.join(process.env.PLEXUS_BUILD, 'tests/tools/c/c_test');
  if (!fs.existsSync(program)) return t.skip('c_test is not built');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plexus-'));
  t.after(() => fs.rmSync(folder, {recursive: true}));
  const made = spawnSync(program, ['--gtest_filter=CSameBytes.TheTable*'],
                         {env: {...process.env, PLEXUS_TABLE: folder}});
  assert.strictEqual(made.status, 0, made.stdout.toString());
  const lines = fs.readFileSync(path.join(folder, 'table.jsonl'), 'utf8').trimEnd().split('\n');
  assert.ok(lines.length >= 200);
  const graph = native.open(path.join(folder, 'graph'), false, false, 0);
  let failed = 0;
  for (const line of lines) {
    const {operation, request, code, reply} = JSON.parse(line);
    let got;
    try {
      got = native.callSync(graph, operation, request);
      assert.strictEqual(withoutTimes(got), withoutTimes(reply), `${operation} ${request}`);
      assert.strictEqual(code, 0);
    } catch (error) {
      if (got !== undefined) throw error;
      failed += 1;
      const expected = JSON.parse(reply).error;
      assert.strictEqual(error.code, expected.code, `${operation} ${request}`);
      assert.strictEqual(error.message, expected.message, `${operation} ${request}`);
    }
  }
  assert.ok(failed > 50);
  native.closeSync(graph);
});
