import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandTree } from '../../src/cli/command-tree.ts';
import { complete, LIST_TIMEOUT_MS } from '../../src/cli/complete.ts';
import { ExitCode } from '../../src/domain/errors.ts';
import { createFixtureProject } from '../fixtures/fixture-project.ts';
import { listFlags } from '../support/command-definitions.ts';
import { listenDuringTest } from '../support/local-server.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createFakeHost, type FakeOptions, runLine } from './fake-context.ts';

const scripts = { bash: 'svc.bash', zsh: 'svc.zsh', fish: 'svc.fish', powershell: 'svc.ps1' };
const readScript = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../fixtures/completion', name), 'utf8');

/** Suggestions for the last word of a line. Default: no emulator is running. The time limit is that of a test. */
async function suggest(line: string, fake: FakeOptions = {}, timeoutMs = 60_000): Promise<string[]> {
  const { host } = createFakeHost({ cwd: createTemporaryFolder(), ...fake });
  return complete(line.split(' '), host, timeoutMs);
}

async function suggestWords(line: string, fake?: FakeOptions): Promise<string[]> {
  return (await suggest(line, fake)).map((suggestion) => suggestion.replace(/\t.*/, ''));
}

describe('completion of names', () => {
  it('completion of an empty line suggests every command with its summary', async () => {
    expect(await suggest('')).toEqual(
      Object.entries(commandTree).map(([name, { summary }]) => `${name}\t${summary}`),
    );
  });

  it('the words of golden/completions.txt are suggested', async () => {
    const file = join(import.meta.dirname, 'golden/completions.txt');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const shown = lines.map(async (line) => {
      const text = line.replace(/(?<=") → .*/, '');
      return `${text} → ${(await suggestWords(JSON.parse(text))).join(' ') || 'nothing'}`;
    });
    await expect(`${(await Promise.all(shown)).join('\n')}\n`).toMatchFileSnapshot(file);
  });
});

it('completion of an option suggests command and global options with their descriptions', async () => {
  const lines = await suggest('deliveries wait -');
  const flags = (await listFlags('deliveries wait', { global: true })).filter((flag) =>
    flag.startsWith('--'),
  );
  expect(lines.map((line) => line.split('\t')[0])).toEqual([...flags, '--help']);
  expect(lines).toContain('--event\tOnly deliveries of this event');
});

describe('completion of values', () => {
  it('event types of svc and of the project are suggested without an emulator', async () => {
    const { cwd, write } = createFixtureProject();
    write('events/parcel.lost', { description: 'Gone', payload: {} });
    expect(await suggest('trigger pa', { cwd })).toContain('parcel.lost\tGone');
    expect(await suggestWords('webhooks create -e parcel.lost,invoice.p', { cwd })).toEqual([
      'parcel.lost,invoice.paid',
    ]);
  });

  it('resource IDs of the emulator are suggested where a command expects them', async () => {
    const emulator = await startTestEmulator();
    onTestFinished(emulator.close);
    const { url, workspace_id } = emulator.status();
    const webhook = await emulator.control.createWebhook({
      url: 'http://127.0.0.1:9/',
      events: ['robot.awoke'],
    });
    const { json: event } = await emulator.api('POST', '/events', { type: 'robot.awoke' });
    const { data } = await emulator.control.listDeliveries({});
    const delivery = data[0]?.id;
    const key = await emulator.control.createKey({ scopes: ['events:read'] });
    const fake = { env: { SVC_CONTROL_URL: url } };

    const completeLine = async (line: string) => suggestWords(line, fake);
    expect(await completeLine('deliveries get ')).toEqual([delivery]);
    expect(await completeLine('deliveries replay x del')).toEqual([delivery]);
    expect(await completeLine('deliveries list --starting-after=')).toEqual([`--starting-after=${delivery}`]);
    expect(await completeLine('verify --delivery ')).toEqual([delivery]);
    expect(await completeLine('deliveries list --event ')).toEqual([event.id]);
    expect(await completeLine('events get ')).toEqual([event.id]);
    expect(await completeLine('webhooks delete ')).toEqual([webhook.id]);
    expect(await completeLine('deliveries tail --webhook ')).toEqual([webhook.id]);
    expect(await completeLine('clock show --workspace ')).toEqual([workspace_id]);
    expect(await completeLine('keys revoke ')).toContain(key.id);
    expect(await completeLine('logs list --key ')).toContain(key.id);
    expect(await suggestWords(`--url ${url} webhooks get `)).toEqual([webhook.id]);
    expect(await suggestWords(`--url=${url} webhooks get `)).toEqual([webhook.id]);
    expect(await suggestWords(`webhooks get --url=${url} `)).toEqual([webhook.id]);
    const apiKey = `--api-key=${emulator.status().api_key}`;
    expect(await suggestWords(`${apiKey} --url=${url} events get `)).toEqual([event.id]);
    expect(await suggest('webhooks get ', fake)).toEqual([
      expect.stringMatching(/^wh_\w+\thttp:\/\/127\.0\.0\.1:9\/ {2}robot\.awoke {2}enabled/),
    ]);
  });

  it.each(['trigger ', 'deliveries get ', 'clock show --workspace ', 'fixtures show ', 'events get '])(
    'completion after "svc %s" does not execute svc.config.mjs [files.completion]',
    async (line) => {
      const cwd = createTemporaryFolder();
      const trace = join(cwd, 'executed');
      writeFileSync(
        join(cwd, 'svc.config.mjs'),
        `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(trace)}, '');\nexport default {};\n`,
      );
      await suggest(line, { cwd });
      expect(existsSync(trace)).toBe(false);
    },
  );

  it('completion uses the settings in svc.config.json', async () => {
    const emulator = await startTestEmulator();
    onTestFinished(emulator.close);
    const { url, workspace_id } = emulator.status();
    const cwd = createTemporaryFolder();
    writeFileSync(join(cwd, 'svc.config.json'), JSON.stringify({ control_url: url }));
    expect(await suggestWords('clock show --workspace ', { cwd })).toEqual([workspace_id]);
  });

  it('completion suggests nothing if the emulator does not respond in time', async () => {
    const server = createServer();
    const port = await listenDuringTest(server);
    const env = { SVC_CONTROL_URL: `http://127.0.0.1:${port}` };
    expect(await suggest('deliveries get ', { env }, LIST_TIMEOUT_MS)).toEqual([]);
    expect(LIST_TIMEOUT_MS).toBeLessThan(500);
  });

  it('a long description is truncated to 80 characters', async () => {
    const cwd = createTemporaryFolder();
    mkdirSync(join(cwd, 'fixtures/events'), { recursive: true });
    const fixture = JSON.stringify({ description: 'x'.repeat(1_000), payload: {} });
    writeFileSync(join(cwd, 'fixtures/events/long.told.json'), fixture);
    expect(await suggest('trigger long', { cwd })).toEqual([`long.told\t${'x'.repeat(79)}…`]);
  });
});

describe('completion scripts', () => {
  it('svc __complete prints one suggestion per line', async () => {
    expect(await runLine(['--', '__complete', 'clock', 's'])).toEqual({
      exitCode: ExitCode.success,
      out: expect.stringMatching(/^show\t.*\nspeed\t.*\nsettle\t.*\n$/),
      err: '',
    });
  });

  it.each(Object.entries(scripts))('svc completion %s prints only the script', async (shell, name) => {
    const expected = { exitCode: ExitCode.success, out: readScript(name), err: '' };
    expect(await runLine(['completion', shell])).toEqual(expected);
  });

  // PowerShell may not be installed here, so the test reads the script and does not run it.
  it('the PowerShell script registers a completer that runs svc __complete', () => {
    const powershell = readScript(scripts.powershell);
    expect(powershell).toContain('Register-ArgumentCompleter -Native -CommandName svc');
    expect(powershell).toContain('svc -- __complete @words $current');
    expect(powershell).toContain('-split "`t", 2');
  });
});
