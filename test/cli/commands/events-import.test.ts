import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command as importCommand } from '../../../src/cli/commands/events-import.ts';
import { createApiClient } from '../../../src/client/api-client.ts';
import { SvcError } from '../../../src/domain/errors.ts';
import {
  deliveries,
  envelope,
  harEntry,
  harOf,
  ids,
  ndjson,
  ndjsonLine,
} from '../../recordings/recordings.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';

type Options = Omit<Parameters<typeof importCommand.run>[0], 'file'>;

const MINUTE_MS = 60_000;

/** Imports a recording into a frozen emulator. `onCreate` runs before each event is created. */
async function setUp(fakeOptions: FakeOptions = {}, onCreate: () => void = () => {}) {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const { workspace_id, base_url, api_key } = emulator.status();
  const receiver = await createReceiver([503, 200]);
  onTestFinished(receiver.close);
  await emulator.control.createWebhook({ url: receiver.url });
  const api = createApiClient({ baseUrl: base_url, apiKey: api_key });
  const folder = createTemporaryFolder();
  const { context, capturedOutput } = createFakeContext({
    control: emulator.control,
    api: {
      ...api,
      createEvent: async (...input) => {
        onCreate();
        return api.createEvent(...input);
      },
    },
    cwd: folder,
    ...fakeOptions,
  });
  const importText = async (text: string, options: Options = {}) => {
    writeFileSync(join(folder, 'recording'), text);
    return importCommand.run({ file: 'recording', workspace: workspace_id, ...options }, context);
  };
  const listEvents = async () => (await emulator.control.listEvents({})).data.toReversed();
  const getNow = async () => Date.parse((await emulator.control.getClock({})).now);
  return { emulator, receiver, api, context, capturedOutput, importText, listEvents, getNow };
}

describe('svc events import', () => {
  it('the events have their original spacing on the schedule clock, and retries between them are sent', async () => {
    const { receiver, emulator, capturedOutput, importText, listEvents } = await setUp();
    await importText(ndjson);
    const events = await listEvents();
    expect(events.map(({ type }) => type)).toEqual(['order.created', 'order.shipped']);
    const [created = 0, shipped = 0] = events.map(({ created_at: at }) => Date.parse(at));
    expect(shipped - created).toBe(90 * MINUTE_MS);
    expect(capturedOutput.out).toBe('Imported 2 events.\nSkipped 1 repeated delivery.\n');
    await receiver.waitFor(3);
    const { data } = await emulator.control.listDeliveries({ type: 'order.created' });
    expect(data[0]?.attempt_count).toBe(2);
  });

  it('the payload of an event stays unchanged', async () => {
    const { emulator, importText, listEvents } = await setUp();
    const payload = '{"n":9007199254740993,"price":12.50,"name":"\\u00e5"}';
    await importText(ndjsonLine(envelope('order.paid', ids.created, payload)));
    const [event] = await listEvents();
    expect((await emulator.control.getEvent({ id: event?.id ?? '' })).payload_text).toBe(payload);
  });

  it('our own exports can be imported', async () => {
    const { emulator, importText, listEvents, getNow, capturedOutput } = await setUp();
    await importText(ndjson);
    await emulator.control.advanceClock({ ms: 0 });
    let file = '';
    for await (const part of await emulator.control.exportDeliveries({})) file += part;
    const before = (await listEvents()).length;
    const start = await getNow();
    await importText(file);
    await emulator.control.advanceClock({ ms: 0 });
    const copies = (await listEvents()).slice(before);
    expect(copies.map(({ type }) => type)).toEqual(['order.created', 'order.shipped']);
    expect(capturedOutput.out.split('\n').slice(2)).toEqual(['Imported 2 events.', '']);
    expect((await getNow()) - start).toBeGreaterThanOrEqual(90 * MINUTE_MS);
  });

  it('--at-once creates all events without moving the clock', async () => {
    const { importText, listEvents, getNow } = await setUp();
    const before = await getNow();
    await importText(ndjson, { atOnce: true });
    expect(await listEvents()).toHaveLength(2);
    expect(await getNow()).toBe(before);
  });

  it('the JSON document has every event with its original and its new ID', async () => {
    const { importText, listEvents, capturedOutput } = await setUp({ json: true });
    await importText(
      harOf([
        ...deliveries.map(({ at, body }) => harEntry(at, body)),
        harEntry('2026-11-20T12:00:00Z', '{}'),
      ]),
    );
    const [created, shipped] = await listEvents();
    expect(JSON.parse(capturedOutput.out)).toEqual({
      imported: 2,
      total: 2,
      repeated: 1,
      other: 1,
      events: [
        {
          position: 'entry 1',
          source_id: ids.created,
          type: 'order.created',
          id: created?.id,
          created_at: created?.created_at,
        },
        {
          position: 'entry 3',
          source_id: ids.shipped,
          type: 'order.shipped',
          id: shipped?.id,
          created_at: shipped?.created_at,
        },
      ],
    });
  });

  it('standard input can be imported', async () => {
    const { context, listEvents, emulator } = await setUp({ input: ndjson });
    await importCommand.run({ file: '-', workspace: emulator.status().workspace_id }, context);
    expect(await listEvents()).toHaveLength(2);
  });
});

describe('errors of svc events import', () => {
  it('an invalid file creates no event', async () => {
    const { importText, listEvents } = await setUp();
    await expect(importText('{"created_at":')).rejects.toMatchObject({ code: 'usage' });
    expect(await listEvents()).toEqual([]);
  });

  it('a recording of more than 256 MB is refused without being read [files.recordings]', async () => {
    const { context } = await setUp();
    const file = join(context.cwd, 'large');
    writeFileSync(file, '');
    truncateSync(file, 256 * 2 ** 20 + 1);
    await expect(importCommand.run({ file }, context)).rejects.toMatchObject({
      code: 'usage',
      message: `The file ${file} cannot be read: it is larger than 256 MB.`,
    });
  });

  it('an invalid line is skipped with a warning', async () => {
    const { importText, listEvents, capturedOutput } = await setUp();
    await importText(`${ndjson}{`);
    expect(await listEvents()).toHaveLength(2);
    expect(capturedOutput.err).toContain('Skipped 1 invalid entry of recording, such as line 4.');
  });

  it('the number of imported events is reported if an event is rejected', async () => {
    const { importText, listEvents, capturedOutput } = await setUp();
    const large = envelope('order.paid', 'evt_2', JSON.stringify({ text: 'x'.repeat(300_000) }));
    await expect(importText(ndjson + ndjsonLine(large, '2026-11-20T14:00:00.000Z'))).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringMatching(/^The event of line 4 was not created: /),
    });
    expect(capturedOutput.out).toContain('Imported 2 of 3 events.');
    expect(await listEvents()).toHaveLength(2);
  });

  it('an import continues after the rate limit', async () => {
    let calls = 0;
    const { importText, capturedOutput } = await setUp({}, () => {
      if (++calls === 2) throw new SvcError('rate_limited', 'Too many requests.');
    });
    await importText(ndjson, { atOnce: true });
    expect(calls).toBe(3);
    expect(capturedOutput.out).toContain('Imported 2 events.');
  });

  it('an interruption reports the number of imported events', async () => {
    const interrupted = new AbortController();
    const { importText, capturedOutput } = await setUp({ signal: interrupted.signal }, () =>
      interrupted.abort(),
    );
    await expect(importText(ndjson)).rejects.toMatchObject({ code: 'interrupted' });
    expect(capturedOutput.out).toContain('Imported 1 of 2 events.');
  });
});
