/** The body of `POST /events` as the commands put it together: as text, so that no number changes on the way. */
import type { Command } from 'commander';
import { parseJsonObject } from '../domain/json.ts';
import { findNearest } from '../domain/nearest.ts';
import { changeJson, type JsonChange, parseAssignment } from '../domain/path.ts';
import { SvcError } from '../errors.ts';
import { fixtureFolders } from '../fixtures/folders.ts';
import { findFixture, listFixtures } from '../fixtures/library.ts';
import { toRepeated } from './arguments.ts';
import type { Context } from './context.ts';
import { readValue } from './values.ts';

export interface EventOptions {
  readonly data?: string;
  /** Each `path=value`. */
  readonly override?: readonly string[];
  /** Each `path=value`. */
  readonly add?: readonly string[];
  /** Each a path. */
  readonly remove?: readonly string[];
  readonly workspace?: string;
  readonly idempotencyKey?: string;
}

export function addEventOptions(command: Command): Command {
  return command
    .option('-d, --data <json>', 'the payload: JSON, @file, or - for standard input')
    .option('--override <path=value>', 'change a value of the payload, such as items[0].sku=MUG', toRepeated)
    .option('--add <path=value>', 'add a value to the payload', toRepeated)
    .option('--remove <path>', 'remove a value from the payload', toRepeated)
    .option('--workspace <id>', 'the workspace; otherwise SVC_WORKSPACE_ID, or the one made at boot')
    .option('--idempotency-key <key>', 'send it as the Idempotency-Key header');
}

/**
 * The JSON text of an event to create: the payload from `--data`, else from the fixture of its type, else empty. What
 * no change touches is sent as it was written.
 */
export async function createEventBody(
  type: string,
  options: EventOptions,
  context: Context,
): Promise<string> {
  const { payloadMember } = await context.rules();
  const workspaceId = options.workspace ?? (await context.workspaceId());
  const changes = toChanges(options);
  const text = await findPayload(type, options, context);
  const payload = changes.length === 0 ? text : changeJson(text, changes);
  const rest = JSON.stringify({ type, workspace_id: workspaceId }).slice(1, -1);
  return `{${rest},${JSON.stringify(payloadMember)}:${payload}}`;
}

async function findPayload(type: string, { data }: EventOptions, context: Context): Promise<string> {
  if (data !== undefined) return readPayload(await readValue(data, context));
  const { projectFolder } = await context.config();
  const folders = fixtureFolders(projectFolder);
  const fixture = findFixture(type, folders);
  if (fixture !== null) return fixture.payload;
  noteMissing(type, folders, context);
  return '{}';
}

function noteMissing(type: string, folders: readonly string[], { io }: Context): void {
  const types = listFixtures(folders).map((fixture) => fixture.type);
  const nearest = findNearest(type, types);
  const meant = nearest === null ? '' : ` Did you mean ${nearest}?`;
  io.note(`There is no fixture for ${type}: the payload is empty.${meant}`);
}

function readPayload(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  try {
    parseJsonObject(text);
  } catch (error) {
    const problem = (error as Error).message.replaceAll('The body', 'The payload');
    throw new SvcError('usage', problem, { hint: 'Pass --data a JSON object, @file or -.', cause: error });
  }
  return text;
}

function toChanges({ override = [], add = [], remove = [] }: EventOptions): JsonChange[] {
  return [
    ...override.map((text) => ({ kind: 'override' as const, ...parseAssignment(text) })),
    ...add.map((text) => ({ kind: 'add' as const, ...parseAssignment(text) })),
    ...remove.map((path) => ({ kind: 'remove' as const, path })),
  ];
}
