// A server that wants tokens: the page asks for one, keeps it in its tab and out of every address, has
// its rights, and says in a sentence what it lacks.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, choose, count, ledgerDemo, newPage, ready, run, search, serve, text, until, work } from './explorer.mjs';

const tokens = { reader: 'r-7hQ2', writer: 'w-9kLs', walled: 's-1aBc' };
const rights = { reader: { rights: ['read'] }, writer: { rights: ['read', 'write'] }, walled: { rights: ['read', 'write'], scopes: ['none'] } };
const lines = Object.entries(tokens).map(([name, token]) =>
  JSON.stringify({ name, sha256: createHash('sha256').update(token).digest('hex'), ...rights[name] }));
writeFileSync(join(work, 'tokens'), `${lines.join('\n')}\n`, { mode: 0o600 });
const server = await serve(ledgerDemo(), '--write', '--tokens', 'tokens');
let page;
const status = () => text(page, '.status');
const asked = () => page.asked.filter(url => url.includes('/v1/')).length;
const json = token => ({ method: 'POST', headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) } });
const post = (token, operation, body = {}) => fetch(`${server.url}/v1/${operation}`, { ...json(token), body: JSON.stringify(body) });

async function logIn(token) {
  await until('a field', () => count(page, '#token'));
  await page.fill('#token', token);
  await page.press('#token', 'Enter');
}
const fresh = async (browser, token) => {
  await page?.context().close();
  page = await newPage(browser);
  await page.goto(server.url);
  if (!token) return;
  await logIn(token);
  await ready(page);
};
// The page's requests go out with another token.
const swap = token => page.route('**/v1/**', route => route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${token}` } }));

await run({
  async 'nothing without a token'(browser) {
    for (const operation of ['stats', 'recall', 'put']) check((await post('', operation)).status === 401, `${operation} is refused`);
    check((await fetch(`${server.url}/access`)).status === 401, 'so are rights');
    check((await fetch(server.url, { method: 'POST' })).status === 401, 'the page is only read');
    const sent = await fetch(server.url).then(reply => reply.text());
    check(sent.includes('{"server":{"token":true}}') && !sent.includes('payout'), 'the page says nothing of the graph');
    await fresh(browser);
    await until('a field', () => count(page, '#token'));
    check(await count(page, '#search, .panel') === 0 && asked() === 0, 'it asks for a token, and nothing else');
    await logIn('not one');
    await until('it says so', async () => (await status()) === 'The server does not know this token.');
    await logIn('with a letter \u20ac that no header takes');
    await until('that, too', async () => (await status()).startsWith('That did not work'));
  },

  async 'a token that reads'(browser) {
    await fresh(browser, tokens.reader);
    await search(page, 'payout');
    check(await count(page, '.results .hit') > 10, 'it finds');
    await choose(page, 'payout');
    await until('details', async () => (await text(page, '.panel')).includes('History'));
    check(await count(page, '.writes, [data-action=unlink], [data-action=forget]') === 0, 'it offers no write');
    check((await post(tokens.reader, 'remove', { key: 'payout', dry_run: true })).status === 403, 'and could not write');
  },

  async 'a token that writes'(browser) {
    await fresh(browser, tokens.writer);
    await search(page, 'payout', 'key');
    await choose(page, 'payout');
    await page.click('.writes > summary');
    await page.fill('[data-write=kind]', 'supports');
    await page.fill('[data-write=target]', 'd11-jitter');
    await page.click('[data-action=link-node]');
    await until('a dry run', async () => (await text(page, '.outcome')).includes('Nothing is written yet'));
    await page.click('[data-action=write]');
    await until('written', async () => (await status()).startsWith('Written.'));
    await page.click('[data-action=rest]');
    await until('a dry run of its undo', async () => (await text(page, '.outcome')).includes('1 edges removed'));
    await page.click('[data-action=write]');
    await until('taken back', async () => (await status()).startsWith('Written.'));
  },

  async 'what is missing is said'() {
    await swap(tokens.reader);
    await page.click('[data-action=forget]');
    await until('the right', async () => (await status()).includes('your token has not the right:'));
    await page.unroute('**/v1/**');
    await swap('unknown');
    await page.click('[data-action=forget]');
    await until('the token', async () => (await status()).includes('Load the page again to log in.'));
    await page.unroute('**/v1/**');
  },

  async 'behind a scope there is no slider, and no undo'(browser) {
    await fresh(browser, tokens.walled);
    check((await text(page, '.counts')).startsWith('0 nodes'), 'it sees its scope', await text(page, '.counts'));
    check(await page.isHidden('.timeline'), 'no slider');
    check((await (await fetch(`${server.url}/access`, { headers: { Authorization: `Bearer ${tokens.walled}` } })).json()).history === false, 'nor history');
  },

  async 'the tab keeps it, and lets it go'(browser) {
    await fresh(browser, tokens.reader);
    await search(page, 'payout', 'key');
    await page.reload();
    await ready(page);
    check(await count(page, '#search') === 1, 'kept over a reload');
    const seen = [page.url(), ...page.asked, ...await page.evaluate(() => [JSON.stringify(localStorage), document.cookie, document.documentElement.outerHTML])];
    check(!seen.some(one => one.includes(tokens.reader)), 'it stands in no address, and nowhere else');
    await page.click('[data-action=log-out]');
    await until('a field again', () => count(page, '#token'));
    check(await page.evaluate(() => sessionStorage.length) === 0, 'nothing is kept');
    await fresh(browser);
    await until('another tab asks', () => count(page, '#token'));
  },

  async 'silent'() {
    check(page.said.length === 0, 'silent', page.said);
  },
});
