import { expect, it, onTestFinished } from 'vitest';
import { renderWebhook } from '../../../src/cli/commands/webhooks.ts';
import { createApiClient } from '../../../src/client/api-client.ts';
import { runCommand } from '../../support/command-definitions.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createFakeContext } from '../fake-context.ts';
import { expectGolden } from '../golden-output.ts';

const url = 'http://localhost:3000/hooks';

/** Starts an emulator and returns a function that runs a command with it. */
async function setUp() {
  const emulator = await startTestEmulator();
  onTestFinished(emulator.close);
  const { control } = emulator;
  const { workspace_id, base_url, api_key } = emulator.status();
  async function run(name: string, options: object) {
    const api = createApiClient({ baseUrl: base_url, apiKey: api_key });
    const { context, capturedOutput } = createFakeContext({ control, api, status: emulator.status() });
    await runCommand(name, options, { ...context, getWorkspaceId: async () => workspace_id });
    return capturedOutput;
  }
  return { control, run, ownUrl: emulator.status().url };
}

it('svc webhooks create and update refuse the URL of the emulator', async () => {
  const { control, run, ownUrl } = await setUp();
  const { id } = await control.createWebhook({ url });
  const own = ownUrl.replace('127.0.0.1', 'localhost');
  for (const [name, options] of [
    ['webhooks create', { url: own, events: ['*'] }],
    ['webhooks update', { id, url: own }],
  ] as const) {
    await expect(run(name, options)).rejects.toThrow(`${own} is a URL of the emulator itself.`);
  }
  expect((await control.listWebhooks({})).data).toMatchObject([{ url }]);
});

const warning = 'warning: No fixture exists for the event type order.shiped. Did you mean order.shipped?\n';
const events = ['order.shiped', 'order.updated', 'robot.awoke', 'order.shipped', '*'];

it.each(['emulator start', 'emulator exec'])('svc %s --events suggests the type', async (name) => {
  const cwd = createTemporaryFolder();
  const { context, capturedOutput } = createFakeContext({ cwd });
  // A folder cannot be a database, so nothing is started.
  const options = { events: events.join(','), forwardTo: '3000', db: cwd, command: ['true'] };
  const run = runCommand(name, options, context);
  await expect(run).rejects.toMatchObject({ code: 'database_unusable' });
  expect(capturedOutput.err).toBe(warning);
});

it('svc webhooks get shows secrets only with --show-secret', async () => {
  const { control, run } = await setUp();
  const { id, secret } = await control.createWebhook({ url });
  expect((await run('webhooks get', { id })).out).not.toContain('whsec_');
  expect((await run('webhooks get', { id, showSecret: true })).out).toContain(`Secret     ${secret}\n`);
  const rotated = await control.rotateWebhookSecret({ id });
  const { out } = await run('webhooks get', { id, showSecret: true });
  expect(out).toMatch(new RegExp(`^Secret +${rotated.secret}$`, 'm'));
  expect(out).toMatch(new RegExp(`^Previous secret +${secret}, valid until 20`, 'm'));
  expect((await run('webhooks get', { id })).out).not.toContain('whsec_');
});

it('an endpoint shows its extra headers, its TLS verification and its lifetime', async () => {
  const webhook = {
    ...{ id: 'wh_1', workspace_id: 'ws_1', url: 'https://localhost:3443/', events: ['*'] },
    ...{ created_at: '2026-11-20T12:00:00.000Z', headers: { Authorization: 'Bearer a', A: 'b' } },
    ...{ skip_verify: true, listener: true, disabled: false, previous_secret_expires_at: null },
  };
  await expectGolden('webhooks-get', { 'webhooks get': renderWebhook(webhook, { color: false }) });
});
