import { describe, expect, it } from 'vitest';
import { findSentPayload, toSnapshot } from '../../src/library/delivery-snapshot.ts';
import { aDetail, anAttempt } from '../cli/fake-context.ts';

const id = (kind: string, last: string) => `${kind}_01JD3Z5K8Q4W6X7Y8Z9A0B1C2${last}`;

/** An attempt that sent this body. */
const anAttemptWith = (body: string, changes: object = {}) =>
  anAttempt({ request: { ...anAttempt().request, body }, ...changes });

describe('toSnapshot', () => {
  it('a snapshot numbers IDs in the order in which they first occur, in all fields and deliveries', () => {
    const first = aDetail({
      ...{ id: id('del', 'A'), event_id: id('evt', 'A'), webhook_id: id('wh', 'A') },
      attempts: [
        anAttemptWith(JSON.stringify({ data: { payload: { refers_to: [id('evt', 'B'), id('evt', 'A')] } } })),
      ],
    });
    const second = aDetail({
      ...{
        id: id('del', 'B'),
        event_id: id('evt', 'B'),
        webhook_id: id('wh', 'A'),
        replay_of: id('del', 'A'),
      },
    });
    expect(toSnapshot([first, second])).toMatchObject([
      {
        id: 'del_1',
        event: 'evt_1',
        webhook: 'wh_1',
        replay_of: null,
        payload: { refers_to: ['evt_2', 'evt_1'] },
      },
      { id: 'del_2', event: 'evt_2', webhook: 'wh_1', replay_of: 'del_1', payload: null, attempts: [] },
    ]);
  });

  it('a snapshot has the schedule time of each attempt since the delivery was created, and no local ports or fault IDs', () => {
    const delivery = aDetail({
      url: 'http://localhost:41234/hooks',
      created_at: '2026-11-20T12:00:00.000Z',
      attempts: [
        anAttemptWith('{}', {
          scheduled_at: '2026-11-20T12:35:00.000Z',
          error: 'connect ECONNREFUSED 127.0.0.1:41234, not example.com:8080',
        }),
        anAttemptWith('{}', { number: 2, error: `Fault ${id('flt', 'A')} closed the connection.` }),
      ],
    });
    expect(toSnapshot([delivery])[0]).toMatchObject({
      url: 'http://localhost:PORT/hooks',
      payload: {},
      attempts: [
        {
          after: '35m',
          error: 'connect ECONNREFUSED 127.0.0.1:PORT, not example.com:8080',
        },
        { number: 2, error: 'Fault flt_1 closed the connection.' },
      ],
    });
  });
});

describe('findSentPayload', () => {
  it.each<[string, string | null, unknown]>([
    ['the payload of the first attempt', '{"data":{"payload":{"a":1}}}', { a: 1 }],
    ['a body that is not the envelope of an event', '{"data":{"object":1}}', { data: { object: 1 } }],
    ['the text of a body that is not JSON', '{"data', '{"data'],
    ['null without an attempt', null, null],
  ])('findSentPayload returns %s', (_, body, payload) => {
    const attempts = body === null ? [] : [anAttemptWith(body), anAttemptWith('{"data":{"payload":2}}')];
    expect(findSentPayload(aDetail({ attempts }))).toEqual(payload);
  });
});
