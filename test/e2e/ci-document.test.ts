/** Runs the jobs and programs of `docs/ci.md` as the CI service would. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { listBlocks } from '../support/documents.ts';
import { isRunning } from '../support/is-running.ts';
import { createTempFolder, program, runProgram, svcInProcess } from './cli-program.ts';
import { waitForPid } from './test-resources.ts';

const blocks = listBlocks('docs/ci.md').map(({ code }) => code);

/** The content of a file, whose name is the comment in its first line. */
const getFile = (name: string) => blocks.find((code) => code.startsWith(`# ${name}\n`)) ?? expect.fail(name);

/** A project with the package installed, whose test creates an event for an endpoint that accepts it. */
function createProject(): string {
  const { cwd, remove } = createTempFolder();
  onTestFinished(async () => {
    await svcInProcess(['emulator', 'stop'], { cwd });
    remove();
  });
  mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
  symlinkSync(program, join(cwd, 'node_modules/.bin/svc'));
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts: { test: 'node test.mjs' } }));
  writeFileSync(
    join(cwd, 'test.mjs'),
    `import { createServer } from 'node:http';
    const { SVC_BASE_URL, SVC_API_KEY, SVC_WORKSPACE_ID: workspace_id } = process.env;
    const post = async (path, body) => {
      const headers = { authorization: 'Bearer ' + SVC_API_KEY, 'content-type': 'application/json' };
      const response = await fetch(SVC_BASE_URL + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
    };
    const server = createServer((request, response) => response.end(() => server.close()));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    await post('/webhooks', { workspace_id, url: 'http://127.0.0.1:' + server.address().port, events: ['order.shipped'] });
    await post('/events', { type: 'order.shipped' });`,
  );
  return cwd;
}

/** Runs each line of a job in a new shell, except `npm ci`: the package is already installed. */
async function runJob(cwd: string, lines: readonly string[]): Promise<string[]> {
  const variables = join(cwd, 'variables');
  writeFileSync(variables, '');
  const outputs: string[] = [];
  for (const line of lines.filter((command) => command !== 'npm ci')) {
    const variableLines = readFileSync(variables, 'utf8').matchAll(/^(\w+)=(.*)$/gm);
    const env = Object.fromEntries(Array.from(variableLines, ([, name = '', value = '']) => [name, value]));
    const { stdout } = await runProgram('bash', ['-e', '-o', 'pipefail', '-c', line], {
      ...{ cwd, env: { GITHUB_ENV: variables, ...env }, timeout: 30_000, reject: true },
    });
    outputs.push(stdout);
  }
  return outputs;
}

interface Workflow {
  readonly jobs: { readonly test: { readonly steps: readonly { readonly run?: string }[] } };
}

function linesOf(name: string): string[] {
  const { jobs }: Workflow = parse(getFile(name));
  return jobs.test.steps.flatMap(({ run }) => (run === undefined ? [] : [run.trim()]));
}

const hasShell = process.platform !== 'win32';

it.skipIf(!hasShell)(
  'the job for GitHub Actions runs and writes its log, and the job for GitLab runs the same commands',
  async () => {
    const cwd = createProject();
    const lines = linesOf('.github/workflows/test.yml');
    expect(lines).toContain('npm ci');
    const { test } = parse(getFile('.gitlab-ci.yml'));
    expect([test.script, test.artifacts.paths]).toEqual([lines, ['emulator.log']]);
    await runJob(cwd, lines);
    expect(readFileSync(join(cwd, 'emulator.log'), 'utf8')).toContain('/v1/events');
  },
);

it.skipIf(!hasShell)('the steps for GitHub Actions share an emulator', async () => {
  const outputs = await runJob(createProject(), linesOf('.github/workflows/steps.yml'));
  expect(outputs.at(-2)).toMatch(/del_\w+ +\S+ succeeded +order\.shipped/);
  expect(outputs.at(-1)).toContain('Stopped the emulator');
});

it.skipIf(!hasShell)('a receiver in the background ends with the tests', async () => {
  const cwd = createProject();
  writeFileSync(
    join(cwd, 'server.js'),
    `require('node:fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);`,
  );
  writeFileSync(
    join(cwd, 'package.json'),
    JSON.stringify({ scripts: { test: 'until test -s pid; do sleep 0.05; done' } }),
  );
  const [line = ''] = /(?<=^svc )emulator exec .* sh -c .*$/m.exec(blocks.join('')) ?? [];
  await runJob(cwd, [`node_modules/.bin/svc ${line.replace(' -- ', ' --allow-no-deliveries -- ')}`]);
  const pid = await waitForPid(join(cwd, 'pid'));
  await expect.poll(() => isRunning(pid)).toBe(false);
});
