/** Errors and warnings about endpoints and filters that are valid but probably not what the user wants. */

import type { Config } from '../config/resolve-config.ts';
import { variableNames } from '../config/settings.ts';
import { listCommonTypes, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { isSameUrl } from '../domain/webhook-url.ts';
import { suggestEventType } from '../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import { type ControlPlane, listAll } from '../operations/control-plane.ts';
import { addOwnUrl, assertNotEmulator } from '../platform/own-addresses.ts';
import type { Webhook } from '../resources/endpoint.ts';
import type { Context } from './context.ts';
import type { NoteOutput } from './process-context.ts';
import { printHint, printWarning } from './report-error.ts';

/**
 * Rejects the URL of the emulator, which delivers nothing to itself.
 * @throws SvcError `usage`
 */
export async function rejectOwnUrl(url: string, { getStatus }: Pick<Context, 'getStatus'>): Promise<void> {
  addOwnUrl((await getStatus()).url);
  assertNotEmulator(url);
}

/** Warns if another enabled endpoint with the same URL receives some of the same events. */
export async function warnIfDeliveredTwice(
  webhook: Pick<Webhook, 'id' | 'url' | 'events' | 'workspace_id'>,
  control: Pick<ControlPlane, 'listWebhooks'>,
  io: NoteOutput,
): Promise<void> {
  const { id, url, events, workspace_id } = webhook;
  const webhooks = await listAll((page) => control.listWebhooks({ ...page, workspace_id }));
  for (const other of webhooks) {
    if (other.id === id || other.disabled || !isSameUrl(other.url, url)) continue;
    const sharedTypes = listCommonTypes(events, other.events);
    if (sharedTypes.length === 0) continue;
    const types = sharedTypes.includes(WILDCARD_SUBSCRIPTION) ? '' : ` of type ${sharedTypes.join(' or ')}`;
    printWarning(
      `The endpoint ${other.id} already has the URL ${url}: each event${types} will arrive twice.`,
      io,
    );
    printHint({ text: 'Delete the other endpoint', command: `svc webhooks delete ${other.id}` }, io);
  }
}

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
  await warnAboutMistypedTypes(values.events, context);
}

/** Warns about each event type, of an endpoint or a filter, that has no fixture and is probably a mistyped one. */
export async function warnAboutMistypedTypes(
  types: readonly (string | undefined)[],
  { io, resolveConfig }: Pick<Context, 'io' | 'resolveConfig'>,
): Promise<void> {
  const { projectFolder, values } = await resolveConfig();
  const folders = fixtureFolders(projectFolder, values.sender);
  for (const type of types) {
    const suggestion = type === undefined ? null : suggestEventType(type, folders);
    if (suggestion !== null) printWarning(`No fixture exists for the event type ${type}. ${suggestion}`, io);
  }
}
