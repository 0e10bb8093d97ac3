/** The faults that are in force. They are held in memory beside their rows, so that where there are none nothing is asked. */
import type { Fault } from '../contract/fault-schemas.ts';
import {
  type AppliedFault,
  type FaultableDelivery,
  type FaultableRequest,
  type FaultRule,
  faultKindOf,
  matchesDelivery,
  matchesRequest,
} from '../domain/fault.ts';
import { type FaultRow, toFault } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { EventBus } from './event-bus.ts';
import type { IdAndSecretGenerator } from './id-and-secret-generator.ts';

/** A fault that fires now. */
export interface FiredFault {
  readonly mark: AppliedFault;
  readonly rule: FaultRule;
}

interface ActiveFault {
  readonly seq: number;
  readonly id: string;
  readonly rule: FaultRule;
  fired: number;
  /** How many requests it was asked about: what its chance is drawn from. */
  asked: number;
}

export class FaultRegistry {
  readonly #store: Store;
  readonly #generator: IdAndSecretGenerator;
  readonly #stamp: () => number;
  /** Oldest first. */
  #live: ActiveFault[] = [];

  constructor({
    store,
    generator,
    bus,
    stamp,
  }: { store: Store; generator: IdAndSecretGenerator; bus: EventBus; stamp: () => number }) {
    this.#store = store;
    this.#generator = generator;
    this.#stamp = stamp;
    this.#load([]);
    bus.subscribe(({ type }) => type === 'renewed' && this.#load([]));
  }

  add(rule: FaultRule): Promise<Fault> {
    return this.#change(() => this.insert(rule));
  }

  /** Writes one that is in force from the next renewal on. Inside a write. */
  insert(rule: FaultRule): Fault {
    const createdAt = this.#stamp();
    const row: FaultRow = {
      seq: this.#store.nextSeq(),
      id: this.#generator.ids('faults').next('fault', createdAt),
      rule: JSON.stringify(rule),
      ...{ fired: 0, created_at: createdAt },
    };
    this.#store.faults.insert(row);
    return toFault(row);
  }

  /** Removes one, those of a workspace, or all. @returns how many. */
  clear(id: string | null, workspaceId: string | null): Promise<number> {
    return this.#change(() => this.#store.faults.delete(id, workspaceId));
  }

  /** The oldest fault that meets a request, counted as fired. */
  fireForRequest(findFacts: () => FaultableRequest): FiredFault | undefined {
    if (this.#live.length === 0) return undefined;
    const facts = findFacts();
    return this.#take(
      'request',
      (rule) => matchesRequest(rule, facts),
      (fault) => String(fault.asked++),
    );
  }

  /**
   * The oldest fault that meets an attempt, counted as fired.
   * @param name of the attempt: what a chance is drawn from, so that it does not depend on the order of attempts.
   */
  fireForDelivery(name: string, findFacts: () => FaultableDelivery): FiredFault | undefined {
    if (this.#live.length === 0) return undefined;
    const facts = findFacts();
    return this.#take(
      'delivery',
      (rule) => matchesDelivery(rule, facts),
      () => name,
    );
  }

  #take(
    on: FaultRule['on'],
    meets: (rule: FaultRule) => boolean,
    nameFor: (fault: ActiveFault) => string,
  ): FiredFault | undefined {
    const taken = this.#live.find((fault) => {
      const { id, rule, fired } = fault;
      if (rule.on !== on || fired >= (rule.count ?? Number.POSITIVE_INFINITY) || !meets(rule)) return false;
      return (
        rule.probability >= 1 || this.#generator.seededRandom(`${id} ${nameFor(fault)}`) < rule.probability
      );
    });
    if (taken === undefined) return undefined;
    const { seq, id, rule } = taken;
    const fired = ++taken.fired;
    // With what the fault does, or before it; the place is not needed: nobody follows faults.
    this.#store.writeSoon(() => this.#store.faults.setFired(seq, fired));
    return { mark: { id, kind: faultKindOf(rule) }, rule };
  }

  async #change<Result>(change: () => Result): Promise<Result> {
    const result = await this.#store.write(change);
    this.#load(this.#live);
    return result;
  }

  /** @param known those that go on: the rows may lag behind how often they have fired. */
  #load(known: readonly ActiveFault[]): void {
    this.#live = this.#store.faults.listAll().map(
      ({ seq, id, rule, fired }) =>
        known.find((fault) => fault.seq === seq) ?? {
          ...{ seq, id, rule: JSON.parse(rule), fired, asked: 0 },
        },
    );
  }
}
