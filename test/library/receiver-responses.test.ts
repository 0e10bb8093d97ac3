import { describe, expect, it } from 'vitest';
import { createResponder, type ReceiverResponses } from '../../src/library/receiver-responses.ts';
import type { ReceivedRequest } from '../../src/receivers/received-request.ts';

/** The responses to requests with these event IDs. */
async function respondTo(responses: ReceiverResponses, ...eventIds: string[]) {
  const respond = createResponder(responses, 'createReceiver');
  const results: unknown[] = [];
  for (const eventId of eventIds) results.push(await respond({ eventId } as ReceivedRequest));
  return results;
}

describe('the responses of a receiver', () => {
  it('a number is the status of each response', async () => {
    expect(await respondTo(503, 'a', 'b')).toEqual([{ status: 503 }, { status: 503 }]);
  });

  it('a list has a response for each request and repeats the last one', async () => {
    expect(await respondTo([500, { drop: true }], 'a', 'b', 'c')).toEqual([
      { status: 500 },
      { drop: true },
      { drop: true },
    ]);
    expect(await respondTo([], 'a')).toEqual([{}]);
  });

  it('a function gets each request and its index, counted from 0', async () => {
    const responses: ReceiverResponses = async ({ eventId }, index) => ({ body: `${eventId} ${index}` });
    expect(await respondTo(responses, 'a', 'b')).toEqual([{ body: 'a 0' }, { body: 'b 1' }]);
  });
});

describe('an outage of a receiver', () => {
  const START = Date.parse('2026-11-20T12:00:00Z');
  const request = {} as ReceivedRequest;

  it('an outage ends when its duration has passed on the schedule clock', async () => {
    let at = START;
    const clock = { show: async () => ({ now: new Date(at).toISOString() }) };
    const respond = createResponder({ downFor: '1h', body: 'down' }, 'createReceiver', clock);
    expect(await respond(request)).toEqual({ status: 503, body: 'down' });
    at = START + 3_599_999;
    expect(await respond(request)).toEqual({ status: 503, body: 'down' });
    at = START + 3_600_000;
    expect(await respond(request)).toEqual({ status: 200 });
  });

  it('an outage without a clock is a usage error', () => {
    expect(() => createResponder({ downFor: '1h' }, 'receiver.respond')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message:
          "receiver.respond: downFor needs a schedule clock. Pass the clock of a workspace: createReceiver({ downFor: '2h' }, { clock: workspace.clock })",
      }),
    );
  });

  it('each request rejects with the error of a clock that cannot be read', async () => {
    const clock = { show: () => Promise.reject(new Error('the emulator is closed')) };
    const respond = createResponder({ downFor: '1h' }, 'createReceiver', clock);
    await expect(respond(request)).rejects.toThrow('the emulator is closed');
  });
});
