// Replies that come late, in another order or not at all; what is left out is said; odd values.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, choose, count, counts, download, newPage, plexus, ready, run, search, serve, text, until, work } from './explorer.mjs';

function load(name, ...nodes) {
  writeFileSync(join(work, `${name}.jsonl`), `${nodes.map(one => JSON.stringify(one)).join('\n')}\n`);
  plexus('import', '--db', 'order', '--terms', `${name}.jsonl`, '--quiet');
}
const names = (letter, most) => Array.from({ length: most }, (_, i) => `${letter}${i}`);
const many = names('m', 260), chain = names('c', 8);
load('first', { node: 'hub', kind: 'memory', text: 'hub text', trust: 0.9 },
  ...many.map((node, i) => ({ node, kind: `kind ${i % 50}`, text: `many ${i}` })), ...many.map(key => ({ edge: ['hub', key], kind: 'has', weight: 0.5 })),
  ...chain.map(node => ({ node, kind: 'memory', text: `chain ${node}` })), ...chain.slice(1).map((key, i) => ({ edge: [chain[i], key], kind: 'next' })),
  { node: 'odd', kind: 'memory', text: 'odd text', props: { seen_at: 1e300, price_from: 12 } },
  { node: 'side', kind: 'memory', text: 'side text' });
load('second', { node: 'hub', kind: 'memory', text: 'hub revised', trust: 0.1 }, { node: 'late', kind: 'memory', text: 'late text' }, { edge: ['side', 'late'], kind: 'has' });
load('third', { node: 'hub', kind: 'memory', text: 'hub again', trust: 0.9 });
const server = await serve('order');
let page;
const status = () => text(page, '.status');
const key = one => search(page, one, 'key').then(() => choose(page, one));
const fresh = async (browser, hash = '') => {
  await page?.context().close();
  page = await newPage(browser);
  await page.goto(server.url + hash);
  await ready(page);
};
// Requests of these operations wait until the returned call.
async function hold(...operations) {
  let release;
  const free = new Promise(done => { release = done; });
  const pattern = new RegExp(`/v1/(${operations.join('|')})$`);
  let held = 0;
  await page.route(pattern, async route => {
    ++held;
    await free;
    await route.continue().catch(() => {});  // cancelled
  });
  return { held: () => held, release: async () => { release(); await page.unroute(pattern); } };
}
const kCancel = '.middle [data-action=cancel]';
const limit = async most => {
  await page.evaluate(() => { document.querySelector('.filters').open = true; });
  await page.fill('[data-filter=limit]', String(most));
  await page.press('[data-filter=limit]', 'Tab');
};
const where = async expression => {
  await page.evaluate(() => { document.querySelector('.filters').open = true; });
  await page.fill('[data-filter=where]', expression);
  await page.press('[data-filter=where]', 'Enter');
};

await run({
  async 'a number that is no time'(browser) {
    await fresh(browser);
    await key('odd');
    await until('its text and properties', async () => /odd text[^]*price_from12[^]*seen_at1e\+300/.test(await text(page, '.panel')));
    check(/created_at\d{4}-\d\d-\d\dT/.test(await text(page, '.panel')), 'what is a time is shown as one');
  },

  async 'a late list replaces no newer one'(browser) {
    await fresh(browser);
    const late = await hold('communities');
    await page.click('[data-start=communities]');
    await until('it is asked for', () => late.held());
    await search(page, 'side');
    await late.release();
    await page.waitForTimeout(1000);
    check((await text(page, '.results')).includes('side text') && await count(page, '[data-set]') === 0, 'the search stays');
  },

  async 'a step of the slider and an expansion'(browser) {
    await fresh(browser);
    await key('side');
    const late = await hold('neighborhood', 'list');
    await page.focus('#time');
    await page.keyboard.press('Home');
    await until('a step is asked for', () => late.held());
    await page.click('[data-action=expand]');
    await page.waitForTimeout(300);
    await late.release();
    await until('both are done', async () => (await status()).startsWith('0 of 0 edges'));
    check(await count(page, 'tr.went, tr.came') === 0, 'nothing of another time');
    await page.focus('#time');
    await page.keyboard.press('End');
    await until('the present', async () => (await text(page, 'output')) === 'now');
    await page.click('[data-action=expand]');
    await until('the neighbour of now', async () => (await counts(page)).nodes === 2);
  },

  async 'all of the page is of one time'(browser) {
    await fresh(browser);
    await key('hub');
    await where('trust > 0.5');
    await until('hub holds', async () => (await counts(page)).nodes === 1);
    await page.focus('#time');
    await page.keyboard.press('ArrowLeft');
    await until('it does not hold then', async () => (await counts(page)).nodes === 0);
    await until('the text of then', async () => (await text(page, '.panel .text')) === 'hub revised');
    await page.keyboard.press('ArrowLeft');
    await until('it held before', async () => (await counts(page)).nodes === 1 && (await text(page, '.panel .text')) === 'hub text');
  },

  async 'a condition that fails is not kept'(browser) {
    await fresh(browser);
    await key('hub');
    await where('trust > ');
    await until('it is said', async () => (await status()).includes('did not work'));
    await page.click('[data-action=expand]');
    await until('the next action works', async () => (await status()).startsWith('50 of 260 edges are shown. 210 left out.'));
    await until('the link has none', () => {
      const saved = JSON.parse(decodeURIComponent(new URL(page.url()).hash.slice(1)));
      return saved.nodes.length > 50 && saved.hidden.where === '';
    });
  },

  async 'a node without a community is in none'(browser) {
    await fresh(browser);
    await key('side');
    await key('hub');
    await page.route('**/v1/communities', route => route.fulfill({ json: { results: [] } }));
    await page.evaluate(() => { document.querySelector('.filters').open = true; });
    await page.check('[data-look=colourByGroup]');
    const faded = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--faded').trim());
    await page.waitForTimeout(300);
    const svg = (await download(page, '[data-export=svg]')).toString();
    check(svg.split(`fill="${faded}"/>`).length === 2, 'it is faded; the other is chosen', svg);
  },

  async 'what the limit leaves out is said'(browser) {
    await fresh(browser);
    await limit(5);
    await key('c0');
    await page.click('[data-action=path-from]');
    await key('c7');
    await page.click('[data-action=path-to]');
    await until('three of a path', async () => (await status()) === 'Path of 7 edges. The view holds 5 nodes at most: 3 left out.');
    await search(page, 'hub', 'key');
    await until('a hit that does not fit', async () => (await status()).includes('5 nodes at most: 1 left out'));
    await until('its panel', async () => (await text(page, '.panel .text')) === 'hub text' || (await text(page, '.panel .text')) === 'hub again');
    await page.click('[data-action=rings]');
    await until('rings around what is not there', async () => (await status()).includes('left out'));
    check(!(await status()).includes('did not work'), 'no error', await status());
  },

  async 'the rest is at most what the view holds'(browser) {
    await fresh(browser);
    await limit(100);
    await key('hub');
    await page.click('[data-action=expand]');
    await until('fifty', async () => (await status()).includes('50 of 260'));
    const asked = page.waitForRequest(/v1\/neighbors$/);
    await page.click('[data-action=rest]');
    check((await asked).postDataJSON().top === 100, 'not all');
    await until('a hundred', async () => (await counts(page)).nodes === 100);
    await until('the edges are there', async () => (await text(page, '.panel')).includes('Edges (99)'));
    await limit(1000);
    await page.click('[data-action=expand]');
    await until('more fit', async () => (await status()).includes('of 260 edges'));
    await page.click('[data-action=rest]');
    await until('all', async () => (await counts(page)).nodes === 261);
    await until('a cut list says so', async () => (await text(page, '.panel')).includes('Only the first 100 are shown.'));
  },

  async cancel(browser) {
    await fresh(browser);
    await key('hub');
    const late = await hold('neighbors');
    await page.click('[data-action=expand]');
    await until('a button', () => page.isVisible(kCancel));
    await page.click(kCancel);
    await until('it is said', async () => (await status()) === 'Cancelled.');
    await late.release();
    await until('nothing runs', async () => !(await page.isVisible(kCancel)));
    check((await counts(page)).nodes === 1, 'nothing came');
    await page.click('[data-action=expand]');
    await until('the next one works', async () => (await counts(page)).nodes === 51);
  },

  async 'steps back'(browser) {
    await fresh(browser);
    const shown = async () => [...Object.values(await counts(page)), await text(page, 'output')].join(' ');
    await key('c0');
    await page.click('[data-action=expand]');
    await until('two', async () => (await counts(page)).nodes === 2);
    await page.click('[data-action=around]');
    await until('three', async () => (await counts(page)).nodes === 3);
    await page.focus('#time');
    await page.keyboard.press('Home');
    await until('another time', async () => (await text(page, 'output')).startsWith('batch 1'));
    await page.click('[data-action=clear]');
    check((await counts(page)).nodes === 0, 'nothing is shown');
    for (const expected of ['3 2 0 batch 1', '3 2 0 now', '2 1 0 now', '1 0 0 now']) {
      await page.click('[data-action=back]');
      await until(expected, async () => (await shown()).startsWith(expected));
    }
  },

  async links(browser) {
    await fresh(browser);
    await key('c0');
    await page.click('[data-action=path-from]');
    await key('c2');
    await page.click('[data-action=path-to]');
    await until('a path', async () => (await status()).startsWith('Path of 2'));
    const saved = () => JSON.parse(decodeURIComponent(new URL(page.url()).hash.slice(1)));
    await until('the link has it', () => saved().path?.length === 2);
    const link = new URL(page.url()).hash;
    await page.click('[data-action=clear]');
    await until('the link has nothing', () => saved().nodes.length === 0 && !saved().path);
    await page.reload();
    await ready(page);
    check((await counts(page)).nodes === 0, 'Clear is kept', await text(page, '.counts'));
    await page.evaluate(hash => { location.hash = hash; }, link);
    await until('a pasted link is opened', async () => (await text(page, '.status')).startsWith('Path of 2') && (await counts(page)).nodes === 3);
  },

  async 'the slider says what is shown'(browser) {
    await fresh(browser);
    await key('hub');
    await page.route('**/v1/list', route => route.fulfill({ status: 500, json: { error: { message: 'broken' } } }));
    await page.focus('#time');
    await page.keyboard.press('Home');
    await until('a step fails', async () => (await status()).includes('broken'));
    await until('it goes back', async () => (await text(page, 'output')) === 'now' && (await page.inputValue('#time')) === '2');
    const old = { nodes: [['hub', 0, 0]], asOf: '1' };
    await page.context().close();
    page = await newPage(browser);
    await page.route('**/v1/log', async route => {
      const reply = await (await route.fetch()).json();
      await route.fulfill({ json: { ...reply, results: reply.results.slice(0, 2) } });
    });
    await page.goto(`${server.url}#${encodeURIComponent(JSON.stringify(old))}`);
    await ready(page);
    await until('a time before all positions', async () => (await text(page, 'output')).startsWith('batch 1'));
    check((await text(page, '.timeline')).includes('Only the newest 2 are shown.'), 'it says which are there');
  },

  async 'all kinds can be hidden; the focus stays'(browser) {
    await fresh(browser);
    await key('hub');
    await page.click('[data-action=expand]');
    await until('fifty', async () => (await status()).includes('50 of 260'));
    await page.click('[data-action=rest]');
    await until('all', async () => (await counts(page)).nodes === 261);
    check(await count(page, '[data-filter=node-kind]') === 40 && (await text(page, '.filters')).includes('11 left out'), 'it says how many kinds are left out');
    await page.click('#tab-table');
    await page.click('[data-more=nodes]');
    check(await page.evaluate(() => [...document.querySelectorAll('table.nodes tbody tr')].indexOf(document.activeElement) === 200), 'the first new row has the focus');
    const hidden = { nodes: [['hub', 0, 0], ['m49', 5, 5]], hidden: { nodeKinds: ['kind 49'], edgeKinds: [], scopes: [], superseded: true, where: '' } };
    await fresh(browser, `#${encodeURIComponent(JSON.stringify(hidden))}`);
    await page.click('.filters > summary');
    check(!(await page.isChecked('[data-filter=node-kind] >> nth=0')), 'what a link hides comes first');
  },

  async 'edges of a file are counted as edges'(browser) {
    for (const kind of ['a', 'b', 'c']) plexus('link', '--db', 'pair', 'one', kind, 'two');
    plexus('export', '--db', 'pair', '--format', 'html', '--around', 'one', '--output', join(work, 'pair.html'));
    await page.context().close();
    page = await newPage(browser);
    await page.goto(pathToFileURL(join(work, 'pair.html')).href);
    await ready(page);
    await choose(page, 'one');
    await page.click('[data-action=expand]');
    await until('three', async () => (await status()) === '3 of 3 edges are shown.');
    await page.click('[data-action=clear]');
    await search(page, 'one', 'key');
    await limit(1);
    await page.click('[data-action=around]');
    await until('a cut is said', async () => (await status()).includes('1 nodes at most'));
  },
});
