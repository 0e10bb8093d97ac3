/** Finds the fixture folders of a command. */
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import type { Context } from './context.ts';

/** The folders with the fixtures of the configured sender. */
export async function resolveFixtureFolders({
  resolveConfig,
}: Pick<Context, 'resolveConfig'>): Promise<string[]> {
  const { projectFolder, values } = await resolveConfig();
  return fixtureFolders(projectFolder, values.sender);
}
