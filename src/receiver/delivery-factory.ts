/** Makes deliveries: genuine ones as the service sends them, and the parts of which forged ones are made. */
import { toEnvelope } from '../domain/event.ts';
import { UlidGenerator } from '../domain/ids.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { signDelivery } from '../domain/signature/sign.ts';
import type { DeliveryMessage } from './receiver-client.ts';
import { type Serializer, serializers, sortFields } from './serializers.ts';

export interface DeliveryFactoryOptions {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  /** A type that the receiver knows. */
  readonly eventType: string;
  /** JSON text of a payload of that type. */
  readonly payload: string;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
}

export interface EventChanges {
  readonly type?: string;
  /** Members for the payload beside its own. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface SignChanges {
  /** Instead of the endpoint's own; the current one first. */
  readonly secrets?: readonly string[];
  /** How old the delivery claims to be. */
  readonly ageMs?: number;
  readonly deliveryId?: string;
}

export type SignedMessage = DeliveryMessage & {
  /** The timestamp as the headers carry it. */
  readonly timestamp: string;
};

export class DeliveryFactory {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly #options: DeliveryFactoryOptions;
  readonly #ids = new UlidGenerator();
  readonly #workspaceId: string;
  /** Prints bodies wherever nothing depends on how they are printed. */
  serialize: Serializer = serializers['JSON.stringify of JavaScript'];

  constructor(options: DeliveryFactoryOptions) {
    this.#options = options;
    this.scheme = options.scheme;
    this.secret = options.secret;
    this.#workspaceId = this.#ids.next('workspace', options.now());
  }

  /** The same deliveries, signed the way of another scheme. */
  withScheme(scheme: SignatureScheme): DeliveryFactory {
    return new DeliveryFactory({ ...this.#options, scheme });
  }

  createDeliveryId(): string {
    return this.#ids.next('delivery', this.#options.now());
  }

  /** The envelope of a new event, as the service prints it. */
  createEnvelope({ type = this.#options.eventType, members = {} }: EventChanges = {}): string {
    const createdAt = this.#options.now();
    return toEnvelope({
      id: this.#ids.next('event', createdAt),
      workspaceId: this.#workspaceId,
      payload: JSON.stringify({ ...JSON.parse(this.#options.payload), ...members }),
      ...{ type, createdAt },
    });
  }

  /** The same with its members sorted, which a receiver that prints it anew does not notice. */
  createBody(changes?: EventChanges): string {
    return this.serialize(sortFields(JSON.parse(this.createEnvelope(changes))));
  }

  /** Signs a body as the service does, but for `changes`. */
  sign(body: string, { secrets = [this.secret], ageMs = 0, deliveryId }: SignChanges = {}): SignedMessage {
    const { headers, timestamp } = signDelivery({
      ...{ scheme: this.scheme, secrets, body },
      id: deliveryId ?? this.createDeliveryId(),
      timestampMs: this.#options.now() - ageMs,
    });
    return { body, headers, timestamp };
  }

  /** A delivery of a new event that a right receiver accepts. */
  createValid(changes: EventChanges = {}): SignedMessage {
    return this.sign(this.createBody(changes));
  }
}
