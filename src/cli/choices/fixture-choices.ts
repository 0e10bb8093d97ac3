/** Fixtures and event types as choices of prompts and completion. Fixtures are files, so they need no emulator. */
import { isEventType } from '../../domain/event.ts';
import { listFixtures } from '../../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import { type FixtureFile, listFixtureFiles, readDescription } from '../../fixtures/fixture-index.ts';
import type { Context } from '../context.ts';
import { type ChoiceSource, toChoiceList } from '../prompt.ts';
import type { Column } from '../render/table.ts';

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

export const fixtureChoices: ChoiceSource = {
  noun: 'fixture',
  plural: 'fixtures',
  listHint: { text: 'List the fixtures', command: 'svc fixtures list' },
  async list(context) {
    return toChoiceList(await listDescribedFixtures(context), fixtureColumns, toName);
  },
};

export const scriptChoices: ChoiceSource = {
  noun: 'script',
  plural: 'scripts',
  listHint: { text: 'List the scripts', command: 'svc fixtures list' },
  async list(context) {
    const rows = await listDescribedFixtures(context);
    const columns = fixtureColumns.filter(({ title }) => title !== 'KIND');
    return toChoiceList(
      rows.filter(({ kind }) => kind === 'script'),
      columns,
      toName,
    );
  },
};

/** @throws SvcError `usage` with the file and its problem, if a fixture file is invalid */
export async function listDescribedFixtures(context: Context): Promise<DescribedFixture[]> {
  const folders = fixtureFolders((await context.resolveConfig()).projectFolder);
  return listFixtureFiles(folders).map((file) => ({ ...file, description: readDescription(file, folders) }));
}

function toName({ name }: DescribedFixture): string {
  return name;
}

/** The event types of this number of deliveries, the newest ones, are choices. */
const MAX_SEARCHED_DELIVERIES = 200;

/** Event types that have a fixture. They need no emulator. */
export const fixtureTypeChoices: ChoiceSource = {
  noun: 'event type',
  plural: 'event types',
  listHint: { text: 'List the event types', command: 'svc fixtures list' },
  list: async (context) =>
    toChoiceList<DescribedType>(await listFixtureTypes(context), eventTypeColumns, toType),
};

/** Event types that have a fixture, and those that endpoints and deliveries of the emulator use. */
export const eventTypeChoices: ChoiceSource = {
  noun: 'event type',
  plural: 'event types',
  listHint: { text: 'List the event types', command: 'svc fixtures list' },
  async list(context) {
    const fixtures = await listFixtureTypes(context);
    const fixtureTypes = new Set(fixtures.map(toType));
    const otherTypes = (await listUsedTypes(context))
      .filter((type) => !fixtureTypes.has(type))
      .map((type) => ({ type, description: 'used in this emulator, without a fixture' }));
    return toChoiceList<DescribedType>([...fixtures, ...otherTypes], eventTypeColumns, toType);
  },
};

interface DescribedType {
  readonly type: string;
  readonly description: string;
}

const eventTypeColumns: readonly Column<DescribedType>[] = [
  { title: 'TYPE', value: toType },
  { title: 'DESCRIPTION', value: ({ description }) => description, canTruncate: true },
];

function toType({ type }: DescribedType): string {
  return type;
}

async function listFixtureTypes(context: Context): Promise<readonly DescribedType[]> {
  const { projectFolder } = await context.resolveConfig();
  return listFixtures(fixtureFolders(projectFolder));
}

async function listUsedTypes(context: Context): Promise<string[]> {
  const control = await context.connect();
  const [webhooks, deliveries] = await Promise.all([
    control.listWebhooks({}),
    control.listDeliveries({ limit: MAX_SEARCHED_DELIVERIES }),
  ]);
  // An endpoint can also subscribe to the wildcard, which is not an event type.
  const subscribed = webhooks.data.flatMap(({ events }) => events.filter(isEventType));
  const delivered = deliveries.data.map(({ event_type: type }) => type);
  return [...new Set([...subscribed, ...delivered])].sort();
}
