// WordNet: a graph of 117,659 nodes behind the page, read-only.
import { check, choose, count, counts, download, newPage, plexus, ready, run, search, serve, steady, text, until, wordNet } from './explorer.mjs';

const db = wordNet();
const dog = 'n02084071', cat = 'n02121620';
const list = JSON.parse(plexus('neighbors', '--db', db, dog, '--json'));
const walk = JSON.parse(plexus('path', '--db', db, dog, cat, '--direction', 'both', '--json'));
const server = await serve(db);
let page;
const status = () => text(page, '.status');

await run({
  'the search box is painted, and finds'(browser) {
    return (async () => {
      page = await newPage(browser);
      await page.goto(server.url);
      check(await page.isVisible('#search') && await page.isVisible('table.nodes') || await page.isVisible('.results'), 'search box, list and table');
      await ready(page);
      check((await text(page, '.counts')).startsWith('117659 nodes'), 'the graph is counted');
      await search(page, 'snow leopard');
      check((await text(page, '.results .hit')).toLowerCase().includes('leopard'), 'snow leopard is found');
      await search(page, dog, 'key');
      await until('dog', async () => (await text(page, '.panel')).includes('domestic dog'));
    })();
  },

  async expand() {
    await choose(page, dog);
    await page.click('[data-action=expand]');
    await until('all its neighbours', async () => (await status()).startsWith(`${list.total} of ${list.total} edges`));
    await search(page, 'n08524735', 'key');
    await choose(page, 'n08524735');
    await page.click('[data-action=expand]');
    await until('what is left out is said', async () => /50 of 674 edges are shown\. 624 left out/.test(await status()));
    const before = await counts(page);
    await page.click('[data-action=rest]');
    await until('the rest', async () => (await counts(page)).nodes > before.nodes + 500);
  },

  async path() {
    await page.click('[data-action=clear]');
    await search(page, cat, 'key');
    await search(page, dog, 'key');
    await choose(page, dog);
    await page.click('[data-action=path-from]');
    await choose(page, cat);
    await page.click('[data-action=path-to]');
    await until('a path', async () => (await status()) === `Path of ${walk.paths[0].hops} edges.`);
    await until('marked', async () => (await count(page, 'tr.on-path')) === walk.paths[0].hops);
  },

  async 'most important, communities, similar'() {
    await page.click('[data-start=important]');
    await until('thirty', async () => (await count(page, '.results .hit')) === 30);
    await page.click('[data-start=communities]');
    await until('twenty', async () => (await count(page, '[data-set]')) === 20);
    await page.click('[data-set]');
    await search(page, dog, 'similar');
    check((await text(page, '.results')).includes('jackal'), 'a jackal is like a dog');
  },

  async 'filters and slider'() {
    await choose(page, dog);
    const near = JSON.parse(plexus('neighborhood', '--db', db, dog, '--hops', '2', '--json')).nodes.length;
    await page.click('[data-action=clear]');
    await search(page, dog, 'key');
    await choose(page, dog);
    await page.click('[data-action=around]');
    await until('within two edges', async () => (await counts(page)).nodes === near);
    await page.click('.filters > summary');
    const before = await counts(page);
    await page.uncheck('[data-filter=edge-kind][value=is-a]');
    check((await counts(page)).edges < before.edges, 'is-a edges are hidden');
    await page.check('[data-filter=edge-kind][value=is-a]');
    await page.fill('[data-filter=where]', "key like 'n%' and degree > 5");
    await page.press('[data-filter=where]', 'Enter');
    await until('few are left', async () => (await counts(page)).hidden > 20);
    await page.fill('[data-filter=where]', '');
    await page.press('[data-filter=where]', 'Enter');
    await page.focus('#time');
    await page.keyboard.press('Home');
    await until('before anything was there', async () => (await text(page, 'output')).startsWith('batch 1,') && (await count(page, 'tr.went')) > 0);
    await page.keyboard.press('End');
    await until('all is there again', async () => (await text(page, 'output')) === 'now' && (await counts(page)).nodes === before.nodes);
  },

  async 'limit, link and exports'(browser) {
    await page.click('[data-action=clear]');
    await page.fill('[data-filter=limit]', '50');
    await page.press('[data-filter=limit]', 'Tab');
    await search(page, dog, 'key');
    await choose(page, dog);
    await page.click('[data-action=around]');
    await until('fifty', async () => (await counts(page)).nodes === 50);
    await until('the limit is said', async () => (await status()).includes('50 nodes at most: at least 1 left out'));
    await steady('the link', () => page.url());
    const again = await newPage(browser);
    await again.goto(page.url());
    await ready(again);
    await until('restored', async () => JSON.stringify(await counts(again)) === JSON.stringify(await counts(page)));
    check(again.said.length === 0, 'silent', again.said);
    check(JSON.parse(await download(page, '[data-export=node-link]')).nodes.length === 50, 'node-link of all');
  },

  async 'the console is silent'() {
    check(page.said.length === 0, 'silent', page.said);
    check(page.asked.every(url => url.startsWith(server.url) || /^(data|blob):/.test(url)), 'no other host');
  },
});
