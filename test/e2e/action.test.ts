/** Runs the steps of `action.yml` in a shell, with the variables and files of GitHub Actions. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { quoteForShell } from '../../src/domain/shell.ts';
import { readPage } from '../support/documents.ts';
import { createTempFolder, program, runProgram, svcArgs, svcFile, svcInProcess } from './cli-program.ts';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly id?: string;
      readonly shell: string;
      readonly 'working-directory': string;
      readonly env: Readonly<Record<string, string>>;
      readonly run: string;
    }[];
  };
}

const root = join(import.meta.dirname, '../..');
const action: Action = parse(readFileSync(join(root, 'action.yml'), 'utf8'));

/** Lines `name=value` of a file such as GITHUB_ENV. */
function readVariables(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').matchAll(/^([\w-]+)=(.*)$/gm);
  return Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, value]));
}

/** A job: a checkout, and the files that GitHub gives to its steps. */
function createJob() {
  const { cwd: temp, remove } = createTempFolder();
  const workspace = join(temp, 'work space');
  mkdirSync(workspace);
  onTestFinished(async () => {
    await svcInProcess(['emulator', 'stop'], { cwd: workspace });
    remove();
  });
  const file = (name: string) => join(temp, name);
  for (const name of ['env', 'path', 'output']) writeFileSync(file(name), '');

  /** Runs a script as a step. Steps see what earlier steps have written to GITHUB_ENV and GITHUB_PATH. */
  function runStep(script: string, env: Readonly<Record<string, string>> = {}, cwd = '.') {
    const addedPaths = readFileSync(file('path'), 'utf8').split('\n').filter(Boolean).reverse();
    return runProgram('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script], {
      cwd: join(workspace, cwd),
      timeout: 60_000,
      env: {
        PATH: [...addedPaths, process.env.PATH].join(':'),
        GITHUB_ENV: file('env'),
        GITHUB_PATH: file('path'),
        GITHUB_OUTPUT: file('output'),
        GITHUB_WORKSPACE: workspace,
        RUNNER_TEMP: temp,
        npm_config_offline: 'true',
        ...readVariables(file('env')),
        ...env,
      },
    });
  }

  /** Runs the steps of the action until one fails. */
  async function use(inputs: Readonly<Record<string, string>>) {
    const fill = (text: string) =>
      text.replace(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
      );
    let result: Awaited<ReturnType<typeof runStep>> | undefined;
    for (const { run, env, 'working-directory': cwd } of action.runs.steps) {
      const filled = Object.entries(env).map(([name, value]) => [name, fill(value)]);
      result = await runStep(run, Object.fromEntries(filled), fill(cwd));
      if (result.exitCode !== 0) break;
    }
    return {
      exitCode: result?.exitCode,
      text: `${result?.stdout}\n${result?.stderr}`,
      outputs: readVariables(file('output')),
    };
  }

  return { workspace, temp, runStep, use };
}

/** A job whose project has svc installed. */
function createInstalledJob() {
  const job = createJob();
  mkdirSync(join(job.workspace, 'node_modules/.bin'), { recursive: true });
  symlinkSync(program, join(job.workspace, 'node_modules/.bin/svc'));
  return job;
}

describe.skipIf(process.platform === 'win32')('action.yml', () => {
  it('the action is composite, and no script contains an input, which a shell would execute', () => {
    expect(action.runs.using).toBe('composite');
    const scripts = action.runs.steps.map(({ run }) => run);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
    const used = JSON.stringify(action.runs.steps).matchAll(/\$\{\{ inputs\.([\w-]+) \}\}/g);
    expect(new Set(Array.from(used, ([, name]) => name))).toEqual(new Set(Object.keys(action.inputs)));
  });

  it('docs/reference/exec-and-action.md lists every input and output, and its example uses no others', () => {
    const page = readPage('docs/reference/exec-and-action.md');
    const listed = (title: string) =>
      Array.from(
        (page.split(`| ${title} |`)[1]?.split('\n\n', 1)[0] ?? '').matchAll(/^\| `([\w-]+)` \|/gm),
        ([, name]) => name,
      );
    expect(listed('input')).toEqual(Object.keys(action.inputs));
    expect(listed('output')).toEqual(Object.keys(action.outputs));
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const step = parse(example).jobs.test.steps.find(({ id }: { id?: string }) => id === 'svc');
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
    expect(Array.from(example.matchAll(/steps\.svc\.outputs\.(\w+)/g), ([, name]) => name)).toEqual([
      'reports',
    ]);
  });

  it('with run, the commands run with an emulator, and the log and the outputs are written', async () => {
    const { use } = createInstalledJob();
    const options = '--freeze\n--random-seed 7';
    const { exitCode, text, outputs } = await use({
      run: 'svc trigger refund.created',
      options,
      profile: 'relaxed',
    });
    expect(exitCode, text).toBe(0);
    expect(Object.keys(outputs).sort()).toEqual(Object.keys(action.outputs).sort());
    expect(readFileSync(outputs.log ?? '', 'utf8')).toContain('/v1/events');
    expect((await use({ run: 'true', options: '--frooze' })).exitCode).toBe(2);
  });

  it('the step fails with the exit code of a command that fails, and later commands do not run', async () => {
    const { use, workspace } = createInstalledJob();
    const run = `svc emulator status --json | grep '"strict"'\nsh -c 'exit 3'\ntouch later`;
    const { exitCode, outputs } = await use({ run, profile: 'strict', reports: 'my reports' });
    expect([exitCode, existsSync(join(workspace, 'later'))]).toEqual([3, false]);
    expect(outputs.reports).toBe(join(workspace, 'my reports'));
    expect(existsSync(outputs.log ?? '')).toBe(true);
  });

  it('without run, later steps use the emulator by its variables, and the step that stops it saves the log and the deliveries', async () => {
    const { use, runStep, workspace } = createInstalledJob();
    const started = await use({ options: '--freeze' });
    expect(started.exitCode, started.text).toBe(0);
    expect(existsSync(join(workspace, '.svc/sandbox.db'))).toBe(false);
    const { exitCode } = await runStep(
      `test -n "$SVC_BASE_URL$SVC_API_KEY"
      curl --fail "$SVC_CONTROL_URL/status"
      svc webhooks create --url http://127.0.0.1:9/ --events refund.created
      svc trigger refund.created`,
    );
    expect(exitCode).toBe(0);
    const stopped = await use({ stop: 'true' });
    expect(stopped.exitCode, stopped.text).toBe(0);
    const { reports = '', log = '' } = stopped.outputs;
    expect(readFileSync(join(reports, 'deliveries.ndjson'), 'utf8')).toContain('refund.created');
    expect(readFileSync(log, 'utf8')).toContain('"type":"ready"');
    expect((await runStep('svc emulator status')).exitCode).toBe(3);
    const repeated = await use({ stop: 'true' });
    expect([repeated.exitCode, repeated.text]).toEqual([1, expect.stringContaining('No response from')]);
  });

  it('version installs a tarball in a folder of the runner, and the project stays unchanged', async () => {
    const { use, temp, workspace } = createJob();
    const folder = join(temp, 'package');
    mkdirSync(folder);
    const manifest = { name: 'svc-emulator', version: '9.9.9', bin: { svc: 'svc.sh' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const command = [svcFile, ...svcArgs].map(quoteForShell).join(' ');
    writeFileSync(
      join(folder, 'svc.sh'),
      `#!/bin/sh
exec ${command} "$@"
`,
      { mode: 0o755 },
    );
    execFileSync('tar', ['-czf', join(workspace, 'svc-emulator.tgz'), '-C', temp, 'package']);
    const { exitCode, text } = await use({
      version: 'svc-emulator.tgz',
      run: 'which svc && svc --version',
    });
    expect(exitCode, text).toBe(0);
    expect(text).toContain(join(temp, 'svc-emulator/node_modules/.bin/svc'));
    expect(existsSync(join(workspace, 'node_modules'))).toBe(false);
    const hostile = await use({ version: '$(touch hacked).tgz', run: 'true' });
    expect([hostile.exitCode === 0, existsSync(join(workspace, 'hacked'))]).toEqual([false, false]);
  });
});
