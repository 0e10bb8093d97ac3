/**
 * Sends due deliveries. The rows in the database are the queue: timers only wake the dispatcher, and after a restart it
 * continues from the rows. Endpoints take turns, so that a slow, dead or busy one does not delay the others.
 */
import type { Sandbox, SandboxEvent } from '../sandbox/sandbox.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import type { WebhookRow } from '../store/webhooks.ts';
import { clearTimeout, monotonic, setTimeout } from '../timers.ts';
import { type RecordAttempt, sendAttempt } from './attempt.ts';
import { type DueDelivery, EndpointQueue } from './endpoint-queue.ts';
import type { Sender } from './sender.ts';
import { EarliestTimer, WorkspaceSchedule } from './workspace-schedule.ts';

/** Real time to wait after an error of the store before work continues. */
const STORE_RETRY_MS = 1000;
/** Share of the attempts in flight that is reserved for endpoints without one. */
const RESERVED_SHARE = 0.25;
/**
 * No attempt starts while this many wait for their commit. After a crash, these and those in flight are made again, so it equals
 * the default number of attempts in flight. A larger group would hardly make an attempt cheaper.
 */
export const MAX_UNRECORDED = 64;
/** Real time without a response after which a commit no longer waits for more attempts: the receiver takes longer than a flush. */
const RESPONSE_GAP_MS = 1;

interface DispatcherOptions {
  readonly sandbox: Sandbox;
  readonly sender: Sender;
  /** Called for errors of the store and of the dispatcher itself. */
  readonly onInternalError: (error: unknown) => void;
}

export class Dispatcher {
  readonly #sandbox: Sandbox;
  readonly #sender: Sender;
  readonly #onInternalError: (error: unknown) => void;
  /** By the sequence of the endpoint. */
  readonly #queues = new Map<number, EndpointQueue>();
  /** By the sequence of the workspace. */
  readonly #schedules = new Map<number, WorkspaceSchedule>();
  /** Queues that had a due delivery when they were added, in the order of their turns. */
  readonly #readyQueues = new Set<EndpointQueue>();
  /** Whether there is a queue for each endpoint with a pending delivery. False after an error, which can make a queue differ from the rows. */
  #isLoaded = false;
  #inFlight = 0;
  /** Number of attempts whose response has arrived, and which are not committed. */
  #unrecorded = 0;
  /** Monotonic time of the last response. */
  #respondedAt = Number.NEGATIVE_INFINITY;
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  /** Monotonic time before which nothing is sent, after an error of the store. */
  #backOffUntil = 0;
  #lastError = '';
  readonly #timer: EarliestTimer;
  #unsubscribe = () => {};
  /** Checks of the conditions of {@link #waitFor}. */
  readonly #waiters = new Set<() => void>();

  constructor({ sandbox, sender, onInternalError }: DispatcherOptions) {
    this.#sandbox = sandbox;
    this.#sender = sender;
    this.#onInternalError = onInternalError;
    this.#timer = new EarliestTimer(sandbox.wall, () => this.#wake());
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Number of attempts that have started and are not recorded. */
  get inFlight(): number {
    return this.#inFlight + this.#unrecorded;
  }

  /** Loads the pending deliveries from the store and subscribes to new ones. */
  start(): void {
    this.#state = 'running';
    this.#unsubscribe = this.#sandbox.bus.subscribe((event) => this.#onEvent(event));
    this.#sandbox.store.holdCommitsWhile(() => this.#expectsMoreAttempts());
    this.#startAttempts();
  }

  /**
   * Starts no new attempts and gives those in flight up to `graceMs` of real time to end. An attempt that has not ended
   * by then is not recorded, so it is made again after a restart.
   */
  async stop(graceMs: number): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopping';
    this.#unsubscribe();
    this.#timer.clear();
    this.#checkWaiters();
    let timer: NodeJS.Timeout | undefined;
    const gracePeriod = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([gracePeriod, this.#waitFor(() => this.inFlight === 0)]);
    clearTimeout(timer);
    this.#state = 'stopped';
    this.#sender.close();
  }

  /**
   * Schedule time at which the next delivery of a workspace is due: `Infinity` if none is scheduled, `-Infinity` if one
   * is due now or deliveries are still being loaded.
   */
  getNextDueAt(workspaceSeq: number): number {
    if (!this.#isLoaded) return Number.NEGATIVE_INFINITY;
    return this.#schedules.get(workspaceSeq)?.nextDueAt ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Resolves when a workspace has nothing due and nothing in flight, when it was removed, and when nothing can be sent
   * because the dispatcher has stopped or the database file is lost.
   */
  whenIdle(workspace: LoadedWorkspace): Promise<void> {
    const { store, workspaces } = this.#sandbox;
    const isIdle = () => this.#isLoaded && (this.#schedules.get(workspace.seq)?.isIdle ?? true);
    return this.#waitFor(
      () => !this.isRunning || store.fileProblem !== null || !workspaces.isCurrent(workspace) || isIdle(),
    );
  }

  #onEvent(event: SandboxEvent): void {
    if (event.type === 'state_replaced') {
      this.#reloadState();
      return;
    }
    if (event.type === 'clock_changed') {
      const schedule = this.#schedules.get(event.workspaceSeq);
      if (schedule !== undefined) this.#processDueQueues(schedule);
      this.#startAttempts();
      return;
    }
    const { webhookSeq } = event;
    this.#runStep(() => {
      const queue = this.#getOrCreateQueue(webhookSeq);
      // A reset can have removed the endpoint after the write that this event announces.
      if (queue === undefined) return;
      if (event.type === 'delivery_due') queue.schedule(event.deliverySeq, event.dueAt);
      else if (event.type === 'deliveries_canceled') queue.reload();
      else queue.isEnabled = this.#isEnabled(webhookSeq);
      this.#reschedule(queue);
    });
    this.#startAttempts();
  }

  /** Discards the queues of the replaced state. Its attempts in flight end without being recorded or counted. */
  #reloadState(): void {
    this.#queues.clear();
    this.#schedules.clear();
    this.#readyQueues.clear();
    this.#isLoaded = false;
    this.#backOffUntil = 0;
    this.#inFlight = 0;
    this.#unrecorded = 0;
    this.#startAttempts();
    this.#checkWaiters();
  }

  #isCurrent(queue: EndpointQueue): boolean {
    return this.#queues.get(queue.webhookSeq) === queue;
  }

  #wake(): void {
    this.#timer.clear();
    for (const schedule of this.#schedules.values()) this.#processDueQueues(schedule);
    this.#startAttempts();
  }

  /** Marks the queues with a due delivery as ready, and expires paused deliveries. */
  #processDueQueues({ dueTimes, expiryTimes, clock }: WorkspaceSchedule): void {
    const now = clock.now();
    for (const queue of dueTimes.takeDue(now)) {
      this.#runStep(() => this.#reschedule(queue));
    }
    const backOffMs = this.#backOffUntil - this.#sandbox.wall.monotonic();
    if (backOffMs <= 0) for (const queue of expiryTimes.takeDue(now)) void this.#expirePaused(queue);
    this.#wakeIn(clock.realMsUntil(dueTimes.earliest));
    this.#wakeIn(Math.max(backOffMs, clock.realMsUntil(expiryTimes.earliest)));
  }

  /** Updates the ready set and the timers of a queue. A queue that becomes ready gets the last turn. */
  #reschedule(queue: EndpointQueue): void {
    const { clock } = queue.workspace;
    const schedule = this.#getOrCreateSchedule(queue.workspace);
    if (queue.hasDue()) {
      schedule.dueTimes.delete(queue);
      schedule.readyQueues.add(queue);
      this.#readyQueues.add(queue);
    } else {
      schedule.dueTimes.set(queue, queue.nextDueAt);
      this.#wakeIn(clock.realMsUntil(queue.nextDueAt));
    }
    const expiresAt = queue.findExpiryTime(this.#sandbox.rules.retry.windowMs);
    schedule.expiryTimes.set(queue, expiresAt);
    this.#wakeIn(clock.realMsUntil(expiresAt));
  }

  /** Expires the deliveries to a disabled endpoint after the end of their retry windows (gap `delivery.paused`). */
  async #expirePaused(queue: EndpointQueue): Promise<void> {
    const { store, rules } = this.#sandbox;
    const schedule = this.#getOrCreateSchedule(queue.workspace);
    schedule.expiringCount++;
    try {
      await store.write(() => queue.expirePaused(rules.retry.windowMs));
    } catch (error) {
      this.#backOff(error);
    }
    schedule.expiringCount--;
    if (!this.#isCurrent(queue) || this.#state === 'stopped') return;
    this.#runStep(() => {
      queue.reload();
      this.#reschedule(queue);
    });
    this.#startAttempts();
  }

  /** Starts as many attempts as the limits allow. */
  #startAttempts(): void {
    if (this.#state !== 'running') return;
    const now = this.#sandbox.wall.monotonic();
    // An attempt that cannot be recorded would be repeated for as long as the file is lost.
    if (this.#sandbox.store.fileProblem !== null) {
      this.#backOffUntil = now + STORE_RETRY_MS;
      this.#checkWaiters();
    }
    if (now < this.#backOffUntil) {
      this.#wakeIn(this.#backOffUntil - now);
      return;
    }
    if (!this.#isLoaded && !this.#runStep(() => this.#loadQueues())) return;
    for (let queue = this.#findNextQueue(); queue !== undefined; queue = this.#findNextQueue()) {
      if (!this.#runStep(() => this.#startNextAttempt(queue))) return;
    }
    this.#checkWaiters();
  }

  #startNextAttempt(queue: EndpointQueue): void {
    const schedule = this.#getOrCreateSchedule(queue.workspace);
    // `#reschedule` adds it again at the end if it has more to send.
    this.#readyQueues.delete(queue);
    schedule.readyQueues.delete(queue);
    const delivery = queue.takeDue();
    this.#reschedule(queue);
    if (delivery === undefined) return;
    this.#inFlight++;
    schedule.unfinished++;
    void this.#makeAttempt(queue, delivery);
  }

  /** The next queue that can have another attempt in flight. */
  #findNextQueue(): EndpointQueue | undefined {
    const { concurrency, concurrencyPerEndpoint } = this.#sandbox.rules.delivery;
    if (this.#inFlight >= concurrency || this.#unrecorded >= MAX_UNRECORDED) return undefined;
    const isReserved = this.#inFlight >= concurrency - Math.floor(concurrency * RESERVED_SHARE);
    for (const queue of this.#readyQueues) {
      if (queue.inFlight === 0 || (!isReserved && queue.inFlight < concurrencyPerEndpoint)) return queue;
    }
    return undefined;
  }

  async #makeAttempt(queue: EndpointQueue, delivery: DueDelivery): Promise<void> {
    const dueAt = await this.#sendAndRecord(queue, delivery);
    if (!this.#isCurrent(queue)) return;
    this.#unrecorded--;
    this.#getOrCreateSchedule(queue.workspace).unfinished--;
    // After the stop nothing is scheduled, and the store may be closed.
    if (this.#state === 'stopped') return;
    this.#runStep(() => {
      queue.release(delivery.seq, dueAt);
      this.#reschedule(queue);
    });
    this.#startAttempts();
    this.#checkWaiters();
  }

  /** The next attempt to the endpoint starts when the response arrives. @returns as {@link RecordAttempt} */
  async #sendAndRecord(queue: EndpointQueue, delivery: DueDelivery): Promise<number | null> {
    // If the attempt throws, the row is unchanged and still due.
    const getCurrentTime = () => queue.workspace.clock.now();
    let record: RecordAttempt = async () => getCurrentTime();
    try {
      record = await sendAttempt(this.#sandbox, this.#sender, queue, delivery);
    } catch (error) {
      this.#backOff(error);
    }
    // Its rows were replaced.
    if (!this.#isCurrent(queue)) return null;
    queue.endRequest();
    this.#inFlight--;
    this.#unrecorded++;
    this.#respondedAt = monotonic();
    if (this.#state === 'stopped') return null;
    const recording = record();
    this.#runStep(() => this.#reschedule(queue));
    this.#startAttempts();
    try {
      return await recording;
    } catch (error) {
      this.#backOff(error);
      return getCurrentTime();
    }
  }

  /** Whether more attempts can soon be recorded in the same commit: deliveries are due, and responses keep arriving. */
  #expectsMoreAttempts(): boolean {
    return (
      this.#state === 'running' &&
      this.#readyQueues.size > 0 &&
      this.#inFlight > 0 &&
      this.#unrecorded < MAX_UNRECORDED &&
      monotonic() - this.#respondedAt < RESPONSE_GAP_MS
    );
  }

  /**
   * Runs a step. If it throws, the error is reported, and all queues are read again after a pause; the step is not repeated.
   * @returns whether it succeeded
   */
  #runStep(step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      this.#backOff(error);
      this.#isLoaded = false;
      this.#wakeIn(STORE_RETRY_MS);
      return false;
    }
  }

  /** Reads the queues of the endpoints with a pending delivery from the store. */
  #loadQueues(): void {
    for (const queue of this.#queues.values()) {
      queue.isEnabled = this.#isEnabled(queue.webhookSeq);
      queue.reload();
      this.#reschedule(queue);
    }
    for (const row of this.#sandbox.store.webhooks.listNextDue()) {
      if (!this.#queues.has(row.seq)) this.#reschedule(this.#addQueue(row, row.next_due_at));
    }
    this.#isLoaded = true;
  }

  #isEnabled(webhookSeq: number): boolean {
    return this.#sandbox.store.webhooks.getBySeq(webhookSeq).disabled === 0;
  }

  #backOff(error: unknown): void {
    const now = this.#sandbox.wall.monotonic();
    // Attempts that are in flight together usually fail together: report them once.
    if (now >= this.#backOffUntil || String(error) !== this.#lastError) this.#onInternalError(error);
    this.#lastError = String(error);
    this.#backOffUntil = now + STORE_RETRY_MS;
  }

  /** The queue of an endpoint; undefined if the endpoint does not exist. */
  #getOrCreateQueue(webhookSeq: number): EndpointQueue | undefined {
    const existing = this.#queues.get(webhookSeq);
    if (existing) return existing;
    const { webhooks, deliveries } = this.#sandbox.store;
    const row = webhooks.findBySeq(webhookSeq);
    if (row === undefined) return undefined;
    return this.#addQueue(row, deliveries.findNextDueAt(webhookSeq, Number.NEGATIVE_INFINITY) ?? null);
  }

  /** @param nextDueAt schedule time of the earliest pending delivery in the store; null without one */
  #addQueue(
    row: Pick<WebhookRow, 'seq' | 'workspace_seq' | 'disabled'>,
    nextDueAt: number | null,
  ): EndpointQueue {
    const { store, wall, workspaces } = this.#sandbox;
    const queue = new EndpointQueue({
      webhookSeq: row.seq,
      workspace: workspaces.get(row.workspace_seq),
      store,
      wall,
      nextDueAt,
      isEnabled: row.disabled === 0,
    });
    this.#queues.set(row.seq, queue);
    return queue;
  }

  #getOrCreateSchedule({ seq, clock }: LoadedWorkspace): WorkspaceSchedule {
    const existing = this.#schedules.get(seq);
    if (existing) return existing;
    const schedule = new WorkspaceSchedule(clock);
    this.#schedules.set(seq, schedule);
    return schedule;
  }

  /** Wakes in `realMs`, unless the timer is already set to an earlier time. */
  #wakeIn(realMs: number): void {
    if (this.#state === 'running') this.#timer.set(realMs);
  }

  #checkWaiters(): void {
    for (const check of this.#waiters) check();
  }

  /** Resolves when `condition` holds. It is checked whenever the state changes. */
  #waitFor(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return;
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
      check();
    });
  }
}
