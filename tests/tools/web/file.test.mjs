// `plexus export --format html`: one file that needs no server.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, choose, count, counts, download, ledgerDemo, newPage, plexus, ready, run, search, text, until, work } from './explorer.mjs';

const db = ledgerDemo();
plexus('put', '--db', db, '</script><img src=x onerror=alert(1)>', '--kind', 'memory', '--text', 'hostile </script><script>alert(1)</script> <!-- text');
plexus('link', '--db', db, '</script><img src=x onerror=alert(1)>', 'supports', 'd11-jitter');
plexus('export', '--db', db, '--format', 'html', '--around', 'd11-jitter', '--hops', '3', '--output', join(work, 'memory.html'));
const known = JSON.parse(plexus('export', '--db', db, '--format', 'node-link', '--around', 'd11-jitter', '--hops', '3'));
let page;

await run({
  async 'it opens from disk'(browser) {
    const file = join(work, 'memory.html');
    check(statSync(file).size - JSON.stringify(known).length < 1_000_000, 'less than 1 MB of code');
    check(!/<img/.test(readFileSync(file, 'utf8').split('id="data"')[1].split('</script>')[0]), 'no text ends its element');
    page = await newPage(browser);
    await page.goto(pathToFileURL(file).href);
    await ready(page);
    await until('all nodes', async () => (await counts(page)).nodes === known.nodes.length);
    check((await counts(page)).edges === known.edges.length, 'all edges', await counts(page), known.edges.length);
  },
  async 'search, path, filters, exports'() {
    await search(page, 'hostile');
    check((await text(page, '.results')).includes('</script><script>'), 'shown as text');
    await search(page, 'jitter');
    check(await count(page, '.results .hit') > 0, 'words are found');
    await choose(page, known.nodes[0].id);
    await page.click('[data-action=path-from]');
    await choose(page, 'd11-jitter');
    await page.click('[data-action=path-to]');
    await until('a path', async () => /Path of \d+ edges/.test(await text(page, '.status')));
    await page.click('.filters > summary');
    await page.uncheck('[data-filter=node-kind] >> nth=0');
    await until('hidden', async () => (await counts(page)).hidden > 0);
    await page.check('[data-filter=node-kind] >> nth=0');
    check(JSON.parse(await download(page, '[data-export=node-link]')).nodes.length === known.nodes.length, 'node-link');
    check((await download(page, '[data-export=png]')).length > 5000, 'PNG');
  },
  async 'silent, and nobody was asked'() {
    check(page.said.length === 0, 'silent', page.said);
    check(page.asked.every(url => /^(file|data|blob):/.test(url)), 'no request', page.asked);
  },
});
