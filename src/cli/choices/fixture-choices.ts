/** Fixtures and event types as choices of prompts and completion. Fixtures are files, so they need no emulator. */
import { listFixtures } from '../../fixtures/event-fixtures.ts';
import { type FixtureFile, listFixtureFiles, readDescription } from '../../fixtures/fixture-index.ts';
import type { Context } from '../context.ts';
import type { Column } from '../render/table.ts';
import { resolveFixtureFolders } from '../resolve-fixture-folders.ts';
import { type ChoiceSource, toChoiceList } from './choice-source.ts';

type DescribedFixture = FixtureFile & { readonly description: string };

export const fixtureColumns: readonly Column<DescribedFixture>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'KIND', value: ({ kind }) => kind, hideOrder: 1 },
  { title: 'FROM', value: describeOrigin, hideOrder: 2 },
  { title: 'DESCRIPTION', value: ({ description }) => description, canTruncate: true },
];

function describeOrigin({ source, overrides }: FixtureFile): string {
  if (source === 'built_in') return 'built-in';
  return overrides ? 'project, overrides' : 'project';
}

/** @throws SvcError `usage` with the file and its problem, if a fixture file is invalid */
export async function listDescribedFixtures(context: Context): Promise<DescribedFixture[]> {
  const folders = await resolveFixtureFolders(context);
  return listFixtureFiles(folders).map((file) => ({ ...file, description: readDescription(file, folders) }));
}

export const fixtureChoices: ChoiceSource = {
  noun: 'fixture',
  plural: 'fixtures',
  listHint: { text: 'List the fixtures', command: 'svc fixtures list' },
  list: async (context) =>
    toChoiceList(await listDescribedFixtures(context), fixtureColumns, ({ name }) => name),
};

export const scriptChoices: ChoiceSource = {
  noun: 'script',
  plural: 'scripts',
  listHint: { text: 'List the scripts', command: 'svc fixtures list' },
  async list(context) {
    const scripts = (await listDescribedFixtures(context)).filter(({ kind }) => kind === 'script');
    return toChoiceList(scripts, fixtureColumns, ({ name }) => name);
  },
};

export const eventTypeChoices: ChoiceSource = {
  noun: 'event type',
  plural: 'event types',
  listHint: { text: 'List the event types', command: 'svc fixtures list' },
  async list(context) {
    const fixtures = listFixtures(await resolveFixtureFolders(context));
    return fixtures.map(({ type, description }) => ({ value: type, description }));
  },
};
