// Actions one after the other, so that none sees what another has half done; each has a signal that
// ends its requests.

export class Lane {
  private readonly due = new Set<AbortController>();  // running, and behind it the waiting ones
  private last: Promise<unknown> = Promise.resolve();

  get busy(): boolean { return this.due.size > 0; }

  cancel(): void { for (const one of this.due) one.abort(); }

  run<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController(), { signal } = controller;
    this.due.add(controller);
    const done = this.last.then(() => {
      signal.throwIfAborted();
      return action(signal);
    }).finally(() => this.due.delete(controller));
    this.last = done.catch(() => {});
    return done;
  }
}

export const isCancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
