/** Prompts of the built program for missing arguments. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-client.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { quoteForShell } from '../../src/domain/shell.ts';
import type { ControlPlane } from '../../src/operations/control-plane.ts';
import { createReceiver, type Receiver } from '../support/test-receiver.ts';
import { hasTerminals, startTerminal, type TestTerminal } from '../support/test-terminal.ts';
import {
  cleanEnvironment,
  createTempFolder,
  startEmulator,
  svcArgs,
  svcFile,
  svcInProcess,
} from './cli-program.ts';

describe.skipIf(!hasTerminals)('prompts in a terminal', () => {
  const { cwd, remove } = createTempFolder();
  let receiver: Receiver;
  let emulator: Awaited<ReturnType<typeof startEmulator>>;
  let control: ControlPlane;

  beforeAll(async () => {
    receiver = await createReceiver((request) => ({
      status: request.body.includes('order.shipped') ? 410 : 200,
    }));
    emulator = await startEmulator(cwd, '--db', ':memory:', '--freeze', '--forward-to', receiver.url);
    control = createHttpControlClient({ controlUrl: emulator.ready.control_url });
    await svcInProcess(['trigger', 'order.shipped', '--wait=1s'], { cwd });
    await svcInProcess(['clock', 'settle'], { cwd });
    await svcInProcess(['trigger', 'invoice.paid', '--wait'], { cwd });
  });

  afterAll(async () => {
    emulator.subprocess.kill();
    await Promise.all([emulator.subprocess, receiver.close()]);
    remove();
  });

  /** Runs `svc` in a terminal. The shell then prints its exit code and stays. */
  async function run(...args: string[]): Promise<TestTerminal> {
    const line = [svcFile, ...svcArgs, ...args].map(quoteForShell).join(' ');
    const terminal = await startTerminal(
      ['sh', '-c', `${line}; echo "exit $?"; stty -a | grep -o '[-]*icanon'; sleep 60`],
      { cwd, columns: 110, env: cleanEnvironment() },
    );
    onTestFinished(terminal.close);
    return terminal;
  }

  /** The screen, with what differs between runs replaced. */
  async function waitForScreen(terminal: TestTerminal, pattern: RegExp): Promise<string> {
    const screen = await terminal.waitFor(pattern);
    return (
      screen
        .replace(/\b(del|wh|ws|evt|key)_[0-9A-Z]{26}/g, '$1_…')
        .replaceAll(receiver.url, 'http://receiver')
        .replace(/just now|\d+\w ago/g, 'a time ago')
        // The width of the columns depends on the replaced text.
        .replace(/(?<=\S) {2,}(?=\S)/g, '  ')
    );
  }

  it('svc deliveries replay lists the newest deliveries first, and filters them by the typed text', async () => {
    const terminal = await run('deliveries', 'replay');
    expect(await waitForScreen(terminal, /✗[\s\S]*select$/)).toMatchInlineSnapshot(`
      "? Which delivery?
      ❯ del_…  ✓ succeeded  invoice.paid  a time ago  http://receiver
        del_…  ✗ failed  order.shipped  a time ago  http://receiver

      ↑↓ navigate • ⏎ select"
    `);
    await terminal.type('INVOICE');
    expect(await waitForScreen(terminal, /INVOICE[\s\S]*❯ \S+ +✓/)).toMatchInlineSnapshot(`
      "? Which delivery? INVOICE
      ❯ del_…  ✓ succeeded  invoice.paid  a time ago  http://receiver

      ↑↓ navigate • ⏎ select"
    `);
    await terminal.press('Enter');
    await terminal.waitFor(/exit 0/);
    expect(await terminal.screen()).toMatch(/^✔ Which delivery\? del_\w{26}\nID +STATUS/);
  });

  it('svc webhooks delete deletes an endpoint only after a confirmation', async () => {
    const { id } = await control.createWebhook({ url: receiver.url, events: ['a.b'] });
    const terminal = await run('webhooks', 'delete', id);
    expect(await waitForScreen(terminal, /y\/N/)).toMatchInlineSnapshot(
      `"? Delete wh_… and cancel its pending deliveries? (y/N)"`,
    );
    await terminal.press('Enter');
    await terminal.waitFor(/Canceled\.\nexit 130/);
    await expect(control.getWebhook({ id })).resolves.toMatchObject({ id });

    const secondTerminal = await run('webhooks', 'delete', id);
    await secondTerminal.waitFor(/y\/N/);
    await secondTerminal.press('y', 'Enter');
    await secondTerminal.waitFor(/Deleted wh_\w+[\s\S]*exit 0/);
    await expect(control.getWebhook({ id })).rejects.toMatchObject({ exitCode: ExitCode.notFound });
  });

  it.each([
    ['a choice', ['webhooks', 'get'], /Which endpoint/],
    ['a text', ['workspaces', 'create'], /name:/],
    ['a confirmation', ['keys', 'revoke', 'key_1'], /y\/N/],
  ])('an interrupted prompt for %s restores the terminal', async (_, args, question) => {
    const terminal = await run(...args);
    await terminal.waitFor(question);
    await terminal.press('C-c');
    expect(await terminal.waitFor(/exit \d+\n\S+$/)).toMatch(/exit 130\nicanon$/);
  });
});
