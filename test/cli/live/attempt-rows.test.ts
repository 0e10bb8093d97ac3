import { describe, expect, it } from 'vitest';
import { type AttemptRow, addStreamItem, attemptColumns } from '../../../src/cli/live/attempt-rows.ts';
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

const look = { width: 100, color: false, unicode: true, links: false };

/** The rows as texts by the titles of their columns, those without text left out. */
function texts(rows: readonly AttemptRow[], time = { now: NOW, frozen: false }) {
  const columns = attemptColumns(look, { maxAttempts: 8, getScheduleTime: () => time });
  return rows.map((row) =>
    Object.fromEntries(
      columns.map(({ title, value }) => [title, value(row)]).filter(([, text]) => text !== ''),
    ),
  );
}

describe('the rows of deliveries', () => {
  it('show a delivery from its beginning, and its first attempt in the same place', () => {
    const other = created({ id: 'del_2' });
    const waiting = rowsOf(created(), other);
    expect(texts(waiting)).toMatchObject([{ RESPONSE: '← …', ATTEMPT: '1 of 8' }, { DELIVERY: 'del_2' }]);
    const answered = addStreamItem(waiting, attempted(), NOW);
    expect(texts(answered)).toMatchObject([{ RESPONSE: '← 503', TOOK: '12ms' }, { RESPONSE: '← …' }]);
  });

  it('say what was answered, how long it took, which attempt it was and when the next one is due', () => {
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

  it('show why, where there was no answer', () => {
    const failed = {
      outcome: 'connection_error',
      response_status: null,
      error: 'connection refused',
    } as const;
    expect(texts(rowsOf(attempted(failed)))).toMatchObject([
      { RESPONSE: '← connection_error', WHY: 'connection refused' },
    ]);
  });

  it('tell when the next attempt is due in the row of the newest attempt alone', () => {
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
  ])('count down by the schedule clock: %o is %s', (time, text) => {
    expect(texts(rowsOf(attempted()), time)[0]?.['NEXT RETRY']).toBe(text);
  });

  it.each(['failed', 'canceled'] as const)(
    'say that a delivery is %s, also when no attempt told so',
    (status) => {
      const settled = created({ status, attempt_count: 1 });
      const rows = rowsOf(attempted(), settled);
      expect(texts(rows).map((row) => row['NEXT RETRY'])).toEqual([status]);
    },
  );

  it('say that a delivery was canceled before it was sent', () => {
    expect(texts(rowsOf(created(), created({ status: 'canceled' })))).toMatchObject([
      { RESPONSE: '← canceled' },
    ]);
  });

  it('name a replay, and show nothing of a delivery that had been tried before the stream began', () => {
    const rows = rowsOf(created({ attempt_count: 3 }), attempted({ number: 4, trigger: 'manual' }));
    expect(texts(rows).map((row) => row.ATTEMPT)).toEqual(['4 replay']);
  });
});
