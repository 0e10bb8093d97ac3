/** Prompts of the built program for missing arguments. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createHttpControlClient } from '../../src/client/http-client.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { quoteForShell } from '../../src/domain/shell.ts';
import type { ControlPlane } from '../../src/operations/control-plane.ts';
import { hasTerminals, startTerminal, type TestTerminal } from '../support/test-terminal.ts';
import { cleanEnvironment, createTempFolder, startEmulator, svcArgs, svcFile } from './cli-program.ts';

describe.skipIf(!hasTerminals)('prompts in a terminal', () => {
  const { cwd, remove } = createTempFolder();
  let control: ControlPlane;

  beforeAll(async () => {
    const { ready, stop } = await startEmulator(cwd, ['--db', ':memory:', '--forward-to', '9']);
    control = createHttpControlClient({ controlUrl: ready.control_url });
    return () => stop().then(remove);
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

  it('svc webhooks delete deletes an endpoint only after a confirmation', async () => {
    const { id } = await control.createWebhook({ url: 'http://127.0.0.1:9/a' });
    const terminal = await run('webhooks', 'delete', id);
    await terminal.waitFor(/\? Delete wh_\w+ and cancel its pending deliveries\? \(y\/N\)/);
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
