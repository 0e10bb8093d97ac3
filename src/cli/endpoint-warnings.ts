/** Warnings about endpoints and filters that are valid but probably not what the user wants. */

import type { Config } from '../config/resolve-config.ts';
import { variableNames } from '../config/settings.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { suggestEventType } from '../fixtures/event-fixtures.ts';
import type { Context } from './context.ts';
import { printHint, printWarning } from './report-error.ts';
import { resolveFixtureFolders } from './resolve-fixture-folders.ts';

/** Warns about settings without an effect, and about event types that are probably mistyped, before an emulator starts. */
export async function warnAboutSettings(
  { values, sources }: Pick<Config, 'values' | 'sources'>,
  context: Pick<Context, 'io' | 'env' | 'resolveConfig'>,
): Promise<void> {
  const { io, env } = context;
  if (values.forwardTo === null && sources.events.kind !== 'default') {
    printWarning(`The event types in ${sources.events.name} have no effect without --forward-to.`, io);
  }
  for (const name of Object.keys(env)) {
    if (!name.startsWith('SVC_') || variableNames.has(name)) continue;
    printWarning(`${name} is not a variable of svc and has no effect.`, io);
    const suggestion = suggestMatch(name, variableNames);
    printHint(suggestion ?? { text: 'List the settings', command: 'svc config' }, io);
  }
  await warnAboutMistypedTypes(values.events, context, values.sender);
}

/**
 * Warns about each event type, of an endpoint or a filter, that has no fixture and is probably a mistyped one.
 * @param sender the one whose fixtures are compared (default: the configured one)
 */
export async function warnAboutMistypedTypes(
  types: readonly (string | undefined)[],
  context: Pick<Context, 'io' | 'resolveConfig'>,
  sender?: string,
): Promise<void> {
  const folders = await resolveFixtureFolders(context, sender);
  for (const type of types) {
    const suggestion = type === undefined ? null : suggestEventType(type, folders);
    if (suggestion !== null)
      printWarning(`No fixture exists for the event type ${type}. ${suggestion}`, context.io);
  }
}
