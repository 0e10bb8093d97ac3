import { describe, expect, it, onTestFinished } from 'vitest';
import * as abortSignals from '../../src/platform/abort-signals.ts';
import { createFixtureProject } from '../fixtures/fixture-project.ts';
import { replaceExports } from '../support/replace-exports.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { runLine } from './fake-context.ts';

/** An 8-bit control character, bidirectional controls, zero-width characters and a tag. */
const HOSTILE = '\u009b2J\u202e\u2066\u200b\u2060\u{e0041}';
const UNSAFE = /(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}]/u;

async function prepare() {
  const receiver = await createReceiver(() => ({ status: 500, body: HOSTILE }));
  const emulator = await startTestEmulator();
  onTestFinished(async () => {
    await emulator.close();
    await receiver.close();
  });
  const { cwd, write } = createFixtureProject();
  write('events/order.made', { description: HOSTILE, type: 'order.made', payload: HOSTILE });
  const { control } = emulator;
  const { workspace_id, control_url } = emulator.status();
  const workspace = await control.createWorkspace({ name: `a${HOSTILE}`.replaceAll('\u009b', '') });
  await control.createWebhook({ url: receiver.url, events: ['*'] });
  const { json: event } = await emulator.api('POST', '/events', {
    ...{ workspace_id, type: 'order.shipped', payload: { [HOSTILE]: HOSTILE } },
  });
  await control.advanceClock({ workspace_id, ms: 1 });
  const [delivery] = (await control.listDeliveries({})).data;
  // Completion prints nothing if the emulator takes longer than 300 ms to respond, as it does on a busy machine.
  replaceExports(abortSignals, { abortAfter: () => new AbortController().signal });
  const commands: readonly string[][] = [
    ['events', 'get', event.id],
    ['events', 'list'],
    ['deliveries', 'get', delivery?.id ?? ''],
    ['deliveries', 'list'],
    ['workspaces', 'list'],
    ['workspaces', 'get', workspace.id],
    ['emulator', 'status'],
    ['logs', 'list'],
    ['fixtures', 'list'],
    ['fixtures', 'validate'],
    ['__complete', 'workspaces', 'get', ''],
    ['events', 'get', HOSTILE],
    ['deliveries', 'list', `--${HOSTILE}`],
    [HOSTILE],
  ];
  return {
    commands,
    run: (...args: readonly string[]) =>
      runLine(args, { env: { SVC_CONTROL_URL: control_url }, cwd, capabilities: { color: true } }),
  };
}

describe('untrusted text that a command prints', () => {
  const withoutColor = (text: string) => text.replace(/\x1b\[\d+m/g, '');

  it('invisible characters are shown as escapes in results, completion and errors [output.escapes]', async () => {
    const { commands, run } = await prepare();
    for (const words of commands) {
      const { out, err } = await run(...words);
      expect(out + err, words.join(' ')).not.toBe('');
      expect(withoutColor(out + err), words.join(' ')).not.toMatch(UNSAFE);
    }
    expect((await run('workspaces', 'list')).out).toContain('a2J\\u202e\\u2066\\u200b');
    expect((await run(HOSTILE)).err).toContain('Unknown command: svc \\u009b2J\\u202e');
  });

  it('invisible characters are JSON escapes with --json, and the value is the same [output.json]', async () => {
    const { commands, run } = await prepare();
    for (const words of commands.slice(0, 5)) {
      const { out } = await run(...words, '--json');
      expect(out, words.join(' ')).not.toMatch(UNSAFE);
      expect(() => JSON.parse(out), words.join(' ')).not.toThrow();
    }
    const { out } = await run(...(commands[0] ?? []), '--json');
    expect(out).toContain('\\u009b2J\\u202e');
    expect(JSON.parse(out)).toMatchObject({ payload: { [HOSTILE]: HOSTILE } });
  });
});
