/** Runs single checks with scripted responses and side effects, without a receiver and without waiting. */

import type { SignatureScheme } from '../../../src/domain/signature/scheme.ts';
import { schemes } from '../../../src/domain/signature/schemes.ts';
import type { CheckContext } from '../../../src/receiver/check-context.ts';
import { DeliveryFactory } from '../../../src/receiver/delivery-factory.ts';
import type { CheckId, CheckOutcome, ReceiverCheck } from '../../../src/receiver/receiver-check.ts';
import type { DeliveryMessage, ReceiverResponse } from '../../../src/receiver/receiver-client.ts';
import { listChecks } from '../../../src/receiver/run-checks.ts';
import type { ObservationUnavailable, SideEffectCounter } from '../../../src/receiver/side-effect-counter.ts';

export const SECRET = 'whsec_c3ZjLXJlY2VpdmVyLXNlY3JldA';
export const API_KEY = 'svc_test_c3ZjLWNoZWNrLWtleQ';
export const NOW = Date.UTC(2026, 10, 20);

export function respond(status: number | null, more: Partial<ReceiverResponse> = {}): ReceiverResponse {
  const response =
    status === null
      ? { status, problem: 'no response within 5s', failure: 'timeout', durationMs: 5_000 }
      : { status, problem: null, failure: null, durationMs: 10, serverTimeMs: null, retryAfterMs: null };
  return { ...response, ...more } as ReceiverResponse;
}

/** The status of each response, or the response to each message; the last one is repeated. */
export type Responses = readonly number[] | ((message: DeliveryMessage, index: number) => ReceiverResponse);

export interface CheckSetup {
  readonly responses?: Responses;
  /** The number of side effects of a measurement, or more of the counter; default: side effects cannot be counted. */
  readonly sideEffects?: number | Partial<SideEffectCounter>;
  /** Changes of the context. */
  readonly context?: Partial<CheckContext>;
  readonly scheme?: SignatureScheme;
  readonly apiKey?: string | null;
}

export interface CheckRun extends CheckOutcome {
  readonly sent: readonly DeliveryMessage[];
  /** The times that the check waited, in milliseconds. */
  readonly sleeps: readonly number[];
  /** The most messages that were sent at the same time. */
  readonly concurrency: number;
  readonly factory: DeliveryFactory;
}

function findCheck(
  id: CheckId,
  scheme: SignatureScheme = schemes.svc,
  apiKey: string | null = API_KEY,
): ReceiverCheck {
  const check = listChecks(scheme, apiKey).find((each) => each.id === id);
  if (check === undefined) throw new Error(`no check ${id}`);
  return check;
}

/** Runs the check with this ID. */
export async function runCheck(id: CheckId, setup: CheckSetup = {}): Promise<CheckRun> {
  const { responses = [204], sideEffects, scheme = schemes.svc, apiKey = API_KEY } = setup;
  const factory = createFactory(scheme);
  const sent: DeliveryMessage[] = [];
  const sleeps: number[] = [];
  let [running, concurrency] = [0, 0];
  const send = async (message: DeliveryMessage) => {
    const index = sent.push(message) - 1;
    concurrency = Math.max(concurrency, ++running);
    await new Promise(setImmediate);
    running--;
    return typeof responses === 'function'
      ? responses(message, index)
      : respond(responses[index] ?? responses.at(-1) ?? 204);
  };
  const sendInOrder = async (messages: readonly DeliveryMessage[]) => {
    const all: ReceiverResponse[] = [];
    for (const message of messages) all.push(await send(message));
    return all;
  };
  const counter = {
    workMs: 100,
    wait: async () => ({ count: 0, isComplete: true }),
    countOf: () => null,
    measure: async (action: () => Promise<unknown>) => ({
      result: await action(),
      count: typeof sideEffects === 'number' ? sideEffects : 1,
    }),
    ...(typeof sideEffects === 'object' && sideEffects),
  };
  const unavailable: ObservationUnavailable = { reason: 'Side effects are not counted.' };
  const context = {
    ...{ deliveries: factory, timeoutMs: 5_000, slowThresholdMs: 400, apiKey },
    ...{ isSlow: false, isLate: false, responseMs: 10 },
    ...{ send, sendInOrder },
    sendTampered: (...messages: readonly DeliveryMessage[]) => sendInOrder(messages),
    sleep: async (ms: number) => void sleeps.push(ms),
    getSideEffectCounter: async () => (sideEffects === undefined ? unavailable : counter),
    isResponsive: async () => true,
    ...setup.context,
  } as unknown as CheckContext;
  const outcome = await findCheck(id, scheme, apiKey).run(context);
  return { ...outcome, sent, sleeps, concurrency, factory };
}

export function createFactory(scheme: SignatureScheme = schemes.svc): DeliveryFactory {
  return new DeliveryFactory({
    ...{ scheme, secret: SECRET, eventType: 'order.shipped', payload: '{"order_id":"ord_1"}' },
    now: () => NOW,
  });
}

export function idOf({ body }: DeliveryMessage): string {
  return JSON.parse(body).data.id;
}
