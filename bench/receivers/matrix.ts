/** Measures whether svc names the mistakes of receivers with real frameworks, and whether correct ones pass `svc receiver check`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkReceiver, idsOf } from '../../test/receivers/check-receiver.ts';
import { SECRET } from '../../test/receivers/configurable-receiver.ts';
import { diagnoseRow, type RowResult } from '../../test/receivers/matrix/diagnose-row.ts';
import { type FrameworkName, frameworkLanguages, rows } from '../../test/receivers/matrix/rows.ts';
import { findPython, startRows } from '../../test/receivers/matrix/start-rows.ts';
import { startTestEmulator } from '../../test/support/test-emulator.ts';

/** What the rows import, at the newest versions of these majors. */
const packages = [
  ...['express@5', 'express-4@npm:express@4', 'csurf', 'cookie-parser', 'express-jwt', 'fastify@5'],
  ...['@fastify/basic-auth', '@fastify/cookie', '@fastify/csrf-protection', 'hono@4', '@hono/node-server@1'],
  ...['h3@2', 'koa', 'koa-bodyparser', '@nestjs/core', '@nestjs/common', '@nestjs/platform-express'],
  ...['reflect-metadata', 'rxjs', 'next', 'react', 'react-dom'],
];
const document = join(import.meta.dirname, '../../docs/contributing/receiver-measurements.md');
const START = '<!-- matrix -->';
const names = Object.keys(frameworkLanguages) as FrameworkName[];

interface FrameworkResult {
  readonly framework: FrameworkName;
  readonly results: readonly RowResult[];
  readonly failedChecks: readonly string[];
}

/**
 * Measures each framework whose programs are installed, and writes the summary to the document if all of them were measured.
 * @param folder with `node_modules`; null to install the packages into a temporary folder
 * @param saveRow called with what svc said about each mistake
 */
export async function measureMatrix(
  only: string,
  folder: string | null,
  saveRow: (row: object) => void,
): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-matrix-'));
  const project = folder ?? scratch;
  const measured: FrameworkResult[] = [];
  try {
    if (folder === null) {
      writeFileSync(join(scratch, 'package.json'), '{"private":true}');
      const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
      execFileSync('npm', args, { cwd: scratch, stdio: 'inherit' });
    }
    const present = names.filter((name) => name.includes(only) && canRun(name));
    for (const framework of present) {
      const result = await measureFramework(framework, scratch, join(project, 'node_modules'));
      measured.push(result);
      for (const { row, withoutProbe, withProbe } of result.results)
        saveRow({ framework, mistake: row.mistake, withoutProbe, withProbe });
      console.log(renderRows([result]));
    }
    const summary = renderSummary(measured);
    console.log(summary);
    if (present.length === names.length) {
      const text = readFileSync(document, 'utf8');
      writeFileSync(document, `${text.slice(0, text.indexOf(START) + START.length)}\n\n${summary}`);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

const programs = { ruby: ['ruby', '-rsinatra/base', '-e', ''], php: ['php', '-v'], go: ['go', 'version'] };

function canRun(framework: FrameworkName): boolean {
  const language = frameworkLanguages[framework];
  if (language === 'node' || language === 'next') return true;
  if (language === 'python') return findPython(framework) !== null;
  const [command = '', ...args] = programs[language];
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function measureFramework(
  framework: FrameworkName,
  scratch: string,
  installed: string,
): Promise<FrameworkResult> {
  await using emulator = await startTestEmulator();
  const own = rows.filter((row) => row.framework === framework);
  await using receivers = await startReceivers(own, { secret: SECRET, scratch, packages: installed });
  const results: RowResult[] = [];
  const [correct, ...others] = receivers.started;
  if (correct?.row.mistake !== 'correct') throw new Error(`${framework} has no correct receiver.`);
  const accepted = await diagnoseRow(emulator, correct, SECRET);
  if (accepted.withProbe.rating !== 'named') throw new Error(JSON.stringify(accepted, null, 2));
  for (const started of others) results.push(await diagnoseRow(emulator, started, SECRET));
  const failedChecks = idsOf(await checkReceiver({ url: correct.url, timeoutMs: 15_000 }), 'failed');
  return { framework, results, failedChecks };
}

const MAX_STARTS = 5;

/** Starts the receivers again if another process has taken one of their ports in between. */
async function startReceivers(...input: Parameters<typeof startRows>): ReturnType<typeof startRows> {
  for (let starts = 1; ; starts++) {
    try {
      return await startRows(...input);
    } catch (error) {
      if (starts === MAX_STARTS || !String(error).includes('EADDRINUSE')) throw error;
    }
  }
}

const count = (results: readonly RowResult[], when: 'withoutProbe' | 'withProbe', rating: string) =>
  results.filter((result) => result[when].rating === rating).length;

function renderRows(measured: readonly FrameworkResult[]): string {
  return measured
    .map(({ framework, results }) => {
      const named = (['withoutProbe', 'withProbe'] as const).map((when) => count(results, when, 'named'));
      return `| ${[framework, results.length, ...named].join(' | ')} |`;
    })
    .join('\n');
}

function renderSummary(measured: readonly FrameworkResult[]): string {
  const all = measured.flatMap(({ results }) => results);
  const named = count(all, 'withProbe', 'named');
  const share = ((100 * named) / all.length).toFixed(1);
  const date = new Date().toISOString().slice(0, 10);
  const falseCauses = (['withoutProbe', 'withProbe'] as const).map((when) => count(all, when, 'false'));
  const unnamed = all
    .filter(({ withProbe }) => withProbe.rating !== 'named')
    .map(({ row }) => `*${row.mistake}* of ${row.framework}`);
  const failing = measured
    .filter(({ failedChecks }) => failedChecks.length > 0)
    .map(({ framework, failedChecks }) => `${framework} (${failedChecks.join(', ')})`);
  return `Measured on ${date}. With \`--probe\`, svc names ${named} of ${all.length} mistakes (${share} %), without it ${count(all, 'withoutProbe', 'named')}. False causes: ${falseCauses[1]} with \`--probe\`,
${falseCauses[0]} without it. Not named with \`--probe\`: ${unnamed.join(', ') || 'none'}. Correct receivers that fail a check:
${failing.join(', ') || 'none'}.

| framework | mistakes | named | with \`--probe\` |
|---|--:|--:|--:|
${renderRows(measured)}
`;
}
