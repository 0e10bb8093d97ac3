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
