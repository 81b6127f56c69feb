// Figures of the explorer, printed; they judge nothing. Usage: as a test, by hand:
//   PLEXUS_PROGRAM=.. PLEXUS_WEB=.. node tests/tools/web/figures.mjs [cold] [expand] [large] [dense]
// large: 50,000 nodes of WordNet; dense: 50,000 nodes and 100,000 edges, made here. Default: all.
// Frames: the page's own work in requestAnimationFrame, with draw calls that do nothing, because a
// software renderer takes the same cores; the wall time of the first picture is with them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choose, counts, newPage, open, plexus, ready, search, serve, text, until, wordNet, work } from './explorer.mjs';

const asked = process.argv.slice(2), wants = part => asked.length === 0 || asked.includes(part);
const db = ['cold', 'expand', 'large'].some(wants) ? wordNet() : '';
const dog = 'n02084071';
const browser = await open();
const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];
const row = (what, values) => console.log(`${what}: p50 ${quantile(values, 0.5).toFixed(1)} ms, p90 ${quantile(values, 0.9).toFixed(1)} ms, of ${values.length}`);

async function coldStart() {
  const page = await newPage(browser);  // a browser is open before
  const begin = Date.now();
  const server = await serve(db);
  await page.goto(server.url, { waitUntil: 'commit' });
  const painted = await until('a paint', () => page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0] && performance.timeOrigin + performance.getEntriesByName('first-contentful-paint')[0].startTime));
  await page.context().close();
  await server.stop();
  return painted - begin;
}
const cold = [];
for (let i = 0; wants('cold') && i < 7; ++i) cold.push(await coldStart());
if (cold.length) row('cold server to painted search box', cold);

if (wants('expand')) {
  const server = await serve(db);
  const page = await newPage(browser);
  await page.goto(server.url);
  await ready(page);
  // Two hundred expansions along the table.
  await search(page, 'dog');
  await page.click('#tab-table');
  await until('rows', () => page.evaluate(() => document.querySelector('#table [data-key]') !== null));
  const heap = async () => (await page.evaluate(() => performance.memory.usedJSHeapSize)) / 1e6;
  let done = 0;
  for (let at = 0; done < 200; ++at) {
    const more = await page.evaluate(i => {
      const rows = [...document.querySelectorAll('#table [data-key]')];
      rows[i]?.click();
      return i < rows.length;
    }, at);
    if (!more) break;
    await page.click('[data-action=expand]');
    ++done;
    await until('an expansion', () => page.evaluate(n => performance.getEntriesByName('plexus-expand').length >= n, done));
  }
  row(`${done} expansions to data applied`, await page.evaluate(() => performance.getEntriesByName('plexus-expand').map(one => one.duration)));
  console.log(`heap afterwards: ${(await heap()).toFixed(0)} MB, ${JSON.stringify(await counts(page))}`);
  await page.context().close();
  await server.stop();
}

async function large(server, key, stubbed) {
  const page = await newPage(browser);
  await page.addInitScript(stub => {
    globalThis.frames_ = [];
    const ask = requestAnimationFrame.bind(globalThis);
    globalThis.requestAnimationFrame = call => ask(time => {
      const begin = performance.now();
      call(time);
      globalThis.frames_.push(performance.now() - begin);
    });
    if (stub) for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'readPixels', 'clear']) for (const kind of [WebGL2RenderingContext, WebGLRenderingContext]) kind.prototype[name] = () => {};
  }, stubbed);
  await page.goto(server.url);
  await ready(page);
  await page.click('.filters > summary');
  await page.fill('[data-filter=limit]', '50000');
  await page.press('[data-filter=limit]', 'Tab');
  await search(page, key, 'key');
  await choose(page, key);
  await page.click('#tab-drawing');
  await page.fill('.around input', '16');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' }).catch(() => {});
  await session.send('Performance.enable');
  const cpu = async () => (await session.send('Performance.getMetrics')).metrics.find(one => one.name === 'TaskDuration').value;
  const before = await cpu(), begin = Date.now();
  await page.evaluate(() => {
    performance.clearMarks('plexus-data');
    globalThis.frames_.length = 0;
  });
  await page.click('[data-action=around]');
  await until('50,000 nodes', async () => (await counts(page)).nodes === 50_000, 90_000);
  // The frame after the last change is the picture.
  const picture = await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - performance.getEntriesByName('plexus-data')[0].startTime)))));
  console.log(`50,000 nodes${stubbed ? ', draw calls stubbed' : ''}: ${JSON.stringify(await counts(page))}; click to picture ${((Date.now() - begin) / 1000).toFixed(1)} s, data to picture ${(picture / 1000).toFixed(2)} s; main thread's CPU ${(await cpu() - before).toFixed(2)} s`);
  if (stubbed) {
    await page.waitForTimeout(2000);
    const box = await page.locator('.canvas').boundingBox();
    await page.evaluate(() => { globalThis.frames_.length = 0; });
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.down();
    for (let i = 0; i < 120; ++i) await page.mouse.move(box.x + 300 + 2 * (i % 60), box.y + 300 + i);
    await page.mouse.up();
    await page.focus('.canvas');
    for (let i = 0; i < 30; ++i) await page.keyboard.press(i % 2 ? '-' : '+');
    row('main thread a frame', await page.evaluate(() => globalThis.frames_.filter(one => one > 0.05)));
    console.log(`heap: ${(await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6)).toFixed(0)} MB`);
  }
  if (page.said.length) console.log('console:', page.said, await text(page, '.status'));
  await page.context().close();
}
if (wants('large')) {
  const server = await serve(db);
  await large(server, dog, false);
  await large(server, dog, true);
  await server.stop();
}
if (wants('dense')) {
  // A tree, and as many edges to nodes nearby.
  let seed = 1;
  const random = below => (seed = (seed * 48271) % 2147483647) % below, lines = [];
  for (let i = 1; i <= 50_000; ++i) {
    lines.push(`n${Math.floor(i / (2 + random(3)))},n${i}`);
    lines.push(`n${i},n${Math.max(0, i - 1 - random(200))}`);
  }
  writeFileSync(join(work, 'dense.csv'), `source,target\n${lines.join('\n')}\n`);
  plexus('import', '--db', 'dense', '--format', 'csv', 'dense.csv', '--quiet');
  const server = await serve('dense');
  await large(server, 'n0', true);
  await server.stop();
}
await browser.close();
process.exit(0);
