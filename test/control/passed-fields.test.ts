/** Each field with which an endpoint or an API key can be set is stored, whichever way it is set. */
import { describe, expect, it } from 'vitest';
import { createApiClient } from '../../src/client/api-client.ts';
import type { NewKey } from '../../src/contract/resources.ts';
import {
  describeWebhook,
  publicWebhookFields,
  type WebhookSettings,
  webhookDefaults,
} from '../../src/contract/webhook-settings.ts';
import { createFakeContext } from '../cli/fake-context.ts';
import { commandsByName } from '../support/command-definitions.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

// A new field needs a value here, or this file does not compile.
const settings = {
  url: 'https://example.com/hooks',
  events: ['order.shipped'],
  headers: { 'X-Env': 'test' },
  skip_verify: true,
  disabled: true,
} satisfies WebhookSettings;
const keyFields = { name: 'Checkout', scopes: ['events:read'] } satisfies Required<NewKey>;

type TestEmulator = Awaited<ReturnType<typeof startTestEmulator>>;

async function runCommand(name: string, options: object, { control, status }: TestEmulator) {
  const { base_url: baseUrl, api_key: apiKey } = status();
  const { context } = createFakeContext({ control, api: createApiClient({ baseUrl, apiKey }) });
  const command = await commandsByName[name]?.load();
  await command?.run(options as never, context);
}

/** The value once for each of its texts, in which a part of a character follows. UTF-8 cannot encode it. */
function addHalfCharacters(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value}\ud800`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    addHalfCharacters(part).map((changed) =>
      Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed },
    ),
  );
}

it('each value differs from the default of its setting', () => {
  for (const [name, value] of Object.entries(webhookDefaults)) {
    expect(settings[name as keyof WebhookSettings]).not.toEqual(value);
  }
});

describe('the settings of an endpoint', () => {
  it('POST /_svc/webhooks stores each setting', async () => {
    await using emulator = await startTestEmulator();
    const { id } = await emulator.control.createWebhook(settings);
    expect(await emulator.control.getWebhook({ id })).toMatchObject(settings);
  });

  it('PATCH /_svc/webhooks/{id} stores each setting', async () => {
    await using emulator = await startTestEmulator();
    const { id } = await emulator.control.createWebhook({ url: 'https://example.com/' });
    await emulator.control.updateWebhook({ id, ...settings });
    expect(await emulator.control.getWebhook({ id })).toMatchObject(settings);
  });

  it('a seed stores each setting', async () => {
    const seed = { workspaces: [{ name: 'Main', webhooks: [settings] }] };
    await using emulator = await startTestEmulator({ seed });
    expect((await emulator.control.listWebhooks({})).data).toMatchObject([settings]);
  });

  it('describeWebhook describes each setting that is not the default', () => {
    const lines = Object.values(describeWebhook(settings));
    expect(lines).toHaveLength(Object.keys(settings).length);
    expect(lines).not.toContainEqual([]);
  });

  it('svc webhooks create, update and listen pass each setting', async () => {
    await using emulator = await startTestEmulator();
    const { url, events, disabled, ...others } = settings;
    const publicFields = Object.fromEntries(
      Object.entries(settings).filter(([name]) => Object.hasOwn(publicWebhookFields, name)),
    );
    const { workspace_id: workspace } = emulator.status();
    await runCommand('webhooks create', { ...publicFields, workspace }, emulator);
    const [created] = (await emulator.control.listWebhooks({})).data;
    expect(created).toMatchObject(publicFields);
    const { id } = await emulator.control.createWebhook({ url: 'https://example.com/' });
    await runCommand('webhooks update', { id, ...settings }, emulator);
    expect(await emulator.control.getWebhook({ id })).toMatchObject(settings);
    const listen = { url: `${url}/listen`, events, ...others, keep: true, printSecret: true };
    await runCommand('listen', { ...listen, format: 'default' }, emulator);
    const [listener] = (await emulator.control.listWebhooks({})).data;
    expect(listener).toMatchObject({ url: listen.url, events, ...others });
  });

  it('a setting stores each text unchanged or rejects it', async () => {
    await using emulator = await startTestEmulator();
    for (const changed of addHalfCharacters(settings) as (typeof settings)[]) {
      const created = await emulator.control.createWebhook(changed).catch(() => null);
      if (created === null) continue;
      expect(await emulator.control.getWebhook({ id: created.id })).toMatchObject(changed);
    }
  });

  it('POST /v1/webhooks stores and returns each field that /v1 has', async () => {
    await using emulator = await startTestEmulator();
    const fields = Object.fromEntries(
      Object.entries(settings).filter(([name]) => Object.hasOwn(publicWebhookFields, name)),
    );
    const { workspace_id } = emulator.status();
    const { status, json } = await emulator.api('POST', '/webhooks', { workspace_id, ...fields });
    expect(status).toBe(201);
    expect(Object.keys(fields)).toEqual(Object.keys(publicWebhookFields));
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
  await runCommand('keys create', { ...keyFields, allWorkspaces: true }, emulator);
  expect((await emulator.control.listKeys({})).data[0]).toMatchObject(keyFields);
});

it('a field of an API key stores each text unchanged or rejects it', async () => {
  await using emulator = await startTestEmulator();
  for (const changed of addHalfCharacters(keyFields) as (typeof keyFields)[]) {
    const created = await emulator.control.createKey(changed).catch(() => null);
    if (created === null) continue;
    expect((await emulator.control.listKeys({})).data[0]).toMatchObject(changed);
  }
});
