/** Setup for tests of the sender. */
import { onTestFinished } from 'vitest';
import { createSender, type Sender, type SenderOptions } from '../../../src/emulator/deliveries/sender.ts';

const wall = { now: () => Date.UTC(2026, 10, 20), monotonic: () => performance.now() };

/** Limits that no test reaches by accident. */
export const limits: SenderOptions['limits'] = {
  connectTimeoutMs: 5_000,
  attemptTimeoutMs: 10_000,
  responseLimitBytes: 1_024,
};

/** Creates a sender that is closed after the test. */
export function createTestSender(options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({ rule: 'local', wall, limits, ...options });
  onTestFinished(() => sender.close());
  return sender;
}

/** Creates a minimal request. */
export function createPostRequest(url: string, insecureTls = false) {
  return { url, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}', insecureTls };
}

/** A promise that the test resolves. */
export function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
