/** Emulators and receivers that end with the test. */
import { onTestFinished } from 'vitest';
import { startTestEmulator, type TestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { createReceiver, type Receiver, type ReceiverResponses } from '../support/test-receiver.ts';

export async function startEmulator(options?: TestEmulatorOptions): Promise<TestEmulator> {
  const emulator = await startTestEmulator(options);
  onTestFinished(emulator.close);
  return emulator;
}

export async function startReceiver(responses?: ReceiverResponses): Promise<Receiver> {
  const receiver = await createReceiver(responses);
  onTestFinished(() => receiver.close());
  return receiver;
}

/** An emulator that delivers events to a receiver (default: every event). */
export async function startPair(
  responses?: ReceiverResponses,
  { events = ['*'], ...options }: TestEmulatorOptions & { readonly events?: string[] } = {},
) {
  const emulator = await startEmulator(options);
  const receiver = await startReceiver(responses);
  const webhook = await emulator.control.createWebhook({ url: `${receiver.url}/hooks`, events });
  return { emulator, receiver, webhook };
}
