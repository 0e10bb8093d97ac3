import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/duration.ts';
import { createEvent } from '../../../src/emulator/service/events.ts';
import { IdAndSecretGenerator } from '../../../src/emulator/service/id-and-secret-generator.ts';
import { toClockState } from '../../../src/store/workspaces.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { openSandbox } from './open-sandbox.ts';

const START = createTestWallClock().now();

/** The stored state of a clock. */
function readClock({ sandbox }: Pick<ReturnType<typeof openSandbox>, 'sandbox'>, seq: number) {
  const row = sandbox.store.workspaces.findBySeq(seq);
  return row && toClockState(row);
}

describe('WorkspaceRegistry', () => {
  it('a new workspace has the given ID and clock, or a new ID and the default clock', () => {
    const opened = openSandbox();
    const { sandbox } = opened;
    const [plain, given] = sandbox.store.writeNow(
      () =>
        [
          sandbox.workspaces.insert({ name: 'Plain' }),
          sandbox.workspaces.insert({
            ...{ name: 'Given', id: 'ws_given' },
            clock: { now: '2026-01-02T03:04:05.000Z', speed: 60, frozen: true },
          }),
        ] as const,
    );
    expect(plain.id).toMatch(/^ws_\w{26}$/);
    expect(plain.created_at).toBe(START);
    expect(readClock(opened, plain.seq)).toEqual({ at: START, wallAt: START, speed: 1, frozen: false });
    const at = Date.UTC(2026, 0, 2, 3, 4, 5);
    expect(given).toMatchObject({ id: 'ws_given', created_at: at });
    expect(readClock(opened, given.seq)).toEqual({ at, wallAt: START, speed: 60, frozen: true });
    expect(sandbox.workspaces.default.seq).toBe(plain.seq);
  });

  it('the default clock can be frozen and faster', () => {
    const opened = openSandbox({}, { speed: 60, frozen: true });
    const [plain, running] = [
      opened.addWorkspace('Plain'),
      opened.addWorkspace('Running', { frozen: false }),
    ];
    expect(readClock(opened, plain.seq)).toMatchObject({ speed: 60, frozen: true });
    expect(readClock(opened, running.seq)).toMatchObject({ speed: 60, frozen: false });
  });

  it('a workspace is loaded once, by its ID or its sequence, until the state is replaced', () => {
    const { sandbox, addWorkspace } = openSandbox();
    const { workspaces } = sandbox;
    const [first, second] = [addWorkspace('First'), addWorkspace('Second')];
    expect([workspaces.find(first.id), workspaces.get(first.seq), workspaces.default]).toEqual([
      first,
      first,
      first,
    ]);
    expect(workspaces.find(second.id)).toBe(second);
    expect([...workspaces.listLoaded()]).toEqual([first, second]);
    expect(workspaces.isCurrent(first)).toBe(true);
    workspaces.clear();
    expect(workspaces.isCurrent(first)).toBe(false);
    expect([...workspaces.listLoaded()]).toEqual([]);
    const again = workspaces.find(first.id);
    expect(again).not.toBe(first);
    expect(workspaces.get(first.seq)).toBe(again);
    expect(again && workspaces.isCurrent(again)).toBe(true);
  });

  it('a workspace that does not exist is not found', () => {
    const { sandbox, addWorkspace } = openSandbox();
    expect(() => sandbox.workspaces.default).toThrow('the store has no workspace');
    addWorkspace('First');
    expect(sandbox.workspaces.find('ws_none')).toBeUndefined();
    expect(() => sandbox.workspaces.get(0)).toThrow('workspace 0 does not exist');
  });

  it('IDs continue after those of the rows when a workspace is loaded again', () => {
    const { sandbox, addWorkspace } = openSandbox();
    const { store, workspaces } = sandbox;
    const { id } = addWorkspace('First', { frozen: true });
    const create = () => {
      const workspace = workspaces.find(id);
      if (workspace === undefined) throw new Error('The workspace does not exist.');
      return store.writeNow(() => createEvent(sandbox, { workspace, type: 'a.b', payload: '{}' }).id);
    };
    const ids: string[] = [];
    for (const series of ['a', 'b', 'c', 'd', 'e', 'f']) {
      workspaces.clear();
      sandbox.generator.startSeries(series);
      ids.push(create(), create());
    }
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(12);
  });

  it('the clock at speed 1 is stored once a minute, and a faster one with every write', () => {
    const opened = openSandbox();
    const { sandbox, addWorkspace } = opened;
    const { store, workspaces, wall } = sandbox;
    const [slow, fast, frozen] = [
      addWorkspace('Slow'),
      addWorkspace('Fast', { speed: 60 }),
      addWorkspace('Frozen', { frozen: true }),
    ];
    /** Seconds since the start that the stored clocks show, after a write to each workspace. */
    const write = (afterMs: number) => {
      wall.advance(afterMs);
      return [slow, fast, frozen].map((workspace) => {
        store.writeNow(() => workspaces.persistClockIfNeeded(workspace));
        return ((readClock(opened, workspace.seq)?.at ?? 0) - START) / SECOND_MS;
      });
    };
    expect(write(SECOND_MS)).toEqual([1, 60, 0]);
    expect(write(MINUTE_MS)).toEqual([1, 61 * 60, 0]);
    expect(write(1)).toEqual([61.001, 61.001 * 60, 0]);
    expect(write(MINUTE_MS)).toEqual([61.001, 121.001 * 60, 0]);
    expect(readClock(opened, frozen.seq)?.wallAt).toBe(START);
    // A clock that was stored for another reason is not stored again soon.
    frozen.clock.set({ frozen: false });
    store.writeNow(() => workspaces.persistClock(frozen));
    const storedAt = readClock(opened, frozen.seq)?.at;
    write(MINUTE_MS);
    expect(readClock(opened, frozen.seq)?.at).toBe(storedAt);
  });

  it('resumeClocks continues every clock as if no time had passed since the stop', () => {
    const opened = openSandbox();
    const { sandbox, addWorkspace } = opened;
    const [running, frozen] = [addWorkspace('Running'), addWorkspace('Frozen', { frozen: true })];
    sandbox.wall.advance(DAY_MS);
    sandbox.store.writeNow(() => sandbox.workspaces.resumeClocks(START + HOUR_MS));
    const wallAt = START + DAY_MS;
    expect(readClock(opened, running.seq)).toEqual({ at: START + HOUR_MS, wallAt, speed: 1, frozen: false });
    expect(readClock(opened, frozen.seq)).toEqual({ at: START, wallAt, speed: 1, frozen: true });
    // As after the state was replaced.
    sandbox.workspaces.clear();
    expect(sandbox.workspaces.get(running.seq).clock.now()).toBe(START + HOUR_MS);
  });
});

describe('IdAndSecretGenerator', () => {
  const valuesOf = (generator: IdAndSecretGenerator) => ({
    id: generator.ids('events').next('event', START),
    secret: generator.webhookSecret({ form: 'utf8' }),
    number: generator.seededRandom('a'),
  });

  it('the same seed gives the same values in each series, and other values in another series', () => {
    const [first, second] = [new IdAndSecretGenerator(7, true), new IdAndSecretGenerator(7, true)];
    for (const generator of [first, second]) generator.startSeries('after 1');
    const values = valuesOf(first);
    expect(valuesOf(second)).toEqual(values);
    first.startSeries('after 2');
    const others = valuesOf(first);
    for (const name of ['id', 'secret', 'number'] as const) expect(others[name], name).not.toBe(values[name]);
    first.startSeries('after 1');
    expect(valuesOf(first)).toEqual(values);
    expect(first.seededRandom('b')).not.toBe(values.number);
  });

  it('API keys are predictable only if they are derived from the seed, and later secrets are the same', () => {
    const create = (seedsKeys: boolean) => {
      const generator = new IdAndSecretGenerator(7, seedsKeys);
      generator.startSeries('after 1');
      return { key: generator.apiKey('sandbox'), secret: generator.webhookSecret({ form: 'utf8' }) };
    };
    expect(create(true)).toEqual(create(true));
    expect(create(false).key).not.toBe(create(false).key);
    expect(create(false).secret).toBe(create(true).secret);
  });

  it('values without a seed are different in each run', () => {
    const [first, second] = [
      valuesOf(new IdAndSecretGenerator(null, true)),
      valuesOf(new IdAndSecretGenerator(null, true)),
    ];
    for (const name of ['id', 'secret', 'number'] as const) expect(first[name], name).not.toBe(second[name]);
  });
});
