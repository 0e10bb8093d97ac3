/** The tool `trigger`: creates an event and shows its deliveries, or runs a script. */
import * as v from 'valibot';
import { toEventBody } from '../../client/event-body.ts';
import { type ControlPlane, listAll } from '../../contract/control-plane.ts';
import { EventType, JsonObject } from '../../contract/fields.ts';
import { DefaultWorkspace } from '../../contract/list-filters.ts';
import { applyJsonEdits, type JsonEdit } from '../../domain/json-path.ts';
import { wholeNumber } from '../../validation/value-schemas.ts';
import { findEventType } from '../find-event-type.ts';
import { runNamedScript } from '../run-named-script.ts';
import { EXAMPLE_TYPE, findNextCall, summarizeDeliveries } from '../summarize-delivery.ts';
import { ArgumentError, defineTool, formatCall } from '../tool.ts';
import { MAX_WAIT_SECONDS, waitUntilSettled } from '../wait-until-settled.ts';

export const triggerTool = defineTool({
  name: 'trigger',
  description: 'Create an event and show its deliveries, or run a script',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('status'),
  input: v.strictObject({
    type: v.optional(v.pipe(EventType, v.description('Such as order.shipped; status lists examples'))),
    script: v.optional(v.pipe(v.string(), v.description('Instead of type: runs its steps'))),
    payload: v.optional(v.pipe(JsonObject, v.description('Default: the example of the type'))),
    overrides: v.optional(
      v.pipe(JsonObject, v.description('Values by path, such as {"items[0].quantity":3}')),
      {},
    ),
    add: v.optional(v.pipe(JsonObject, v.description('New values by path')), {}),
    remove: v.optional(v.array(v.string()), []),
    ...DefaultWorkspace,
    wait_seconds: v.optional(wholeNumber(0, MAX_WAIT_SECONDS), 0),
  }),
  output: { event_id: 'string', deliveries: 'array' },
  async run({ type, script, payload, overrides, add, remove, wait_seconds: seconds, ...workspace }, call) {
    const { control, connectApi } = call.emulator;
    const status = await control.getStatus({});
    const workspaceId = workspace.workspace_id ?? status.workspace_id;
    if (script !== undefined && type === undefined) return runNamedScript(script, call, workspaceId);
    if (type === undefined || script !== undefined) {
      throw new ArgumentError('Pass either type or script.', {
        type: type ?? EXAMPLE_TYPE,
        script: undefined,
      });
    }
    const api = await connectApi();
    const example = payload === undefined ? await findExample(type, control) : null;
    const { value: event } = await api.createEvent(
      toEventBody({
        type,
        workspaceId,
        payloadField: status.payload_field,
        payload: applyChanges(example?.payload ?? JSON.stringify(payload), [
          ...toEdits('override', overrides),
          ...toEdits('add', add),
          ...remove.map((path) => ({ kind: 'remove' as const, path })),
        ]),
      }),
    );
    const { id: event_id } = event;
    const created = await listAll((page) => control.listDeliveries({ ...page, event_id }));
    const deliveries =
      seconds > 0 && created.length > 0
        ? await waitUntilSettled({ filter: { event_id } }, seconds, call)
        : created;
    const notes = [
      ...(example?.note ? [example.note] : []),
      ...(deliveries.length === 0 ? [`No enabled endpoint subscribes to ${type}.`] : []),
    ];
    return {
      event_id,
      ...(notes.length > 0 && { note: notes.join(' ') }),
      settled: deliveries.length > 0 && deliveries.every(({ status }) => status !== 'pending'),
      count: deliveries.length,
      deliveries: summarizeDeliveries(deliveries),
      next:
        seconds === 0 && deliveries.length > 0
          ? formatCall('deliveries', { event_id, wait_seconds: 20 })
          : findNextCall(deliveries),
    };
  },
});

/**
 * The payload of the fixture of the type, as JSON text; an empty object and a note without a fixture.
 * @throws ArgumentError for a type that is probably a mistyped one
 */
async function findExample(
  type: string,
  control: ControlPlane,
): Promise<{ readonly payload: string; readonly note?: string }> {
  const { hasExample, closest } = await findEventType(type, control);
  if (hasExample) return { payload: (await control.getFixture({ type })).payload_text };
  if (closest === null) {
    return { payload: '{}', note: `No example exists for ${type}, so the payload is empty.` };
  }
  throw new ArgumentError(
    `No example exists for ${type}.`,
    { type: closest },
    `Did you mean ${closest}? To send ${type}, pass its payload.`,
  );
}

function toEdits(kind: 'override' | 'add', values: Readonly<Record<string, unknown>>): JsonEdit[] {
  return Object.entries(values).map(([path, value]) => ({ kind, path, value: JSON.stringify(value) }));
}

/** Without changes, the text keeps every byte. */
function applyChanges(payload: string, edits: readonly JsonEdit[]): string {
  return edits.length === 0 ? payload : applyJsonEdits(payload, edits);
}
