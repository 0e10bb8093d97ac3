/** Completes lines as a user types them, in bash, fish and zsh. test/cli/completion.test.ts compares the printed scripts with the files. */
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasTerminals, startTerminal, type TestTerminal } from '../support/test-terminal.ts';
import {
  cleanEnvironment,
  createTempFolder,
  program,
  type Ready,
  startEmulator,
  svcInProcess,
} from './cli-program.ts';

const scripts = join(import.meta.dirname, '../../fixtures/completion');
const { cwd, remove } = createTempFolder();
const env = {
  ...cleanEnvironment(),
  PATH: `${cwd}${delimiter}${process.env.PATH}`,
  HOME: cwd,
  LC_ALL: 'C.UTF-8',
};

let ready: Ready;

beforeAll(async () => {
  symlinkSync(program, join(cwd, 'svc'));
  writeFileSync(join(cwd, 'my payload.json'), '{}');
  const options = ['--db', ':memory:', '--freeze', '--forward-to', 'http://127.0.0.1:9/'];
  const emulator = await startEmulator(cwd, options);
  ready = emulator.ready;
  await svcInProcess(['trigger', 'robot.awoke'], { cwd });
  return () => emulator.stop().then(remove);
});

/** Whether a shell is installed. A warning says when its tests are skipped. */
function hasShell(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.emitWarning(`${name} is missing: the tests of completion in it are skipped.`);
    return false;
  }
}

async function runIn(shell: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await execa(shell, args, { cwd, env, extendEnv: false, timeout: 30_000 });
  return stdout.split('\n').filter((line) => line !== '');
}

/** Presses Tab again when nothing appears, because the emulator can be slow on a busy machine. */
function pressTab(terminal: TestTerminal, expected: RegExp): Promise<string> {
  return vi.waitFor(async () => {
    await terminal.press('Tab');
    return terminal.waitFor(expected, 2_500);
  });
}

describe.skipIf(!hasShell('bash'))('completion in bash', () => {
  /** Calls the completion function as bash does for a line. Bash also splits words at = and :. */
  function complete(line: string): Promise<string[]> {
    const script = `
      . "${scripts}/svc.bash"
      COMP_LINE=$1; shift
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _svc
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const words = line.split(' ').flatMap((word) => word.match(/[=:]+|[^=:]+/g) ?? '');
    return runIn('bash', '--norc', '--noprofile', '-c', script, 'bash', line, ...words);
  }

  it.each([
    // The completion replaces only the text after the last = or :.
    ['svc deliveries list --status=s', ['succeeded']],
    ['svc keys create --scopes events:w', ['write']],
    ['svc emulator start --write-env my', ['my payload.json']],
    ['svc trigger --data=@my', ['@my payload.json']],
    ['svc trigger nothing.like', []],
  ])('%j is completed by %j', async (line, candidates) => {
    await expect.poll(() => complete(line)).toEqual(candidates);
  });

  it('ids of the emulator are completed', async () => {
    await expect.poll(() => complete('svc webhooks get wh_')).toEqual([ready.webhook_id]);
  });

  it.skipIf(!hasTerminals)('the Tab key completes a line in an interactive bash', async () => {
    const terminal = await startTerminal(['bash', '--norc', '--noprofile'], { cwd, columns: 160, env });
    onTestFinished(terminal.close);
    await terminal.type('eval "$(svc completion bash)"');
    await terminal.press('Enter');
    await terminal.type('svc deliveries list --status=suc');
    await pressTab(terminal, /--status=succeeded/);
    await terminal.type('--limit=1 --event ');
    await pressTab(terminal, /--event evt_\w{26}/);
    await terminal.press('Enter');
    await terminal.waitFor(/No deliveries\./);
  });
});

describe.skipIf(!hasShell('fish'))('completion in fish', () => {
  const complete = (line: string) =>
    runIn('fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', `${scripts}/svc.fish`, line);

  it.each([
    ['svc deliveries re', ['replay\tSend deliveries again']],
    ['svc deliveries list --status=s', ['--status=succeeded']],
    ['svc trigger --data=@my', ['--data=@my payload.json']],
    ['svc trigger nothing.like', []],
  ])('%j is completed by %j', async (line, candidates) => {
    await expect.poll(() => complete(line)).toEqual(candidates);
  });

  it('ids of the emulator are completed with a description', async () => {
    const line = new RegExp(`^${ready.webhook_id}\thttp://127\\.0\\.0\\.1:9/ `);
    await expect.poll(() => complete('svc webhooks get ')).toEqual([expect.stringMatching(line)]);
  });
});

describe.skipIf(!hasShell('zsh') || !hasTerminals)('completion in zsh', () => {
  async function complete(line: string, expected: RegExp): Promise<string> {
    const terminal = await startTerminal(['zsh', '-f'], { cwd, columns: 110, env });
    onTestFinished(terminal.close);
    await terminal.type(
      "PS1='> '; autoload -Uz compinit; compinit -u -D; source <(svc completion zsh); clear",
    );
    await terminal.press('Enter');
    await terminal.waitFor(/^>$/);
    await terminal.type(line);
    return pressTab(terminal, expected);
  }

  it.each([
    ['svc deliveries rep', /^> svc deliveries replay/],
    ['svc keys create --scopes events:w', /--scopes events:write/],
    ['svc trigger --data=@my', /--data=@my\\ payload\.json/],
    ['svc webhooks get ', /svc webhooks get wh_\w{26}/],
  ])('%j is completed to match %s', async (line, expected) => {
    await complete(line, expected);
  });
});
