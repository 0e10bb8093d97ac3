/** Plays a sequence against a receiver, as the service would, and records what happens. */
import { DAY_MS, SECOND_MS } from '../domain/duration.ts';
import { BASE32_DIGITS, UlidGenerator } from '../domain/ids.ts';
import { sleep } from '../platform/timers.ts';
import { DeliveryFactory, type DeliveryFactoryOptions, type SentEvent } from './delivery-factory.ts';
import {
  createReceiverClient,
  type DeliveryMessage,
  isAccepted,
  isRejected,
  isUnreachable,
  type ReceiverClient,
  type ReceiverClientOptions,
  type ReceiverResponse,
} from './receiver-client.ts';
import {
  type CustomStep,
  type DeliverStep,
  type EventTemplate,
  groupSteps,
  type PlayedSequence,
  type PlayedStep,
  type SequenceEvent,
  toPayloadText,
} from './sequence.ts';
import { type ExpectedSideEffects, SideEffectObserver, type SideEffects } from './side-effect-observer.ts';
import type { ReadSideEffects } from './side-effect-reader.ts';
import { getTamperedDelivery } from './tampered-deliveries.ts';

export interface SessionOptions extends ReceiverClientOptions, DeliveryFactoryOptions {
  /** Time limit for a response or a side effect. */
  readonly timeoutMs: number;
  /** Null if side effects are not observed. If it returns IDs, the side effects of other senders do not count. */
  readonly readSideEffects: ReadSideEffects | null;
  /** Restarts the receiver and resolves when it responds; null if it cannot be restarted. */
  readonly restart: (() => Promise<void>) | null;
}

/** What the plays against a receiver share. */
export class PlayContext {
  readonly options: SessionOptions;
  readonly client: ReceiverClient;
  readonly factory: DeliveryFactory;
  /** An event that the receiver knows. Bursts and health checks send it. */
  readonly template: EventTemplate;
  /** Null if side effects are not observed. */
  readonly observer: SideEffectObserver | null;
  /** No event so far was created later, in milliseconds since 1970. */
  latestCreatedAt = 0;

  /** @throws SvcError `usage` for a URL to which deliveries may not go */
  constructor(options: SessionOptions, { type, payload }: EventTemplate) {
    const { readSideEffects, signal } = options;
    this.options = options;
    this.template = { type, payload };
    this.client = createReceiverClient(options);
    this.factory = new DeliveryFactory(options);
    this.observer = readSideEffects === null ? null : new SideEffectObserver(readSideEffects, signal);
  }
}

/** A request, and what came back. */
export interface Exchange {
  /** The index of the step; null for a health check: a delivery that shows whether the receiver still accepts any. */
  readonly step: number | null;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The index is that in the sequence; null for an event that a burst or a health check sends. */
  readonly event: { readonly id: string; readonly index: number | null };
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

/** Delays before the second and later attempts. The service waits for minutes, but this would only make plays slower. */
const RETRY_DELAYS_MS = [50, 200, 500];
/** After more attempts, if the receiver cannot accept the delivery yet. */
const LAST_RETRY_DELAY_MS = 500;
/** After these statuses an identical request can succeed later, for example after a burst or the work on an earlier delivery. */
const laterStatuses: ReadonlySet<number | null> = new Set([408, 409, 423, 425, 429, 503]);
/** How long such a request is repeated. */
const MAX_LATER_MS = 10 * SECOND_MS;
/** How long a health check is repeated: time for a receiver to recover, for example from a burst. */
const RECOVERY_MS = 3 * SECOND_MS;
/** What the sender sees. A response that was cut off is a timeout. */
const outcomesByFailure = {
  cut: 'timeout',
  timeout: 'timeout',
  tls: 'tls_error',
  connection: 'connection_error',
} as const;
/** How many deliveries of a burst are in flight at a time. */
const BURST_CONCURRENCY = 50;

/** One play of a sequence. It uses new IDs, so that the receiver has not seen the events. */
export class SequencePlay {
  readonly #context: PlayContext;
  readonly #sequence: PlayedSequence;
  readonly #limits: PlayLimits;
  readonly #signal: AbortSignal;
  /** Wall time of the start in milliseconds since 1970; later if an event of the sequence is created later. */
  readonly #startedAt: number;
  readonly #workspaceId: string;
  readonly #events: readonly SentEvent[];
  /** For bursts and health checks. Another generator than for the sequence: {@link toSimilarId} could return its next IDs. */
  readonly #otherIds = new UlidGenerator();
  /** The latest delivery of each event by its index. A step sends it again, unless it makes a new one. */
  readonly #deliveryIds = new Map<number, string>();
  /** The number of attempts of each delivery, by its ID. */
  readonly #attempts = new Map<string, number>();
  readonly #exchanges: Exchange[] = [];
  /** The restart that is in progress; null without one. */
  #restarting: Promise<void> | null = null;
  /** Whether a valid delivery was not accepted in the end. No further step starts then, because the sequence usually fails. */
  #hasFailed = false;

  constructor(context: PlayContext, sequence: PlayedSequence, limits: PlayLimits) {
    this.#context = context;
    this.#sequence = sequence;
    this.#limits = limits;
    this.#signal = context.options.signal;
    const now = context.options.now();
    const count = sequence.events.length;
    // The events are created after those of earlier plays, except those with `days_old`.
    const firstCreatedAt = Math.max(context.latestCreatedAt + 1, now - count * SECOND_MS);
    const distanceMs = Math.max(1, Math.floor((now - firstCreatedAt) / Math.max(1, count)));
    this.#startedAt = Math.max(now, firstCreatedAt + count * distanceMs);
    context.latestCreatedAt = this.#startedAt;
    const ids = new UlidGenerator();
    this.#workspaceId = ids.next('workspace', this.#startedAt);
    const firstId = ids.next('event', this.#startedAt);
    this.#events = sequence.events.map((event, index) => {
      const createdAt = firstCreatedAt + index * distanceMs - (event.days_old ?? 0) * DAY_MS;
      return this.#createEvent(toSimilarId(firstId, index), event, createdAt);
    });
  }

  #createEvent(id: string, event: SequenceEvent, createdAt: number): SentEvent {
    return this.#context.factory.createEvent({
      id,
      workspace_id: this.#workspaceId,
      type: event.type,
      payload: toPayloadText(event),
      created_at: createdAt,
    });
  }

  async run(): Promise<Omit<PlayRecord, 'hasAccepted'>> {
    const { observer, client } = this.#context;
    const { timeoutMs, observes } = this.#limits;
    const record = { sequence: this.#sequence, exchanges: this.#exchanges, sideEffects: null };
    const isObserved = observer !== null && observes;
    if (isObserved && !(await this.#readWhileRunning(() => observer.begin(timeoutMs)))) return record;
    for (const group of groupSteps(this.#sequence.steps)) {
      if (this.#isOver()) break;
      // No request is in flight here.
      if (!group.some(([, step]) => 'keep_connection' in step)) client.closeConnections();
      await Promise.all(group.map(([index, step]) => this.#runStep(step, index)));
    }
    const isRunning = !this.#isInDoubt() || (await this.#deliverOther(null));
    const expected = this.#listExpectedSideEffects();
    if (isObserved && !this.#signal.aborted && isRunning) {
      const sideEffects = await this.#readWhileRunning(() => observer.wait(expected, timeoutMs));
      return { ...record, sideEffects };
    }
    observer?.postpone(expected);
    return record;
  }

  #isOver(): boolean {
    return this.#hasFailed || this.#signal.aborted;
  }

  /** @returns null if the receiver, which often returns its side effects itself, no longer runs */
  async #readWhileRunning<Result>(read: () => Promise<Result>): Promise<Result | null> {
    try {
      return await read();
    } catch (error) {
      const isRunning = await this.#deliverOther(null);
      this.#context.observer?.postpone(this.#listExpectedSideEffects());
      if (isRunning) throw error;
      return null;
    }
  }

  async #runStep(step: PlayedStep, index: number): Promise<void> {
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
        return sleep(step.ms, this.#signal);
      case 'restart':
        this.#restarting = this.#context.options.restart?.() ?? null;
        await this.#restarting;
        this.#restarting = null;
    }
  }

  async #deliver(step: DeliverStep, index: number): Promise<void> {
    const event = this.#events[step.event];
    if (event === undefined) return;
    const earlierId = step.new_delivery ? undefined : this.#deliveryIds.get(step.event);
    const deliveryId = earlierId ?? this.#context.factory.createDeliveryId();
    this.#deliveryIds.set(step.event, deliveryId);
    const delivery = { event: { id: event.id, index: step.event }, step: index, isGenuine: true };
    await this.#sendUntilSettled(delivery, (last) => ({
      ...this.#signAttempt(event, deliveryId, last),
      hasSlowBody: step.slow_body,
      keepsConnection: step.keep_connection,
      failure: last === null ? step.failure : undefined,
    }));
  }

  /** Delivers an event that is not in the sequence. @returns whether it was accepted */
  #deliverOther(step: number | null): Promise<boolean> {
    const { factory, template } = this.#context;
    const id = this.#otherIds.next('event', this.#startedAt);
    const event = this.#createEvent(id, template, this.#startedAt);
    const deliveryId = factory.createDeliveryId();
    return this.#sendUntilSettled({ event: { id, index: null }, step, isGenuine: true }, (last) =>
      this.#signAttempt(event, deliveryId, last),
    );
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
    return this.#context.factory.sign(event, { deliveryId, attempt, lastOutcome });
  }

  async #sendCustom(
    { event: index, isGenuine, create }: Omit<CustomStep, 'kind'>,
    step: number,
  ): Promise<void> {
    const event = this.#events[index];
    if (event === undefined) return;
    const request = create(this.#context.factory, event);
    await this.#sendUntilSettled({ event: { id: event.id, index }, step, isGenuine }, () => request);
  }

  async #burst(count: number, step: number): Promise<void> {
    let remaining = count;
    const sendNext = async (): Promise<void> => {
      while (remaining-- > 0 && !this.#isOver()) await this.#deliverOther(step);
    };
    await Promise.all(Array.from({ length: Math.min(count, BURST_CONCURRENCY) }, sendNext));
  }

  /**
   * Sends a delivery, and again as the service does, but sooner, until it is accepted, an attack is rejected, or
   * {@link getRetryDelay} gives up.
   * @returns whether it was accepted
   */
  async #sendUntilSettled(
    delivery: Pick<Exchange, 'event' | 'step' | 'isGenuine'>,
    createRequest: (last: ReceiverResponse | null) => DeliveryMessage,
  ): Promise<boolean> {
    const { timeoutMs, repeats } = this.#limits;
    let startedAt = performance.now();
    let failures = 0;
    let last: ReceiverResponse | null = null;
    for (let attempt = 1; ; attempt++) {
      const restarting = this.#restarting;
      const response = await this.#context.client.send(createRequest(last), timeoutMs);
      this.#exchanges.push({ ...delivery, attempt, isDuringRestart: restarting !== null, response });
      last = response;
      if (isAccepted(response)) return true;
      if (this.#signal.aborted || (!delivery.isGenuine && isRejected(response))) return false;
      if (restarting !== null) {
        await restarting;
        startedAt = performance.now();
        continue;
      }
      const isCut = response.failure === 'cut';
      if (!isCut) failures++;
      const isHealthCheck = delivery.step === null;
      const isRepeated = repeats || isCut || isHealthCheck;
      const laterMs = isHealthCheck ? RECOVERY_MS : laterStatuses.has(response.status) ? MAX_LATER_MS : 0;
      const endMs = Math.min(laterMs, timeoutMs);
      const delayMs = getRetryDelay(response, failures, performance.now() - startedAt, endMs);
      if (!isRepeated || delayMs === undefined) {
        this.#hasFailed ||= delivery.isGenuine;
        return false;
      }
      await sleep(delayMs, this.#signal);
    }
  }

  /** Whether the receiver might not accept deliveries any more. */
  #isInDoubt(): boolean {
    return (
      this.#sequence.steps.some(({ kind }) => kind === 'burst') ||
      this.#exchanges.some(({ response }) => response.failure === 'timeout' || isUnreachable(response))
    );
  }

  #listExpectedSideEffects(): ExpectedSideEffects {
    const expected = new Map(this.#exchanges.map(({ event }) => [event.id, 0]));
    for (const { event, isGenuine, response } of this.#exchanges) {
      if (isGenuine && isAccepted(response)) expected.set(event.id, 1);
    }
    return expected;
  }
}

/**
 * How long to wait for the next attempt. If the delivery can succeed later, attempts continue for that time. After another 4xx,
 * there is one more attempt if it is the first failure. After a timeout, there is none. After anything else, there are up to three.
 * @param failures attempts that failed, without those that were cut off or sent during a restart
 * @param elapsedMs since the first attempt, or since the last restart
 * @param laterMs how long a delivery is repeated that can succeed later; 0 for another
 * @returns undefined to give up
 */
function getRetryDelay(
  response: ReceiverResponse,
  failures: number,
  elapsedMs: number,
  laterMs: number,
): number | undefined {
  if (response.failure === 'timeout') return undefined;
  const delayMs = RETRY_DELAYS_MS[Math.max(1, failures) - 1];
  if (laterMs === 0) return isRejected(response) && failures > 1 ? undefined : delayMs;
  const nextMs = delayMs ?? LAST_RETRY_DELAY_MS;
  return elapsedMs + nextMs <= laterMs ? nextMs : undefined;
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
