// Stored texts are text, whatever they contain; pages of other origins read nothing; read-only is
// read-only; keyboard and names are enough.
import { createServer, request } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, choose, count, newPage, plexus, ready, run, search, serve, steady, text, until, work } from './explorer.mjs';

const markup = '<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>';
const keys = ['<b>key</b>', 'שלום', 'مرحبا', '\u202Eevil', 'a\u200Bb', '𝔘𝔫𝔦', '👩‍👩‍👧', 'e\u0301', '日本語', '\u0007bell', "it's", '"quoted"', '../../etc', '%00', 'a b', '\u2028line', '\uE000', 'ǅ', 'x'.repeat(1024)];
const nodes = keys.map((key, i) => ({ node: key, kind: 'memory', text: `hostile ${i} ${markup}` }));
nodes.push({ node: 'long', kind: 'memory', text: `hostile ${'A'.repeat(1_000_000)}` });
nodes.push({ node: 'bidi', kind: 'memory', text: 'hostile \u202Eneve\u202C \u2066x\u2069 end' });
const lines = nodes.map(node => JSON.stringify(node));
for (const key of keys.slice(1)) lines.push(JSON.stringify({ edge: [key, keys[0]], kind: 'supports', label: markup, weight: 0.5 }));
writeFileSync(join(work, 'hostile.jsonl'), `${lines.join('\n')}\n`);
plexus('import', '--db', 'hostile', '--terms', 'hostile.jsonl', '--quiet');
const server = await serve('hostile');
let page;

// What a request answers, without a browser's rules: {status, body}.
const raw = (path, options = {}, body = '') => new Promise((done, fail) => {
  const asked = request(server.url + path, options, reply => {
    let all = '';
    reply.on('data', data => { all += data; });
    reply.on('end', () => done({ status: reply.statusCode, headers: reply.headers, body: all }));
  });
  asked.on('error', fail);
  asked.end(body);
});

await run({
  async 'texts are texts'(browser) {
    page = await newPage(browser);
    await page.goto(server.url);
    await ready(page);
    const elements = await count(page, 'img, svg, script, iframe');
    await search(page, 'hostile');
    check(await count(page, '.results .hit') >= keys.length, 'all are found', await count(page, '.results .hit'));
    await until('all are drawn', async () => (await count(page, '.results li')) > 0 && (await text(page, '.counts')).includes('nodes'));
    check(await count(page, 'img, svg, script, iframe') === elements, 'no element was made of a text');
    check((await text(page, '.results')).includes('<img src=x'), 'markup is shown');
    check(!/[\u202a-\u202e\u2066-\u2069]/.test(await text(page, '#app')), 'no character turns the direction');
    check((await text(page, '.results')).includes('⟨U+202E⟩'), 'it is named');
  },

  async 'every key can be chosen and expanded'() {
    await page.click('#tab-table');
    for (const key of keys) {
      await until(`a row of ${key}`, () => page.evaluate(k => [...document.querySelectorAll('#table [data-key]')].some(one => one.dataset.key === k), key));
      await page.evaluate(k => [...document.querySelectorAll('#table [data-key]')].find(one => one.dataset.key === k).click(), key);
      await until(`the panel of ${key}`, async () => (await text(page, '.panel .text')).includes('hostile'));
      await page.click('[data-action=expand]');
      await until('its neighbours', async () => (await text(page, '.status')).includes('edges are shown'));
    }
    check(await count(page, '.panel img, .panel script') === 0, 'nothing runs');
  },

  async 'a line of a megabyte'() {
    await choose(page, 'long');
    await until('it is cut', async () => (await text(page, '.panel')).includes('of 1000008 characters)'));
    check((await text(page, '.panel h2')).length < 300, 'the title is short');
    const before = (await text(page, '.panel .text')).length;
    await page.click('[data-action=more-text]');
    await until('more of it', async () => (await text(page, '.panel .text')).length === 2 * before);
  },

  async 'a link of hostile keys'(browser) {
    await steady('the link', () => page.url());
    const again = await newPage(browser);
    await again.goto(page.url());
    await ready(again);
    await until('restored', async () => (await text(again, '.counts')) === (await text(page, '.counts')));
    check(again.said.length === 0, 'silent', again.said);
    check(page.said.length === 0, 'silent', page.said);
  },

  async 'keyboard and names'() {
    // Each control has a name; each can have the focus.
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [role=img]')].filter(one =>
      !(one.getAttribute('aria-label') ?? one.textContent).trim() && !one.closest('label')?.textContent.trim()).map(one => one.outerHTML.slice(0, 200)));
    check(nameless.length === 0, 'every control has a name', nameless);
    await page.focus('#search');
    const seen = new Set();
    for (let i = 0; i < 60 && !seen.has('table-row'); ++i) {
      await page.keyboard.press('Tab');
      seen.add(await page.evaluate(() => (document.activeElement.closest('#table') ? 'table-row' : document.activeElement.id || document.activeElement.dataset.start || document.activeElement.tagName)));
    }
    check(['mode', 'important', 'conflicts', 'tab-table', 'table-row'].every(one => seen.has(one)), 'Tab reaches all of it', [...seen]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    check(await page.evaluate(() => document.activeElement.dataset.key !== undefined), 'the focus stays in its row');
  },

  async 'contrast, light and dark'() {
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      const colours = await page.evaluate(() => Object.fromEntries(['background', 'raised', 'text', 'quiet', 'accent', 'on-accent', 'good', 'bad'].map(name =>
        [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()])));
      const light = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      for (const [front, back] of [['text', 'background'], ['text', 'raised'], ['quiet', 'background'], ['quiet', 'raised'], ['accent', 'background'], ['on-accent', 'accent'], ['good', 'background'], ['bad', 'background']]) {
        const [a, b] = [light(colours[front]), light(colours[back])].sort((x, y) => y - x);
        check((a + 0.05) / (b + 0.05) >= 4.5, `${front} on ${back} (${scheme})`, colours);
      }
    }
  },

  async 'another origin reads nothing'(browser) {
    const other = createServer((_, reply) => reply.end('<!doctype html><title>other</title>')).listen(0, '127.0.0.1');
    await new Promise(done => other.on('listening', done));
    const away = await newPage(browser);
    await away.goto(`http://localhost:${other.address().port}`);
    const got = await away.evaluate(async url => {
      const tried = [];
      for (const [path, options] of [['/', {}], ['/v1/stats', {}], ['/v1/stats', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }],
        ['/v1/stats', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{}' }]])
        tried.push(await fetch(url + path, options).then(reply => reply.text(), error => error.name));
      tried.push(await fetch(`${url}/v1/stats`, { mode: 'no-cors' }).then(reply => reply.text(), error => error.name));
      const frame = document.createElement('iframe');
      frame.src = url;
      document.body.append(frame);
      await new Promise(done => { frame.onload = done; });
      let inside = 'nothing';
      try {
        inside = frame.contentDocument?.getElementById('search') ? 'the page' : 'nothing';
      } catch { /* of another origin */ }
      return [...tried, inside];
    }, server.url);
    check(got.slice(0, 4).every(one => one === 'TypeError') && (got[4] === '' || got[4] === 'TypeError') && got[5] === 'nothing', 'nothing is read', got);
    other.close();
    check((await raw('/v1/stats', { headers: { Origin: 'https://evil.example' } })).status === 403, 'a foreign Origin is refused');
    check((await raw('/v1/stats', { headers: { 'Sec-Fetch-Site': 'same-site' } })).status === 403, 'and an image of another port');
    check((await raw('/', { headers: { Host: 'evil.example' } })).status === 403, 'a foreign Host is refused, for the page, too');
  },

  async 'another port writes nothing and gets no work done'(browser) {
    plexus('import', '--db', 'writable', '--terms', 'hostile.jsonl', '--quiet');
    const writable = await serve('writable', '--write');
    const other = createServer((_, reply) => reply.end('<!doctype html><title>other</title>')).listen(0, '127.0.0.1');
    await new Promise(done => other.on('listening', done));
    const away = await newPage(browser);
    await away.goto(`http://localhost:${other.address().port}`);
    await away.evaluate(async url => {
      const sent = { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': 'text/plain' }, body: 'source,target\nsneaked,in\n' };
      await fetch(`${url}/v1/import?format=csv`, sent).catch(() => {});
      const image = document.createElement('img');
      await new Promise(done => { image.onerror = image.onload = done; image.src = `${url}/v1/pagerank?top=0`; });
    }, writable.url);
    const metrics = await fetch(`${writable.url}/metrics`).then(reply => reply.text());
    check(/plexus_http_refused_total 2/.test(metrics), 'both were refused', metrics);
    const reply = await fetch(`${writable.url}/v1/get?key=sneaked`);
    check(reply.status === 404, 'nothing was written', await reply.text());
    other.close();
  },

  async 'read-only, and a strict policy'() {
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const put = await raw('/v1/put', json, '{"key":"new"}');
    check(put.status === 403, 'a write is refused', put);
    const { headers, body } = await raw('/');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(body)[1];
    check(!/unsafe/.test(policy) && policy.includes("default-src 'none'") && !/https?:/.test(policy), 'the policy', policy);
    check(headers['content-security-policy'] === "frame-ancestors 'none'" && headers['x-content-type-options'] === 'nosniff', 'headers', headers);
    check(/sigma 3\.0\.3 \(MIT\)/.test(body) && /graphology 0\.26\.0 \(MIT\)/.test(body), 'licences are listed');
  },
});
