/** `svc fixtures`: lists, shows and checks event fixtures and scripts. */
import { join, relative, resolve } from 'node:path';
import { formatCount } from '../../domain/format-count.ts';
import { suggestMatch } from '../../domain/suggest-match.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import { listFixtures } from '../../fixtures/event-fixtures.ts';
import { renderEventTypeDeclarations } from '../../fixtures/event-type-declarations.ts';
import { builtInFixtureFolder, fixtureFolders } from '../../fixtures/fixture-folders.ts';
import {
  checkFolders,
  checkPaths,
  type FixtureCheckResult,
  type FixtureFile,
  listFixtureFiles,
} from '../../fixtures/fixture-index.ts';
import { fixtureChoices, listDescribedFixtures } from '../choices/fixture-choices.ts';
import type { CommandDefinition } from '../command.ts';
import { askChoice } from '../prompt.ts';
import { readNamedFile } from '../read-value.ts';
import { printPage } from '../render/page.ts';
import { fixtureColumns } from '../render/resource-columns.ts';

export const list: CommandDefinition<object> = {
  examples: [
    ['List the event fixtures and scripts, your own and the built-in ones', 'fixtures list'],
    ['Print the fixtures as JSON', 'fixtures list --json'],
  ],
  async run(_options, context) {
    const data = await listDescribedFixtures(context);
    const page = { data, has_more: false, end_cursor: data.at(-1)?.name ?? null };
    printPage(context, page, 'fixtures', fixtureColumns);
  },
};

export const show: CommandDefinition<{ readonly name?: string }> = {
  configure: (command) => command.argument('[name]', 'Event type or script name'),
  examples: [
    ['Show the fixture of an event type', 'fixtures show order.shipped'],
    [
      'Start your own script from a built-in one',
      'fixtures show order-lifecycle > fixtures/scripts/my-orders.json',
    ],
  ],
  async run(options, context) {
    const name = options.name ?? (await askChoice(context, 'name', fixtureChoices));
    const { projectFolder } = await context.resolveConfig();
    const files = listFixtureFiles(fixtureFolders(projectFolder));
    const fixtureFile = files.find((file) => file.name === name);
    if (fixtureFile === undefined) {
      const names = files.map((file) => file.name);
      throw new SvcError('not_found', `Fixture ${name} does not exist.`, {
        hint: suggestMatch(name, names) ?? 'List the fixtures with: svc fixtures list',
      });
    }
    const { kind, source, overrides, file } = fixtureFile;
    const fileText = (await readNamedFile(file, context.cwd)).toString('utf8');
    const text = source === 'built_in' ? pointToSchema(fileText, kind, projectFolder) : fileText;
    const fields = JSON.stringify({ name, kind, source, overrides, file }).slice(0, -1);
    context.printJsonText(`${fields},"content":${text}}`, () => text);
  },
};

/**
 * Replaces the `$schema` path of a built-in fixture, which is relative to this package, with one that is valid in the
 * fixture folder of the project.
 */
function pointToSchema(text: string, kind: FixtureFile['kind'], projectFolder: string): string {
  const name = `schemas/${kind}.schema.json`;
  const path = relative(join(projectFolder, 'fixtures', `${kind}s`), join(builtInFixtureFolder(), name));
  return text.replace(JSON.stringify(`../${name}`), () => JSON.stringify(path.replaceAll('\\', '/')));
}

export const types: CommandDefinition<{ readonly open?: boolean }> = {
  configure: (command) => command.option('--open', 'Accept event types without a fixture too'),
  examples: [
    ['Write the event types of your fixtures to a file', 'fixtures types > svc-events.d.ts'],
    ['Accept other event types too', 'fixtures types --open > svc-events.d.ts'],
  ],
  async run({ open = false }, context) {
    const { projectFolder } = await context.resolveConfig();
    const types = renderEventTypeDeclarations(listFixtures(fixtureFolders(projectFolder)), open);
    context.print({ types }, () => types.trimEnd());
  },
};

export const validate: CommandDefinition<{ readonly paths: readonly string[] }> = {
  configure: (command) =>
    command.argument(
      '[paths...]',
      'Files or folders (default: all fixtures of the project and the built-in ones)',
    ),
  examples: [
    ['Check every fixture', 'fixtures validate'],
    [
      'Check one file and print the problems as JSON',
      'fixtures validate fixtures/scripts/my-orders.json --json',
    ],
  ],
  async run({ paths }, { cwd, ...context }) {
    const folders = fixtureFolders((await context.resolveConfig()).projectFolder);
    const absolutePaths = paths.map((path) => resolve(cwd, path));
    const result = paths.length === 0 ? checkFolders(folders) : checkPaths(absolutePaths, folders);
    const ok = result.problems.length === 0;
    context.print({ ok, ...result }, () => renderCheckResult(result, cwd));
    return ok ? ExitCode.success : ExitCode.usage;
  },
};

function renderCheckResult({ checked, problems }: FixtureCheckResult, cwd: string): string {
  const lines = problems.map(({ file, message }) => `${toShortPath(file, cwd)}: ${message}`);
  const count = problems.length === 0 ? 'no problems' : formatCount(problems.length, 'problem');
  return [...lines, `Checked ${formatCount(checked, 'file')} and found ${count}.`].join('\n');
}

/** Relative to the working folder if the file is inside it. */
function toShortPath(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') ? file : path;
}
