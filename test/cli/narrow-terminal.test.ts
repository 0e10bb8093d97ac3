import { describe, expect, it } from 'vitest';
import {
  eventColumns,
  faultColumns,
  keyColumns,
  webhookColumns,
  workspaceColumns,
} from '../../src/cli/choices/resource-choices.ts';
import { renderClockMove } from '../../src/cli/commands/clock.ts';
import { explainWait } from '../../src/cli/delivery-wait.ts';
import { deliveryColumns } from '../../src/cli/render/deliveries.ts';
import { renderReport } from '../../src/cli/render/receiver-report.ts';
import { requestColumns } from '../../src/cli/render/requests.ts';
import { renderAttempt, renderRequest } from '../../src/cli/render/stream-items.ts';
import { renderTable } from '../../src/cli/render/table.ts';
import { widthOf } from '../../src/cli/render/text-width.ts';
import { sanitizeForTerminal } from '../../src/cli/terminal-text.ts';
import type { CheckStatus } from '../../src/receivers/receiver-check.ts';
import { aDelivery, anAttempt, NOW } from './fake-context.ts';

const OPAQUE = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
const TIME = '2026-11-20T11:57:00.000Z';
const LONG = 'a-long-name-that-has-no-end'.repeat(6);
const io = { width: 80, color: true, unicode: true };
const now = () => NOW;

const attempt = anAttempt({
  outcome: 'connection_failed' as never,
  response_status: null,
  duration_ms: 29_999,
});
const delivery = aDelivery({ event_type: `${LONG}.made`, url: `http://localhost:3000/${LONG}` });
const request = {
  ...{
    id: `req_${OPAQUE}`,
    at: TIME,
    method: 'DELETE',
    path: `/v1/${LONG}`,
    status: 503,
    duration_ms: 9_999,
  },
  ...{ error_code: 'storage_unavailable', error_message: LONG, workspace_id: `ws_${OPAQUE}` },
  ...{ api_key_id: `key_${OPAQUE}`, api_key_name: LONG },
  resource_id: null,
} as never;

/** Every list and line, with the longest values. */
const views: Readonly<Record<string, () => string>> = {
  'a line of an attempt': () =>
    renderAttempt({ type: 'attempt', sequence: 1, attempt, delivery } as never, { io }),
  'a line of a request': () => renderRequest(request, { io }),
  'the list of deliveries': () => renderTable(deliveryColumns({ io } as never, now), [delivery], io),
  'the list of requests': () =>
    renderTable(
      requestColumns(io, () => '59m ago'),
      [request],
      io,
    ),
  'the list of events': () =>
    renderTable(
      eventColumns(now),
      [{ id: `evt_${OPAQUE}`, type: `${LONG}.made`, created_at: TIME, payloadText: LONG } as never],
      io,
    ),
  'the list of endpoints': () =>
    renderTable(
      webhookColumns(now),
      [{ id: `wh_${OPAQUE}`, url: delivery.url, events: [LONG], disabled: true, created_at: TIME } as never],
      io,
    ),
  'the list of workspaces': () =>
    renderTable(
      workspaceColumns(NOW),
      [{ id: `ws_${OPAQUE}`, name: LONG, environment: 'production', created_at: TIME } as never],
      io,
    ),
  'the list of keys': () =>
    renderTable(
      keyColumns(NOW),
      [
        {
          ...{ id: `key_${OPAQUE}`, name: LONG, last4: '1234', scopes: [LONG], workspace_id: `ws_${OPAQUE}` },
          ...{ created_at: TIME, revoked_at: TIME },
        } as never,
      ],
      io,
    ),
  'the list of faults': () =>
    renderTable(
      faultColumns,
      [
        {
          ...{
            id: `flt_${OPAQUE}`,
            on: 'request',
            status: 503,
            drop: 'before',
            path: `/v1/${LONG}`,
            applied_count: 1,
          },
          ...{ workspace_id: `ws_${OPAQUE}`, count: 10, probability: 0.5, created_at: TIME },
        } as never,
      ],
      io,
    ),
  'the reasons why deliveries did not succeed': () => {
    const notes: string[] = [];
    const details = [`del_${OPAQUE} to ${delivery.url} failed: ${'the receiver did not respond '.repeat(9)}`];
    const report = { reason: 'settled', message: null, details, hint: null } as never;
    const output = { noteCapabilities: io, note: (text: string) => notes.push(text) };
    explainWait(report, { io: output as never, json: false });
    return notes.join('\n');
  },
  'the report of svc receiver check': () => {
    const texts = { sent: 'something that is sent '.repeat(5), meaning: 'What to do about it. '.repeat(9) };
    const createResult = (status: CheckStatus) =>
      ({
        id: 'deduplication.other-delivery',
        rule: 'deduplication',
        received: LONG,
        status,
        ...texts,
      }) as const;
    const checks = (['passed', 'failed', 'inconclusive'] as const).map(createResult);
    const counts = { passed: 1, failed: 1, inconclusive: 1, skipped: 0 };
    const problem = `Could not read a count from ${delivery.url}.`;
    const flags = { ok: false, interrupted: false, strict: false, observer_problem: problem };
    return renderReport({ ...flags, ...counts, checks }, io);
  },
  'a move of the clock': () =>
    renderClockMove(
      {
        ...{
          workspace_id: `ws_${OPAQUE}`,
          now: TIME,
          speed: 0,
          wall: TIME,
          next_due_at: null,
          pending: 0,
          paused: [],
        },
        attempts: [
          { ...attempt, delivery_id: `del_${OPAQUE}`, event_type: LONG, webhook_id: `wh_${OPAQUE}` } as never,
        ],
      },
      io,
    ),
};

/** Views without IDs, or that hide the column of a less important ID instead of truncating it. */
const withoutIds = ['the list of requests', 'the report of svc receiver check'];

describe('a terminal of 80 columns', () => {
  it.each(Object.entries(views))(
    'the output for %s has whole IDs and no line over 80 columns',
    (name, render) => {
      const text = sanitizeForTerminal(render()).replace(/\x1b\[\d+m/g, '');
      const ids = text.match(/\b(?:evt|del|wh|ws|key|req|flt)_[0-9A-Z…]*/g) ?? [];
      expect(ids.filter((id) => !id.endsWith(OPAQUE))).toEqual([]);
      expect(ids.length > 0 || withoutIds.includes(name)).toBe(true);
      expect(text.split('\n').filter((line) => widthOf(line) > 80)).toEqual([]);
    },
  );

  it.each([
    ['the list of endpoints', /STATE\n.* {2}disabled\n?$/],
    ['the list of faults', / {2}ON\n.*request .*…$/],
  ])('the output for %s keeps the column that says what a row affects', (name, expected) => {
    expect(sanitizeForTerminal(views[name]?.() ?? '').replace(/\x1b\[\d+m/g, '')).toMatch(expected);
  });
});

it('the command that explains a failed attempt is complete in a terminal of 40 columns', () => {
  const item = { type: 'attempt', sequence: 1, attempt, delivery } as never;
  expect(renderAttempt(item, { io: { ...io, width: 40 } })).toContain(`svc explain del_${OPAQUE}`);
});
