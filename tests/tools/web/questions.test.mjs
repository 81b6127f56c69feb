// Five questions of someone who looks for the first time, each answered by mouse alone in under five
// clicks, with a screenshot: screenshots/ beside the page that the build made. Each is compared with the
// picture that is expected (picture.mjs), and must be none of the other four.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { differences, keep, keeps } from './picture.mjs';
import { atRest, check, count, ledgerDemo, newPage, ready, run, serve, text, until } from './explorer.mjs';

const server = await serve(ledgerDemo());
const folder = join(process.env.PLEXUS_WEB, 'screenshots');
mkdirSync(folder, { recursive: true });
const names = ['why', 'last-week', 'contradictions', 'dependents', 'never-combined'];
const kSame = 0.025; // of the cells; another picture differs in more
let page, clicks = 0;
const status = () => text(page, '.status');
async function click(selector) {
  ++clicks;
  await page.click(selector);
}
// A new page for each question; only click() touches it.
async function ask(browser, name, steps) {
  await page?.context().close();
  page = await newPage(browser);
  clicks = 0;
  await page.goto(server.url);
  await ready(page);
  await steps();
  check(clicks < 5, 'under five clicks', clicks);
  await atRest(page);
  await page.mouse.move(700, 2);  // nothing is pointed at
  await page.waitForTimeout(500);
  const picture = await page.screenshot({ path: join(folder, `${name}.png`) });
  if (keeps) return keep(browser, picture, name);
  const shares = await differences(browser, picture, names);
  console.log(`${name}: ${names.map(one => `${one} ${(100 * shares[one]).toFixed(1)} %`).join(', ')}`);
  check(names.every(one => (one === name) === (shares[one] < kSame)), `the picture is ${name}`, shares);
  check(page.said.length === 0, 'silent', page.said);
}

await run({
  'why did it recall this?': browser => ask(browser, 'why', async () => {
    await click('[data-start=ledger]');
    await until('events', () => count(page, '[data-event=c17]'));
    await click('[data-event=c17]');
    await until('the reason', async () => (await text(page, '.panel .terms')).includes('primary of: why was a refund booked twice'));
    check((await text(page, '.panel .terms')).includes('0.919'), 'and the score');
  }),

  'what did it believe last week?': browser => ask(browser, 'last-week', async () => {
    await click('[data-start=important]');
    await until('the most important', async () => (await count(page, '.results .hit')) === 30 && !(await status()).includes('Working'));
    const { x, y, width, height } = await page.locator('#time').boundingBox();
    ++clicks;
    await page.mouse.click(x + width / 2, y + height / 2);  // three weeks: the middle is the one before
    await until('the week before', async () => (await text(page, 'output')).startsWith('batch 2,'));
    await until('what was not there then is marked', async () => Number(/(\d+) went/.exec(await status())?.[1]) > 0);
  }),

  'what contradicts this?': browser => ask(browser, 'contradictions', async () => {
    await click('[data-start=conflicts]');
    await until('conflicts', async () => (await count(page, '[data-conflict]')) === 4);
    await click('[data-conflict="flag-cache team-runbook"] .side button');
    await until('both sides and the edge', async () => /^2 nodes, [1-9] edges/.test(await text(page, '.counts')));
    await until('the panel says it', async () => (await text(page, '.panel .edges')).includes('contradicts'));
  }),

  'what hangs on this decision?': browser => ask(browser, 'dependents', async () => {
    await click('[data-start=important]');
    await until('the most important', () => count(page, '.results [data-key=d02-outbox]'));
    await click('.results [data-key=d02-outbox]');
    await until('the decision', async () => (await text(page, '.panel .key')).endsWith('d02-outbox'));
    await click('[data-action=dependents]');
    await until('what depends on it', async () => (await status()).startsWith('2 nodes depend on it.'));
    await until('in a hull', async () => (await text(page, '.hulls')).includes('depends on d02-outbox'));
  }),

  'what was never combined?': browser => ask(browser, 'never-combined', async () => {
    await click('[data-start=frontier]');
    await until('sets', async () => (await count(page, '[data-set]')) > 2);
    check((await text(page, '.results')).includes('Question: What changes if'), 'with questions');
    await click('[data-set]');
    await until('a hull', async () => (await count(page, '.hulls polygon')) === 1);
  }),
});
