/** Plays a sequence against a receiver, as the service would, and records what happens. */
import { DAY_MS, SECOND_MS } from '../domain/duration.ts';
import { BASE32_DIGITS, UlidGenerator } from '../domain/ids.ts';
import { sleep } from '../platform/timers.ts';
import type { DeliveryFactory, SentEvent } from './delivery-factory.ts';
import {
  type DeliveryMessage,
  isAccepted,
  isRejected,
  isUnreachable,
  type ReceiverClient,
  type ReceiverResponse,
} from './receiver-client.ts';
import {
  type CustomStep,
  type DeliverStep,
  groupSteps,
  type PlayedSequence,
  type PlayedStep,
  type SequenceEvent,
  toPayloadText,
} from './sequence.ts';
import type { ExpectedSideEffects, SideEffectObserver, SideEffects } from './side-effect-observer.ts';
import { getTamperedDelivery } from './tampered-deliveries.ts';

/** An event of the sequence, or one that a burst or a health check sends. */
export interface PlayedEvent {
  readonly id: string;
  /** Its index in the sequence; null for other events. */
  readonly index: number | null;
}

/** A request, and what came back. */
export interface Exchange {
  /** The index of the step; null for a health check: a delivery that shows whether the receiver still accepts any. */
  readonly step: number | null;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly event: PlayedEvent;
  /** False for an attack. */
  readonly isGenuine: boolean;
  /** Whether the receiver was being restarted when the request was sent. It may then fail in any way. */
  readonly isDuringRestart: boolean;
  readonly response: ReceiverResponse;
}

export interface PlayRecord {
  readonly sequence: PlayedSequence;
  readonly exchanges: readonly Exchange[];
  /** Whether the receiver accepted a delivery of this or an earlier sequence. */
  readonly hasAccepted: boolean;
  /**
   * Null if side effects are not observed, if the receiver no longer accepts deliveries or is still working, or after an interrupt
   * before the side effects are awaited.
   */
  readonly sideEffects: SideEffects | null;
}

/** What a play repeats, and how long it waits. */
export interface PlayLimits {
  /** Time limit for a response or a side effect, and for a receiver that cannot accept a delivery yet, for example with status 429. */
  readonly timeoutMs: number;
  /** Whether to repeat what fails, as the service does. */
  readonly repeats: boolean;
  /** Whether to wait for side effects, if they can be observed. */
  readonly observes: boolean;
}

export interface PlayOptions {
  readonly client: ReceiverClient;
  readonly factory: DeliveryFactory;
  /** The event that bursts and health checks send. */
  readonly template: SequenceEvent;
  /** Null if side effects are not observed. */
  readonly observer: SideEffectObserver | null;
  /** Restarts the receiver and resolves when it responds; null if it cannot be restarted. */
  readonly restart: (() => Promise<void>) | null;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Delays before the second and later attempts. The service waits for minutes, but this would only make plays slower. */
const RETRY_DELAYS_MS = [50, 200, 500];
/** After more attempts, if the receiver cannot accept the delivery yet. */
const LAST_RETRY_DELAY_MS = 500;
/** After these statuses an identical request can succeed later, for example after a burst or the work on an earlier delivery. */
const laterStatuses: ReadonlySet<number | null> = new Set([408, 409, 423, 425, 429, 503]);
/** How long such a request is repeated. */
const MAX_LATER_MS = 10 * SECOND_MS;
/** What the sender sees. A response that was cut off is a timeout. */
const outcomesByFailure = {
  cut: 'timeout',
  timeout: 'timeout',
  tls: 'tls_error',
  connection: 'connection_error',
} as const;
/** How many deliveries of a burst are in flight at a time. */
const BURST_CONCURRENCY = 50;
const HEALTH_CHECK_INTERVAL_MS = 250;
/** Time for a receiver to recover after a sequence, for example from a burst. */
const RECOVERY_MS = 3 * SECOND_MS;

/** One play of a sequence. It uses new IDs, so that the receiver has not seen the events. */
export class SequencePlay {
  readonly #options: PlayOptions;
  readonly #sequence: PlayedSequence;
  readonly #limits: PlayLimits;
  /** Wall time of the start in milliseconds since 1970; later if an event of the sequence is created later. */
  readonly #startedAt: number;
  readonly #ids = new UlidGenerator();
  /** For bursts and health checks. Not `#ids`, because {@link toSimilarId} could return its next IDs. */
  readonly #otherIds = new UlidGenerator();
  readonly #workspaceId: string;
  readonly #events: readonly SentEvent[];
  /** With the index null. */
  readonly #otherEvents: PlayedEvent[] = [];
  /** The latest delivery of each event by its index. A step sends it again, unless it makes a new one. */
  readonly #deliveryIds = new Map<number, string>();
  /** The number of attempts of each delivery, by its ID. */
  readonly #attempts = new Map<string, number>();
  readonly #exchanges: Exchange[] = [];
  /** The restart that is in progress; null without one. */
  #restarting: Promise<void> | null = null;
  /** Whether a valid delivery was not accepted in the end. No further step starts then, because the sequence usually fails. */
  #hasFailed = false;

  /**
   * @param createdAfter no event of earlier plays was created later. The events of this play are created after it, except those
   *   with `days_old`.
   */
  constructor(options: PlayOptions, sequence: PlayedSequence, limits: PlayLimits, createdAfter: number) {
    this.#options = options;
    this.#sequence = sequence;
    this.#limits = limits;
    const count = sequence.events.length;
    const firstCreatedAt = Math.max(createdAfter + 1, options.now() - count * SECOND_MS);
    const distanceMs = Math.max(1, Math.floor((options.now() - firstCreatedAt) / Math.max(1, count)));
    this.#startedAt = Math.max(options.now(), firstCreatedAt + count * distanceMs);
    this.#workspaceId = this.#ids.next('workspace', this.#startedAt);
    const firstId = this.#ids.next('event', this.#startedAt);
    this.#events = sequence.events.map((event, index) =>
      this.#createEvent(
        toSimilarId(firstId, index),
        event,
        firstCreatedAt + index * distanceMs - (event.days_old ?? 0) * DAY_MS,
      ),
    );
  }

  #createEvent(id: string, event: SequenceEvent, createdAt: number): SentEvent {
    return this.#options.factory.createEvent({
      id,
      workspace_id: this.#workspaceId,
      type: event.type,
      payload: toPayloadText(event),
      created_at: createdAt,
    });
  }

  /** No event of this play was created later, in milliseconds since 1970. */
  get latestCreatedAt(): number {
    return this.#startedAt;
  }

  async run(): Promise<Omit<PlayRecord, 'hasAccepted'>> {
    const { observer, signal } = this.#options;
    const { timeoutMs, observes } = this.#limits;
    const isObserved = observer !== null && observes;
    if (isObserved && !(await this.#readWhileRunning(() => observer.begin(timeoutMs)))) {
      return { sequence: this.#sequence, exchanges: this.#exchanges, sideEffects: null };
    }
    for (const group of groupSteps(this.#sequence.steps)) {
      if (this.#isOver()) break;
      // No request is in flight here.
      if (!group.some(([, step]) => 'keep_connection' in step)) this.#options.client.closeConnections();
      await Promise.all(group.map(([index, step]) => this.#runStep(step, index)));
    }
    const isRunning = !this.#isInDoubt() || (await this.#checkHealth());
    const expected = this.#listExpectedSideEffects();
    let sideEffects: SideEffects | null = null;
    if (isObserved && !signal.aborted && isRunning) {
      sideEffects = await this.#readWhileRunning(() => observer.wait(expected, timeoutMs));
    } else observer?.postpone(expected);
    return { sequence: this.#sequence, exchanges: this.#exchanges, sideEffects };
  }

  #isOver(): boolean {
    return this.#hasFailed || this.#options.signal.aborted;
  }

  /** @returns null if the receiver, which often returns its side effects itself, no longer runs */
  async #readWhileRunning<Result>(read: () => Promise<Result>): Promise<Result | null> {
    try {
      return await read();
    } catch (error) {
      const isRunning = await this.#checkHealth();
      this.#options.observer?.postpone(this.#listExpectedSideEffects());
      if (isRunning) throw error;
      return null;
    }
  }

  #runStep(step: PlayedStep, index: number): Promise<void> {
    switch (step.kind) {
      case 'deliver':
        return this.#deliver(step, index);
      case 'attack':
        return this.#sendCustom({ ...step, ...getTamperedDelivery(step.attack), isGenuine: false }, index);
      case 'custom':
        return this.#sendCustom(step, index);
      case 'burst':
        return this.#burst(step.count, index);
      case 'pause':
        return sleep(step.ms, this.#options.signal);
      case 'restart':
        return this.#restart();
    }
  }

  async #restart(): Promise<void> {
    this.#restarting = this.#options.restart?.() ?? null;
    await this.#restarting;
    this.#restarting = null;
  }

  async #deliver(step: DeliverStep, index: number): Promise<void> {
    const event = this.#events[step.event];
    if (event === undefined) return;
    const deliveryId = this.#getDeliveryId(step);
    const played = { id: event.id, index: step.event };
    await this.#sendUntilSettled({ event: played, step: index, isGenuine: true }, (last) => ({
      ...this.#signAttempt(event, deliveryId, last),
      hasSlowBody: step.slow_body,
      keepsConnection: step.keep_connection,
      failure: last === null ? step.failure : undefined,
    }));
  }

  /**
   * @param last the response to the attempt before. Null for a step's first attempt. If an earlier step sent the same delivery, its
   *   response was lost.
   */
  #signAttempt(event: SentEvent, deliveryId: string, last: ReceiverResponse | null): DeliveryMessage {
    const attempt = (this.#attempts.get(deliveryId) ?? 0) + 1;
    this.#attempts.set(deliveryId, attempt);
    const lastOutcome = () =>
      last?.failure === null ? 'http_error' : outcomesByFailure[last?.failure ?? 'cut'];
    return this.#options.factory.sign(event, { deliveryId, attempt, lastOutcome });
  }

  #getDeliveryId({ event, new_delivery: isNew }: DeliverStep): string {
    const id =
      (isNew ? undefined : this.#deliveryIds.get(event)) ?? this.#options.factory.createId('delivery');
    this.#deliveryIds.set(event, id);
    return id;
  }

  /**
   * Sends a delivery, and again as the service does, but sooner, until it is accepted, an attack is rejected, or
   * {@link getRetryDelay} gives up.
   */
  async #sendUntilSettled(
    delivery: Pick<Exchange, 'event' | 'step' | 'isGenuine'>,
    createRequest: (last: ReceiverResponse | null) => DeliveryMessage,
  ): Promise<void> {
    let startedAt = performance.now();
    let failures = 0;
    let last: ReceiverResponse | null = null;
    for (let attempt = 1; ; attempt++) {
      const restarting = this.#restarting;
      const response = await this.#send(createRequest(last), { ...delivery, attempt });
      last = response;
      const isSettled = isAccepted(response) || (!delivery.isGenuine && isRejected(response));
      if (isSettled || this.#options.signal.aborted) return;
      if (restarting !== null) {
        await restarting;
        startedAt = performance.now();
        continue;
      }
      const isCut = response.failure === 'cut';
      const delayMs = isCut
        ? RETRY_DELAYS_MS[0]
        : this.#limits.repeats
          ? getRetryDelay(response, ++failures, performance.now() - startedAt, this.#limits.timeoutMs)
          : undefined;
      if (delayMs === undefined) {
        this.#hasFailed ||= delivery.isGenuine;
        return;
      }
      await sleep(delayMs, this.#options.signal);
    }
  }

  async #sendCustom(
    { event: index, isGenuine, create }: Omit<CustomStep, 'kind'>,
    step: number,
  ): Promise<void> {
    const event = this.#events[index];
    if (event === undefined) return;
    const request = create(this.#options.factory, event);
    const { id } = request.event ?? event;
    const isOther = id !== event.id;
    const sent = { id, index: isOther ? null : index };
    if (isOther) this.#otherEvents.push(sent);
    await this.#sendUntilSettled({ event: sent, step, isGenuine }, () => request);
  }

  async #burst(count: number, step: number): Promise<void> {
    const events = Array.from({ length: count }, () => this.#createOtherEvent());
    const sendNext = async (): Promise<void> => {
      for (let event = events.shift(); event !== undefined; event = events.shift()) {
        if (this.#isOver()) return;
        const deliveryId = this.#options.factory.createId('delivery');
        await this.#sendUntilSettled({ event, step, isGenuine: true }, (last) =>
          this.#createOtherRequest(event, deliveryId, last),
        );
      }
    };
    await Promise.all(Array.from({ length: Math.min(count, BURST_CONCURRENCY) }, sendNext));
  }

  /** Whether the receiver might not accept deliveries any more. */
  #isInDoubt(): boolean {
    return (
      this.#sequence.steps.some(({ kind }) => kind === 'burst') ||
      this.#exchanges.some(({ response }) => response.failure === 'timeout' || isUnreachable(response))
    );
  }

  /** Sends other events until one is accepted. @returns false if none is in the time to recover, or after a timeout or an interrupt */
  async #checkHealth(): Promise<boolean> {
    const startedAt = performance.now();
    while (!this.#options.signal.aborted) {
      const event = this.#createOtherEvent();
      const request = this.#createOtherRequest(event, this.#options.factory.createId('delivery'), null);
      const response = await this.#send(request, { step: null, attempt: 1, event, isGenuine: true });
      if (isAccepted(response)) return true;
      const isOver = performance.now() - startedAt >= Math.min(RECOVERY_MS, this.#limits.timeoutMs);
      if (response.failure === 'timeout' || isOver) return false;
      await sleep(HEALTH_CHECK_INTERVAL_MS, this.#options.signal);
    }
    return false;
  }

  #createOtherEvent(): PlayedEvent {
    const event = { id: this.#otherIds.next('event', this.#startedAt), index: null };
    this.#otherEvents.push(event);
    return event;
  }

  #createOtherRequest(
    { id }: PlayedEvent,
    deliveryId: string,
    last: ReceiverResponse | null,
  ): DeliveryMessage {
    const event = this.#createEvent(id, this.#options.template, this.#startedAt);
    return this.#signAttempt(event, deliveryId, last);
  }

  async #send(
    request: DeliveryMessage,
    exchange: Omit<Exchange, 'response' | 'isDuringRestart'>,
  ): Promise<ReceiverResponse> {
    const isDuringRestart = this.#restarting !== null;
    const response = await this.#options.client.send(request, this.#limits.timeoutMs);
    this.#exchanges.push({ ...exchange, isDuringRestart, response });
    return response;
  }

  #listExpectedSideEffects(): ExpectedSideEffects {
    const accepted = this.#exchanges.filter(({ isGenuine, response }) => isGenuine && isAccepted(response));
    const acceptedIds = new Set(accepted.map(({ event }) => event.id));
    return new Map(
      [...this.#events, ...this.#otherEvents].map(({ id }) => [id, acceptedIds.has(id) ? 1 : 0]),
    );
  }
}

/**
 * How long to wait for the next attempt. After a status in {@link laterStatuses}, attempts continue for some time. After
 * another 4xx, there is one more attempt if it is the first failure. After a timeout, there is none. After anything else,
 * there are up to three.
 * @param failures attempts that failed, at least 1, without those that were cut off or sent during a restart
 * @param elapsedMs since the first attempt, or since the last restart
 * @param limitMs how long a delivery is repeated that can succeed later
 * @returns undefined to give up
 */
function getRetryDelay(
  response: ReceiverResponse,
  failures: number,
  elapsedMs: number,
  limitMs: number,
): number | undefined {
  if (response.failure === 'timeout') return undefined;
  const delayMs = RETRY_DELAYS_MS[failures - 1];
  if (response.failure === null && laterStatuses.has(response.status)) {
    const laterMs = delayMs ?? LAST_RETRY_DELAY_MS;
    return elapsedMs + laterMs <= Math.min(MAX_LATER_MS, limitMs) ? laterMs : undefined;
  }
  return isRejected(response) && failures > 1 ? undefined : delayMs;
}

/**
 * An ID that differs from those of the other events in one or two characters. The IDs of events 1 and 2 differ only in the last
 * character, as do those of 3 and 4, and so on. Each of these pairs has another second character; the first one can only be 0 to 7.
 * A receiver that compares only a part of the IDs takes two events for one.
 */
function toSimilarId(firstId: string, index: number): string {
  const last = firstId.length - 1;
  const second = firstId.indexOf('_') + 2;
  const withLast = index % 2 === 0 ? firstId : shiftDigit(firstId, last, (index + 1) >> 1);
  return index < 2 ? withLast : shiftDigit(withLast, second, index >> 1);
}

function shiftDigit(id: string, position: number, distance: number): string {
  const digit = BASE32_DIGITS.indexOf(id[position] ?? '0');
  return id.slice(0, position) + BASE32_DIGITS[(digit + distance) % 32] + id.slice(position + 1);
}
