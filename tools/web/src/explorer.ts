// What a user can do: each action asks the source, changes the view and says what happened.
import { isCancelled, Lane } from './lane';
import type { AsOf, Blocked, EventName, GraphEdge, Hit, NodeSet, Part, Source, Write } from './types';
import { edgeId, type Step, type View } from './view';
import { cut } from './dom';
import { say } from './words';

const kPage = 50; // neighbours that one expansion shows

export interface Again { text: string; run: () => void }
interface Said { text?: string; again?: Again; whole?: Part } // whole: with all edges between its nodes
export interface Looks { sizeByRank: boolean; colourByGroup: boolean; where: string }

export class Explorer {
  hits: Hit[] = [];                // the last list of results: why a node was found
  event: EventName | undefined;    // whose members they are
  start = '';                      // the list on the left, '' of a search
  readonly changes = new Lane();   // of what is shown
  readonly lists = new Lane();     // on the left
  readonly details = new Lane();   // of the chosen node
  onSay: (text: string, again?: Again) => void = () => {};
  onBusy: (busy: boolean) => void = () => {};
  onWrite: () => void = () => {};
  propose: (write: Write) => void = () => {};  // a dry run, then the user's word
  private readonly steps: Step[] = [];
  private looksAt: AsOf | undefined = '';  // the time of ranks, groups and where; undefined: of none

  constructor(readonly source: Source, readonly view: View, private readonly layOut: (source: Source, all: boolean) => Promise<void>) {}

  say(text: string, again?: Again): void { this.onSay(text, again); }

  cancel(): void {
    for (const lane of this.lanes()) lane.cancel();
    this.say(say('cancelled'));
  }
  private lanes(): Lane[] { return [this.changes, this.lists, this.details]; }

  // Asks the graph of the time that is shown when the action begins. What fails is said, and never
  // thrown; undefined: it failed, or was cancelled.
  async ask<T>(lane: Lane, action: (source: Source) => Promise<T>): Promise<T | undefined> {
    const waits = setTimeout(() => this.onBusy(true), 300);
    try {
      return await lane.run(signal => action(this.source.at(this.view.asOf, signal)));
    } catch (error) {
      if (!isCancelled(error)) this.say(say('failed', { why: error instanceof Error ? error.message : String(error) }));
      return undefined;
    } finally {
      clearTimeout(waits);
      if (!this.lanes().some(one => one.busy)) this.onBusy(false);
    }
  }

  // Changes what is shown. New nodes get their edges and a place; what the action returns is said,
  // with what did not fit.
  private async change(action: (source: Source) => Promise<Said | string | void>, keeps = true): Promise<void> {
    await this.ask(this.changes, async asked => {
      const { view } = this, step = view.step(), before = step.nodes;
      view.leftOut = { count: 0, more: false };
      const result = await action(asked), source = asked.at(view.asOf);
      const { text = '', again, whole }: Said = typeof result === 'string' ? { text: result } : result ?? {};
      const fresh = [...view.nodes.keys()].filter(key => !before.has(key));
      if (fresh.length) {
        const known = whole?.nodes.filter(node => view.nodes.has(node.key)).length ?? 0;
        if (known < view.nodes.size) view.add({ nodes: [], edges: await source.join(fresh, [...view.nodes.keys()]) });
        await this.layOut(source, false);
      }
      const same = step.nodes.size === view.nodes.size && step.edges.size === view.edges.size && step.path === view.path &&
        step.sets === view.sets && step.asOf === view.asOf;
      if (keeps && !same) this.keep(step);
      await this.refreshLooks(source);
      this.say([text, this.limitText()].filter(Boolean).join(' '), again);
    });
  }

  private limitText(): string {
    const { limit, leftOut: { count, more } } = this.view;
    if (count === 0 && !more) return '';
    return say('atLimit', { limit, count: more ? say('atLeast', { count: count + 1 }) : count });
  }

  // Puts nodes into the view, and chooses one.
  show(keys: string[], select = '', sets?: NodeSet[]): Promise<void> {
    return this.change(async source => {
      const { view } = this;
      const missing = keys.filter(key => !view.nodes.has(key)), room = Math.max(0, view.limit - view.nodes.size);
      const whole = await source.load(missing.slice(0, room), true);
      view.add(whole);
      view.leftOut.count += Math.max(0, missing.length - room);
      if (select) view.select(select);
      if (sets) view.sets = sets;
      view.emit('sets');
      return { whole };
    });
  }

  // The strongest neighbours in one request.
  expand(key: string, most = kPage): Promise<void> {
    return this.change(async source => {
      const { view } = this, start = performance.now();
      const part = await source.neighbors(key, most);
      view.add(part, key);
      performance.measure('plexus-expand', { start });
      view.select(key);
      const total = part.total ?? part.edges.length, all = Math.min(total, view.limit);
      const shown = part.edges.filter(edge => view.nodes.has(edge.source) && view.nodes.has(edge.target)).length;
      const text = say('expanded', { shown, total }), rest = total - part.edges.length;
      if (rest <= 0) return text;
      return {
        text: `${text} ${say('leftOut', { count: rest })}`,
        again: view.leftOut.count || part.edges.length >= all ? undefined : { text: say('showRest'), run: () => void this.expand(key, all) },
      };
    });
  }

  around(key: string, hops: number): Promise<void> {
    return this.change(async source => {
      const whole = await source.around(key, hops, this.view.limit);
      performance.mark('plexus-data');
      this.view.add(whole, this.view.nodes.has(key) ? key : undefined);
      this.view.select(key);
      return { whole };
    });
  }

  path(from: string, to: string): Promise<void> {
    return this.change(async source => {
      const { view } = this, edges = await source.path(from, to);
      this.showPath(edges, edges.length ? [from, to] : undefined);
      view.pathStart = '';
      view.emit('selection');
      if (edges.length === 0) return say('noPath');
      const { nodes } = await source.load([...new Set(edges.flatMap(edge => [edge.source, edge.target]))]);
      view.add({ nodes, edges }, from);
      return say('pathFound', { count: edges.length });
    });
  }

  private showPath(edges: GraphEdge[], ends?: [string, string]): void {
    this.view.path = new Set(edges.map(edgeId));
    this.view.pathEnds = ends;
    this.view.emit('style');
  }

  // What is near, in rings by hops; the angle of a node follows the one it was reached from.
  rings(key: string): Promise<void> {
    return this.change(async source => {
      const { view } = this, found = await source.rings(key);
      view.add(await source.load([key, ...found.map(one => one.key)]), key);
      const centre = view.nodes.get(key);
      if (!centre) return;
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
          const at = (2 * Math.PI * i) / members.length, node = view.nodes.get(member);
          angle.set(member, at);
          if (!node) return;
          node.x = centre.x + 80 * hops * Math.cos(at);
          node.y = centre.y + 80 * hops * Math.sin(at);
          node.placed = true;
        });
      }
      centre.placed = true;
      this.showPath(found.flatMap(one => one.path.slice(-1)));
      this.hits = found.map(one => ({ ...view.nodes.get(one.key)!, score: one.score })).filter(hit => hit.key);
      view.emit('positions');
      return say('ringsFound', { count: found.length });
    });
  }

  setTime(asOf: AsOf): Promise<void> {
    return this.change(source => this.goTo(source.at(asOf), asOf));
  }

  // Then all that is shown is asked again. What takes it back is a write like any other.
  write(write: Write, sequence: number): Promise<void> {
    return this.change(async source => {
      const written = await source.write(write, sequence);
      this.steps.length = 0;  // they are of another graph
      this.onWrite();
      const text = `${say('written')} ${await this.goTo(source.at(''), '')}`;
      const undo = { operation: 'undo', request: { batch: written.sequence } };
      return { text, again: source.mayUndo ? { text: say('undo'), run: () => this.propose(undo) } : undefined };
    });
  }

  // Places; `all`: also for what has one.
  arrange(all = true): Promise<unknown> { return this.ask(this.changes, source => this.layOut(source, all)); }

  // One request for what is shown, as it was at another time.
  private async goTo(source: Source, asOf: AsOf): Promise<string> {
    const part = await source.load([...this.view.nodes.keys()], true);
    this.view.asOf = asOf;
    this.looksAt = undefined;
    const { came, went } = this.view.setState(part);
    this.view.emit('time');
    return say('compared', { came, went });
  }

  // Ranks, communities and the condition of what is there, where they are asked for.
  private async refreshLooks(source: Source): Promise<void> {
    const { view } = this, { where } = view.filters, again = this.looksAt !== view.asOf;
    const there = [...view.nodes.values()].filter(node => node.fate !== 'went' && node.fate !== 'absent');
    const lacking = (name: 'rank' | 'group' | 'holds') => there.filter(node => again || node[name] === undefined);
    const keys = (nodes: typeof there) => nodes.map(node => node.key);
    const ranked = view.sizeByRank ? lacking('rank') : [], grouped = view.colourByGroup ? lacking('group') : [], judged = where ? lacking('holds') : [];
    const ranks = ranked.length ? await source.ranks(keys(ranked)) : null;
    const groups = grouped.length ? await source.groups(keys(grouped)) : null;
    const holds = judged.length ? await source.where(keys(judged), where) : null;
    for (const node of ranked) node.rank = ranks!.get(node.key) ?? 0;
    for (const node of grouped) node.group = groups!.get(node.key) ?? -1;
    for (const node of judged) node.holds = holds!.has(node.key);
    this.looksAt = view.asOf;
    if (ranks || groups || holds) view.emit('content');
  }

  // What cannot be had leaves the looks as they were.
  setLooks(looks: Partial<Looks>): Promise<void> {
    return this.change(async source => {
      const { view } = this, { sizeByRank, colourByGroup } = view, { where } = view.filters, before = { sizeByRank, colourByGroup, where };
      const set = (wanted: Looks) => {
        Object.assign(view, { sizeByRank: wanted.sizeByRank, colourByGroup: wanted.colourByGroup });
        view.filters.where = wanted.where;
        this.looksAt = undefined;
      };
      set({ ...before, ...looks });
      try {
        await this.refreshLooks(source);
      } catch (error) {
        set(before);
        throw error;
      } finally {
        view.emit('content');
      }
    });
  }

  clear(): void {
    this.changes.cancel();
    this.keep(this.view.step());
    this.view.clear();
  }
  remove(key: string): void {
    this.keep(this.view.step());
    this.view.remove(key);
  }

  // To what was shown before the last change of nodes, edges, path, sets or time.
  back(): Promise<void> {
    return this.change(async source => {
      const step = this.steps.pop();
      if (!step) return say('noStep');
      this.view.goBack(step);
      return step.asOf === this.view.asOf ? undefined : this.goTo(source.at(step.asOf), step.asOf);
    }, false);
  }
  private keep(step: Step): void {
    this.steps.push(step);
    while (this.steps.length > 50 || this.steps.reduce((sum, one) => sum + one.nodes.size, 0) > 200_000) this.steps.shift();
  }

  // What an event says of its members is why they were found.
  async readEvent(event: EventName): Promise<Hit[] | undefined> {
    const members = await this.ask(this.changes, source => source.members(event));
    if (members) [this.hits, this.event] = [members, { id: event.id, query: event.query }];
    return members;
  }
  async showEvent(event: EventName): Promise<void> {
    const members = await this.readEvent(event);
    if (!members) return;
    const keys = members.map(one => one.key);
    await this.show(keys, keys[0], [{ keys, title: event.query ?? event.id }]);
  }

  // A chain of what waits, as a path.
  async showBlocked({ key, root, chain }: Blocked): Promise<void> {
    await this.show([...new Set([key, ...chain.flatMap(edge => [edge.source, edge.target]), ...(root ? [root] : [])])], key);
    const steps = new Set(chain.map(edge => [edge.source, edge.kind, edge.target].join('\u001f')));
    this.showPath([...this.view.edges.values()].filter(edge => steps.has([edge.source, edge.kind, edge.target].join('\u001f'))));
  }

  async showDependents(key: string): Promise<void> {
    const found = await this.ask(this.changes, source => source.dependents(key));
    if (!found) return;
    const { rows: keys, more } = found, title = say('dependsOn', { key: cut(key, 60) });
    await this.show([key, ...keys], key, [{ keys: [key, ...keys], title }]);
    this.say(`${say('dependents', { count: keys.length })} ${more ? say('onlyFirst', { count: keys.length }) : ''}`.trim());
  }
}
