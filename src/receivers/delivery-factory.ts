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
  /** Default: that of the sender. */
  readonly scheme?: SignatureScheme;
  /**
   * Secrets to sign with, in the order of their signatures (default: {@link DeliveryFactory.secret}). A scheme without a
   * separator uses only the first.
   */
  readonly secrets?: readonly string[];
  /** Age of the timestamp in milliseconds, by the clock of the receiver (default: signed now, by the clock of svc). */
  readonly ageMs?: number;
  /** The timestamp, in place of one with an age. */
  readonly timestamp?: string;
  /** Not used if the header for it contains the ID of the event. */
  readonly deliveryId?: string;
}

export type SignedMessage = DeliveryMessage & {
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
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly #options: DeliveryFactoryOptions;
  readonly #ids = new UlidGenerator();
  /** How far the clock of the receiver is ahead of `now`, in milliseconds; undefined before a `Date` header. */
  #clockDifferenceMs: number | undefined;

  constructor(options: DeliveryFactoryOptions) {
    this.#options = options;
    this.scheme = options.sender.scheme;
    this.secret = options.secret;
  }

  /** Compares the clocks, with the first response that has a `Date` header. */
  noteServerTime(response: ReceiverResponse): void {
    if (response.status === null || Number.isNaN(response.serverTimeMs)) return;
    if (this.#clockDifferenceMs !== undefined) return;
    const differenceMs = response.serverTimeMs + DATE_ROUNDING_MS - this.#options.now();
    this.#clockDifferenceMs = Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS ? differenceMs : 0;
  }

  createDeliveryId(): string {
    return this.#ids.next('delivery', this.#options.now());
  }

  /** The event as the sender delivers it, with its ID where receivers find it. */
  createEvent(event: EventValues): SentEvent {
    const { id, type, payload } = event;
    const { body: form, eventIdPath } = this.#options.sender;
    if (form === 'envelope') return { id, type, body: toEnvelope(event) };
    if (eventIdPath === undefined) return { id, type, body: payload };
    const kind = getTextAtPath(payload, parsePath(eventIdPath)) === undefined ? 'add' : 'override';
    const edit = { kind, path: eventIdPath, value: JSON.stringify(id) } as const;
    return { id, type, body: applyJsonEdits(payload, [edit]) };
  }

  /** Signs an event as the sender does, apart from the options. */
  sign(event: SentEvent, options: SignOptions = {}): SignedMessage {
    const { scheme = this.scheme, secrets = [this.secret], ageMs, attempt = 1, lastOutcome } = options;
    const now = this.#options.now();
    const time = ageMs === undefined ? now : now + (this.#clockDifferenceMs ?? 0) - ageMs;
    const { timestamp = formatTimestamp(scheme.timestampFormat, time) } = options;
    const { deliveryId = this.createDeliveryId() } = options;
    const { type, body } = event;
    const id = this.#options.sender.eventIdPath === undefined ? event.id : deliveryId;
    const values = { id, timestamp, type, attempt, ...(lastOutcome && { lastOutcome }) };
    const headers = {
      ...fillHeaders(this.#options.sender, values),
      ...createSignatureHeaders(scheme, secrets, { id, timestamp, body }),
    };
    return { body, headers, id, timestamp };
  }
}
