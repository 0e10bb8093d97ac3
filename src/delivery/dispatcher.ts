/**
 * Sends what is due. The rows are the truth: a timer only wakes, and a restart goes on from the rows. Endpoints take
 * turns, so that one that is slow, dead or flooded delays no other.
 */
import { isPastWindow } from '../domain/retry-policy.ts';
import type { SandboxEvent } from '../sandbox/event-bus.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import type { SendableDelivery } from '../store/deliveries.ts';
import { clearTimeout, setImmediate, setTimeout } from '../timers.ts';
import { getAttemptStart, prepareAttempt, recordAttempt } from './attempt.ts';
import { delayAttempt, fireMatchingFault, getFaultDelayMs, sendWithFault } from './delivery-faults.ts';
import { DueTimeHeap } from './due-time-heap.ts';
import { EarliestTimer } from './earliest-timer.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import type { Sender } from './sender.ts';

/** How long sending rests after an attempt could not be made or recorded here: it will be repeated. */
const STORE_REST_MS = 1000;
/** Share of all places that is kept for endpoints with nothing under way. */
const RESERVE = 0.25;

/** Endpoints, or deliveries of one event, that are loaded in one turn of the event loop. */
const SLICE = 100;

/** The lanes of a workspace. A lane that is neither due nor planned is in none of its sets. */
interface WorkspaceQueues {
  readonly clock: LoadedWorkspace['clock'];
  readonly dueTimes: DueTimeHeap;
  /** Those of the workspace among the lanes that have their turn. */
  readonly turns: Set<EndpointQueue>;
  inFlight: number;
  /** When the retry window of the first paused delivery ends. */
  readonly pauseEnds: DueTimeHeap;
  /** Number of lanes whose paused deliveries are being ended. */
  ending: number;
}

/** What is being loaded in slices. */
interface SlicedLoad {
  /** Null for all workspaces. */
  readonly workspaceSeq: number | null;
  /** The sequence that the next slice starts after. */
  after: number;
}

export interface DispatcherOptions {
  readonly sandbox: Sandbox;
  readonly sender: Sender;
  /** Told of faults inside, for the person who runs the emulator. */
  readonly onInternalError: (fault: unknown) => void;
}

export class Dispatcher {
  readonly #sandbox: Sandbox;
  readonly #sender: Sender;
  readonly #onFault: (fault: unknown) => void;
  readonly #lanes = new Map<number, EndpointQueue>();
  readonly #groups = new Map<number, WorkspaceQueues>();
  /** Lanes that may have something to send, in the order of their turns. */
  readonly #turns = new Set<EndpointQueue>();
  readonly #loading = new Set<SlicedLoad>();
  #inFlight = 0;
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  #restUntil = 0;
  #lastFault = '';
  readonly #earliestTimer: EarliestTimer;
  #unsubscribe = () => {};
  readonly #waiters = new Set<() => void>();

  constructor({ sandbox, sender, onInternalError }: DispatcherOptions) {
    this.#sandbox = sandbox;
    this.#sender = sender;
    this.#onFault = onInternalError;
    this.#earliestTimer = new EarliestTimer(sandbox.wall, () => this.#safely(() => this.#wake()));
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
    this.#unsubscribe = this.#sandbox.bus.subscribe((sandboxEvent) =>
      this.#safely(() => this.#hear(sandboxEvent)),
    );
    this.#takeUp();
  }

  /** Loads the endpoints that have something pending. */
  #takeUp(): void {
    const { webhooks, deliveries } = this.#sandbox.store;
    const loading = { workspaceSeq: null, after: 0 };
    this.#load(loading, () => {
      const rows = webhooks.listNextDue(loading.after, SLICE);
      for (const { seq, workspace_seq, disabled, next_due_at } of rows) {
        loading.after = seq;
        if (next_due_at === null || this.#lanes.has(seq)) continue;
        const workspace = this.#sandbox.workspaces.get(workspace_seq);
        this.#consider(
          this.#addLane(new EndpointQueue(seq, workspace, deliveries, next_due_at), disabled === 0),
        );
      }
      return rows.length < SLICE;
    });
  }

  /** Loads the deliveries of an event to many endpoints. */
  #takeUpEvent(workspaceSeq: number, eventSeq: number): void {
    const { deliveries } = this.#sandbox.store;
    const workspace = this.#sandbox.workspaces.get(workspaceSeq);
    const loading = { workspaceSeq, after: eventSeq };
    this.#load(loading, () => {
      const rows = deliveries.listPendingByEvent(eventSeq, loading.after, SLICE);
      for (const { seq, webhook_seq, due_at, disabled, other_due_at } of rows) {
        loading.after = seq;
        const endpointQueue =
          this.#lanes.get(webhook_seq) ??
          this.#addLane(new EndpointQueue(webhook_seq, workspace, deliveries, other_due_at), disabled === 0);
        endpointQueue.schedule(seq, due_at);
        this.#consider(endpointQueue);
      }
      return rows.length < SLICE;
    });
  }

  /** Runs `loadSlice` once a turn of the event loop until it returns true; meanwhile the workspace is not idle. */
  #load(loading: SlicedLoad, loadSlice: () => boolean): void {
    this.#loading.add(loading);
    const step = () => {
      // The end, or every row was replaced.
      if (this.#state !== 'running' || !this.#loading.has(loading)) return;
      let wait = 0;
      this.#safely(() => {
        wait = STORE_REST_MS;
        if (loadSlice()) this.#loading.delete(loading);
        wait = 0;
      });
      if (this.#loading.has(loading)) {
        if (wait === 0) setImmediate(step);
        else setTimeout(step, wait).unref();
      }
      this.#safely(() => this.#send());
    };
    step();
  }

  #isLoading(workspaceSeq: number): boolean {
    for (const loading of this.#loading) {
      if (loading.workspaceSeq === null || loading.workspaceSeq === workspaceSeq) return true;
    }
    return false;
  }

  /**
   * Takes nothing on any more and gives what is under way up to `gracePeriodMs` of real time to end. What has not ended by
   * then is not recorded, so that it is attempted again after a restart.
   */
  async stop(graceMs: number): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopping';
    this.#unsubscribe();
    this.#earliestTimer.clear();
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
  getNextDueAt(workspaceSeq: number): number {
    if (this.#isLoading(workspaceSeq)) return Number.NEGATIVE_INFINITY;
    const group = this.#groups.get(workspaceSeq);
    if (group === undefined) return Number.POSITIVE_INFINITY;
    let earliest = group.dueTimes.earliest;
    for (const endpointQueue of group.turns) {
      earliest = Math.min(earliest, endpointQueue.nextDueAt);
      if (earliest === Number.NEGATIVE_INFINITY) break;
    }
    return earliest;
  }

  /** Resolves when a workspace has nothing due and nothing in flight, was removed, or cannot send. */
  whenIdle(workspace: LoadedWorkspace): Promise<void> {
    const { store } = this.#sandbox;
    const isIdle = () => {
      if (this.#isLoading(workspace.seq)) return false;
      const group = this.#groups.get(workspace.seq);
      return group === undefined || isGroupIdle(group, workspace.clock.now());
    };
    return this.#until(
      () =>
        !this.isRunning ||
        store.fileProblem !== null ||
        !this.#sandbox.workspaces.isCurrent(workspace) ||
        isIdle(),
    );
  }

  #hear(sandboxEvent: SandboxEvent): void {
    if (sandboxEvent.type === 'state_replaced') {
      this.#startAnew();
      return;
    }
    if (sandboxEvent.type === 'clock_changed') {
      const group = this.#groups.get(sandboxEvent.workspaceSeq);
      if (group !== undefined) this.#wakeGroup(group);
      this.#send();
      return;
    }
    if (sandboxEvent.type === 'event_due') {
      this.#takeUpEvent(sandboxEvent.workspaceSeq, sandboxEvent.eventSeq);
      return;
    }
    const endpointQueue = this.#findLane(sandboxEvent.webhookSeq);
    // The news may be of a moment before the rows were replaced.
    if (endpointQueue === undefined) return;
    if (sandboxEvent.type === 'delivery_due') {
      endpointQueue.schedule(sandboxEvent.deliverySeq, sandboxEvent.dueAt);
      this.#consider(endpointQueue);
      this.#send();
      return;
    }
    if (sandboxEvent.type === 'deliveries_canceled') endpointQueue.reload();
    else
      endpointQueue.isEnabled = this.#sandbox.store.webhooks.getBySeq(sandboxEvent.webhookSeq).disabled === 0;
    this.#consider(endpointQueue);
    this.#send();
  }

  /** What is under way belongs to rows that are no more: it ends without a trace, and takes up no place. */
  #startAnew(): void {
    this.#lanes.clear();
    this.#groups.clear();
    this.#loading.clear();
    this.#turns.clear();
    this.#inFlight = 0;
    this.#takeUp();
    this.#tellWaiters();
  }

  #isCurrent(endpointQueue: EndpointQueue): boolean {
    return this.#lanes.get(endpointQueue.webhookSeq) === endpointQueue;
  }

  /** Gives every lane with something due its turn, and sleeps until the next one has. */
  #wake(): void {
    this.#earliestTimer.clear();
    for (const group of this.#groups.values()) this.#wakeGroup(group);
    this.#send();
  }

  /** Gives the lanes that have become due their turn: many in slices. */
  #wakeGroup({ dueTimes, pauseEnds, clock }: WorkspaceQueues): void {
    const now = clock.now();
    for (let count = 0; count < SLICE; count++) {
      const endpointQueue = dueTimes.popDue(now);
      if (endpointQueue === undefined) break;
      this.#consider(endpointQueue);
    }
    const restMs = this.#restUntil - this.#sandbox.wall.monotonic();
    while (restMs <= 0) {
      const endpointQueue = pauseEnds.popDue(now);
      if (endpointQueue === undefined) break;
      void this.#endPaused(endpointQueue);
    }
    this.#arm(clock.realMsUntil(dueTimes.earliest));
    this.#arm(Math.max(restMs, clock.realMsUntil(pauseEnds.earliest)));
  }

  #consider(endpointQueue: EndpointQueue): void {
    const group = this.#groupOf(endpointQueue.workspace);
    if (endpointQueue.hasDue()) {
      group.dueTimes.delete(endpointQueue);
      group.turns.add(endpointQueue);
      this.#turns.add(endpointQueue);
    } else {
      group.dueTimes.set(endpointQueue, endpointQueue.nextDueAt);
      this.#arm(endpointQueue.workspace.clock.realMsUntil(endpointQueue.nextDueAt));
    }
    const pauseEnd = this.#findPauseEnd(endpointQueue);
    group.pauseEnds.set(endpointQueue, pauseEnd);
    this.#arm(endpointQueue.workspace.clock.realMsUntil(pauseEnd));
  }

  /** Infinite while the endpoint is enabled, and while its last attempts are in flight. */
  #findPauseEnd(endpointQueue: EndpointQueue): number {
    if (endpointQueue.isEnabled || endpointQueue.inFlight > 0) return Number.POSITIVE_INFINITY;
    const { store, rules } = this.#sandbox;
    const startedAt = store.deliveries.findPauseStart(endpointQueue.webhookSeq);
    return startedAt === null ? Number.POSITIVE_INFINITY : startedAt + rules.retry.windowMs;
  }

  /** Ends the deliveries to a disabled endpoint whose retry window is over, each at its own time (decision `delivery.paused`). */
  async #endPaused(endpointQueue: EndpointQueue): Promise<void> {
    const { store, rules } = this.#sandbox;
    const group = this.#groupOf(endpointQueue.workspace);
    const { windowMs } = rules.retry;
    group.ending++;
    try {
      await store.write(() => {
        if (endpointQueue.isEnabled || endpointQueue.inFlight > 0) return;
        const startedBy = endpointQueue.workspace.clock.now() - windowMs;
        for (const { seq, started_at } of store.deliveries.listPaused(endpointQueue.webhookSeq, startedBy)) {
          store.deliveries.expire(seq, started_at + windowMs, store.nextSeq());
        }
      });
    } catch (fault) {
      this.#rest(fault);
    }
    group.ending--;
    if (!this.#isCurrent(endpointQueue) || this.#state === 'stopped') return;
    this.#safely(() => {
      endpointQueue.reload();
      this.#consider(endpointQueue);
      this.#send();
    });
  }

  #send(): void {
    if (this.#state !== 'running') return;
    const now = this.#sandbox.wall.monotonic();
    // An attempt that cannot be recorded would be repeated for as long as the file is gone.
    if (this.#sandbox.store.fileProblem !== null) {
      this.#restUntil = now + STORE_REST_MS;
      this.#tellWaiters();
    }
    if (now < this.#restUntil) {
      this.#arm(this.#restUntil - now);
      return;
    }
    for (
      let endpointQueue = this.#nextTurn();
      endpointQueue !== undefined;
      endpointQueue = this.#nextTurn()
    ) {
      const seq = endpointQueue.takeDue();
      const group = this.#groupOf(endpointQueue.workspace);
      // Back to the end of the row, where it has more to send.
      this.#turns.delete(endpointQueue);
      group.turns.delete(endpointQueue);
      this.#consider(endpointQueue);
      if (seq === undefined) continue;
      this.#inFlight++;
      group.inFlight++;
      void this.#deliver(endpointQueue, seq);
    }
    this.#tellWaiters();
  }

  /** The next lane that may send one more. */
  #nextTurn(): EndpointQueue | undefined {
    const { concurrency, concurrencyPerEndpoint } = this.#sandbox.rules.delivery;
    if (this.#inFlight >= concurrency) return undefined;
    const onlyIdle = this.#inFlight >= concurrency - Math.floor(concurrency * RESERVE);
    for (const endpointQueue of this.#turns) {
      if (endpointQueue.inFlight === 0 || (!onlyIdle && endpointQueue.inFlight < concurrencyPerEndpoint))
        return endpointQueue;
    }
    return undefined;
  }

  async #deliver(endpointQueue: EndpointQueue, seq: number): Promise<void> {
    // What the rows say, should something go wrong on the way: it is still due.
    let dueAt: number | null = endpointQueue.workspace.clock.now();
    try {
      dueAt = await this.#attempt(endpointQueue, seq);
    } catch (fault) {
      this.#rest(fault);
    }
    if (!this.#isCurrent(endpointQueue)) return;
    this.#inFlight--;
    this.#groupOf(endpointQueue.workspace).inFlight--;
    this.#safely(() => {
      // After the end nothing is planned, and the store may be closed.
      if (this.#state !== 'stopped') endpointQueue.release(seq, dueAt);
      this.#consider(endpointQueue);
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
    const now = this.#sandbox.wall.monotonic();
    // Attempts that were in flight together usually fail together.
    if (now >= this.#restUntil || String(fault) !== this.#lastFault) this.#onFault(fault);
    this.#lastFault = String(fault);
    this.#restUntil = now + STORE_REST_MS;
  }

  /** @returns when the delivery is due again; null for not at all. */
  async #attempt(endpointQueue: EndpointQueue, seq: number): Promise<number | null> {
    const { store, rules } = this.#sandbox;
    const { workspace } = endpointQueue;
    const claim = store.deliveries.findSendable(seq);
    if (claim === undefined) return null;
    // Not due any more, now that a reset has set the clock back.
    if (claim.due_at > workspace.clock.now()) return claim.due_at;
    if (this.#isTooLate(claim, getAttemptStart(claim, workspace))) {
      await store.write(() => store.deliveries.expire(seq, workspace.clock.now(), store.nextSeq()));
      return null;
    }
    const fault = fireMatchingFault(this.#sandbox, claim);
    const heldMs = fault && getFaultDelayMs(fault);
    if (fault && typeof heldMs === 'number') {
      if (fault.mark.kind === 'reorder') endpointQueue.hasReorderedDelivery = true;
      return store.write(() => delayAttempt(this.#sandbox, workspace, claim, fault, heldMs));
    }
    const attempt = prepareAttempt(this.#sandbox, workspace, claim, fault);
    const results = await sendWithFault(this.#sender, attempt.request, rules.delivery, fault);
    if (this.#state === 'stopped' || !this.#isCurrent(endpointQueue)) return null;
    const dueAt = await store.write(() => recordAttempt(this.#sandbox, workspace, attempt, results));
    if (endpointQueue.hasReorderedDelivery) await this.#letGo(endpointQueue);
    return dueAt;
  }

  /** What waits for another delivery to go first need wait no longer. */
  async #letGo(endpointQueue: EndpointQueue): Promise<void> {
    const { store } = this.#sandbox;
    const now = endpointQueue.workspace.clock.now();
    endpointQueue.hasReorderedDelivery = false;
    for (const seq of await store.write(() =>
      store.deliveries.releaseReordered(endpointQueue.webhookSeq, now),
    ))
      endpointQueue.schedule(seq, now);
  }

  // The emulator was off, or the endpoint disabled, until after the window: no attempt starts past it (§6).
  #isTooLate(claim: SendableDelivery, startedAt: number): boolean {
    if (claim.replays_waiting > 0 || claim.first_attempt_at === null) return false;
    return isPastWindow(this.#sandbox.rules.retry, claim.first_attempt_at, startedAt);
  }

  #findLane(webhookSeq: number): EndpointQueue | undefined {
    const known = this.#lanes.get(webhookSeq);
    if (known) return known;
    const { store, workspaces } = this.#sandbox;
    const row = store.webhooks.findBySeq(webhookSeq);
    if (row === undefined) return undefined;
    const nextDueAt = store.deliveries.findNextDueAt(webhookSeq, Number.NEGATIVE_INFINITY) ?? null;
    const workspace = workspaces.get(row.workspace_seq);
    return this.#addLane(
      new EndpointQueue(webhookSeq, workspace, store.deliveries, nextDueAt),
      row.disabled === 0,
    );
  }

  #addLane(endpointQueue: EndpointQueue, open: boolean): EndpointQueue {
    endpointQueue.isEnabled = open;
    this.#lanes.set(endpointQueue.webhookSeq, endpointQueue);
    return endpointQueue;
  }

  #groupOf({ seq, clock }: LoadedWorkspace): WorkspaceQueues {
    const known = this.#groups.get(seq);
    if (known) return known;
    const group: WorkspaceQueues = {
      ...{ clock, dueTimes: new DueTimeHeap(), turns: new Set<EndpointQueue>(), inFlight: 0 },
      ...{ pauseEnds: new DueTimeHeap(), ending: 0 },
    };
    this.#groups.set(seq, group);
    return group;
  }

  /** Wakes in `realMs`, unless something wakes earlier. */
  #arm(realMs: number): void {
    if (this.#state === 'running') this.#earliestTimer.set(realMs);
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

function isGroupIdle(
  { dueTimes, pauseEnds, turns, inFlight, ending }: WorkspaceQueues,
  now: number,
): boolean {
  if (inFlight + ending > 0 || Math.min(dueTimes.earliest, pauseEnds.earliest) <= now) return false;
  for (const endpointQueue of turns) if (endpointQueue.hasDue()) return false;
  return true;
}
