import { describe, expect, it } from 'vitest';
import { type AttemptRow, addStreamItem, attemptColumns } from '../../../src/cli/live/attempt-list.ts';
import type { TopicItem } from '../../../src/contract/stream-schemas.ts';
import { aDelivery, anAttempt, NOW } from '../fake-context.ts';

type AttemptItem = Extract<TopicItem, { type: 'attempt' }>;
type DeliveryItem = Extract<TopicItem, { type: 'delivery' }>;

const created = (changes: Partial<DeliveryItem['delivery']> = {}): DeliveryItem => ({
  ...{ type: 'delivery', sequence: 1 },
  delivery: aDelivery({ attempt_count: 0, next_attempt_at: null, ...changes }),
});

const attempted = (
  attempt: Partial<AttemptItem['attempt']> = {},
  delivery: Partial<AttemptItem['delivery']> = {},
): AttemptItem => ({
  ...{ type: 'attempt', sequence: 2, attempt: anAttempt(attempt) },
  delivery: aDelivery({ attempt_count: attempt.number ?? 1, ...delivery }),
});

function rowsOf(...items: readonly TopicItem[]): readonly AttemptRow[] {
  return items.reduce<readonly AttemptRow[]>((rows, item) => addStreamItem(rows, item, NOW), []);
}

const capabilities = { width: 100, color: false, unicode: true, links: false };

/** The texts of each row by column title, without empty texts. */
function texts(rows: readonly AttemptRow[], time = { now: NOW, frozen: false }) {
  const columns = attemptColumns(capabilities, { maxAttempts: 8, getScheduleTime: () => time });
  return rows.map((row) =>
    Object.fromEntries(
      columns.map(({ title, value }) => [title, value(row)]).filter(([, text]) => text !== ''),
    ),
  );
}

describe('attempt rows', () => {
  it('a new delivery has a row, which its first attempt replaces', () => {
    const other = created({ id: 'del_2' });
    const waiting = rowsOf(created(), other);
    expect(texts(waiting)).toMatchObject([{ RESPONSE: '← …', ATTEMPT: '1 of 8' }, { DELIVERY: 'del_2' }]);
    const updated = addStreamItem(waiting, attempted(), NOW);
    expect(texts(updated)).toMatchObject([{ RESPONSE: '← 503', TOOK: '12ms' }, { RESPONSE: '← …' }]);
  });

  it('a row shows the response, the latency, the attempt number and the due time of the next attempt', () => {
    expect(texts(rowsOf(attempted()))).toEqual([
      {
        TIME: '11:57:00',
        EVENT: '→ order.shipped',
        RESPONSE: '← 503',
        TOOK: '12ms',
        ATTEMPT: '1 of 8',
        'NEXT RETRY': 'in 5m',
        DELIVERY: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
        URL: 'http://localhost:3000/webhooks',
      },
    ]);
  });

  it('a row without a response shows the error', () => {
    const failed = {
      outcome: 'connection_error',
      response_status: null,
      error: 'connection refused',
    } as const;
    expect(texts(rowsOf(attempted(failed)))).toMatchObject([
      { RESPONSE: '← connection refused', WHY: 'connection refused' },
    ]);
  });

  it('only the row of the newest attempt shows the due time of the next attempt', () => {
    const rows = rowsOf(
      attempted(),
      attempted({ number: 2 }, { next_attempt_at: '2026-11-20T12:30:00.000Z' }),
    );
    expect(texts(rows).map((row) => row['NEXT RETRY'])).toEqual([undefined, 'in 30m']);
  });

  it.each([
    [{ now: NOW + 299_000, frozen: false }, 'in 1s'],
    [{ now: NOW + 300_000, frozen: false }, 'now'],
    [{ now: NOW, frozen: true }, 'in 5m (frozen)'],
  ])('the countdown at the schedule clock %o is %s', (time, text) => {
    expect(texts(rowsOf(attempted()), time)[0]?.['NEXT RETRY']).toBe(text);
  });

  it.each(['failed', 'canceled'] as const)(
    'a row shows that its delivery is %s, even if no attempt item reported it',
    (status) => {
      const settled = created({ status, attempt_count: 1 });
      const rows = rowsOf(attempted(), settled);
      expect(texts(rows).map((row) => row['NEXT RETRY'])).toEqual([status]);
    },
  );

  it('a row shows that its delivery was canceled before the first attempt', () => {
    expect(texts(rowsOf(created(), created({ status: 'canceled' })))).toMatchObject([
      { RESPONSE: '← canceled' },
    ]);
  });

  it('a replay is marked, and a delivery attempted before the stream began has no row of its own', () => {
    const rows = rowsOf(created({ attempt_count: 3 }), attempted({ number: 4, trigger: 'manual' }));
    expect(texts(rows).map((row) => row.ATTEMPT)).toEqual(['4 replay']);
  });
});
