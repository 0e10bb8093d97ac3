import { isEventType } from '../../domain/event.ts';
import { listFixtures } from '../../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import type { Context } from '../context.ts';
import type { Column } from '../render/table.ts';
import { type ChoiceSource, toChoiceList } from './choice-source.ts';

/** Number of deliveries that are searched for event types. */
const MAX_DELIVERIES = 200;

/** Event types that have a fixture. They need no emulator. */
export const fixtureTypeChoices: ChoiceSource = {
  noun: 'event type',
  plural: 'event types',
  list: async (context) => toChoiceList<DescribedType>(await listFixtureTypes(context), columns, toType),
};

/** Event types that have a fixture, and others of the emulator. */
export const eventTypeChoices: ChoiceSource = {
  noun: 'event type',
  plural: 'event types',
  async list(context) {
    const fixtures = await listFixtureTypes(context);
    const known = new Set(fixtures.map(toType));
    const others = (await listSeenTypes(context))
      .filter((type) => !known.has(type))
      .map((type) => ({ type, description: 'used in this emulator, without a fixture' }));
    return toChoiceList<DescribedType>([...fixtures, ...others], columns, toType);
  },
};

interface DescribedType {
  readonly type: string;
  readonly description: string;
}

const columns: readonly Column<DescribedType>[] = [
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

async function listSeenTypes(context: Context): Promise<string[]> {
  const control = await context.connect();
  const [webhooks, deliveries] = await Promise.all([
    control.listWebhooks({}),
    control.listDeliveries({ limit: MAX_DELIVERIES }),
  ]);
  const subscribed = webhooks.data.flatMap(({ events }) => events.filter(isEventType));
  const delivered = deliveries.data.map(({ event_type: type }) => type);
  return [...new Set([...subscribed, ...delivered])].sort();
}
