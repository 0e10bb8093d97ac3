/** The fixtures of the project and the built-in ones; there they are without an emulator. */
import { fixtureFolders } from '../../fixtures/folders.ts';
import { type FixtureFile, listFiles, readDescription } from '../../fixtures/inventory.ts';
import type { Context } from '../context.ts';
import { type DescribedFixture, fixtureColumns } from '../render/fixtures.ts';
import { type Offer, offerRows } from './offer.ts';

export const fixtures: Offer = {
  noun: 'fixture',
  list: (context) => offerFixtures(context, ['event', 'script']),
};

export const scripts: Offer = {
  noun: 'script',
  list: (context) => offerFixtures(context, ['script']),
};

/** Event types that have a fixture. */
export const fixtureTypes: Offer = {
  noun: 'event type',
  list: (context) => offerFixtures(context, ['event']),
};

/** @throws SvcError `usage`, naming the file and its problem, when one cannot be used. */
export async function listDescribedFixtures(context: Context): Promise<DescribedFixture[]> {
  const folders = fixtureFolders((await context.config()).projectFolder);
  return listFiles(folders).map((file) => ({ ...file, description: readDescription(file, folders) }));
}

async function offerFixtures(context: Context, kinds: readonly FixtureFile['kind'][]) {
  const rows = (await listDescribedFixtures(context)).filter(({ kind }) => kinds.includes(kind));
  const columns = fixtureColumns.filter(({ title }) => title !== 'KIND' || kinds.length > 1);
  return offerRows(rows, columns, ({ name }) => name);
}
