/** The workflow that publishes a release, and the notes of the release. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface Workflow {
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { jobs }: Workflow = parse(read('.github/workflows/release.yml'));
const steps = Object.values(jobs).flatMap((job) => job.steps);
const commands = steps.flatMap(({ run }) => run ?? []);

it('the release workflow runs only scripts and tests that exist', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const text = commands.join('\n');
  const names = Array.from(text.matchAll(/npm run (\S+)/g), ([, name]) => name);
  const files = Array.from(
    text.matchAll(/(?:node|\s)((?:scripts|test)\/\S+\.\w+)/g),
    ([, path = '']) => path,
  );
  expect(names.filter((name) => !(String(name) in scripts))).toEqual([]);
  expect(files.length).toBeGreaterThan(2);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('the release workflow publishes after all checks and executables, and can write only where it publishes', () => {
  expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
    ['check', undefined],
    ['binary', 'check'],
    ['image', 'binary'],
    ['release', 'image'],
  ]);
  const writersOf = (permission: string) =>
    Object.keys(jobs).filter((name) => jobs[name]?.permissions?.[permission] === 'write');
  expect(writersOf('contents')).toEqual(['release']);
  expect(writersOf('packages')).toEqual(['image', 'release']);
  const publishing = /npm publish|gh release create|imagetools create/;
  expect(jobs.release?.steps.filter(({ run }) => publishing.test(run ?? ''))).toHaveLength(3);
  expect(commands.filter((run) => publishing.test(run))).toHaveLength(3);
});

it('release-notes.mjs prints the section of a version, without links into the repository, and the addresses of the release', async () => {
  const script = join(root, 'scripts/release-notes.mjs');
  const { stdout } = await execa(process.execPath, [script, '0.1.0', 'Acme/svc']);
  expect(stdout).not.toMatch(/^## |\]\((?!https?:)/m);
  expect(stdout).toContain('### Installation');
  expect(stdout).toContain('`https://github.com/Acme/svc/releases/download/v0.1.0`');
  expect(stdout).toContain('`ghcr.io/acme/svc:0.1.0`');
  expect(stdout).toContain('`Acme/svc@v0.1.0`');
});

it.each([
  ['a version that the changelog does not have', ['99.0.0'], 'CHANGELOG.md has no section [99.0.0].'],
  ['a missing repository', ['0.1.0'], 'Pass the repository, such as OWNER/NAME.'],
])('release-notes.mjs fails for %s', async (_, args, message) => {
  const script = join(root, 'scripts/release-notes.mjs');
  const { exitCode, stderr } = await execa(process.execPath, [script, ...args], { reject: false });
  expect([exitCode, stderr]).toEqual([1, message]);
});
