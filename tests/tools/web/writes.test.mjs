// What the page writes: a dry run first, then the write, and its undo, which is shown first, too.
import { check, choose, count, counts, ledgerDemo, newPage, plexus, ready, run, search, serve, text, until } from './explorer.mjs';

const db = ledgerDemo();
for (const key of ['t1', 't2', 't3']) plexus('put', '--db', db, key, '--kind', 'decision', '--text', `task ${key}`);
plexus('link', '--db', db, 't1', 'depends_on', 't2');
plexus('link', '--db', db, 't2', 'depends_on', 't3');
const server = await serve(db, '--write');
let page;
const status = () => text(page, '.status');
const key = one => search(page, one, 'key').then(() => choose(page, one));
const asks = async (operation, request) => (await page.evaluate(([name, body]) => fetch(`/v1/${name}`,
  { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }).then(reply => reply.json()), [operation, request]));
const edges = async (source, kind, target) => (await asks('neighbors', { key: source, direction: 'out', kinds: [kind] })).neighbors.filter(row => row.key === target).length;
const sequence = async () => (await asks('stats', {})).sequence;
// A dry run writes nothing; then it is written.
async function write(what) {
  const before = await sequence();
  await until(`a dry run of ${what}`, async () => (await text(page, '.outcome')).includes('Nothing is written yet'));
  check(await sequence() === before, `${what}: nothing is written`);
  await page.click('[data-action=write]');
  await until(`${what} is written`, async () => (await status()).startsWith('Written.') && await sequence() === before + 1);
}
async function undo(what) {
  await page.click('[data-action=rest]');
  await write(`undo of ${what}`);
}

await run({
  async 'link, and undo'(browser) {
    page = await newPage(browser);
    await page.goto(server.url);
    await ready(page);
    await key('t3');
    await key('t1');
    await page.click('.writes > summary');
    check((await page.inputValue('[data-write=target]')) === 't3', 'the node that was chosen before is the other end');
    await page.fill('[data-write=kind]', 'supports');
    await page.click('[data-action=link-node]');
    await write('a link');
    check(await edges('t1', 'supports', 't3') === 1, 'the edge is there');
    await until('it is shown as new', async () => (await count(page, 'table.edges tr.came')) === 1);
    await undo('a link');
    check(await edges('t1', 'supports', 't3') === 0, 'the edge is gone');
    await until('it is shown as gone', async () => (await count(page, 'table.edges tr.went')) === 1);
    await undo('its undo');
    check(await edges('t1', 'supports', 't3') === 1, 'the edge is there again');
    await undo('that, too');
  },

  async 'a link that changes an edge'() {
    await asks('link', { source: 't1', kind: 'refines', target: 't3', weight: '0.25', created_by: 'someone' });
    await page.fill('[data-write=kind]', 'refines');
    await page.fill('[data-write=target]', 't3');
    await page.click('[data-action=link-node]');
    await write('a link that is there');
    await undo('it');
    const [edge] = (await asks('neighbors', { key: 't1', direction: 'out', kinds: ['refines'] })).neighbors;
    check(edge.weight === 0.25 && (await asks('history', { key: 't1' })).results.length > 0, 'the edge is what it was', edge);
    await asks('unlink', { source: 't1', kind: 'refines', target: 't3' });
  },

  async 'supersede, and unlink'() {
    await page.fill('[data-write=kind]', 'supersedes');
    await page.click('[data-action=link-node]');
    await write('a supersedes edge');
    check((await asks('get', { key: ['t3'] })).superseded_by === 't1', 't3 is superseded');
    await until('the panel has the edge', async () => (await text(page, '.panel .edges')).includes('supersedes'));
    await page.locator('.panel .edges li', { hasText: 'supersedes' }).locator('[data-action=unlink]').click();
    await write('unlink');
    check((await asks('get', { key: ['t3'] })).superseded_by === undefined, 'it is no more');
    await undo('unlink');
    check((await asks('get', { key: ['t3'] })).superseded_by === 't1', 'it is again');
    await undo('that');
  },

  async 'a cancelled proposal, and one that came too late'() {
    const before = await sequence();
    await page.click('[data-action=forget]');
    await until('a dry run', async () => (await text(page, '.outcome')).includes('1 nodes removed'));
    await page.click('.outcome button:not([data-action])');
    check(await text(page, '.outcome') === '' && await sequence() === before, 'nothing is left of it');
    await page.click('[data-action=forget]');
    await until('a dry run', () => count(page, '[data-action=write]'));
    await asks('put', { key: 'between', kind: 'memory', text: 'a write of someone else' });
    await page.click('[data-action=write]');
    await until('it is refused', async () => (await status()).includes('did not work'));
    check((await asks('get', { key: ['t1'] })).key === 't1', 'the node is there');
  },

  async 'blocked chains'() {
    await page.click('[data-start=blocked]');
    await until('two wait', async () => (await count(page, '[data-blocked]')) === 2);
    check((await text(page, '[data-blocked=t1]')).includes('Waits, by 2 steps, for: task t3'), 'for what', await text(page, '.results'));
    await page.click('[data-action=clear]');
    await page.click('[data-blocked=t1]');
    await until('the chain is marked', async () => (await counts(page)).nodes === 3 && (await count(page, 'tr.on-path')) === 2);
  },

  async forget() {
    await choose(page, 't1');
    await page.click('[data-action=forget]');
    await write('forget');
    check((await asks('get', { key: ['t1'] })).error?.code === 'not_found', 'it is gone');
    await until('its ghost is marked', async () => (await count(page, 'table.nodes tr.went')) === 1);
    await until('the list follows', async () => (await count(page, '[data-blocked]')) === 1);
    await undo('forget');
    const again = await asks('get', { key: ['t1'] });
    check(again.text === 'task t1' && again.kind === 'decision', 'it is there, with its text', again);
    check(await edges('t1', 'depends_on', 't2') === 1, 'and its edges');
    await until('the list follows', async () => (await count(page, '[data-blocked]')) === 2);
  },

  async 'an outcome of an event'() {
    await page.click('[data-start=ledger]');
    await until('events', async () => (await count(page, '[data-outcome]')) === 18);
    await page.selectOption('[data-outcome=c18]', 'helpful');
    await write('an outcome');
    check((await asks('ledger_get', { event: 'c18' })).event.outcomes.includes('helpful'), 'it is there');
    await until('the list has it', async () => (await text(page, '[data-event=c18]')).includes('Outcomes: helpful'));
    await undo('an outcome');
    check(!(await asks('ledger_get', { event: 'c18' })).event.outcomes.includes('helpful'), 'it is gone');
    await until('the list has it no more', async () => !(await text(page, '[data-event=c18]')).includes('Outcomes: helpful'));
  },

  async 'a conflict is decided and opened again'() {
    await page.click('[data-start=conflicts]');
    await until('four', async () => (await count(page, '[data-conflict]')) === 4);
    for (const choice of ['supersede-left', 'supersede-right', 'keep-both', 'drop-left', 'drop-right']) {
      await page.click(`[data-conflict="column-lock column-no-lock"] [data-choice=${choice}]`);
      await write(choice);
      await until(`three after ${choice}`, async () => (await count(page, '[data-conflict]')) === 3);
      check((await asks('conflicts_list', {})).total === 3, 'the graph says so, too');
      await undo(choice);
      await until('four again', async () => (await count(page, '[data-conflict]')) === 4);
    }
  },

  async 'the past is read-only'() {
    await page.focus('#time');
    await page.keyboard.press('ArrowLeft');
    await until('no choices', async () => (await count(page, '[data-choice]')) === 0 && (await count(page, '[data-action=unlink], .writes')) === 0);
    const said = page.said.filter(one => !/status of 40[49]/.test(one));  // t1 is gone; a write too late
    check(said.length === 0, 'silent', said);
  },
});
