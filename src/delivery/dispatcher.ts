/**
 * Sends what is due. The rows are the truth: a timer only wakes, and a restart goes on from the rows. Endpoints take
 * turns, so that one that is slow, dead or flooded delays no other.
 */
import { isPastWindow } from '../domain/retry-policy.ts';
import type { FreshClaim, News } from '../sandbox/bus.ts';
import type { LiveWorkspace } from '../sandbox/live-workspaces.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ClaimedDelivery } from '../store/deliveries.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import { Alarm } from './alarm.ts';
import { prepareAttempt, recordAttempt, startOf } from './attempt.ts';
import { holdBack, holdingMs, sendFaulty, takeFault } from './delivery-faults.ts';
import { Lane } from './lane.ts';
import type { Sender } from './sender.ts';

/** How long sending rests after the store refused a write: the attempt could not be recorded and will be repeated. */
const STORE_REST_MS = 1000;
/** Share of all places that is kept for endpoints with nothing under way. */
const RESERVE = 0.25;

export interface DispatcherOptions {
  readonly sandbox: Sandbox;
  readonly sender: Sender;
  /** Told of faults inside, for the person who runs the emulator. */
  readonly onFault: (fault: unknown) => void;
}

export class Dispatcher {
  readonly #sandbox: Sandbox;
  readonly #sender: Sender;
  readonly #onFault: (fault: unknown) => void;
  readonly #lanes = new Map<number, Lane>();
  readonly #byWorkspace = new Map<number, Lane[]>();
  /** Lanes that may have something to send, in the order of their turns. */
  readonly #turns = new Set<Lane>();
  #inFlight = 0;
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  #restUntil = 0;
  readonly #alarm: Alarm;
  #unsubscribe = () => {};
  readonly #waiters = new Set<() => void>();

  constructor({ sandbox, sender, onFault }: DispatcherOptions) {
    this.#sandbox = sandbox;
    this.#sender = sender;
    this.#onFault = onFault;
    this.#alarm = new Alarm(sandbox.wall, () => this.#safely(() => this.#wake()));
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Takes up what the store holds and what comes. */
  start(): void {
    this.#state = 'running';
    this.#unsubscribe = this.#sandbox.bus.subscribe((news) => this.#safely(() => this.#hear(news)));
    this.#takeUp();
  }

  #takeUp(): void {
    for (const seq of this.#sandbox.store.webhooks.listSeqs()) this.#findLane(seq);
    this.#wake();
  }

  /**
   * Takes nothing on any more and gives what is under way up to `graceMs` of real time to end. What has not ended by
   * then is not recorded, so that it is attempted again after a restart.
   */
  async stop(graceMs: number): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopping';
    this.#unsubscribe();
    this.#alarm.clear();
    this.#tellWaiters();
    let timer: NodeJS.Timeout | undefined;
    const graceIsOver = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([graceIsOver, this.#until(() => this.#inFlight === 0)]);
    clearTimeout(timer);
    this.#state = 'stopped';
    await this.#sender.close();
  }

  /** When the next delivery of a workspace is due, in schedule time; infinite when none is, negative when one is now. */
  nextDueAt(workspaceSeq: number): number {
    return this.#lanesOf(workspaceSeq).reduce(
      (earliest, lane) => Math.min(earliest, lane.dueAt),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Resolves when a workspace has nothing due and nothing under way, or is no more. */
  whenIdle(workspace: LiveWorkspace): Promise<void> {
    const isIdle = () => this.#lanesOf(workspace.seq).every((lane) => lane.inFlight === 0 && !lane.hasDue());
    return this.#until(() => !this.isRunning || !this.#sandbox.workspaces.isCurrent(workspace) || isIdle());
  }

  #hear(news: News): void {
    if (news.type === 'renewed') {
      this.#startAnew();
      return;
    }
    if (news.type === 'clock') {
      for (const lane of this.#lanesOf(news.workspaceSeq)) this.#consider(lane);
      this.#send();
      return;
    }
    const lane = this.#findLane(news.webhookSeq);
    // The news may be of a moment before the rows were replaced.
    if (lane === undefined) return;
    if (news.type === 'due') {
      lane.plan(news.deliverySeq, news.dueAt);
      this.#consider(lane);
      this.#send(news.fresh);
      return;
    }
    if (news.type === 'canceled') lane.reload();
    else lane.open = this.#sandbox.store.webhooks.getBySeq(news.webhookSeq).disabled === 0;
    this.#consider(lane);
    this.#send();
  }

  /** What is under way belongs to rows that are no more: it ends without a trace, and takes up no place. */
  #startAnew(): void {
    this.#lanes.clear();
    this.#byWorkspace.clear();
    this.#turns.clear();
    this.#inFlight = 0;
    this.#takeUp();
    this.#tellWaiters();
  }

  #isCurrent(lane: Lane): boolean {
    return this.#lanes.get(lane.webhookSeq) === lane;
  }

  /** Gives every lane with something due its turn, and sleeps until the next one has. */
  #wake(): void {
    this.#alarm.clear();
    for (const lane of this.#lanes.values()) this.#consider(lane);
    this.#send();
  }

  #consider(lane: Lane): void {
    if (lane.hasDue()) this.#turns.add(lane);
    else this.#arm(lane.workspace.clock.realMsUntil(lane.dueAt));
  }

  #send(fresh?: FreshClaim): void {
    if (this.#state !== 'running') return;
    const now = this.#sandbox.wall.monotonic();
    if (now < this.#restUntil) {
      this.#arm(this.#restUntil - now);
      return;
    }
    for (let lane = this.#nextTurn(); lane !== undefined; lane = this.#nextTurn()) {
      const seq = lane.take();
      if (seq === undefined) {
        this.#turns.delete(lane);
        this.#consider(lane);
        continue;
      }
      this.#inFlight++;
      // Back to the end of the row.
      this.#turns.delete(lane);
      this.#turns.add(lane);
      void this.#deliver(lane, seq, fresh);
    }
  }

  /** The next lane that may send one more. */
  #nextTurn(): Lane | undefined {
    const { concurrency, concurrencyPerEndpoint } = this.#sandbox.rules.delivery;
    if (this.#inFlight >= concurrency) return undefined;
    const onlyIdle = this.#inFlight >= concurrency - Math.floor(concurrency * RESERVE);
    for (const lane of this.#turns) {
      if (lane.inFlight === 0 || (!onlyIdle && lane.inFlight < concurrencyPerEndpoint)) return lane;
    }
    return undefined;
  }

  async #deliver(lane: Lane, seq: number, fresh: FreshClaim | undefined): Promise<void> {
    // What the rows say, should something go wrong on the way: it is still due.
    let dueAt: number | null = lane.workspace.clock.now();
    try {
      dueAt = await this.#attempt(lane, seq, fresh);
    } catch (fault) {
      this.#rest(fault);
    }
    if (!this.#isCurrent(lane)) return;
    this.#inFlight--;
    this.#safely(() => {
      // After the end nothing is planned, and the store may be closed.
      if (this.#state !== 'stopped') lane.release(seq, dueAt);
      this.#consider(lane);
      this.#send();
    });
    this.#tellWaiters();
  }

  /** Sending goes on whatever the store cannot read or write just now: the rows are still there. */
  #safely(step: () => void): void {
    try {
      step();
    } catch (fault) {
      this.#rest(fault);
      this.#arm(STORE_REST_MS);
    }
  }

  #rest(fault: unknown): void {
    this.#onFault(fault);
    this.#restUntil = this.#sandbox.wall.monotonic() + STORE_REST_MS;
  }

  /** @returns when the delivery is due again; null for not at all. */
  async #attempt(lane: Lane, seq: number, fresh: FreshClaim | undefined): Promise<number | null> {
    const { store, rules } = this.#sandbox;
    const { workspace } = lane;
    const claim = this.#findClaim(seq, fresh);
    if (claim === undefined) return null;
    // Not due any more, now that a reset has set the clock back.
    if (claim.due_at > workspace.clock.now()) return claim.due_at;
    if (this.#isTooLate(claim, startOf(claim, workspace))) {
      await store.write(() => store.deliveries.expire(seq, workspace.clock.now(), store.nextSeq()));
      return null;
    }
    const fault = takeFault(this.#sandbox, claim);
    const heldMs = fault && holdingMs(fault);
    if (fault && typeof heldMs === 'number') {
      if (fault.mark.kind === 'reorder') lane.holdsBack = true;
      return store.write(() => holdBack(this.#sandbox, workspace, claim, fault, heldMs));
    }
    const attempt = prepareAttempt(this.#sandbox, workspace, claim, fault);
    const results = await sendFaulty(this.#sender, attempt.request, rules.delivery, fault);
    if (this.#state === 'stopped' || !this.#isCurrent(lane)) return null;
    const dueAt = await store.write(() => recordAttempt(this.#sandbox, workspace, attempt, results));
    if (lane.holdsBack) await this.#letGo(lane);
    return dueAt;
  }

  /** What waits for another delivery to go first need wait no longer. */
  async #letGo(lane: Lane): Promise<void> {
    const { store } = this.#sandbox;
    const now = lane.workspace.clock.now();
    lane.holdsBack = false;
    for (const seq of await store.write(() => store.deliveries.letGo(lane.webhookSeq, now)))
      lane.plan(seq, now);
  }

  /** The claim that came with the news, or where the delivery had to wait, what the rows say by now. */
  #findClaim(seq: number, fresh: FreshClaim | undefined): ClaimedDelivery | undefined {
    const { deliveries, webhooks } = this.#sandbox.store;
    const isFresh = fresh?.claim.seq === seq && fresh.revision === webhooks.revision;
    return isFresh ? fresh.claim : deliveries.findClaim(seq);
  }

  // The emulator was off, or the endpoint disabled, until after the window: no attempt starts past it (§6).
  #isTooLate(claim: ClaimedDelivery, startedAt: number): boolean {
    if (claim.replays_waiting > 0 || claim.first_attempt_at === null) return false;
    return isPastWindow(this.#sandbox.rules.retry, claim.first_attempt_at, startedAt);
  }

  #findLane(webhookSeq: number): Lane | undefined {
    const known = this.#lanes.get(webhookSeq);
    if (known) return known;
    const { store, workspaces } = this.#sandbox;
    const row = store.webhooks.findBySeq(webhookSeq);
    if (row === undefined) return undefined;
    const lane = new Lane(webhookSeq, workspaces.get(row.workspace_seq), store.deliveries);
    lane.open = row.disabled === 0;
    this.#lanes.set(webhookSeq, lane);
    this.#byWorkspace.set(row.workspace_seq, [...this.#lanesOf(row.workspace_seq), lane]);
    return lane;
  }

  #lanesOf(workspaceSeq: number): Lane[] {
    return this.#byWorkspace.get(workspaceSeq) ?? [];
  }

  /** Wakes in `realMs`, unless something wakes earlier. */
  #arm(realMs: number): void {
    if (this.#state === 'running') this.#alarm.set(realMs);
  }

  #tellWaiters(): void {
    for (const waiter of this.#waiters) waiter();
  }

  /** Resolves once `condition` holds; looked at after every attempt, and when the dispatcher stops. */
  #until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!condition()) return;
        this.#waiters.delete(look);
        resolve();
      };
      this.#waiters.add(look);
      look();
    });
  }
}
