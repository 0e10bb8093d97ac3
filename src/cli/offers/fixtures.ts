/** The fixtures of the project and the built-in ones; there they are without an emulator. */
import { fixtureFolders } from '../../fixtures/folders.ts';
import { listFiles, readDescription } from '../../fixtures/inventory.ts';
import type { Context } from '../context.ts';
import { type DescribedFixture, fixtureColumns } from '../render/fixtures.ts';
import { type Offer, offerRows } from './offer.ts';

export const fixtures: Offer = {
  noun: 'fixture',
  async list(context) {
    return offerRows(await listDescribedFixtures(context), fixtureColumns, toName);
  },
};

export const scripts: Offer = {
  noun: 'script',
  async list(context) {
    const rows = await listDescribedFixtures(context);
    const columns = fixtureColumns.filter(({ title }) => title !== 'KIND');
    return offerRows(
      rows.filter(({ kind }) => kind === 'script'),
      columns,
      toName,
    );
  },
};

/** @throws SvcError `usage`, naming the file and its problem, when one cannot be used. */
export async function listDescribedFixtures(context: Context): Promise<DescribedFixture[]> {
  const folders = fixtureFolders((await context.config()).projectFolder);
  return listFiles(folders).map((file) => ({ ...file, description: readDescription(file, folders) }));
}

function toName({ name }: DescribedFixture): string {
  return name;
}
