// `plexus explore --once`: one visit, then it ends; its exit code says whether there was one. A link
// without places is laid out by the page: what a script makes a picture of.
import { check, counts, ledgerDemo, newPage, ready, run, serve, text, until } from './explorer.mjs';

const db = ledgerDemo();
const code = server => Promise.race([server.ended, new Promise(done => setTimeout(done, 20_000, 'late'))]);

await run({
  async 'a visit'(browser) {
    const server = await serve(db, '--once');
    await fetch(`${server.url}/v1/stats`);  // no visit
    await new Promise(done => setTimeout(done, 1500));
    const page = await newPage(browser);
    const link = { nodes: [['payout'], ['d11-jitter'], ['d04-retry-thrice']], selected: 'payout', path: ['d11-jitter', 'd04-retry-thrice'] };
    await page.goto(`${server.url}/#${encodeURIComponent(JSON.stringify(link))}`);
    await ready(page);
    check((await counts(page)).nodes >= 3, 'it is served', await counts(page));
    await until('the choice', async () => (await text(page, '.panel .key')).endsWith('payout'));
    const places = await until('places', async () => {
      const saved = JSON.parse(decodeURIComponent(new URL(page.url()).hash.slice(1))).nodes;
      return saved.every(row => row.length === 3) && saved;
    });
    check(new Set(places.map(row => row.slice(1).join())).size === places.length, 'each node has one of its own', places);
    check(page.said.length === 0, 'silent', page.said);
    await page.context().close();
    await browser.close();
    check(await code(server) === 0, 'it ends by itself');
  },
  async 'no visit'() {
    const server = await serve(db, '--once');
    await server.stop();
    check(await code(server) !== 0, 'nobody came: no success');
  },
});
