import { setMaxListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  list as listCommand,
  run as runCommand,
  show as showCommand,
  validate as validateCommand,
} from '../../../src/cli/commands/fixtures.ts';
import { createApiClient } from '../../../src/client/api-client.ts';
import { createHttpControlClient } from '../../../src/client/http-client.ts';
import { ExitCode } from '../../../src/domain/errors.ts';
import { createFixtureProject } from '../../fixtures/fixture-project.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type ReceiverResponses } from '../../support/test-receiver.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';

/** A fixture project, and an emulator with a frozen clock and an endpoint for every event type. */
async function createScriptRunner(script: ReceiverResponses = {}) {
  const emulator = await startTestEmulator();
  const receiver = await createReceiver(script);
  onTestFinished(async () => {
    await Promise.all([emulator.close(), receiver.close()]);
  });
  const { base_url: baseUrl, control_url: controlUrl, api_key: apiKey, workspace_id } = emulator.status();
  await emulator.api('POST', '/webhooks', { workspace_id, url: receiver.url, events: ['*'] });
  const project = createFixtureProject();

  async function run(steps: readonly object[] | string, options: object = {}, fake: FakeOptions = {}) {
    const named = typeof steps === 'string' ? steps : 'mine';
    if (typeof steps !== 'string') project.write('scripts/mine', { description: '', steps });
    const { context, capturedOutput } = createFakeContext({ ...fake, cwd: project.cwd });
    const real = {
      ...context,
      connectApi: async () => createApiClient({ baseUrl, apiKey, signal: context.signal }),
      connect: async (signal = context.signal) => createHttpControlClient({ controlUrl, signal }),
      getStatus: async () => emulator.status(),
      getWorkspaceId: async () => workspace_id,
    };
    const [result] = await Promise.allSettled([runCommand.run({ script: named, ...options }, real)]);
    return { result, ...capturedOutput };
  }
  return { run, receiver, emulator, project };
}

const shipped = { name: 'shipped', event: 'order.shipped' };

describe('svc fixtures run', () => {
  it('events can refer to earlier steps, and the output has the IDs of each step', async () => {
    const { run, receiver } = await createScriptRunner();
    const { result, out, err } = await run([
      { name: 'first', event: 'a.b', payload: { id: '{{id ord}}', price: 1.5, n: '{{sequence}}' } },
      {
        name: 'second',
        event: 'a.c',
        payload: {
          same: '{{steps.first.event.payload}}',
          text: 'of {{steps.first.event.id}} and {{steps.first.deliveries[0].id}}',
          shop: '{{env SHOP none}}',
        },
      },
      { expect: { deliveries: 2, status: 'succeeded', attempt_count: 1 }, within: '10s' },
    ]);

    expect(result).toMatchObject({ value: ExitCode.success });
    const [first, second] = (await receiver.waitFor(2))
      .map(({ body }) => JSON.parse(body.toString()).data)
      .sort((a, b) => (a.type < b.type ? -1 : 1));
    expect(second.payload.same).toEqual(first.payload);
    expect(second.payload).toMatchObject({
      text: expect.stringMatching(new RegExp(`^of ${first.id} and del_\\w{26}$`)),
      shop: 'none',
    });
    expect(out).toMatch(
      /^✓ first {3}a\.b {2}evt_\w+\n {10}del_\w+ {2}http.*\n✓ second {2}a\.c {2}evt_\w+\n {10}del_\w+/,
    );
    expect(out).toMatch(/✓ expect +2 deliveries: succeeded after 1 attempt\n$/);
    expect(err).toBe('');
  });

  it('a step that moves the clock lists the attempts that it caused', async () => {
    const { run } = await createScriptRunner({ status: 503 });
    const { result, out } = await run([
      shipped,
      { expect: { event: 'shipped', status: 'pending', attempt_count: 1 } },
      { advance: '5m' },
      { expect: { attempt_count: 2 } },
      { settle: true },
      { expect: { status: 'failed' } },
    ]);
    expect(result).toMatchObject({ value: ExitCode.success });
    expect(out).toMatch(/✓ advance 5m .*1 sent, 1 pending\n +del_\w+ {2}attempt 2 {2}503\n/);
    expect(out).toMatch(/✓ settle .*0 pending\n/);
  });

  it('a script exits with 1 at the first expectation that does not hold, and reports the actual state', async () => {
    const { run, receiver } = await createScriptRunner();
    const { result, out, err } = await run([
      shipped,
      { expect: { status: 'failed' }, within: '50ms' },
      { event: 'a.b', payload: {} },
    ]);
    expect(result).toMatchObject({ value: ExitCode.failure });
    expect(out).toMatch(
      /✗ expect {3}every delivery: failed\n {11}del_\w+ is (?:pending|succeeded) after \d attempts?\n$/,
    );
    expect(err).toBe('Stopped at step 2 of 3.\n');
    expect(await receiver.waitFor(1)).toHaveLength(1);
  });

  it('an interrupted script reports the steps that ran', async () => {
    const interruption = new AbortController();
    setMaxListeners(0, interruption.signal);
    const { run } = await createScriptRunner(() => {
      interruption.abort();
      return { status: 503 };
    });
    const steps = [shipped, { expect: { status: 'succeeded' }, within: '1m' }];
    const { result, err } = await run(steps, {}, { signal: interruption.signal });
    expect(result).toMatchObject({ reason: { code: 'interrupted' } });
    expect(err).toMatch(/^(?:Stopped at step 1 of 2\.\n)?$/);
  });

  it('--json prints one document, even if the API rejects a step', async () => {
    const { run } = await createScriptRunner();
    const { result, out, err } = await run(
      [shipped, { settle: true }, { event: 'a.b', payload: {}, idempotency_key: ' ' }],
      {},
      { json: true },
    );
    expect(result).toMatchObject({ reason: { code: 'invalid_request' } });
    expect(JSON.parse(out)).toEqual({
      script: 'mine',
      file: expect.stringContaining('mine.json'),
      ok: false,
      steps: [
        expect.objectContaining({
          ...{ name: 'shipped', kind: 'event', ok: true },
          event: expect.objectContaining({ type: 'order.shipped' }),
          deliveries: [expect.objectContaining({ event_type: 'order.shipped' })],
        }),
        expect.objectContaining({ name: null, kind: 'settle', ok: true, attempts: [], pending: 0 }),
      ],
    });
    expect(err).toBe('');
  });

  it('a seed determines the generated values, and times come from the schedule clock', async () => {
    const { run, emulator } = await createScriptRunner();
    const steps = [{ name: 'a', event: 'a.b', payload: { id: '{{uuid}}', at: '{{now}}' } }];
    const payload = async (randomSeed: string) =>
      JSON.parse((await run(steps, { randomSeed }, { json: true })).out).steps[0].event.payload;
    const first = await payload('7');

    expect(await payload('7')).toEqual(first);
    expect((await payload('8')).id).not.toBe(first.id);
    const { now } = await emulator.control.getClock({});
    expect(first.at).toBe(now);
    await emulator.control.advanceClock({ ms: 60_000 });
    expect(Date.parse((await payload('7')).at)).toBe(Date.parse(now) + 60_000);
  });

  it('the built-in script late-payment succeeds', async () => {
    const { run } = await createScriptRunner();
    expect(await run('late-payment')).toMatchObject({ result: { value: ExitCode.success }, err: '' });
  });
});

describe('svc fixtures list', () => {
  it('the list shows events and scripts, and which ones belong to the project', async () => {
    const { write, cwd } = createFixtureProject();
    write('events/parcel.lost', { description: 'Lost.', payload: {} });
    write('scripts/order-lifecycle', { description: 'Ours.', steps: [{ settle: true }] });
    const { context, capturedOutput } = createFakeContext({ cwd });
    await listCommand.run({}, context);
    expect(capturedOutput.out).toMatch(/\nparcel\.lost +event +project +Lost\.\n/);
    expect(capturedOutput.out).toMatch(/\norder\.shipped +event +built-in /);
    expect(capturedOutput.out).toMatch(/\norder-lifecycle +script +project, overrides +Ours\.\n/);
  });

  it('an invalid fixture is an error that suggests svc fixtures validate', async () => {
    const { write, cwd } = createFixtureProject();
    write('events/parcel.lost', { descripton: 'Lost.' });
    const { context } = createFakeContext({ cwd });
    const [result] = await Promise.allSettled([listCommand.run({}, context)]);
    expect(result).toMatchObject({
      reason: { code: 'usage', hint: { command: expect.stringContaining('svc fixtures validate') } },
    });
  });
});

it('svc fixtures show --json adds the source of the fixture, keeps its numbers and rejects invalid JSON', async () => {
  const { cwd, write } = createFixtureProject();
  const file = write('events/parcel.lost', '{"description":"","payload":{"weight":12.50}}');
  const { context, capturedOutput } = createFakeContext({ cwd, json: true });
  await showCommand.run({ name: 'parcel.lost' }, context);
  expect(JSON.parse(capturedOutput.out)).toEqual({
    ...{ name: 'parcel.lost', kind: 'event', source: 'project', overrides: false, file },
    content: { description: '', payload: { weight: 12.5 } },
  });
  expect(capturedOutput.out).toContain('"weight": 12.50');
  write('events/parcel.lost', '{');
  await expect(showCommand.run({ name: 'parcel.lost' }, context)).rejects.toMatchObject({ code: 'usage' });
});

it('svc fixtures validate lists every problem with its file and path, and the exit code is that of invalid input', async () => {
  const { cwd, write } = createFixtureProject();
  const file = write('events/parcel.lost', { description: 1, payload: { a: '{{x}}' } });
  const text = createFakeContext({ cwd });
  expect(await validateCommand.run({}, text.context)).toBe(ExitCode.usage);
  expect(text.capturedOutput.out).toMatch(
    /^fixtures\/events\/parcel\.lost\.json: description must be a string.*\nfixtures.*: payload\.a: .*\nChecked \d+ files and found 2 problems\.\n$/,
  );

  const json = createFakeContext({ cwd, json: true });
  await validateCommand.run({}, json.context);
  expect(JSON.parse(json.capturedOutput.out)).toEqual({
    ok: false,
    checked: expect.any(Number),
    problems: [
      { file, path: 'description', message: expect.any(String) },
      { file, path: 'payload.a', message: expect.any(String) },
    ],
  });
});
