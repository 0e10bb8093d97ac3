/** The work of an agent: it learns from `explain` what is wrong, corrects the receiver, and replays the delivery. */
import { expect } from 'vitest';
import { createDefectiveReceiver, type Defect } from './defective-receiver.ts';
import type { McpClient } from './mcp-client.ts';

const diagnoses: Readonly<
  Record<Defect, { readonly cause: string; readonly mistake?: string; readonly remedy: RegExp }>
> = {
  body_reserialized: { cause: 'signature_rejected', mistake: 'body_changed', remedy: /as they arrived/ },
  wrong_secret: { cause: 'signature_rejected', mistake: 'wrong_secret', remedy: /secret/i },
  timestamp_in_ms: { cause: 'signature_rejected', mistake: 'timestamp_changed', remedy: /timestamp/i },
  duplicate_fails: { cause: 'receiver_error', remedy: /^Read the response/ },
};

export async function playStory(defect: Defect, { call }: McpClient): Promise<void> {
  const { receiver, configure, fix } = await createDefectiveReceiver(defect);
  await using _ = receiver;
  await call('state', { action: 'reset' });
  const { webhook_id } = await call('receiver', { action: 'register', url: receiver.url });
  configure((await call('receiver', { action: 'secret', webhook_id })).secret);
  if (defect === 'duplicate_fails') {
    await call('faults', {
      action: 'add',
      fault: { on: 'delivery', kind: 'duplicate', count: 1, webhook_id },
    });
  }
  const { event_id, next } = await call('trigger', { type: 'order.shipped', wait_seconds: 30 });
  // A duplicate does not make its delivery fail.
  const explanation = await call(
    'explain',
    next.startsWith('explain ') ? parseArguments(next) : { id: event_id },
  );
  const { cause, mistake, remedy } = diagnoses[defect];
  expect(explanation).toMatchObject({ cause, ...(mistake && { mistake }), event_type: 'order.shipped' });
  expect(explanation.hints[0].text).toMatch(remedy);
  fix();
  const replayed = await call('replay', parseArguments(explanation.next));
  expect(replayed).toMatchObject({ succeeded: 1, replays: [{ result: 'succeeded', event_id }] });
}

/** The arguments of the last call, as in `Correct the receiver, then replay {…}`. */
function parseArguments(next: string): Record<string, unknown> {
  return JSON.parse(next.slice(next.lastIndexOf('{')));
}
