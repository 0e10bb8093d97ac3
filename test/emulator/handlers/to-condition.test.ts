import { expect, it } from 'vitest';
import { findWorkspace, toCondition, toExcerpt } from '../../../src/emulator/handlers/to-condition.ts';
import type { Sandbox } from '../../../src/emulator/service/sandbox.ts';

const HOUR_MS = 3_600_000;
const WALL = Date.UTC(2026, 10, 20);

/** A sandbox with the workspaces `ws_1`, the default, and `ws_2`, whose clock is a day ahead. */
const workspaces = [1, 2].map((seq) => ({
  seq,
  id: `ws_${seq}`,
  clock: { now: () => WALL + (seq - 1) * 24 * HOUR_MS },
}));
const sandbox = {
  wall: { now: () => WALL - HOUR_MS },
  workspaces: { default: workspaces[0], find: (id: string) => workspaces.find((each) => each.id === id) },
  store: {
    events: { find: (id: string) => (id === 'evt_1' ? {} : undefined) },
    webhooks: { findSeq: (id: string) => (id === 'wh_1' ? 7 : undefined) },
  },
} as unknown as Sandbox;

it('toCondition keeps the fields of a filter, and parses its times by the clock of the workspace', () => {
  expect(toCondition(sandbox, {}, 'schedule')).toEqual({});
  const fields = { workspace_id: 'ws_2', event_id: 'evt_1', webhook_id: 'wh_1', response_status: '5xx' };
  expect(toCondition(sandbox, { ...fields, since: '1h', until: '30m' }, 'schedule')).toEqual({
    ...{ ...fields, since: WALL + 23 * HOUR_MS, until: WALL + 23.5 * HOUR_MS },
  });
  expect(toCondition(sandbox, { since: '1h' }, 'schedule')).toEqual({ since: WALL - HOUR_MS });
  expect(toCondition(sandbox, { scheduled: '1h' }, 'schedule')).toEqual({
    scheduled: JSON.stringify([WALL - HOUR_MS, WALL]),
  });
});

it('toCondition parses times by the wall clock for requests', () => {
  const fields = { workspace_id: 'ws_2' };
  expect(toCondition(sandbox, { ...fields, since: '1h' }, 'wall')).toEqual({
    ...{ ...fields, since: WALL - 2 * HOUR_MS },
  });
});

it.each([
  ['Workspace', { workspace_id: 'ws_3' }],
  ['Event', { event_id: 'evt_3' }],
  ['Endpoint', { webhook_id: 'wh_3' }],
])('a filter is rejected because the resource does not exist: %s', (noun, filter) => {
  expect(() => toCondition(sandbox, filter, 'schedule')).toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: expect.stringMatching(`^${noun} \\w+_3 does not exist`),
    }),
  );
});

it('findWorkspace returns null without an ID', () => {
  expect([null, undefined, 'ws_2'].map((id) => findWorkspace(sandbox, id)?.seq ?? null)).toEqual([
    null,
    null,
    2,
  ]);
});

it('an excerpt is the text around the first match on one line, ignoring case, if no other field matches', () => {
  const excerptOf = (body: string, search: string, fields: string[] = []) =>
    toExcerpt(search, fields, () => body).excerpt;
  expect(excerptOf('{"carrier":\n  "DHL"}', 'dhl')).toBe('{"carrier": "DHL"}');
  expect(excerptOf('{"carrier":"DHL"}', 'dhl', ['DHL'])).toBeUndefined();
  expect(excerptOf('nothing', 'dhl')).toBeUndefined();
  const long = `${'a'.repeat(100)} match ${'b'.repeat(100)}`;
  expect(excerptOf(long, 'match')).toBe(`…${'a'.repeat(29)} match ${'b'.repeat(89)}…`);
});
