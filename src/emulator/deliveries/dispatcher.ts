/**
 * Sends due deliveries. The rows in the database are the queue: each turn reads the due rows of the endpoints that can get an
 * attempt. Memory holds the attempts that have started, whose turn it is, one timer, and who waits for idleness.
 */

import { clearTimeout, setImmediate, setTimeout } from '../../platform/timers.ts';
import type { Sandbox, SandboxEvent } from '../service/sandbox.ts';
import type { LoadedWorkspace } from '../service/workspace-registry.ts';
import { type DueDelivery, sendAttempt } from './attempt.ts';
import type { Sender } from './sender.ts';

/** Real time to wait after an error of the store before work continues. */
const STORE_RETRY_MS = 1000;
/** Share of the attempts in flight that is reserved for endpoints without one. */
const RESERVED_SHARE = 0.25;
/**
 * No attempt starts while this many wait for their commit. After a crash, these and those in flight are made again, so it equals
 * the default number of attempts in flight. A larger group would hardly make an attempt cheaper.
 */
export const MAX_UNRECORDED = 64;
const MAX_TIMER_MS = 2 ** 31 - 1;

interface DispatcherOptions {
  readonly sandbox: Sandbox;
  readonly sender: Sender;
  readonly onInternalError: (error: unknown) => void;
}

/** Number of due rows of an endpoint that are read at once. */
const READ_COUNT = 64;

/** An endpoint with due deliveries that were not started. */
interface Turn extends Omit<DueDelivery, 'seq'> {
  /** The next ones, in order. They are read again after any change but a new delivery. */
  due: number[];
  hasMore: boolean;
}

export class Dispatcher {
  readonly #sandbox: Sandbox;
  readonly #sender: Sender;
  readonly #onInternalError: (error: unknown) => void;
  /** The attempts that have started and are not committed, by the sequence of their delivery. No other attempt of it starts meanwhile. */
  readonly #attempts = new Map<number, DueDelivery>();
  /** Those that have a response, so that the next attempt to their endpoint can start. */
  readonly #unrecorded = new Set<DueDelivery>();
  /** Number of the others by the sequence of their endpoint. */
  readonly #inFlightTo = new Map<number, number>();
  /** By the sequence of the endpoint, in the order of their turns. */
  readonly #turns = new Map<number, Turn>();
  /** Endpoints with a delivery that a `reorder` fault has delayed until another one was sent. */
  readonly #reordered = new Set<number>();
  /** Whether other rows may have changed than those of new deliveries and attempts, so that all due times must be read. */
  #isStale = true;
  #isTurnRequested = false;
  #state: 'new' | 'running' | 'stopping' | 'stopped' = 'new';
  /** Monotonic time before which nothing is sent, after an error of the store. */
  #backOffUntil = 0;
  #lastError = '';
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic time at which {@link #timer} ends. */
  #wakesAt = 0;
  #unsubscribe = () => {};
  readonly #waiters = new Set<() => void>();

  constructor({ sandbox, sender, onInternalError }: DispatcherOptions) {
    this.#sandbox = sandbox;
    this.#sender = sender;
    this.#onInternalError = onInternalError;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Number of attempts that have started and are not committed. */
  get inFlight(): number {
    return this.#attempts.size;
  }

  get #startedSeqs(): number[] {
    return [...this.#attempts.keys()];
  }

  start(): void {
    this.#state = 'running';
    this.#unsubscribe = this.#sandbox.bus.subscribe((event) => this.#onEvent(event));
    this.#takeTurns();
  }

  /**
   * Starts no new attempts and gives those in flight up to `graceMs` of real time to end. An attempt that has not ended
   * by then is not recorded, so it is made again after a restart.
   */
  async stop(graceMs: number): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopping';
    this.#unsubscribe();
    clearTimeout(this.#timer);
    for (const check of this.#waiters) check();
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
   * Resolves when a workspace has nothing due and nothing in flight, when it was removed, and when nothing can be sent
   * because the dispatcher has stopped or the database file is lost.
   */
  whenIdle(workspace: LoadedWorkspace): Promise<void> {
    const { store, workspaces } = this.#sandbox;
    return this.#waitFor(
      () =>
        !this.isRunning ||
        store.fileProblem !== null ||
        !workspaces.isCurrent(workspace) ||
        this.#isIdle(workspace),
    );
  }

  #isIdle(workspace: LoadedWorkspace): boolean {
    if (this.#sandbox.wall.monotonic() < this.#backOffUntil) return false;
    for (const attempt of this.#attempts.values()) if (attempt.workspace === workspace) return false;
    const { store, rules } = this.#sandbox;
    const now = workspace.clock.now();
    if (store.deliveries.listDueEndpoints(workspace.seq, now).length > 0) return false;
    return store.deliveries.findExpiry(workspace.seq, rules.retry.windowMs, this.#startedSeqs) > now;
  }

  #onEvent(event: SandboxEvent): void {
    if (event.type === 'state_replaced') {
      // The attempts in flight end without being recorded or counted.
      for (const memory of [this.#attempts, this.#unrecorded, this.#inFlightTo, this.#turns, this.#reordered])
        memory.clear();
      this.#backOffUntil = 0;
    }
    if (event.type !== 'delivery_due') this.#isStale = true;
    // A reset can have removed the workspace after the write that this event announces.
    else if (!this.#isStale && this.#sandbox.workspaces.isCurrent(event.workspace)) this.#addNew(event);
    this.#requestTurn();
  }

  #addNew({ seq, webhookSeq, workspace }: Omit<DueDelivery, 'waitingSince'>): void {
    const turn = this.#getTurn(webhookSeq, workspace);
    // It can have been read already, after its commit and before this event.
    if (turn.hasMore || turn.due.includes(seq) || this.#attempts.has(seq)) return;
    if (turn.due.length < READ_COUNT) turn.due.push(seq);
    else turn.hasMore = true;
  }

  #readAgain(webhookSeq: number, workspace: LoadedWorkspace): void {
    Object.assign(this.#getTurn(webhookSeq, workspace), { due: [], hasMore: true });
  }

  /** An endpoint that has no turn yet gets the last one. */
  #getTurn(webhookSeq: number, workspace: LoadedWorkspace): Turn {
    const current = this.#turns.get(webhookSeq);
    if (current !== undefined) return current;
    const waitingSince = this.#sandbox.wall.monotonic();
    const turn = { webhookSeq, workspace, waitingSince, due: [], hasMore: false };
    this.#turns.set(webhookSeq, turn);
    return turn;
  }

  /** Takes turns after all responses that have arrived, so that the next attempts are sent together, which takes less time. */
  #requestTurn(): void {
    if (this.#isTurnRequested) return;
    this.#isTurnRequested = true;
    setImmediate(() => {
      this.#isTurnRequested = false;
      this.#takeTurns();
    });
  }

  #takeTurns(): void {
    const now = this.#sandbox.wall.monotonic();
    // An attempt that cannot be recorded would be repeated for as long as the file is lost.
    if (this.#sandbox.store.fileProblem !== null) this.#backOffUntil = now + STORE_RETRY_MS;
    try {
      if (now < this.#backOffUntil) this.#setTimer(this.#backOffUntil - now);
      else if (this.isRunning) {
        if (this.#isStale) this.#readAll();
        this.#startAttempts();
      }
      this.#commitIfNeeded();
      for (const check of this.#waiters) check();
    } catch (error) {
      this.#backOff(error);
    }
  }

  /** Commits the results of attempts, unless more of those in flight can share the commit. */
  #commitIfNeeded(): void {
    const count = this.#unrecorded.size;
    if (count > 0 && (count === this.#attempts.size || count >= MAX_UNRECORDED))
      this.#sandbox.store.commitSoon();
  }

  /** Gives every endpoint with a due delivery a turn, expires paused deliveries, and sets the timer. */
  #readAll(): void {
    const { store, workspaces, rules } = this.#sandbox;
    let wakeInMs = Number.POSITIVE_INFINITY;
    for (const { webhookSeq, workspace } of this.#turns.values()) this.#readAgain(webhookSeq, workspace);
    for (const { seq } of store.workspaces.listAll()) {
      const workspace = workspaces.get(seq);
      const { clock } = workspace;
      const now = clock.now();
      for (const webhookSeq of store.deliveries.listDueEndpoints(seq, now))
        this.#readAgain(webhookSeq, workspace);
      const expiresAt = store.deliveries.findExpiry(seq, rules.retry.windowMs, this.#startedSeqs);
      if (expiresAt <= now) {
        // Without a timer, which would end at once until this is written. Then everything is read again.
        void this.#expirePaused(workspace);
        continue;
      }
      const nextAt = Math.min(expiresAt, store.deliveries.findNextDueAt(seq, now) ?? expiresAt);
      wakeInMs = Math.min(wakeInMs, clock.realMsUntil(nextAt));
    }
    this.#setTimer(wakeInMs);
    this.#isStale = false;
  }

  #startAttempts(): void {
    if (this.#turns.size === 0 || this.#unrecorded.size >= MAX_UNRECORDED) return;
    const { concurrency, concurrencyPerEndpoint } = this.#sandbox.rules.delivery;
    const shared = concurrency - Math.floor(concurrency * RESERVED_SHARE);
    // An endpoint with more due deliveries is added again, so this loop visits it again, after the others.
    for (const turn of this.#turns.values()) {
      const { webhookSeq, workspace, waitingSince } = turn;
      const count = this.#inFlightTo.get(webhookSeq) ?? 0;
      const inFlight = this.#attempts.size - this.#unrecorded.size;
      if (inFlight >= (count === 0 ? concurrency : shared) || count >= concurrencyPerEndpoint) continue;
      this.#turns.delete(webhookSeq);
      if (turn.due.length === 0 && turn.hasMore) this.#readDue(turn);
      const seq = turn.due.shift();
      if (seq === undefined) continue;
      if (turn.due.length > 0 || turn.hasMore) this.#turns.set(webhookSeq, turn);
      void this.#makeAttempt({ seq, webhookSeq, workspace, waitingSince });
    }
  }

  #readDue(turn: Turn): void {
    const { webhookSeq, workspace } = turn;
    const started = [...this.#attempts.values()].filter((attempt) => attempt.webhookSeq === webhookSeq);
    const limit = READ_COUNT + started.length;
    const due = this.#sandbox.store.deliveries.listDue(webhookSeq, workspace.clock.now(), limit);
    turn.due = due.filter((seq) => !this.#attempts.has(seq));
    turn.hasMore = due.length === limit;
  }

  async #makeAttempt(attempt: DueDelivery): Promise<void> {
    const { seq } = attempt;
    const isCurrent = () => this.#attempts.get(seq) === attempt;
    this.#attempts.set(seq, attempt);
    this.#countInFlight(attempt, 1);
    try {
      const record = await sendAttempt(this.#sandbox, this.#sender, attempt, this.#reordered);
      if (!isCurrent() || this.#state === 'stopped') return;
      this.#unrecorded.add(attempt);
      this.#countInFlight(attempt, -1);
      this.#requestTurn();
      const dueAt = await record();
      if (dueAt !== null && isCurrent()) this.#scheduleNext(attempt, dueAt);
    } catch (error) {
      // The row is unchanged and still due.
      if (isCurrent()) this.#backOff(error);
    } finally {
      if (isCurrent()) {
        this.#attempts.delete(seq);
        if (!this.#unrecorded.delete(attempt)) this.#countInFlight(attempt, -1);
        this.#requestTurn();
      }
    }
  }

  #countInFlight({ webhookSeq }: DueDelivery, change: 1 | -1): void {
    const count = (this.#inFlightTo.get(webhookSeq) ?? 0) + change;
    if (count === 0) this.#inFlightTo.delete(webhookSeq);
    else this.#inFlightTo.set(webhookSeq, count);
  }

  /** @param dueAt schedule time */
  #scheduleNext({ webhookSeq, workspace }: DueDelivery, dueAt: number): void {
    const waitMs = workspace.clock.realMsUntil(dueAt);
    if (waitMs <= 0) this.#readAgain(webhookSeq, workspace);
    else if (this.#sandbox.wall.monotonic() + waitMs < this.#wakesAt) this.#setTimer(waitMs);
  }

  /** Fails the paused deliveries whose retry window is over. Each is recorded as settled at the end of its window. */
  async #expirePaused({ seq: workspaceSeq, clock }: LoadedWorkspace): Promise<void> {
    const { store, rules } = this.#sandbox;
    const { windowMs } = rules.retry;
    try {
      await store.write(() => {
        const expired = store.deliveries.listExpired(workspaceSeq, windowMs, this.#startedSeqs, clock.now());
        for (const { seq, expires_at } of expired) store.deliveries.expire(seq, expires_at, store.nextSeq());
      });
    } catch (error) {
      this.#backOff(error);
    }
    this.#isStale = true;
    this.#requestTurn();
  }

  /** Reports the error. After a pause, everything is read again. */
  #backOff(error: unknown): void {
    const now = this.#sandbox.wall.monotonic();
    // Attempts that are in flight together usually fail together: report them once.
    if (now >= this.#backOffUntil || String(error) !== this.#lastError) this.#onInternalError(error);
    this.#lastError = String(error);
    this.#backOffUntil = now + STORE_RETRY_MS;
    this.#isStale = true;
    this.#setTimer(STORE_RETRY_MS);
  }

  /** Reads everything again in `realMs`, or earlier if that is further away than a timer can wait. */
  #setTimer(realMs: number): void {
    clearTimeout(this.#timer);
    this.#wakesAt = this.#sandbox.wall.monotonic() + realMs;
    if (!this.isRunning || realMs === Number.POSITIVE_INFINITY) return;
    const onWake = () => {
      this.#isStale = true;
      this.#takeTurns();
    };
    this.#timer = setTimeout(onWake, Math.min(Math.ceil(realMs), MAX_TIMER_MS));
  }

  /** Resolves when `condition` holds. It is checked after every turn. */
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
