// The page: source, view, the parts that show it, and the link. Search box, list and table are there
// first; the drawing is made after they were painted, and may be missing.
import { access, forget } from './access';
import { AppSource } from './app_source';
import { button, el, painted, replace, save } from './dom';
import type { Drawing } from './drawing';
import { Explorer } from './explorer';
import { FileSource, type FileGraph } from './file_source';
import { makeFilters } from './filters';
import { makeFinder } from './finder';
import { Layout } from './layout';
import { fragment, kMost, parse } from './link';
import { makePanel } from './panel';
import { png, svg } from './picture';
import { makeProposal } from './propose';
import { ServerSource } from './server_source';
import { makeTable } from './table';
import { makeTimeline } from './timeline';
import type { Source } from './types';
import { View } from './view';
import { say } from './words';

function readData(): Source {
  const data = JSON.parse(document.getElementById('data')!.textContent!) as { app?: true; server?: object } & Partial<FileGraph>;
  if (data.app) return new AppSource(() => void showAll());
  return data.server ? new ServerSource() : new FileSource(data as FileGraph);
}

const source = readData();
const view = new View();
const layout = new Layout(view);
const explorer = new Explorer(source, view, (from, all) => layout.run(from, all));
let drawing: Drawing | null = null;
let timer = 0, kept = false;  // of the link, which is not written before it was read

const { box, list, open } = makeFinder(explorer);
const canvas = el('div', { class: 'canvas', tabindex: 0, role: 'img', 'aria-describedby': 'drawing-help' });
const help = el('p', { id: 'drawing-help', class: 'hint' }, say('drawingHelp'));
const tableBox = makeTable(view, key => void explorer.expand(key));
const drawingBox = el('div', { class: 'drawing', id: 'drawing', role: 'tabpanel', 'aria-labelledby': 'tab-drawing' }, canvas, help);
tableBox.id = 'table';
tableBox.setAttribute('role', 'tabpanel');
tableBox.setAttribute('aria-labelledby', 'tab-table');

// While the layout works or the camera goes somewhere.
const moving = new Set<string>();
const moves = (what: string) => (on: boolean) => {
  if (on) moving.add(what);
  else moving.delete(what);
  canvas.setAttribute('aria-busy', String(moving.size > 0));
};
layout.onMoves = moves('layout');

const tabs = ['drawing', 'table'] as const;
type Tab = (typeof tabs)[number];
let tab: Tab = 'table';
function choose(next: Tab): void {
  tab = next;
  for (const name of tabs) {
    const button = document.getElementById(`tab-${name}`)!;
    button.setAttribute('aria-selected', String(name === next));
    button.tabIndex = name === next ? 0 : -1;
  }
  drawingBox.hidden = next !== 'drawing';
  tableBox.hidden = next !== 'table';
  tableBox.dispatchEvent(new Event('shown'));
  keepLink();
}
const tabList = el('div', { role: 'tablist', keydown: (event: KeyboardEvent) => {
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
  choose(tab === 'table' ? 'drawing' : 'table');
  document.getElementById(`tab-${tab}`)!.focus();
} }, ...tabs.map(name => button(say(name), () => choose(name), { role: 'tab', id: `tab-${name}`, 'aria-controls': name })));

const status = el('p', { class: 'status', role: 'status' });
explorer.onSay = (text, again) => replace(status, text, again ? ' ' : '', again ? button(again.text, again.run, { 'data-action': 'rest' }) : null);
const working = el('span', { class: 'hint', role: 'status', hidden: true }, say('working'), ' ', button(say('cancel'), () => explorer.cancel(), { 'data-action': 'cancel' }));
explorer.onBusy = busy => { working.hidden = !busy; };
const counts = el('span', { class: 'counts' });
view.on(['content'], () => {
  const nodes = view.visibleNodes().length;
  counts.textContent = say('counts', { nodes, edges: view.visibleEdges().length, hidden: view.nodes.size - nodes });
});
const exports = el('div', { class: 'exports', role: 'group', 'aria-label': say('exportLabel') },
  button(say('exportPng'), () => void explorer.ask(explorer.changes, async () => save('plexus.png', 'image/png', await png(view))), { 'data-export': 'png' }),
  button(say('exportSvg'), () => save('plexus.svg', 'image/svg+xml', svg(view)), { 'data-export': 'svg' }),
  button(say('exportJson'), () => void explorer.ask(explorer.changes, async from =>
    save('plexus.json', 'application/json', await from.nodeLink(view.visibleNodes().map(node => node.key)))), { 'data-export': 'node-link' }),
  source instanceof AppSource ? null : button(say('copyLink'), () => void explorer.ask(explorer.changes, async () => {
    keepLink(true);
    await navigator.clipboard.writeText(location.href);
    const rest = view.nodes.size - kMost;
    explorer.say([say('copied'), rest > 0 ? say('leftOut', { count: rest }) : ''].join(' ').trim());
  }), { 'data-action': 'link' }),
  button(say('back'), () => void explorer.back(), { 'data-action': 'back' }),
  button(say('clear'), () => explorer.clear(), { 'data-action': 'clear' }));
const licences = el('details', { class: 'licences' }, el('summary', {}, say('licences')),
  el('pre', {}, (document.getElementById('licences') as HTMLTemplateElement).content.textContent ?? ''));

replace(document.getElementById('app')!,
  el('header', {}, el('h1', {}, say('title')), box, makeTimeline(explorer)),
  el('main', {}, el('div', { class: 'left' }, makeFilters(explorer), list),
    el('div', { class: 'middle' }, el('div', { class: 'bar' }, tabList, counts, working, exports), status, makeProposal(explorer), drawingBox, tableBox),
    makePanel(explorer)),
  el('footer', {}, licences, access.token ? button(say('logOut'), () => {
    forget();
    location.reload();
  }, { 'data-action': 'log-out' }) : null));
choose('table');
document.getElementById('search')!.focus();
performance.mark('plexus-search-box');

// The link follows the view, a moment later.
function keepLink(now = false): void {
  if (!kept) return;
  clearTimeout(timer);
  const write = () => history.replaceState(null, '', fragment(view, { camera: drawing?.camera, tab, start: explorer.start || undefined, event: explorer.event }));
  if (now) write();
  else timer = window.setTimeout(write, 400);
}

// All of a file, or of what a host sent.
async function showAll(): Promise<void> {
  if (source instanceof FileSource) await explorer.show(source.keys().slice(0, view.limit));
}

async function restore(): Promise<void> {
  const saved = parse(location.hash);
  if (!saved) {
    return showAll();
  }
  view.limit = saved.limit ?? view.limit;
  view.asOf = source.served ? saved.asOf ?? '' : '';
  const { hidden } = saved;
  if (hidden)
    Object.assign(view.filters, { nodeKinds: new Set(hidden.nodeKinds), edgeKinds: new Set(hidden.edgeKinds), scopes: new Set(hidden.scopes), superseded: hidden.superseded });
  await explorer.show(saved.nodes.map(([key]) => key), saved.selected, saved.sets);
  const placed = new Map(saved.nodes.flatMap(([key, x, y]) => (x === undefined ? [] : [[key, { x, y }]])));
  layout.stop();
  for (const node of view.nodes.values()) {
    const place = placed.get(node.key);
    node.placed = place !== undefined;
    if (place) Object.assign(node, place);
  }
  view.emit('positions');
  await explorer.arrange(false);
  if (source.served && saved.event) await (saved.nodes.length ? explorer.readEvent(saved.event) : explorer.showEvent(saved.event));
  if (source.served && saved.start) open(saved.start);
  view.emit('selection');  // why it was found is known now
  if (source.served) await explorer.setLooks({ sizeByRank: saved.rank === true, colourByGroup: saved.group === true, where: hidden?.where ?? '' });
  if (saved.path) await explorer.path(...saved.path);
  if (saved.tab === 'table') choose('table');
  if (drawing && saved.camera) drawing.camera = saved.camera;
}

async function start(): Promise<void> {
  // After the first paint.
  await painted();
  const restored = parse(location.hash);
  if (restored?.tab !== 'table') choose('drawing');
  performance.mark('plexus-drawing');
  try {
    const { Drawing } = await import('./drawing');
    let clicked = false;
    drawing = new Drawing(canvas, view, {
      select: key => {
        clicked = true;
        view.select(key);
        clicked = false;
      },
      expand: key => void explorer.expand(key), camera: () => keepLink(), moves: moves('camera'),
    });
    // What is chosen elsewhere comes to the middle.
    view.on(['selection'], () => !clicked && view.selected && drawing?.centre(view.selected));
  } catch {
    replace(drawingBox, el('p', { class: 'hint' }, say('noWebGl')));
    choose('table');
  }
  void explorer.ask(explorer.changes, async () => {
    const graph = await source.status();
    counts.textContent = say('graphCounts', { nodes: graph.nodes, edges: graph.edges });
  }).then(restore).then(() => {
    kept = !(source instanceof AppSource);  // a host's page has no address of its own
    addEventListener('hashchange', () => location.reload());  // a link that was pasted; keepLink() sends none
    view.on(['content', 'style', 'selection', 'positions'], () => keepLink());
    document.body.dataset.ready = 'yes';
  });
}
void start();
