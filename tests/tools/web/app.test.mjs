// In a host of MCP apps (SEP-1865): the page is a resource of the server, runs in a sandboxed frame
// under the policy that the specification names, and draws what tools replied.
import { createServer } from 'node:http';
import { check, choose, counts, ledgerDemo, newPage, run, serve, text, until } from './explorer.mjs';

const server = await serve(ledgerDemo());
let id = 0;
async function mcp(method, params = {}) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
  const reply = await fetch(`${server.url}/mcp`, { method: 'POST', headers, body }).then(one => one.json());
  check(reply.result, `${method} is answered`, reply);
  return reply.result;
}
const callTool = (name, args) => mcp('tools/call', { name, arguments: args });

const uri = 'ui://plexus/graph.html';
const [content] = (await mcp('resources/read', { uri })).contents;
const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'; frame-src 'self'";
const host = createServer((_, reply) => {
  reply.setHeader('Content-Security-Policy', policy);
  reply.setHeader('Content-Type', 'text/html; charset=utf-8');
  const page = JSON.stringify(content.text).replaceAll('<', '\\u003c');
  reply.end(`<!doctype html><title>host</title><body><script>
const frame = document.createElement('iframe');
frame.setAttribute('sandbox', 'allow-scripts');
frame.style.cssText = 'width: 1200px; height: 700px';
const heard = [];
const send = message => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
addEventListener('message', async ({ data, source }) => {
  if (source !== frame.contentWindow) return;
  heard.push(data);
  if (data.method === 'ui/initialize')
    send({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'test', version: '1' }, hostCapabilities: { serverTools: {} }, hostContext: {} } });
  if (data.method === 'tools/call') send({ id: data.id, result: await callTool(data.params.name, data.params.arguments) });
});
frame.srcdoc = ${page};
document.body.append(frame);
</script>`);
}).listen(0, '127.0.0.1');
await new Promise(done => host.on('listening', done));

let page, frame;
await run({
  async 'the tools name the page'() {
    check(content.mimeType === 'text/html;profile=mcp-app', 'its type', content.mimeType);
    const listed = (await mcp('resources/list')).resources.find(one => one.uri === uri);
    check(listed?.mimeType === content.mimeType, 'it is listed', listed);
    const { tools } = await mcp('tools/list');
    const drawn = tools.filter(tool => tool._meta?.ui?.resourceUri === uri).map(tool => tool.name);
    check(drawn.join() === 'recall,explore', 'recall and explore', drawn);
  },
  async 'a recall is drawn'(browser) {
    page = await newPage(browser);
    await page.exposeFunction('callTool', callTool);
    await page.goto(`http://127.0.0.1:${host.address().port}`);
    const told = method => page.evaluate(one => heard.some(({ method }) => method === one), method);
    await until('the page is there', () => told('ui/notifications/initialized'));
    frame = page.frames()[1];
    const result = await callTool('recall', { words: 'retry jitter', limit: 5 });
    const hits = result.structuredContent.hits.map(hit => hit.key);
    check(hits.length > 1, 'there are hits', result);
    await page.evaluate(params => send({ method: 'ui/notifications/tool-result', params }), result);
    await until('the hits', async () => (await counts(frame)).nodes >= hits.length);
    await frame.click('#tab-table');
    for (const key of hits) check(await frame.locator(`#table [data-key="${key}"]`).count() === 1, `${key} is there`);
    check((await counts(frame)).edges > 0, 'with their relations');
  },
  async 'a node is expanded and shown by calls of the host'() {
    const shown = await frame.locator('#table [data-key]').evaluateAll(rows => rows.map(row => row.dataset.key));
    let key;
    for (const one of shown) {
      const { nodes } = (await callTool('explore', { from: [one], hops: 1 })).structuredContent;
      if (nodes.some(node => !shown.includes(node.key))) key ??= one;
    }
    check(key, 'one has neighbours that are not shown', shown);
    const before = (await counts(frame)).nodes;
    await choose(frame, key);
    const known = (await callTool('explore', { action: 'node', from: key })).structuredContent;
    await until('its text', async () => (await text(frame, '.panel')).includes(known.text.slice(0, 40)));
    await frame.click('[data-action=expand]');
    await until('more nodes', async () => (await counts(frame)).nodes > before);
    const calls = await page.evaluate(() => heard.filter(({ method }) => method === 'tools/call').length);
    check(calls >= 2, 'the host was asked', calls);
  },
  async 'a path is drawn'() {
    const result = await callTool('explore', { action: 'path', from: 'd11-jitter', to: 't001', direction: 'both' });
    await page.evaluate(params => send({ method: 'ui/notifications/tool-result', params }), result);
    const keys = result.structuredContent.paths.flatMap(one => one.edges.flatMap(edge => [edge.source, edge.target]));
    await until('its nodes', async () => (await Promise.all(keys.map(key => frame.locator(`#table [data-key="${key}"]`).count()))).every(n => n === 1));
  },
  async 'silent'() {
    const said = page.said.filter(line => !/blob:.*worker|Worker.*blob:|worker-src/i.test(line));
    check(said.length === 0, 'silent but for the worker that the policy forbids', said);
    host.close();
  },
});
