// What a user can do: each action asks the source, changes the view and says what happened.
import type { Conflict, GraphEdge, Hit, LedgerEvent, NodeSet, Source } from './types';
import { edgeId, type View } from './view';
import { say } from './words';

const kPage = 50; // neighbours that one expansion shows

export class Explorer {
  hits: Hit[] = [];                             // the last list of results: why a node was found
  private readonly said: ((text: string, again?: { text: string; run: () => void }) => void)[] = [];
  pathEnds: [string, string] | undefined;
  onBusy: (busy: boolean) => void = () => {};
  private running = 0;

  constructor(readonly source: Source, readonly view: View, private readonly arrange: (all?: boolean) => void) {}

  onSay(call: (text: string, again?: { text: string; run: () => void }) => void): void { this.said.push(call); }
  say(text: string, again?: { text: string; run: () => void }): void { for (const call of this.said) call(text, again); }

  // Runs an action; what fails is said, and never thrown.
  async run<T>(action: () => Promise<T>): Promise<T | undefined> {
    ++this.running;
    const waits = setTimeout(() => this.onBusy(this.running > 0), 300);
    try {
      return await action();
    } catch (error) {
      this.say(say('failed', { why: error instanceof Error ? error.message : String(error) }));
      return undefined;
    } finally {
      clearTimeout(waits);
      if (--this.running === 0) this.onBusy(false);
    }
  }

  // The edges between all that is shown: an answer has those within itself.
  private async joinAll(): Promise<void> {
    const among = await this.source.load([...this.view.nodes.keys()], this.view.asOf, true);
    this.view.add({ nodes: [], edges: among.edges });
  }

  private limitText(leftOut: number): string {
    return leftOut > 0 ? say('atLimit', { limit: this.view.limit, count: leftOut }) : '';
  }

  // Puts nodes into the view, with the edges between them and those that are shown.
  async show(keys: string[], select = ''): Promise<void> {
    this.say(''); // at once: at the end it may be the word of a later action
    await this.run(async () => {
      const missing = keys.filter(key => !this.view.nodes.has(key));
      const all = [...this.view.nodes.keys(), ...missing.slice(0, Math.max(0, this.view.limit - this.view.nodes.size))];
      const leftOut = missing.length - (all.length - this.view.nodes.size);
      if (missing.length) {
        this.view.add(await this.source.load(all, this.view.asOf, true));
        this.arrange();
      }
      if (select) this.view.select(select);
      if (leftOut > 0) this.say(this.limitText(leftOut));
      await this.refreshLooks();
    });
  }

  // The strongest neighbours in one request; then the edges between what is shown, in another.
  async expand(key: string, most = kPage): Promise<void> {
    await this.run(async () => {
      const start = performance.now();
      const part = await this.source.neighbors(key, most, this.view.asOf);
      const known = new Set(this.view.nodes.keys());
      const leftOut = this.view.add(part, key);
      performance.measure('plexus-expand', { start });
      this.view.select(key);
      this.arrange();
      const ends = new Set(part.edges.flatMap(edge => [edge.source, edge.target]));
      const total = part.total ?? part.edges.length, rest = total - part.edges.length;
      const shown = [...ends].filter(end => end !== key && this.view.nodes.has(end)).length;
      this.say([say('expanded', { shown, total }), rest > 0 ? say('leftOut', { count: rest }) : '', this.limitText(leftOut)].filter(Boolean).join(' '),
        rest > 0 && leftOut === 0 ? { text: say('showRest'), run: () => void this.expand(key, 0) } : undefined);
      if ([...this.view.nodes.keys()].some(one => !known.has(one))) await this.joinAll();
      await this.refreshLooks();
    });
  }

  async around(key: string, hops: number): Promise<void> {
    await this.run(async () => {
      const part = await this.source.around(key, hops, this.view.limit, this.view.asOf);
      performance.mark('plexus-data');
      const before = this.view.nodes.size;
      const leftOut = this.view.add(part, this.view.nodes.has(key) ? key : undefined);
      if (before > 1) await this.joinAll();
      this.arrange();
      const cut = leftOut || (part.total ?? 0) > part.nodes.length;
      this.say(cut ? say('atLimit', { limit: this.view.limit, count: leftOut || '?' }) : '');
      this.view.select(key);
      await this.refreshLooks();
    });
  }

  async path(from: string, to: string): Promise<GraphEdge[]> {
    return await this.run(async () => {
      const edges = await this.source.path(from, to, this.view.asOf);
      this.view.path = new Set(edges.map(edgeId));
      this.pathEnds = edges.length ? [from, to] : undefined;
      if (edges.length) {
        const keys = [...new Set(edges.flatMap(edge => [edge.source, edge.target]))];
        const part = await this.source.load(keys, this.view.asOf);
        this.view.add({ nodes: part.nodes, edges: [...part.edges, ...edges] }, from);
        await this.joinAll();
        this.arrange();
      }
      this.view.pathStart = '';
      this.view.emit('style');
      this.view.emit('selection');
      this.say(edges.length ? say('pathFound', { count: edges.length }) : say('noPath'));
      return edges;
    }) ?? [];
  }

  // What is near, in rings by hops; the angle of a node follows the one it was reached from.
  async rings(key: string): Promise<void> {
    await this.run(async () => {
      const found = await this.source.rings(key, this.view.asOf);
      const keys = [key, ...found.map(one => one.key)];
      this.view.add(await this.source.load(keys, this.view.asOf), key);
      await this.joinAll();
      const centre = this.view.nodes.get(key)!;
      const ring = new Map<number, string[]>();
      const angle = new Map<string, number>([[key, 0]]);
      const parent = new Map(found.map(one => {
        const last = one.path.at(-1);
        return [one.key, last ? (last.source === one.key ? last.target : last.source) : key];
      }));
      for (const one of found) ring.set(one.hops, [...(ring.get(one.hops) ?? []), one.key]);
      for (const [hops, members] of [...ring].sort((a, b) => a[0] - b[0])) {
        members.sort((a, b) => (angle.get(parent.get(a)!) ?? 0) - (angle.get(parent.get(b)!) ?? 0));
        members.forEach((member, i) => {
          const at = (2 * Math.PI * i) / members.length, node = this.view.nodes.get(member);
          angle.set(member, at);
          if (!node) return;
          node.x = centre.x + 80 * hops * Math.cos(at);
          node.y = centre.y + 80 * hops * Math.sin(at);
          node.placed = true;
        });
      }
      centre.placed = true;
      this.view.path = new Set(found.flatMap(one => one.path.slice(-1).map(edgeId)));
      this.hits = found.map(one => ({ ...this.view.nodes.get(one.key)!, score: one.score })).filter(hit => hit.key);
      this.view.emit('positions');
      this.view.emit('style');
      this.say(say('ringsFound', { count: found.length }));
    });
  }

  // To another time: one request for what is shown.
  async setTime(asOf: string): Promise<void> {
    await this.run(async () => {
      const keys = [...this.view.nodes.keys()];
      const part = await this.source.load(keys, asOf, true);
      this.view.asOf = asOf;
      const { came, went } = this.view.setState(part);
      this.say(say('compared', { came, went }));
    });
  }

  // Ranks and communities of what is shown, where they are asked for.
  async refreshLooks(): Promise<void> {
    const { view } = this, keys = [...view.nodes.keys()];
    if (keys.length === 0) return;
    if (view.sizeByRank && [...view.nodes.values()].some(node => node.rank === undefined)) {
      const ranks = await this.source.ranks(keys, view.asOf);
      for (const node of view.nodes.values()) node.rank = ranks.get(node.key) ?? 0;
    }
    if (view.colourByGroup && [...view.nodes.values()].some(node => node.group === undefined)) {
      const groups = await this.source.groups(keys, view.asOf);
      for (const node of view.nodes.values()) node.group = groups.get(node.key) ?? 0;
    }
    if (view.filters.where) view.whereHolds = await this.source.where(keys, view.filters.where, view.asOf);
    else view.whereHolds = null;
    if (view.sizeByRank || view.colourByGroup || view.filters.where) view.emit('content');
  }

  async showSet(set: NodeSet): Promise<void> {
    await this.show(set.keys, set.keys[0]);
    this.view.sets = [set];
    this.view.emit('sets');
  }

  async showEvent(event: LedgerEvent): Promise<void> {
    const keys = await this.run(() => this.source.members(event, this.view.asOf));
    if (keys) await this.showSet({ keys, title: event.query ?? event.id });
  }

  async showConflict(conflict: Conflict): Promise<void> {
    await this.show([conflict.a, conflict.b], conflict.newer);
  }
}
