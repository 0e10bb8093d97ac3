/** The active faults. They are held in memory, so that requests and deliveries without faults cost nothing. */

import { type AppliedFault, isFaultActive } from '../../domain/fault.ts';
import {
  type Fault,
  type FaultableDelivery,
  type FaultableRequest,
  type FaultRule,
  matchesDelivery,
  matchesRequest,
  toFaultKind,
} from '../../resources/fault.ts';
import { type FaultRow, toFault } from '../../store/faults.ts';
import type { Store } from '../../store/store.ts';
import type { IdAndSecretGenerator } from './id-and-secret-generator.ts';

/** A fault that applies to a request or an attempt. */
export interface MatchingFault {
  readonly applied: AppliedFault;
  readonly rule: FaultRule;
}

interface ActiveFault {
  readonly seq: number;
  readonly id: string;
  readonly rule: FaultRule;
  appliedCount: number;
  /** Number of random numbers drawn for `probability` on requests. It names the next one, so that each is different. */
  requestDraws: number;
}

interface FaultRegistryOptions {
  readonly store: Store;
  readonly generator: IdAndSecretGenerator;
  /** Returns `created_at` of a new fault. */
  readonly timestamp: () => number;
}

export class FaultRegistry {
  readonly #options: FaultRegistryOptions;
  /** Oldest first. */
  #active: ActiveFault[] = [];

  constructor(options: FaultRegistryOptions) {
    this.#options = options;
    this.reload();
  }

  /** Must be called after the rows were replaced. */
  reload(): void {
    this.#load([]);
  }

  /** Writes a fault, which is active after the commit. */
  add(rule: FaultRule): Promise<Fault> {
    return this.#change(() => this.insert(rule));
  }

  /** Writes a fault that becomes active when the state is next rebuilt. Call inside a store transaction. */
  insert(rule: FaultRule): Fault {
    const { store, generator, timestamp } = this.#options;
    const createdAt = timestamp();
    const row: FaultRow = {
      seq: store.nextSeq(),
      id: generator.ids('faults').next('fault', createdAt),
      rule: JSON.stringify(rule),
      applied_count: 0,
      created_at: createdAt,
    };
    store.faults.insert(row);
    return toFault(row);
  }

  /** Deletes one fault, the faults of a workspace, or all. @returns how many. */
  clear(id: string | null, workspaceId: string | null): Promise<number> {
    return this.#change(() => this.#options.store.faults.delete(id, workspaceId));
  }

  /** Returns the oldest fault that matches a request, and counts its use. */
  applyToRequest(getRequest: () => FaultableRequest): MatchingFault | undefined {
    if (this.#active.length === 0) return undefined;
    const request = getRequest();
    return this.#apply(
      'request',
      (rule) => matchesRequest(rule, request),
      (fault) => String(fault.requestDraws++),
    );
  }

  /**
   * Returns the oldest fault that matches an attempt, and counts its use.
   * @param attemptName identifies the attempt. In a seeded run, the random number for `probability` depends on it, and not on
   *   the order of attempts.
   */
  applyToDelivery(attemptName: string, getDelivery: () => FaultableDelivery): MatchingFault | undefined {
    if (this.#active.length === 0) return undefined;
    const delivery = getDelivery();
    return this.#apply(
      'delivery',
      (rule) => matchesDelivery(rule, delivery),
      () => attemptName,
    );
  }

  #apply(
    on: FaultRule['on'],
    matches: (rule: FaultRule) => boolean,
    getRandomName: (fault: ActiveFault) => string,
  ): MatchingFault | undefined {
    const { store, generator } = this.#options;
    const match = this.#active.find((fault) => {
      const { id, rule, appliedCount } = fault;
      if (rule.on !== on || !isFaultActive({ ...rule, applied_count: appliedCount }) || !matches(rule))
        return false;
      return generator.seededRandom(`${id} ${getRandomName(fault)}`) < rule.probability;
    });
    if (match === undefined) return undefined;
    const { seq, id, rule } = match;
    const appliedCount = ++match.appliedCount;
    // Committed together with the effect of the fault, or before it. Needs no new sequence: no stream contains faults.
    void store.writeLater(() => store.faults.setAppliedCount(seq, appliedCount));
    return { applied: { id, kind: toFaultKind(rule) }, rule };
  }

  async #change<Result>(change: () => Result): Promise<Result> {
    const result = await this.#options.store.write(change);
    this.#load(this.#active);
    return result;
  }

  /** @param previous active faults. Their `appliedCount` can be ahead of their rows. */
  #load(previous: readonly ActiveFault[]): void {
    this.#active = this.#options.store.faults.listAll().map(
      ({ seq, id, rule, applied_count: appliedCount }) =>
        previous.find((fault) => fault.seq === seq) ?? {
          seq,
          id,
          rule: JSON.parse(rule),
          appliedCount,
          requestDraws: 0,
        },
    );
  }
}
