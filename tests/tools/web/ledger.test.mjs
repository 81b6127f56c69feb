// An agent's memory: everything that the page does with time, the ledger and exports.
import { atRest, check, choose, count, counts, download, ledgerDemo, newPage, plexus, ready, run, search, serve, steady, text, until } from './explorer.mjs';

const db = ledgerDemo();
ledgerDemo('copy');  // for the command line, while the server holds the other one
const server = await serve(db);
let page;
const left = () => counts(page);
const status = () => text(page, '.status');

await run({
  async search(browser) {
    page = await newPage(browser);
    await page.goto(server.url);
    await ready(page);
    await search(page, 'payout');
    const hits = await count(page, '.results .hit');
    check(hits > 10, 'payout is found', hits);
    await until('all hits are shown', async () => (await left()).nodes === hits);
    check((await text(page, '.results')).includes('matches 1 of 1 word'), 'each hit says why');
    await until('the panel has score terms', async () => (await text(page, '.panel .terms')).includes('path'));
  },

  async 'expand by double click'() {
    await atRest(page);
    await page.click('.results [data-key="payout"]');
    await until('payout is in the panel', async () => (await text(page, '.panel .key')).endsWith('payout'));
    await atRest(page);
    const before = await left();
    const box = await page.locator('.canvas').boundingBox();
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await until('it says how many neighbours there are', async () => /\d+ of \d+ edges/.test(await status()));
    const after = await left();
    // The plan of recall may have brought them all already.
    check(after.nodes >= before.nodes && after.edges >= before.edges, 'nodes and edges came', before, after);
  },

  async 'without WebGL the table serves'(browser) {
    const plain = await newPage(browser);
    await plain.addInitScript(() => {
      const real = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
        return String(kind).includes('webgl') ? null : real.call(this, kind, ...more);
      };
    });
    await plain.goto(server.url);
    await ready(plain);
    await search(plain, 'payout');
    const hits = await count(plain, '.results .hit');
    check(hits > 10, 'payout is found', hits);
    await plain.click('#tab-table');
    await until('a row of each', async () => (await count(plain, 'table.nodes tbody tr')) === hits);
    await plain.click('#tab-drawing');
    await until('it says so', async () => (await text(plain, 'body')).includes('There is no WebGL here'));
    check(plain.said.length === 0, 'its console is silent', plain.said);
    await plain.context().close();
  },

  async 'the table is the drawing'() {
    await page.click('#tab-table');
    const { nodes, edges } = await left();
    await until('as many rows', async () => (await count(page, 'table.nodes tbody tr')) === nodes && (await count(page, 'table.edges tbody tr')) === edges);
  },

  async slider() {
    const now = await left();
    await page.focus('#time');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await until('the first week', async () => (await text(page, 'output')).startsWith('batch 1'));
    await until('what went is marked', async () => (await count(page, 'tr.went')) > 0);
    await until('it says how many went', async () => Number(/(\d+) went/.exec(await status())[1]) > 0);
    // What is not there in week one, by the command line.
    const then = JSON.parse(plexus('list', '--db', 'copy', '--as-of', '1', '--top', '0', '--columns', 'key', '--index', '--json'));
    const keys = new Set(then.results.map(row => row.key));
    await until('what is shown was there', async () => {
      const shown = await page.evaluate(() => [...document.querySelectorAll('table.nodes tbody tr:not(.went) [data-key]')].map(one => one.dataset.key));
      return shown.length > 3 && shown.every(key => keys.has(key));
    });
    await page.keyboard.press('End');
    await until('the present again', async () => (await text(page, 'output')) === 'now' && (await count(page, 'tr.came')) > 0);
    check((await left()).nodes === now.nodes, 'everything came back');
  },

  async path() {
    await search(page, 'd11-jitter', 'key');
    await choose(page, 'd11-jitter');
    await page.click('[data-action=path-from]');
    await search(page, 'd04-retry-thrice', 'key');
    await choose(page, 'd04-retry-thrice');
    await page.click('[data-action=path-to]');
    await until('a path', async () => /Path of \d+ edges/.test(await status()));
    const edges = Number(/\d+/.exec(await status())[0]);
    const known = JSON.parse(plexus('path', '--db', 'copy', 'd11-jitter', 'd04-retry-thrice', '--direction', 'both', '--json'));
    check(edges === known.paths[0].hops, 'as long as the command line says', edges);
    await until('its edges are marked', async () => (await count(page, 'tr.on-path')) >= edges);
  },

  async filters() {
    const before = await left();
    await page.click('.filters > summary');
    await page.uncheck('[data-filter=node-kind][value=memory]');
    const after = await left();
    check(after.nodes < before.nodes && after.hidden > before.hidden, 'memories are hidden', before, after);
    await page.check('[data-filter=node-kind][value=memory]');
    await page.uncheck('[data-filter=superseded]');
    await until('superseded ones are hidden', async () => (await left()).hidden > 0);
    await page.check('[data-filter=superseded]');
    await page.fill('[data-filter=where]', "kind = 'decision'");
    await page.press('[data-filter=where]', 'Enter');
    await until('only decisions', async () => (await count(page, 'table.nodes tbody tr')) === (await page.evaluate(() =>
      [...document.querySelectorAll('table.nodes tbody tr')].filter(row => row.cells[1].textContent === 'decision').length)) && (await left()).hidden > 0);
    await page.fill('[data-filter=where]', 'kind = ');
    await page.press('[data-filter=where]', 'Enter');
    await until('a bad expression is an error in words', async () => (await status()).includes('did not work'));
    await page.fill('[data-filter=where]', '');
    await page.press('[data-filter=where]', 'Enter');
    await until('all again', async () => (await left()).nodes === before.nodes);
    await page.check('[data-look=sizeByRank]');
    await page.check('[data-look=colourByGroup]');
  },

  async 'never combined, and rings'() {
    await page.click('#tab-drawing');
    await page.click('[data-start=frontier]');
    await until('sets', async () => (await count(page, '[data-set]')) > 2);
    check((await text(page, '.results')).includes('Question: What changes if'), 'with their questions');
    check((await text(page, '[data-lens]')) === 'Found by the lens surface.', 'and the lens');  // 18 events are too few for likely
    await page.click('[data-set]');
    await until('a hull', async () => (await count(page, '.hulls polygon')) === 1);
    const hull = await text(page, '.hulls title');
    check(/\S.*\nWhat changes if/.test(hull), 'with the reason and the question', hull);
    check((await page.evaluate(() => getComputedStyle(document.querySelector('.hulls polygon')).strokeDasharray)) !== 'none', 'dashed');
    await page.click('[data-action=rings]');
    await until('rings', async () => /\d+ nodes, nearest first/.test(await status()));
  },

  async ledger() {
    await page.click('[data-start=ledger]');
    await until('18 events', async () => (await count(page, '[data-event]')) === 18 && (await count(page, '.dot')) === 18);
    check((await text(page, '.results')).includes('Outcomes: accepted, helpful'), 'with outcomes');
    await page.click('[data-event=c17]');
    await until('its members in a hull', async () => (await text(page, '.hulls')).includes('why was a refund booked twice'));
  },

  async 'a link restores the view'(browser) {
    const before = await steady('the view', async () => ({ ...(await left()), key: await text(page, '.panel .key') }));
    await steady('the link', () => page.url());
    const again = await newPage(browser);
    await again.goto(page.url());
    await ready(again);
    await until('the same nodes, edges and choice', async () => {
      const now = { ...(await counts(again)), key: await text(again, '.panel .key') };
      return JSON.stringify(now) === JSON.stringify(before);
    });
    check(await again.isChecked('[data-look=sizeByRank]'), 'the looks, too');
    await until('the list on the left', async () => (await count(again, '[data-event]')) === 18);
    await until('why it was found', async () => (await text(again, '.panel .terms')).includes('primary of: why was a refund booked twice'));
    check(again.said.length === 0, 'its console is silent', again.said);
    for (const broken of ['#%', '#{}', '#%7B%22nodes%22%3A%5B%5B1%5D%5D%7D', '#%7B%22nodes%22%3A3%7D']) {
      const odd = await newPage(browser);
      await odd.goto(server.url + broken);
      await ready(odd);
      check(odd.said.length === 0, `the link ${broken} does no harm`, odd.said);
      await odd.context().close();
    }
  },

  async exports() {
    const png = await download(page, '[data-export=png]');
    check(png.subarray(1, 4).toString() === 'PNG' && png.length > 5000, 'a PNG', png.length);
    const { nodes, edges } = await left();
    const svg = (await download(page, '[data-export=svg]')).toString();
    check(svg.startsWith('<svg') && svg.split('<circle').length - 1 === nodes && svg.split('<line').length - 1 === edges, 'an SVG of all nodes and edges');
    const of = name => new Set([...svg.matchAll(new RegExp(`<circle [^>]*${name}="([^"]+)"`, 'g'))].map(match => match[1]));
    check(of(' r').size > 3, 'PageRank is the size', of(' r'));
    check(of('fill').size > 1, 'a community is the colour', of('fill'));
    const graph = JSON.parse(await download(page, '[data-export=node-link]'));
    check(graph.nodes.length === nodes, 'node-link JSON of all nodes', graph.nodes.length, nodes);
  },

  async 'the console is silent, and no other host was asked'() {
    // Chromium reports the bad expression's 400.
    const bad = page.said.filter(one => one.includes('status of 400'));
    check(bad.length === 1 && page.said.length === 1, 'silent', page.said);
    check(page.asked.every(url => url.startsWith(server.url) || url.startsWith('data:') || url.startsWith('blob:')), 'no other host', page.asked);
  },
});
