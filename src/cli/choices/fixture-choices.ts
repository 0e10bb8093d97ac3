/** The fixtures of the project and the built-in ones. They need no emulator. */
import { fixtureFolders } from '../../fixtures/fixture-folders.ts';
import { listFixtureFiles, readDescription } from '../../fixtures/fixture-index.ts';
import type { Context } from '../context.ts';
import { type DescribedFixture, fixtureColumns } from '../render/resource-columns.ts';
import { type ChoiceSource, toChoiceList } from './choice-source.ts';

export const fixtureChoices: ChoiceSource = {
  noun: 'fixture',
  plural: 'fixtures',
  async list(context) {
    return toChoiceList(await listDescribedFixtures(context), fixtureColumns, toName);
  },
};

export const scriptChoices: ChoiceSource = {
  noun: 'script',
  plural: 'scripts',
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

/** @throws SvcError `usage`, naming the file and its problem, when one cannot be used. */
export async function listDescribedFixtures(context: Context): Promise<DescribedFixture[]> {
  const folders = fixtureFolders((await context.resolveConfig()).projectFolder);
  return listFixtureFiles(folders).map((file) => ({ ...file, description: readDescription(file, folders) }));
}

function toName({ name }: DescribedFixture): string {
  return name;
}
