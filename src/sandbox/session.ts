/** A sandbox in use: how it begins, and the ways back to its beginning. */
import { type BootstrapOptions, type Bootstrapped, bootstrap } from './bootstrap.ts';
import { resumeClocksOf } from './clock-keeping.ts';
import type { Sandbox } from './sandbox.ts';

export class Session {
  readonly #sandbox: Sandbox;
  #bootstrapped: Bootstrapped;
  /** Wall time of the beginning. */
  #begunAt = 0;

  /** @throws SvcError as {@link bootstrap}. */
  constructor(sandbox: Sandbox, options: BootstrapOptions) {
    this.#sandbox = sandbox;
    this.#bootstrapped = bootstrap(sandbox, options);
    this.#begin();
  }

  /** What there is from the beginning on, for those who have to know where to start. */
  get bootstrapped(): Bootstrapped {
    return this.#bootstrapped;
  }

  /**
   * Gives back the state of the beginning, whatever has happened since: rows, clocks, rate limits, and in a seeded run
   * the ids to come. Attempts under way end without a trace.
   * @throws SvcError `storage_unavailable`; nothing has changed then.
   */
  reset(): void {
    this.#sandbox.store.returnToBaseline(() => resumeClocksOf(this.#begunAt, this.#sandbox));
    renew(this.#sandbox);
  }

  #begin(): void {
    const { store, wall } = this.#sandbox;
    store.setBaseline();
    this.#begunAt = wall.now();
    renew(this.#sandbox);
  }
}

/**
 * Builds what is kept in memory anew from the rows. Because it is the same after boot as whenever the rows were
 * replaced, a sandbox that was reset goes on just as one that has booted.
 */
function renew({ store, mint, workspaces, bus }: Sandbox): void {
  // Whatever is made moves the store on from here, and so nothing is made twice from the same beginning.
  mint.restart(`after ${store.baselineSeq}`);
  for (const newest of [store.workspaces.findNewestId(), store.apiKeys.findNewestId()]) {
    if (newest !== undefined) mint.ids('resources').startAfter(newest);
  }
  workspaces.forget();
  bus.publish({ type: 'renewed' });
}
