// What the tests of the explorer share: a graph, `plexus explore` on it, a page in Chromium whose
// console must stay silent, and checks. Exit code 77: there is no browser here.
//   PLEXUS_PROGRAM  the program    PLEXUS_WEB  the folder that holds node_modules
//   CHROMIUM        the browser, default /usr/bin/chromium
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const program = process.env.PLEXUS_PROGRAM, web = process.env.PLEXUS_WEB;
const browserFile = process.env.CHROMIUM ?? '/usr/bin/chromium';

export function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

if (!program || !web || !existsSync(join(web, 'node_modules'))) skip('PLEXUS_PROGRAM and PLEXUS_WEB name no build');
export const packages = createRequire(join(web, 'node_modules/'));

export const work = mkdtempSync(join(tmpdir(), 'plexus-web.'));
process.setMaxListeners(0);
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

export function plexus(...words) {
  return execFileSync(program, words, { cwd: work, encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'pipe'] });
}

export function ledgerDemo(name = 'ledger') {
  const times = ['2026-03-09', '2026-03-16', '2026-03-23'];
  times.forEach((now, i) => plexus('import', '--db', name, '--terms', join(root, `tools/demo/ledger/week${i + 1}.jsonl`), '--now', now, '--quiet'));
  return name;
}

export function wordNet() {
  const from = process.env.PLEXUS_WORDNET ?? '/usr/share/wordnet';
  if (!existsSync(join(from, 'data.noun'))) skip(`no WordNet in ${from}`);
  plexus('import', '--db', 'wordnet', '--format', 'wordnet', '--terms', from, '--quiet');
  return 'wordnet';
}

export let checks = 0;
export function check(holds, what, ...values) {
  ++checks;
  if (holds) return;
  console.error(`FAILED: ${what}`, ...values);
  process.exitCode = 1;
  throw new Error(what);
}

// Polled from here: the page's policy allows no eval.
export async function until(what, holds, most = 20_000) {
  const end = Date.now() + most;
  for (let last; ; await new Promise(done => setTimeout(done, 30))) {
    try {
      last = await holds();
    } catch (error) {
      last = error;
    }
    if (last && !(last instanceof Error)) return last;
    if (Date.now() > end) check(false, `in time: ${what}`, last);
  }
}

// What is read twice in a row, a moment apart.
export async function steady(what, read, apart = 500) {
  let last = JSON.stringify(await read());
  await until(`${what} rests`, async () => {
    await new Promise(done => setTimeout(done, apart));
    const before = last;
    last = JSON.stringify(await read());
    return last === before;
  });
  return JSON.parse(last);
}

// {url, stop, ended}: ended is the exit code, later.
export async function serve(db, ...words) {
  const server = spawn(program, ['explore', '--db', db, '--port', '0', ...words], { cwd: work, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', data => { log += data; });
  const url = await until('the server listens', () => {
    if (server.exitCode !== null) throw new Error(log);
    return /http:\/\/127\.0\.0\.1:\d+/.exec(log)?.[0];
  });
  process.on('exit', () => server.kill());
  const ended = new Promise(done => server.on('exit', done));
  return { url, ended, stop: () => { server.kill('SIGTERM'); return ended; } };
}

export async function open() {
  if (!existsSync(browserFile)) skip(`no browser at ${browserFile} (Debian: apt-get install chromium)`);
  const { chromium } = packages('playwright-core');
  return chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
}

// A page and what it said. Chromium's own notes about a software renderer are none of the page.
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 850 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.said = [];
  page.asked = [];
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type()) && !message.text().includes('GL Driver Message')) page.said.push(message.text());
  });
  page.on('pageerror', error => page.said.push(String(error)));
  page.on('dialog', dialog => { page.said.push(`dialog ${dialog.message()}`); void dialog.dismiss(); });
  page.on('request', request => page.asked.push(request.url()));
  return page;
}

export const ready = page => until('the page is ready', () => page.evaluate(() => document.body.dataset.ready === 'yes'));
// Neither the layout nor the camera moves anything.
export const atRest = page => until('the drawing rests', async () => (await page.getAttribute('.canvas', 'aria-busy')) !== 'true');
export const text = (page, selector) => page.evaluate(s => document.querySelector(s)?.textContent ?? '', selector);
export const count = (page, selector) => page.evaluate(s => document.querySelectorAll(s).length, selector);
// {nodes, edges, hidden} of the line above the drawing.
export async function counts(page) {
  const [nodes, edges, hidden] = (await text(page, '.counts')).match(/\d+/g).map(Number);
  return { nodes, edges, hidden };
}

export async function search(page, words, mode = 'words') {
  await page.selectOption('#mode', mode);
  await page.fill('#search', words);
  await page.evaluate(() => performance.clearMarks('plexus-list'));
  await page.press('#search', 'Enter');
  await until(`a list for ${words}`, () => page.evaluate(() => performance.getEntriesByName('plexus-list').length > 0));
}

// Chooses by key, in the table.
export async function choose(page, key) {
  await page.click('#tab-table');
  await until(`a row of ${key}`, () => page.evaluate(k => [...document.querySelectorAll('#table [data-key]')].some(one => one.dataset.key === k), key));
  await page.evaluate(k => [...document.querySelectorAll('#table [data-key]')].find(one => one.dataset.key === k).click(), key);
  await until(`the panel of ${key}`, async () => (await text(page, '.panel .key')).endsWith(key));
}

export async function download(page, selector) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
  const chunks = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// Runs a test's steps one after the other, each with its name; ends browser and process.
export async function run(steps) {
  const browser = await open();
  try {
    for (const [name, step] of Object.entries(steps)) {
      await step(browser);
      console.log(`ok ${name}`);
    }
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
  console.log(`${checks} checks`);
  process.exit(process.exitCode ?? 0);
}
