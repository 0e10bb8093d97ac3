/** The options of `svc trigger` and `svc events create`, and the request body that follows from them. It is text, so that numbers keep their digits. */

import { InvalidArgumentError } from 'commander';
import { SvcError } from '../domain/errors.ts';
import { isEventType } from '../domain/event.ts';
import { readIdempotencyKey } from '../domain/idempotency-key.ts';
import { applyJsonEdits, type JsonEdit, parseAssignment } from '../domain/json-path.ts';
import { parseJsonObject } from '../domain/json-text.ts';
import { findPayloadTemplate } from '../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import { escapeTemplates, fillTemplates, hasTemplates, listTemplateProblems } from '../fixtures/template.ts';
import { pickFields } from '../resources/define-resource.ts';
import { type EventSettings, eventSettings, eventTable, toEventBody } from '../resources/event.ts';
import type { Context } from './context.ts';
import type { ValuesOf } from './define-command.ts';
import { readText } from './file-access.ts';
import { collectAssignments, collectValues } from './option-parsers.ts';
import { workspaceRow } from './option-rows.ts';
import { randomSeedRow, resolveTemplateContexts } from './seed-option.ts';

export const eventRows = {
  type: { argument: '<type>', summary: 'Event type, such as order.shipped' },
  data: {
    option: '-d, --data <json>',
    summary: 'Payload: JSON, @file, or - for standard input',
    defaultText: 'the fixture of the event type',
  },
  override: {
    option: '--override <path=value>',
    summary: 'Change a value of the payload, such as items[0].sku=MUG; repeatable',
    parse: collectAssignments,
  },
  add: {
    option: '--add <path=value>',
    summary: 'Add a value to the payload; items[]=… appends an item; repeatable',
    parse: collectAssignments,
  },
  remove: {
    option: '--remove <path>',
    summary: 'Remove a value from the payload; repeatable',
    parse: collectValues,
  },
  idempotencyKey: {
    option: '--idempotency-key <key>',
    summary: 'Value of the Idempotency-Key header',
    parse: parseIdempotencyKey,
  },
  ...pickFields(eventSettings, eventTable),
  workspace: workspaceRow,
  randomSeed: randomSeedRow,
} as const;

type EventOptions = ValuesOf<typeof eventRows>;

function parseIdempotencyKey(text: string): string {
  if (readIdempotencyKey(text) !== null) return text;
  throw new InvalidArgumentError('Pass 1 to 255 visible ASCII characters.');
}

/**
 * Returns a function that creates the JSON text of the next request body. The payload comes from `--data`, from the
 * fixture of the type, or is empty. Templates in the fixture and in changes are filled; `{{` in `--data` is sent unchanged.
 */
export async function createEventBodyFactory(options: EventOptions, context: Context): Promise<() => string> {
  const { type, workspace: workspaceId } = options;
  const settings = pickFields(eventSettings, options) as EventSettings;
  const template = await createPayloadTemplate(options, context);
  const { payload_field: payloadField } = await context.getStatus();
  const templateContexts = await resolveTemplateContexts(options, context);
  if (template.hasTemplates) await templateContexts.useScheduleClock(await context.connect(), workspaceId);
  return () => {
    const payload = template.hasTemplates
      ? fillTemplates(template.text, templateContexts.next())
      : template.text;
    return toEventBody({ type, workspaceId, payloadField, payload, settings });
  };
}

async function createPayloadTemplate(
  options: EventOptions,
  context: Context,
): Promise<{ readonly text: string; readonly hasTemplates: boolean }> {
  const changes = toPayloadChanges(options);
  const data = await readData(options, context);
  const changesHaveTemplates = changes.some(
    (change) => change.kind !== 'remove' && hasTemplates(change.value),
  );
  if (data !== null && !changesHaveTemplates)
    return { text: applyChanges(data, changes), hasTemplates: false };
  const template = data === null ? await readFixture(options.type, context) : escapeTemplates(data);
  const text = applyChanges(template, changes);
  return { text, hasTemplates: hasTemplates(text) };
}

/** Without changes, the text keeps every byte. */
function applyChanges(text: string, changes: readonly JsonEdit[]): string {
  return changes.length === 0 ? text : applyJsonEdits(text, changes);
}

async function readFixture(type: string, context: Context): Promise<string> {
  const { projectFolder } = await context.resolveConfig();
  const { sender } = await context.getStatus();
  const template = findPayloadTemplate(type, fixtureFolders(projectFolder, sender), 'with --data');
  if (template !== null) return template;
  // The API rejects any other type.
  if (isEventType(type)) context.io.note(`No fixture exists for ${type}, so the payload is empty.`);
  return '{}';
}

const DATA_HINT = 'Pass a JSON object, @file, or - for standard input with --data.';
const QUOTES_HINT = `The shell removed the quotes. Put the payload in single quotes: --data '{"order_id":"ord_1"}'`;

/** Whether it looks like an object, but has no quotes, as a shell leaves it of `{"a":1}`. */
function isUnquoted(data: string): boolean {
  return /^\{[^"]*[^"{}\s][^"]*\}$/.test(data.trim());
}

async function readData({ data }: EventOptions, context: Context): Promise<string | null> {
  if (data === undefined) return null;
  const text = await readText(data, context);
  try {
    parseJsonObject(text, 'The payload');
  } catch (error) {
    const { message, hint } = error as SvcError;
    throw new SvcError('usage', message, {
      hint: isUnquoted(data) ? QUOTES_HINT : (hint ?? DATA_HINT),
      cause: error,
    });
  }
  return text;
}

function toPayloadChanges({ override = [], add = [], remove = [] }: EventOptions): JsonEdit[] {
  return [
    ...override.map((text) => ({ kind: 'override' as const, ...parseTemplateAssignment(text) })),
    ...add.map((text) => ({ kind: 'add' as const, ...parseTemplateAssignment(text) })),
    ...remove.map((path) => ({ kind: 'remove' as const, path })),
  ];
}

function parseTemplateAssignment(text: string): { path: string; value: string } {
  const assignment = parseAssignment(text);
  const [problem] = listTemplateProblems(assignment.value);
  if (problem === undefined) return assignment;
  throw new SvcError('usage', `The value of ${assignment.path} is invalid: ${problem.message}`, {
    hint: 'Pass the payload with --data to send {{ unchanged.',
  });
}
