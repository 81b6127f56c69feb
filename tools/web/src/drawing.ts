// The drawing: sigma over a graphology graph that follows the view. Only what changed is handed on,
// so that a step of the slider costs what it changes; a frame takes all changes before it at once.
import Graph from 'graphology';
import Sigma from 'sigma';
import { edgeColour, edgeSize, hull, hullText, nodeColour, nodeSize, shownName, theme, type Theme } from './look';
import { cut } from './dom';
import { say } from './words';
import type { View } from './view';

export interface Handlers { select(key: string): void; expand(key: string): void; camera(): void; moves(moves: boolean): void }

const kMany = 2000; // nodes that come at once: a new graph is quicker than an event for each
const kMostArrows = 5000;

const kSvg = 'http://www.w3.org/2000/svg';

export class Drawing {
  private graph = new Graph({ multi: true, type: 'directed' });
  private readonly sigma: Sigma | undefined;
  private readonly hulls = document.createElementNS(kSvg, 'svg');
  private colours: Theme = theme();

  // Throws where there is no WebGL.
  constructor(private readonly container: HTMLElement, private readonly view: View, private readonly handlers: Handlers) {
    this.sync();
    const sigma = this.sigma = new Sigma(this.graph, container, {
      allowInvalidContainer: true, zIndex: false, labelFont: 'system-ui, sans-serif', labelSize: 12,
      labelColor: { color: this.colours.text }, labelRenderedSizeThreshold: 5, defaultEdgeType: 'arrow',
      hideEdgesOnMove: false, minCameraRatio: 0.002, maxCameraRatio: 20,
      defaultDrawNodeHover: (context, data, settings) => this.hover(context, data, settings.labelSize),
    });
    this.hulls.setAttribute('class', 'hulls');
    this.hulls.setAttribute('aria-hidden', 'true');
    container.appendChild(this.hulls);
    sigma.on('clickNode', ({ node }) => handlers.select(node));
    sigma.on('clickStage', () => handlers.select(''));
    sigma.on('doubleClickNode', ({ node, event }) => {
      event.preventSigmaDefault();
      handlers.expand(node);
    });
    sigma.on('afterRender', () => this.drawHulls());
    sigma.getCamera().on('updated', () => handlers.camera());
    container.addEventListener('keydown', event => this.key(event));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.colours = theme();
      sigma.setSetting('labelColor', { color: this.colours.text });
      this.later('looks');
    });
    view.on(['content', 'style', 'selection'], () => this.later('looks'));
    view.on(['positions'], () => this.later('places'));
    view.on(['sets'], () => sigma.scheduleRender());
    let first = true;
    sigma.on('afterRender', () => {
      if (first) performance.measure('plexus-first-picture', 'plexus-drawing');
      first = false;
    });
  }

  get camera(): { x: number; y: number; ratio: number } {
    const { x, y, ratio } = this.sigma!.getCamera().getState();
    return { x, y, ratio };
  }
  set camera(state: { x: number; y: number; ratio: number }) { this.sigma!.getCamera().setState(state); }

  centre(key: string): void {
    const data = this.sigma!.getNodeDisplayData(key);
    if (!data) return;
    this.handlers.moves(true);
    void this.sigma!.getCamera().animate({ x: data.x, y: data.y }, { duration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200 })
      .then(() => this.handlers.moves(false));
  }

  private readonly due = new Set<'looks' | 'places'>();
  private later(what: 'looks' | 'places'): void {
    if (this.due.size === 0)
      requestAnimationFrame(() => {
        const { due } = this, looks = due.has('looks'), places = due.has('places');
        due.clear();
        const renewed = looks && this.sync();
        if (places && !renewed) this.move();
      });
    this.due.add(what);
  }

  // True: the graph is a new one, with all places.
  private sync(): boolean {
    const { view } = this;
    const nodes = new Set<string>(), edges = new Set<string>();
    for (const node of view.nodes.values()) if (view.isVisible(node)) nodes.add(node.key);
    for (const edge of view.edges.values()) if (view.isEdgeVisible(edge)) edges.add(edge.id);
    const renews = nodes.size - this.graph.order > kMany;
    const graph = renews ? new Graph({ multi: true, type: 'directed' }) : this.graph;
    for (const id of graph.filterEdges(id => !edges.has(id))) graph.dropEdge(id);
    for (const key of graph.filterNodes(key => !nodes.has(key))) graph.dropNode(key);
    // Heads of so many are not seen, and take as long as the lines.
    const type = edges.size > kMostArrows ? 'line' : 'arrow';
    if (this.sigma && this.sigma.getSetting('defaultEdgeType') !== type) this.sigma.setSetting('defaultEdgeType', type);
    for (const key of nodes) {
      const node = view.nodes.get(key)!;
      const look = { color: nodeColour(view, node, this.colours), size: nodeSize(view, node), label: shownName(node), highlighted: key === view.selected };
      if (!graph.hasNode(key)) graph.addNode(key, { x: node.x, y: node.y, ...look });
      else if (differs(graph.getNodeAttributes(key), look)) graph.mergeNodeAttributes(key, look);
    }
    for (const id of edges) {
      const edge = view.edges.get(id)!;
      const look = { color: edgeColour(view, edge, this.colours), size: edgeSize(view, edge) };
      if (!graph.hasEdge(id)) graph.addDirectedEdgeWithKey(id, edge.source, edge.target, look);
      else if (differs(graph.getEdgeAttributes(id), look)) graph.mergeEdgeAttributes(id, look);
    }
    this.container.setAttribute('aria-label', say('drawingLabel', { nodes: nodes.size, edges: edges.size }));
    this.graph = graph;
    if (renews) this.sigma?.setGraph(graph);
    return renews;
  }

  private move(): void {
    this.graph.updateEachNodeAttributes((key, attributes) => {
      const node = this.view.nodes.get(key);
      if (node) {
        attributes.x = node.x;
        attributes.y = node.y;
      }
      return attributes;
    }, { attributes: ['x', 'y'] });
  }

  private key(event: KeyboardEvent): void {
    const camera = this.sigma!.getCamera(), { x, y, ratio } = camera.getState(), step = 0.1 * ratio;
    const to = ({
      ArrowLeft: { x: x - step }, ArrowRight: { x: x + step }, ArrowUp: { y: y + step }, ArrowDown: { y: y - step },
      '+': { ratio: ratio / 1.3 }, '-': { ratio: ratio * 1.3 }, '0': { x: 0.5, y: 0.5, ratio: 1 },
    } as Record<string, Partial<{ x: number; y: number; ratio: number }>>)[event.key];
    if (!to) return;
    event.preventDefault();
    camera.setState(to);
  }

  private hover(context: CanvasRenderingContext2D, data: { x: number; y: number; size: number; label?: string | null; color: string }, size: number): void {
    context.font = `${size}px system-ui, sans-serif`;
    const label = data.label ?? '', width = context.measureText(label).width;
    context.fillStyle = this.colours.background;
    context.strokeStyle = this.colours.text;
    context.beginPath();
    context.rect(data.x + data.size + 1, data.y - size, width + 8, size * 2);
    context.fill();
    context.stroke();
    context.beginPath();
    context.arc(data.x, data.y, data.size + 2, 0, 2 * Math.PI);
    context.stroke();
    context.fillStyle = this.colours.text;
    context.fillText(label, data.x + data.size + 4, data.y + size / 3);
  }

  private drawHulls(): void {
    if (this.view.sets.length === 0 && !this.hulls.firstChild) return;
    this.hulls.replaceChildren(...this.view.sets.flatMap(set => {
      const there = set.keys.map(key => this.view.nodes.get(key)).filter(node => node && this.view.isVisible(node));
      if (there.length < 2) return [];
      const corners = hull(there.map(node => this.sigma!.graphToViewport(node!)), 18);
      const shape = document.createElementNS(kSvg, 'polygon');
      shape.setAttribute('points', corners.map(p => `${p.x.toFixed(1)},${p.y.toFixed(1)}`).join(' '));
      const label = document.createElementNS(kSvg, 'text');
      const top = corners.reduce((a, b) => (b.y < a.y ? b : a));
      label.textContent = cut(set.question ?? set.title, 90);
      const half = 3.2 * label.textContent.length, { width } = this.sigma!.getDimensions();
      label.setAttribute('x', Math.max(half, Math.min(width - half, top.x)).toFixed(1));
      label.setAttribute('y', Math.max(12, top.y - 6).toFixed(1));
      const whole = document.createElementNS(kSvg, 'title');
      whole.textContent = hullText(set);
      label.append(whole);
      return [shape, label];
    }));
  }
}

function differs(has: Record<string, unknown>, wanted: Record<string, unknown>): boolean {
  return Object.entries(wanted).some(([name, value]) => has[name] !== value);
}
