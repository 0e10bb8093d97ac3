/** Setup for tests of complete deliveries: an emulator, a receiver, and a clock that the test moves. */
import { onTestFinished } from 'vitest';
import type { DeliveryDetail } from '../../../src/resources/delivery.ts';
import type { CreatedWebhook } from '../../../src/resources/endpoint.ts';
import {
  startTestEmulator,
  type TestEmulator,
  type TestEmulatorOptions,
} from '../../support/test-emulator.ts';
import {
  createReceiver,
  type ReceivedRequest,
  type Receiver,
  type ReceiverResponses,
} from '../../support/test-receiver.ts';

/** Opens a receiver that is closed after the test. */
export async function openReceiver(script?: ReceiverResponses): Promise<Receiver> {
  const receiver = await createReceiver(script);
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Opens an emulator that is closed after the test, with methods for tests of deliveries. */
export async function openEmulator(options: TestEmulatorOptions = {}) {
  const emulator = await startTestEmulator(options);
  onTestFinished(() => emulator.close());
  return withDeliveries(emulator);
}

function withDeliveries(emulator: TestEmulator) {
  const { api, control } = emulator;
  const { workspace_id } = emulator.status();
  return {
    ...emulator,
    async subscribe(url: string, events: readonly string[] = ['order.shipped']): Promise<CreatedWebhook> {
      return (await api('POST', '/webhooks', { workspace_id, url, events })).json;
    },
    /** Creates an event. @returns its id */
    async trigger(type = 'order.shipped', payload: unknown = {}): Promise<string> {
      return (await api('POST', '/events', { type, payload })).json.id;
    },
    /** The deliveries of an event with their attempts, oldest first, once nothing is in flight. */
    async deliveriesOf(eventId: string): Promise<DeliveryDetail[]> {
      await control.advanceClock({ ms: 0 });
      const { data } = await control.listDeliveries({ event_id: eventId });
      return Promise.all(data.toReversed().map(({ id }) => control.getDelivery({ id })));
    },
  };
}

/** Opens an emulator with one endpoint at one receiver. */
export async function startDeliverySetup(script: ReceiverResponses = {}, options: TestEmulatorOptions = {}) {
  const receiver = await openReceiver(script);
  const emulator = await openEmulator(options);
  const webhook = await emulator.subscribe(receiver.url);
  /** The delivery of an event to the endpoint, once nothing is in flight. */
  async function deliveryOf(eventId: string): Promise<DeliveryDetail> {
    const [delivery] = await emulator.deliveriesOf(eventId);
    if (delivery === undefined) throw new Error(`no delivery of ${eventId}`);
    return delivery;
  }
  return {
    ...{ receiver, emulator, webhook, deliveryOf },
    ...{ control: emulator.control, trigger: emulator.trigger },
    /** Creates an event and waits for its first attempt. */
    deliver: async () => deliveryOf(await emulator.trigger()),
  };
}

/** Milliseconds between two times as the API writes them. */
export function between(from: string | null | undefined, to: string | null | undefined): number {
  return Date.parse(to ?? '') - Date.parse(from ?? '');
}

/** A header of a request as text. */
export function header(request: ReceivedRequest | undefined, name: string): string {
  return String(request?.headers[name]);
}
