import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ControlInput } from '../../src/contract/control-operations.ts';
import { createHttpControlClient } from '../../src/control/http-control-client.ts';
import { exploreReceiver } from '../../src/library/explore-receiver.ts';
import { parseHistory } from '../../src/receiver/explore/history.ts';
import {
  type ReceiverParts,
  SECRET,
  startConfigurableReceiver,
  storeKey,
} from '../receiver/configurable-receiver.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';

/** An emulator with an endpoint for a receiver, and a way to explore it. */
async function start(
  parts: Partial<ReceiverParts> = {},
  webhook: Partial<ControlInput<'createWebhook'>> = {},
  options: TestEmulatorOptions = {},
) {
  const receiver = await startConfigurableReceiver(parts);
  const emulator = await startTestEmulator(options);
  const { control } = emulator;
  const { id } = await control.createWebhook({ url: receiver.url, secret: SECRET, ...webhook });
  return {
    id,
    receiver,
    emulator,
    control,
    explore: (input: Omit<ControlInput<'exploreWebhook'>, 'id'> = {}, signal?: AbortSignal) =>
      control.exploreWebhook({ id, seed: 1, ...input }, signal),
    [Symbol.asyncDispose]: async () => {
      await emulator.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const quickDisturbances = ['duplicate', 'concurrent', 'reordered', 'forged', 'altered', 'stale'] as const;

describe('the exploration of an endpoint', { timeout: 30_000 }, () => {
  it('a receiver that keeps the rules passes, and nothing is recorded', async () => {
    await using test = await start();
    const report = await test.explore({
      runs: 3,
      only: [...quickDisturbances],
      observe: test.receiver.effectsUrl,
    });
    expect(report).toMatchObject({ ok: true, seed: 1, runs: 3, effects: 'ids', failure: null });
    expect(report.disturbances).toEqual([...quickDisturbances]);
    expect(report.events).toContain('order.shipped');
    expect((await test.control.listDeliveries({})).data).toEqual([]);
    expect(await test.control.getExploration({ id: test.id })).toEqual({ exploration: null });
  });

  it('a receiver that processes a repeat again breaks a rule, and the smallest history can be saved and replayed', async () => {
    await using test = await start({ storeKey: () => true }, { events: ['invoice.paid'] });
    const report = await test.explore({ only: ['duplicate'], observe: test.receiver.effectsUrl });
    expect(report).toMatchObject({ ok: false, events: ['invoice.paid'] });
    expect(report.failure).toMatchObject({ rule: 'once', reference: '§6.6', failed: 3, played: 3 });
    expect(report.failure?.steps.map(({ sent }) => sent)).toEqual([
      'deliver event 1 (invoice.paid)',
      expect.stringMatching(/^deliver event 1 \(invoice\.paid\) again/),
    ]);
    const history = parseHistory(report.failure?.history, 'the response');
    expect(history.receiver).toEqual({ url: test.receiver.url, observe: test.receiver.effectsUrl });
  });

  it('the same seed plays the same histories in a test or a command', async () => {
    // Breaks a rule in a later history.
    const parts = { storeKey: (key: string, seen: Set<string>) => storeKey(key, seen) || seen.size > 20 };
    await using first = await start(parts);
    const report = await first.explore({ only: ['duplicate'], observe: first.receiver.effectsUrl });
    await using second = await startConfigurableReceiver(parts);
    const repeated = await exploreReceiver(second.url, {
      secret: SECRET,
      seed: 1,
      only: ['duplicate'],
      observe: second.effectsUrl,
    });
    expect(report.runs).toBeGreaterThan(1);
    expect(repeated).toMatchObject({ runs: report.runs, disturbances: report.disturbances });
    expect(repeated.failure?.original_steps).toBe(report.failure?.original_steps);
  });

  it('an endpoint gets only events of the types that it receives', async () => {
    await using all = await start();
    expect((await all.explore({ runs: 1 })).disturbances).toContain('unknown-type');
    await using some = await start({}, { events: ['invoice.paid'] });
    expect((await some.explore({ runs: 1 })).disturbances).not.toContain('unknown-type');
    await using other = await start({}, { events: ['pets.fed'] });
    await expect(other.explore()).rejects.toMatchObject({
      code: 'usage',
      message: 'No event type that the endpoint receives has a fixture.',
    });
  });

  it('deliveries have the custom headers of the endpoint, and the signatures of both secrets during a rotation', async () => {
    await using receiver = await createReceiver({ status: 204 });
    await using emulator = await startTestEmulator();
    const { control } = emulator;
    const { id } = await control.createWebhook({ url: receiver.url, headers: { 'X-Gateway': 'open' } });
    await control.rotateWebhookSecret({ id });
    await control.exploreWebhook({ id, runs: 1, only: ['duplicate'] });
    const [{ headers } = { headers: {} }] = receiver.requests;
    expect(headers).toMatchObject({ 'x-gateway': 'open' });
    expect(headers).toHaveProperty('service-signature', expect.stringMatching(/^v1=\w+,v1=\w+$/));
  });

  it('a canceled exploration responds with what is known', async () => {
    await using test = await start();
    const exploring = test.explore({ time_ms: 3_600_000, only: ['pause'] });
    const getProgress = async () => (await test.control.getExploration({ id: test.id })).exploration;
    await expect.poll(getProgress).toMatchObject({ phase: 'searching', seed: 1, runs: 0, steps: null });
    const second = test.explore();
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
    expect(await test.control.cancelExploration({ id: test.id })).toEqual({ canceled: true });
    expect(await exploring).toMatchObject({ ok: false, interrupted: true, failure: null });
    expect(await test.control.cancelExploration({ id: test.id })).toEqual({ canceled: false });
  });

  it.each([
    {
      what: 'the endpoint is deleted',
      act: ({ control, id }: Awaited<ReturnType<typeof start>>) => control.deleteWebhook({ id }),
      message: expect.stringMatching(/^Endpoint wh_\w+ was deleted during the exploration\.$/),
    },
    {
      what: 'the emulator is reset',
      act: ({ control }: Awaited<ReturnType<typeof start>>) => control.reset({}),
      message: 'The emulator was reset during the exploration.',
    },
    {
      what: 'the emulator stops',
      act: ({ emulator }: Awaited<ReturnType<typeof start>>) => emulator.close(),
      message: 'The emulator is stopping.',
    },
  ])('the exploration ends when $what', async ({ act, message }) => {
    await using test = await start();
    const exploring = test.explore({ time_ms: 3_600_000, only: ['pause'] });
    const ended = expect(exploring).rejects.toMatchObject({ code: 'conflict', message });
    await act(test);
    await ended;
  });

  it('the exploration ends when the client closes the connection', async () => {
    await using test = await start();
    const { control_url: controlUrl } = test.emulator.status();
    const client = createHttpControlClient({ controlUrl });
    const disconnecting = new AbortController();
    const exploring = client.exploreWebhook(
      { id: test.id, time_ms: 3_600_000, only: ['pause'] },
      disconnecting.signal,
    );
    const isExploring = async () => (await client.getExploration({ id: test.id })).exploration !== null;
    await expect.poll(isExploring).toBe(true);
    disconnecting.abort();
    await expect(exploring).rejects.toMatchObject({ code: 'interrupted' });
    await expect.poll(isExploring).toBe(false);
  });

  it('deliveries and the URL of the effects follow the address rules of deliveries', async () => {
    await using test = await start();
    const { url, control_url: controlUrl } = test.emulator.status();
    await expect(test.explore({ observe: `${controlUrl}/status` })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('is this emulator itself'),
    });
    const { id } = await test.control.createWebhook({ url: `${url}/v1/events` });
    await expect(test.control.exploreWebhook({ id })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('is this emulator itself'),
    });
  });

  it('effects are not read from the address where cloud providers serve credentials', async () => {
    await using test = await start();
    await expect(test.explore({ observe: 'http://169.254.169.254/effects' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('169.254.169.254 is a link-local address'),
    });
  });

  it('the receiver is not explored if the rules no longer allow its address', async () => {
    const options = { db: join(createTemporaryFolder(), 'sandbox.db') };
    const registered = await start({}, {}, options);
    await registered[Symbol.asyncDispose]();
    await using emulator = await startTestEmulator({ ...options, profile: 'strict' });
    await expect(emulator.control.exploreWebhook({ id: registered.id })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('127.0.0.1'),
    });
  });

  it.each([
    [{ observe: 'cat /etc/passwd' }, 'observe must be an http or https URL.'],
    [{ only: ['restart'] }, expect.stringMatching(/^only\[0\] must be one of "duplicate", "concurrent",/)],
    [{ only: [] }, 'only must not be empty.'],
    [{ runs: 0 }, 'runs must be from 1 to 1000000.'],
    [{ time_ms: 3_600_001 }, 'time_ms must be from 1 to 3600000.'],
    [{ seed: -1 }, 'seed must be from 0 to 2147483647.'],
    [{ restart_command: 'reboot' }, expect.stringMatching(/^restart_command/)],
  ])('the options %j are refused', async (options, message) => {
    await using test = await start();
    await expect(test.explore(options as never)).rejects.toMatchObject({
      code: 'validation_failed',
      message,
    });
  });

  it('an exploration of an endpoint that does not exist is refused', async () => {
    await using test = await start({ storeKey });
    const id = 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
    for (const operation of ['exploreWebhook', 'getExploration', 'cancelExploration'] as const) {
      await expect(test.control[operation]({ id })).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
