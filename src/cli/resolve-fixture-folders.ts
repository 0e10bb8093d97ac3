/** Finds the fixture folders of a command. */
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import type { Context } from './context.ts';

/** The folders with the fixtures of a sender. @param sender (default: the configured one) */
export async function resolveFixtureFolders(
  { resolveConfig }: Pick<Context, 'resolveConfig'>,
  sender?: string,
): Promise<string[]> {
  const { projectFolder, values } = await resolveConfig();
  return fixtureFolders(projectFolder, sender ?? values.sender);
}
