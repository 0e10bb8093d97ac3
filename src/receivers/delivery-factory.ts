/** Creates signed deliveries that a correct receiver accepts, and the same with one deviation. */
import { MINUTE_MS } from '../domain/duration.ts';
import { UlidGenerator } from '../domain/ids.ts';
import { applyJsonEdits, getTextAtPath, parsePath } from '../domain/json-path.ts';
import { type AttemptValues, fillHeaders, type WebhookSender } from '../profile/senders.ts';
import { type EventValues, toEnvelope } from '../resources/event.ts';
import type { SignatureScheme } from '../signature/scheme.ts';
import { createSignatureHeaders } from '../signature/sign.ts';
import { formatTimestamp } from '../signature/signature-header.ts';
import type { DeliveryMessage, ReceiverResponse } from './receiver-client.ts';

export interface DeliveryFactoryOptions {
  readonly sender: WebhookSender;
  readonly secret: string;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
}

/** An event as it is delivered. */
export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

interface SignOptions extends Partial<Pick<AttemptValues, 'attempt' | 'lastOutcome'>> {
  /**
   * Secrets to sign with, in the order of their signatures (default: {@link DeliveryFactory.secret}). A scheme without a
   * separator uses only the first.
   */
  readonly secrets?: readonly string[];
  /** Age of the timestamp in milliseconds, by the clock of the receiver (default: signed now, by the clock of svc). */
  readonly ageMs?: number;
  /** The timestamp, in place of one with an age. */
  readonly timestamp?: string;
  /** Rounds the time down to a minute. */
  readonly isWholeMinute?: boolean;
  /** Not used if the header for it contains the ID of the event. */
  readonly deliveryId?: string;
}

export type SignedMessage = DeliveryMessage & {
  readonly event: SentEvent;
  readonly headers: Readonly<Record<string, string>>;
  /** The ID and the timestamp that are signed, if the scheme signs them. */
  readonly id: string;
  readonly timestamp: string;
};

/**
 * Close to the tolerance of five minutes (§6.3). With a larger difference a receiver would reject valid deliveries, so the header
 * `Date` probably shows another clock than the one with which it checks the age.
 */
const MAX_CLOCK_DIFFERENCE_MS = 4 * MINUTE_MS;
/** The header `Date` has whole seconds, rounded down. */
const DATE_ROUNDING_MS = 500;

export class DeliveryFactory {
  readonly sender: WebhookSender;
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly #options: DeliveryFactoryOptions;
  readonly #ids = new UlidGenerator();
  /** How far the clock of the receiver is ahead of `now`, in milliseconds; undefined before a `Date` header. */
  #clockDifferenceMs: number | undefined;

  constructor(options: DeliveryFactoryOptions) {
    this.#options = options;
    this.sender = options.sender;
    this.scheme = options.sender.scheme;
    this.secret = options.secret;
  }

  /** Returns a factory for the same receiver with another signature scheme. */
  withScheme(scheme: SignatureScheme): DeliveryFactory {
    const factory = new DeliveryFactory({ ...this.#options, sender: { ...this.sender, scheme } });
    factory.#clockDifferenceMs = this.#clockDifferenceMs;
    return factory;
  }

  /** Compares the clocks, with the first response that has a `Date` header. */
  noteServerTime(response: ReceiverResponse): void {
    if (response.status === null || Number.isNaN(response.serverTimeMs)) return;
    if (this.#clockDifferenceMs !== undefined) return;
    const differenceMs = response.serverTimeMs + DATE_ROUNDING_MS - this.#options.now();
    this.#clockDifferenceMs = Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS ? differenceMs : 0;
  }

  createId(kind: 'event' | 'delivery' | 'workspace'): string {
    return this.#ids.next(kind, this.#options.now());
  }

  /** The event as the sender delivers it, with its ID where receivers find it. */
  createEvent(event: EventValues): SentEvent {
    const { id, type, payload } = event;
    const { body: form, eventIdPath } = this.sender;
    if (form === 'envelope') return { id, type, body: toEnvelope(event) };
    if (eventIdPath === undefined) return { id, type, body: payload };
    const kind = getTextAtPath(payload, parsePath(eventIdPath)) === undefined ? 'add' : 'override';
    return {
      id,
      type,
      body: applyJsonEdits(payload, [{ kind, path: eventIdPath, value: JSON.stringify(id) }]),
    };
  }

  /** Signs an event as the sender does, apart from the options. */
  sign(event: SentEvent, { secrets = [this.secret], ageMs, ...options }: SignOptions = {}): SignedMessage {
    const signingTime = this.#getSigningTime(ageMs);
    const time = options.isWholeMinute ? signingTime - (signingTime % MINUTE_MS) : signingTime;
    const {
      deliveryId = this.createId('delivery'),
      timestamp = formatTimestamp(this.scheme.timestampFormat, time),
      attempt = 1,
      lastOutcome,
    } = options;
    const { type, body } = event;
    const id = this.sender.eventIdPath === undefined ? event.id : deliveryId;
    const headers = {
      ...fillHeaders(this.sender, { id, timestamp, type, attempt, ...(lastOutcome && { lastOutcome }) }),
      ...createSignatureHeaders(this.scheme, secrets, { id, timestamp, body }),
    };
    return { event, body, headers, id, timestamp };
  }

  #getSigningTime(ageMs: number | undefined): number {
    const now = this.#options.now();
    return ageMs === undefined ? now : now + (this.#clockDifferenceMs ?? 0) - ageMs;
  }
}
