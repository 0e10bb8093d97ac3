/** Each field with which an event, an endpoint or an API key can be set is stored, whichever way it is set. */
import { describe, expect, it, vi } from 'vitest';
import { createApiClient } from '../../../src/client/api-client.ts';
import { createEmulator } from '../../../src/library/create-emulator.ts';
import { readEvents } from '../../../src/recordings/read-events.ts';
import { parseRecording } from '../../../src/recordings/read-recording.ts';
import {
  describeEndpoint,
  type EndpointSettings,
  endpointDefaults,
  publicEndpointFields,
} from '../../../src/resources/endpoint.ts';
import { eventFilters, publicEventFilters } from '../../../src/resources/event.ts';
import type { NewKey } from '../../../src/resources/key.ts';
import { createFakeContext } from '../../cli/fake-context.ts';
import { connectMcp } from '../../mcp/mcp-client.ts';
import { ndjsonLine } from '../../recordings/recordings.ts';
import { runCommand } from '../../support/command-definitions.ts';
import { eventFields } from '../../support/event-fields.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';

// A new field needs a value here, or this file does not compile.
const settings = {
  url: 'https://example.com/hooks',
  events: ['order.shipped'],
  headers: { 'X-Env': 'test' },
  skip_verify: true,
  disabled: true,
} satisfies EndpointSettings;
const keyFields = { name: 'Checkout', scopes: ['events:read'] } satisfies Required<NewKey>;

type TestEmulator = Awaited<ReturnType<typeof startTestEmulator>>;

async function runAt(name: string, options: object, { control, status }: TestEmulator) {
  const { base_url: baseUrl, api_key: apiKey } = status();
  const api = createApiClient({ baseUrl, apiKey });
  const { context, capturedOutput } = createFakeContext({ control, api });
  await runCommand(name, options, context);
  return capturedOutput.out;
}

/** The value once for each of its texts, which `text` follows. */
function appendToTexts(value: unknown, text: string): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    (typeof part === 'string' ? [part + text] : appendToTexts(part, text)).map((changed) =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed },
    ),
  );
}

it('each value differs from the default of its setting', () => {
  for (const [name, value] of Object.entries(endpointDefaults)) {
    expect(settings[name as keyof EndpointSettings]).not.toEqual(value);
  }
});

describe('the settings of an event', () => {
  const type = 'order.shipped';

  it('POST /v1/events stores each setting, and lists, details and the filter of its name return it', async () => {
    await using emulator = await startTestEmulator();
    const { control } = emulator;
    const { workspace_id } = emulator.status();
    const without = await emulator.api('POST', '/events', { type, workspace_id, payload: {} });
    expect(without.status).toBe(201);
    const { status, json } = await emulator.api('POST', '/events', { type, workspace_id, ...eventFields });
    expect([status, json]).toMatchObject([201, eventFields]);
    expect((await emulator.api('GET', `/events/${json.id}`)).json).toMatchObject(eventFields);
    expect(await control.getEvent({ id: json.id })).toMatchObject(eventFields);
    expect((await control.listEvents({})).data[0]).toMatchObject(eventFields);
    for (const [name, value] of Object.entries(eventFields).filter(([name]) => name in eventFilters)) {
      const listed = (await control.listEvents({ [name]: value })).data;
      expect(listed.map(({ id }) => id)).toEqual([json.id]);
      const response = (await emulator.api('GET', `/events?${name}=${encodeURIComponent(String(value))}`))
        .json;
      if (name in publicEventFilters) expect(response.data).toMatchObject([{ id: json.id }]);
    }
  });

  it('a seed, svc trigger and svc events create store each setting, and svc trigger prints it', async () => {
    const seed = { workspaces: [{ name: 'Main', events: [{ type, ...eventFields }] }] };
    await using emulator = await startTestEmulator({ seed });
    const { control } = emulator;
    const { workspace_id: workspace } = emulator.status();
    const printed = await runAt('trigger', { type, ...eventFields, workspace }, emulator);
    for (const value of Object.values(eventFields)) expect(printed).toContain(String(value));
    await runAt('events create', { type, ...eventFields, workspace }, emulator);
    const { data } = await control.listEvents({});
    expect(data.length).toBe(3);
    for (const event of data) expect(event).toMatchObject(eventFields);
  });

  it('the MCP tool trigger and trigger() of the library store each setting', async () => {
    await using emulator = await startTestEmulator();
    await using mcp = await connectMcp(emulator);
    const { event_id: id } = await mcp.call('trigger', { type, payload: {}, ...eventFields });
    expect(await emulator.control.getEvent({ id })).toMatchObject(eventFields);
    await using other = await createEmulator();
    expect((await other.trigger(type, {}, eventFields)).event).toMatchObject(eventFields);
  });

  it('svc events import keeps each setting', async () => {
    const data = { id: 'evt_1', type, payload: {}, ...eventFields };
    const recording = parseRecording(ndjsonLine(JSON.stringify({ type, data })), 'a.ndjson');
    expect(readEvents(recording).events).toMatchObject([{ settings: eventFields }]);
  });
});

describe('the settings of an endpoint', () => {
  it('a seed stores each setting', async () => {
    const seed = { workspaces: [{ name: 'Main', webhooks: [settings] }] };
    await using emulator = await startTestEmulator({ seed });
    expect((await emulator.control.listWebhooks({})).data).toMatchObject([settings]);
  });

  it('describeWebhook describes each setting that is not the default', () => {
    const lines = Object.values(describeEndpoint(settings));
    expect(lines).toHaveLength(Object.keys(settings).length);
    expect(lines).not.toContainEqual([]);
  });

  it('svc webhooks create, update and listen pass each setting, and the emulator stores it', async () => {
    await using emulator = await startTestEmulator();
    const { url, events, disabled, ...others } = settings;
    const { workspace_id } = emulator.status();
    await runAt('webhooks create', { ...settings, workspace_id }, emulator);
    const [created] = (await emulator.control.listWebhooks({})).data;
    expect(created).toMatchObject(settings);
    const { id } = await emulator.control.createWebhook({ url: 'https://example.com/' });
    await runAt('webhooks update', { id, ...settings }, emulator);
    expect(await emulator.control.getWebhook({ id })).toMatchObject(settings);
    const create = vi.spyOn(emulator.control, 'createWebhook');
    const listen = { url: `${url}/listen`, events, ...others, printSecret: true };
    await runAt('listen', { ...listen, format: 'default' }, emulator);
    await expect(create.mock.results[0]?.value).resolves.toMatchObject({
      url: listen.url,
      events,
      ...others,
    });
  });

  it('POST /v1/webhooks stores and returns each field that /v1 has', async () => {
    await using emulator = await startTestEmulator();
    const fields = Object.fromEntries(
      Object.entries(settings).filter(([name]) => Object.hasOwn(publicEndpointFields, name)),
    );
    const { workspace_id } = emulator.status();
    const { status, json } = await emulator.api('POST', '/webhooks', { workspace_id, ...fields });
    expect(status).toBe(201);
    expect(Object.keys(fields)).toEqual(Object.keys(publicEndpointFields));
    expect(json).toMatchObject(fields);
    expect(await emulator.control.getWebhook({ id: json.id })).toMatchObject(fields);
  });
});

it('POST /_svc/keys, svc keys create and a seed store each field of an API key', async () => {
  await using emulator = await startTestEmulator({
    seed: {
      keys: [{ ...keyFields, key: 'svc_test_global', scopes: ['webhooks:manage'] }],
      workspaces: [
        { name: 'Main', keys: [{ ...keyFields, key: 'svc_test_seeded', scopes: ['events:write'] }] },
      ],
    },
  });
  const { id } = await emulator.control.createKey(keyFields);
  const { data } = await emulator.control.listKeys({});
  expect(data.find((key) => key.id === id)).toMatchObject(keyFields);
  expect(data).toContainEqual(expect.objectContaining({ ...keyFields, scopes: ['events:write'] }));
  expect(data).toContainEqual(expect.objectContaining({ ...keyFields, scopes: ['webhooks:manage'] }));
  await runAt('keys create', { ...keyFields, allWorkspaces: true }, emulator);
  expect((await emulator.control.listKeys({})).data[0]).toMatchObject(keyFields);
});

describe('the texts of fields', () => {
  type Create = (emulator: TestEmulator, fields: object) => Promise<object>;
  const createEndpoint: Create = async ({ control }, fields) =>
    control.getWebhook(await control.createWebhook(fields as typeof settings));
  const createKey: Create = async ({ control }, fields) => {
    await control.createKey(fields as typeof keyFields);
    return (await control.listKeys({})).data[0] ?? {};
  };
  const createEvent: Create = async ({ control, api, status }, fields) => {
    const { workspace_id } = status();
    const { json } = await api('POST', '/events', { workspace_id, type: 'order.shipped', ...fields });
    return control.getEvent({ id: json.id });
  };

  it.each([
    ['endpoint', settings, createEndpoint, Number.POSITIVE_INFINITY],
    ['API key', keyFields, createKey, 1_000],
    ['event', eventFields, createEvent, 1_000],
  ])('each text of the %s is stored unchanged or rejected', async (_, fields, create, maxLength) => {
    await using emulator = await startTestEmulator();
    // UTF-8 cannot encode half a character.
    for (const text of ['\ud800', 'x'.repeat(10_000)]) {
      for (const changed of appendToTexts(fields, text)) {
        const stored = await create(emulator, changed).catch(() => null);
        if (text.length > maxLength) expect(stored).toBeNull();
        else if (stored !== null) expect(stored).toMatchObject(changed);
      }
    }
  });
});
