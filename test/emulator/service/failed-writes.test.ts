/** Throws an error after one write to the database, at each point of a scenario in turn, and checks what is left. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../src/domain/duration.ts';
import { SvcError } from '../../../src/domain/errors.ts';
import * as timers from '../../../src/platform/timers.ts';
import { Sql } from '../../../src/store/sql.ts';
import { replaceExports } from '../../support/replace-exports.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';

const { setTimeout } = timers;
/** STORE_RETRY_MS, the pause of the dispatcher after a failed write, takes no time here. No other timer of the scenario takes a second. */
const setShorterTimeout = (callback: () => void, ms?: number) =>
  setTimeout(callback, ms === SECOND_MS ? 1 : ms);
beforeEach(() => replaceExports(timers, { setTimeout: setShorterTimeout as typeof setTimeout }));

/** An operation of a user. It is repeated if it reports an error. */
type Step = (emulator: TestEmulator, ids: Ids) => Promise<unknown>;

/** IDs that the steps share. */
interface Ids {
  endpoint: string;
  delivery: string;
}

const steps: Readonly<Record<string, Step>> = {
  'creates an endpoint that a reset removes': ({ control }) =>
    control.createWebhook({ url: `${receiverUrl}/c` }),
  'creates an event that a reset removes': (emulator) => createEvent(emulator, 'removed'),
  'resets the state': ({ control }) => control.reset({}),
  'creates an endpoint': async ({ control }, ids) => {
    ids.endpoint = (await control.createWebhook({ url: `${receiverUrl}/a`, events: ['order.shipped'] })).id;
  },
  'creates an event': (emulator) => createEvent(emulator, 'first'),
  'moves the clock to the second attempt': ({ control }) => moveTo(control, 6),
  'creates another endpoint': ({ control }) => control.createWebhook({ url: `${receiverUrl}/b` }),
  'creates another event': (emulator) => createEvent(emulator, 'second'),
  'disables an endpoint': ({ control }, { endpoint }) =>
    control.updateWebhook({ id: endpoint, disabled: true }),
  'moves the clock while an endpoint is paused': ({ control }) => moveTo(control, 50),
  'enables an endpoint': ({ control }, { endpoint }) =>
    control.updateWebhook({ id: endpoint, disabled: false }),
  'rotates a secret': ({ control }, { endpoint }) => control.rotateWebhookSecret({ id: endpoint }),
  'replays a delivery': async ({ control }, { endpoint }) => {
    const { data } = await control.listDeliveries({ webhook_id: endpoint });
    await control.replayDelivery({ id: data.at(-1)?.id ?? '', new_id: true });
  },
  'creates a workspace': ({ control }) => control.createWorkspace({ name: 'Other' }),
  'creates an API key': ({ control }) => control.createKey({ scopes: ['events:read'] }),
  'injects a fault': ({ control }) => control.addFault({ on: 'request', status: 500, count: 1 }),
  'removes the faults': ({ control }) => control.clearFaults({}),
  'deletes an endpoint': ({ control }, { endpoint }) => control.deleteWebhook({ id: endpoint }),
  'moves the clock to the end': ({ control }) => moveTo(control, 80 * 60),
  'changes the speed of the clock': ({ control }) => control.setClock({ speed: 60 }),
};

/** The scenario is played so many times. In each play, other writes fail. */
const PLAYS = 6;

let receiverUrl = '';

describe('a failed write', () => {
  it('an operation that reports an error changes nothing, and everything continues, whichever write fails', async () => {
    // Every attempt fails, so each delivery has all its attempts.
    await using receiver = await createReceiver(500);
    receiverUrl = receiver.url;
    const folder = createTemporaryFolder();
    const undisturbed = await play(join(folder, 'undisturbed.db'), new Set());
    expect(undisturbed.writes.size).toBeGreaterThan(2 * Object.keys(steps).length);
    for (let part = 0; part < PLAYS; part++) {
      const failing = [...undisturbed.writes].filter((_, index) => index % PLAYS === part);
      const { state, restarted } = await play(join(folder, `${part}.db`), new Set(failing));
      expect(state, failing.join('\n')).toEqual(undisturbed.state);
      expect(restarted, `after a restart\n${failing.join('\n')}`).toEqual(state);
    }
  });

  it.each(['SQLITE_IOERR_WRITE', 'SQLITE_FULL'])(
    'an emulator whose last write fails with %s stops as usual, and reports what was not saved',
    async (code) => {
      const report = vi.fn();
      const emulator = await startTestEmulator({ internalErrorLog: { report } });
      // Loads the workspace, whose clock is stored at the end.
      await emulator.control.getClock({});
      vi.spyOn(Sql.prototype, 'run').mockImplementation(() => {
        throw Object.assign(new Error('disk I/O error'), { code });
      });

      await emulator.close();

      expect(report).toHaveBeenCalledExactlyOnceWith('the stop', expect.any(SvcError));
      expect(report.mock.calls[0]?.[1]).toMatchObject({
        code: 'storage_unavailable',
        message: 'Writing to the database failed: disk I/O error.',
      });
    },
  );
});

/** Plays the scenario. @param failing the writes after which an error is thrown, when they are made for the first time */
async function play(db: string, failing: ReadonlySet<string>) {
  const wall = createTestWallClock();
  const writes = new Set<string>();
  let step = '';
  const fail = (text: string) => {
    const write = `while svc ${step}: ${text.replaceAll(/\s+/g, ' ')}`;
    const isFirst = !writes.has(write);
    writes.add(write);
    if (isFirst && failing.has(write)) throw new Error('write failed');
  };
  // Without a moving wall clock, the dispatcher would never try a failed step again.
  const internalErrorLog = { report: () => wall.advance(SECOND_MS) };
  const options = { db, wall, clock: {}, internalErrorLog };
  let emulator = await startTestEmulator(options);
  const { run, insert, update } = Sql.prototype;
  const spies = [
    vi.spyOn(Sql.prototype, 'run').mockImplementation(function (this: Sql, text, values) {
      const result = run.call(this, text, values);
      fail(text);
      return result;
    }),
    vi.spyOn(Sql.prototype, 'insert').mockImplementation(function (this: Sql, table, row) {
      insert.call(this, table, row);
      fail(`INSERT INTO ${table}`);
    }),
    vi.spyOn(Sql.prototype, 'update').mockImplementation(function (this: Sql, table, row) {
      update.call(this, table, row);
      fail(`UPDATE ${table} SET ${Object.keys(row)}`);
    }),
  ];
  try {
    const ids: Ids = { endpoint: '', delivery: '' };
    for (const [name, operation] of Object.entries(steps)) {
      step = name;
      await repeatOnError(() => operation(emulator, ids));
      // Waits for the attempts that the step caused.
      await repeatOnError(() => emulator.control.advanceClock({ ms: 0 }));
    }
    // Writes that nobody waits for.
    await emulator.control.getStatus({});
    for (const spy of spies) spy.mockRestore();
    const state = await readState(emulator);
    await emulator.close();
    emulator = await startTestEmulator(options);
    return { state, restarted: await readState(emulator), writes };
  } finally {
    for (const spy of spies) spy.mockRestore();
    await emulator.close();
  }
}

/** Repeats an operation until it succeeds, as a careful client does. */
async function repeatOnError(operation: () => Promise<unknown>): Promise<void> {
  await operation().catch(() => repeatOnError(operation));
}

/** Creates an event, once for each key. @throws SvcError for any other response than 201 */
async function createEvent({ api }: TestEmulator, key: string): Promise<void> {
  const { status, text } = await api(
    'POST',
    '/events',
    { type: 'order.shipped' },
    { 'idempotency-key': key },
  );
  if (status !== 201) throw new SvcError('internal_error', `${status} ${text}`);
}

/** Moves the clock to a number of minutes after the start, so that a repeated move does not go further. */
async function moveTo(control: TestEmulator['control'], minutes: number): Promise<void> {
  const at = createTestWallClock().now() + minutes * MINUTE_MS;
  await control.advanceClock({ to: new Date(at).toISOString() });
}

/** The state without IDs and times of creation, which depend on the operations that were repeated. */
async function readState({ control, api }: TestEmulator) {
  const { now, speed, next_due_at: nextDueAt } = await control.getClock({});
  const { data: deliveries } = await control.listDeliveries({ limit: 100 });
  const details = await Promise.all(deliveries.map(({ id }) => control.getDelivery({ id })));
  const { data: webhooks } = await control.listWebhooks({});
  return {
    clock: { now: toMinutes(now), speed, nextDueAt: nextDueAt === null ? null : toMinutes(nextDueAt) },
    deliveries: details.map(({ url, status, settled_reason, attempts, replay_of }) => ({
      path: new URL(url).pathname,
      ...{ status, settled_reason, isReplay: replay_of !== null },
      attempts: attempts.map(({ scheduled_at: at, outcome, number }) => [toMinutes(at), outcome, number]),
    })),
    events: (await api('GET', '/events')).json.data.length,
    webhooks: webhooks.map(({ url, events, disabled, previous_secret_expires_at: expiresAt }) => ({
      ...{ url, events, disabled, isRotated: expiresAt !== null },
    })),
    workspaces: (await control.listWorkspaces({})).data.map(({ name }) => name),
    keys: (await control.listKeys({})).data.map(({ scopes }) => scopes),
    faults: (await control.listFaults({})).data.length,
  };
}

/** Minutes since the start. A repeated operation is a few seconds later. */
function toMinutes(time: string): number {
  return Math.floor((Date.parse(time) - createTestWallClock().now()) / MINUTE_MS);
}
