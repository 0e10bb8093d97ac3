import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-client.ts';
import { createEmulator, createReceiver, type Emulator, type Workspace } from '../../src/index.ts';
import { createFixtureProject } from '../fixtures/fixture-project.ts';
import { authority, getCertificate } from '../support/certificates.ts';
import { createConnectProxy } from '../support/connect-proxy.ts';

const FROZEN = { clock: { frozen: true } };

describe('createEmulator', () => {
  it('createEmulator runs a delivery to its third attempt after 35 minutes of schedule time without waiting [retry.schedule]', async () => {
    await using receiver = await createReceiver([500, 500, 200]);
    await using emulator = await createEmulator(FROZEN);
    const { secret } = await emulator.webhooks.create({ url: receiver.url, events: ['order.shipped'] });
    receiver.verifyWith(secret);
    const { event, deliveries } = await emulator.trigger('order.shipped', { order: 1 });
    expect(deliveries).toMatchObject([{ event_id: event.id, url: receiver.url }]);
    await receiver.request(1);

    const { attempts, pending } = await emulator.clock.advance('35m');
    // The first one counts where it had not been recorded when the clock began to move.
    expect(attempts.slice(-2).map(({ number, outcome }) => [number, outcome])).toEqual([
      [2, 'http_error'],
      [3, 'succeeded'],
    ]);
    expect(pending).toBe(0);
    const third = await receiver.request(3);
    expect(third).toMatchObject({ eventId: event.id, verification: { ok: true } });
    expect(third.envelope?.data.payload).toEqual({ order: 1 });
    await expect(emulator.deliveries.wait({ event_id: event.id })).resolves.toMatchObject([
      { status: 'succeeded', attempt_count: 3 },
    ]);
  });

  it('emulator.trigger creates events with the payload of their fixture and fills its templates each time', async () => {
    const project = createFixtureProject();
    project.write('events/till.opened', {
      ...{ description: 'A till was opened.', payload: { number: '{{sequence}}', id: '{{uuid}}' } },
    });
    vi.spyOn(process, 'cwd').mockReturnValue(project.cwd);
    onTestFinished(() => void vi.restoreAllMocks());
    await using emulator = await createEmulator({ randomSeed: 1 });
    await using same = await createEmulator({ randomSeed: 1 });
    const payloadOf = async (type: string, of = emulator) => (await of.trigger(type)).event.payload;
    const [first, second] = [await payloadOf('till.opened'), await payloadOf('till.opened')];
    expect([first, second]).toMatchObject([{ number: 1 }, { number: 2 }]);
    expect(first.id).not.toBe(second.id);
    expect(await payloadOf('till.opened', same)).toEqual(first);
    expect(await payloadOf('order.shipped')).toMatchObject({ carrier: 'DHL' });
    expect(await payloadOf('nobody.knows')).toEqual({});
  });

  it('emulator.trigger rejects a mistyped type without a payload', async () => {
    await using emulator = await createEmulator();
    await expect(emulator.trigger('order.shiped')).rejects.toMatchObject({
      code: 'usage',
      message:
        'No fixture exists for the event type order.shiped. Did you mean order.shipped? To send order.shiped, pass its payload as the second argument.',
    });
    expect(await emulator.events.list()).toEqual([]);
    const { event } = await emulator.trigger('order.shiped', {});
    expect(event.type).toBe('order.shiped');
  });

  it('emulator.trigger uses the payload field of the rules [event.body]', async () => {
    await using emulator = await createEmulator({ overrides: { 'event.body': 'data' } });
    const { event } = await emulator.trigger('order.shipped', { order: 1 });
    expect(event.payload).toEqual({ order: 1 });
  });

  it('createEmulator uses the defaults for undefined options', async () => {
    const options = { port: undefined, host: undefined, db: undefined };
    await using emulator = await createEmulator(options as object);
    expect(emulator.status()).toMatchObject({ db: ':memory:', url: expect.stringContaining('//127.0.0.1:') });
  });

  it('emulator.reset restores the state after boot', async () => {
    await using emulator = await createEmulator(FROZEN);
    const workspace = await emulator.createWorkspace();
    await emulator.webhooks.create({ url: 'http://127.0.0.1:9/' });
    await emulator.trigger('order.shipped');
    await emulator.reset();
    expect(await emulator.webhooks.list()).toEqual([]);
    expect(await emulator.deliveries.list()).toEqual([]);
    await expect(workspace.deliveries.list()).rejects.toMatchObject({ code: 'not_found' });
    expect((await emulator.trigger('order.shipped')).event.workspace_id).toBe(emulator.workspaceId);
  });

  it('createEmulator delivers through the given proxy', async () => {
    await using receiver = await createReceiver(200, { certificate: getCertificate('elsewhere') });
    await using proxy = await createConnectProxy({ leadTo: receiver.port });
    await using emulator = await createEmulator({
      ...{ proxy: proxy.url, ca: authority },
      forwardTo: { url: 'https://elsewhere.example/hooks', events: ['*'] },
    });
    await emulator.trigger('order.shipped');
    await receiver.waitFor(1, { timeout: 10_000 });
    expect(proxy.requests.map(({ url }) => url)).toEqual(['elsewhere.example:443']);
  });

  it.each<[string, (emulator: Emulator, workspace: Workspace) => unknown]>([
    ['status()', ({ status }) => status()],
    ['control', ({ control }) => control.getStatus({})],
    ['control.stream', ({ control }) => control.stream({}, new AbortController().signal)],
    ['trigger', (emulator) => emulator.trigger('order.shipped')],
    ['reset', (emulator) => emulator.reset()],
    ['createWorkspace', (emulator) => emulator.createWorkspace()],
    ['deliveries.list of a workspace', (_, { deliveries }) => deliveries.list()],
    ['deliveries.wait of a workspace', (_, { deliveries }) => deliveries.wait()],
  ])('%s throws an SvcError that says the emulator is closed', async (_, call) => {
    const emulator = await createEmulator();
    const workspace = await emulator.createWorkspace();
    await emulator.close();
    await expect(async () => call(emulator, workspace)).rejects.toMatchObject({
      ...{ name: 'SvcError', code: 'interrupted' },
      message: expect.stringMatching(/^The emulator is closed\. .*createEmulator\(\)/),
    });
    // Both can be closed afterwards.
    await workspace.close();
    await emulator.close();
  });

  it('close ends calls in progress, whether the library or the control plane closes the emulator', async () => {
    for (const close of [(emulator: Emulator) => emulator.close(), stopFromElsewhere]) {
      const emulator = await createEmulator();
      const stream = emulator.control.stream({}, new AbortController().signal);
      const ended = expect(readAll(stream)).resolves.toEqual([]);
      const waiting = expect(emulator.deliveries.wait()).rejects.toMatchObject({ code: 'interrupted' });
      await close(emulator);
      await Promise.all([ended, waiting]);
    }
  });

  it('the message of an error says what to do without a command, because commands cannot find the emulator', async () => {
    await using emulator = await createEmulator();
    const { event } = await emulator.trigger('order.shipped');
    await expect(emulator.deliveries.get(event.id)).rejects.toMatchObject({
      message: `${event.id} is an event ID; delivery IDs start with del_. List its deliveries.`,
      hint: undefined,
    });
    const { signal } = new AbortController();
    const id = 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
    expect(() => emulator.control.stream({ webhook_id: id }, signal)).toThrow(
      expect.objectContaining({
        message: `Endpoint ${id} does not exist. List the endpoints.`,
        hint: undefined,
      }),
    );
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('an error of the start says in its message what to do, with the command or the option', async () => {
    await using emulator = await createEmulator();
    const port = Number(new URL(emulator.url).port);
    await expect(createEmulator({ port })).rejects.toMatchObject({
      message: expect.stringMatching(/^Port .+ in use\. Use port 0 .+ with: svc emulator status --url http:/),
      hint: undefined,
    });
    const forwardTo = { url: 'http://elsewhere.invalid/', events: ['*'] };
    await expect(createEmulator({ forwardTo })).rejects.toThrow('forwardTo.url must use HTTPS');
  });

  it('the error of an API request names no option of the command line', async () => {
    await using emulator = await createEmulator();
    const [key] = (await emulator.control.listKeys({})).data;
    await emulator.control.revokeKey({ id: key?.id ?? '' });
    await expect(emulator.trigger('order.shipped')).rejects.toMatchObject({
      ...{ code: 'unauthenticated', message: 'The API key has been revoked.', hint: undefined },
    });
  });
});

function stopFromElsewhere({ url }: Emulator) {
  return createHttpControlClient({ controlUrl: `${url}/_svc` }).stop({});
}

async function readAll<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
