/** The tool `trigger`: creates an event and shows its deliveries. */
import * as v from 'valibot';
import { SECOND_MS } from '../../domain/duration.ts';
import { SvcError } from '../../domain/errors.ts';
import { applyJsonEdits, type JsonEdit } from '../../domain/json-path.ts';
import { findMistypedType } from '../../fixtures/event-fixtures.ts';
import type { ControlPlane } from '../../operations/control-plane.ts';
import { DefaultWorkspace } from '../../operations/page-fields.ts';
import { pickFields } from '../../resources/define-resource.ts';
import { eventSettings, toEventBody } from '../../resources/event.ts';
import { EventType, JsonObject } from '../../resources/values.ts';
import { findNextCall, summarizeDeliveries } from '../summarize-delivery.ts';
import { defineTool, formatCall, waitSeconds } from '../tool.ts';

export const triggerTool = defineTool({
  name: 'trigger',
  description: 'Create an event and show its deliveries',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('status'),
  about: {
    type: 'Such as order.shipped; status lists examples',
    payload: 'Default: the example of the type',
    overrides: 'Values by path, such as {"items[0].quantity":3}',
    add: 'New values by path',
  },
  fields: {
    type: EventType,
    payload: v.optional(JsonObject),
    overrides: v.optional(JsonObject, {}),
    add: v.optional(JsonObject, {}),
    remove: v.optional(v.array(v.string()), []),
    ...eventSettings,
    ...DefaultWorkspace,
    wait_seconds: waitSeconds(0),
  },
  async run(input, { emulator: { control, connectApi }, signal }) {
    const { type, payload, overrides, add, remove, wait_seconds: seconds } = input;
    const status = await control.getStatus({});
    const example = payload === undefined ? await findExample(type, control) : JSON.stringify(payload);
    const edits: readonly JsonEdit[] = [
      ...toEdits('override', overrides),
      ...toEdits('add', add),
      ...remove.map((path) => ({ kind: 'remove' as const, path })),
    ];
    const api = await connectApi();
    const { value: event } = await api.createEvent(
      toEventBody({
        type,
        workspaceId: input.workspace_id ?? status.workspace_id,
        payloadField: status.payload_field,
        settings: pickFields(eventSettings, input),
        // Without changes, the text keeps every byte.
        payload: edits.length === 0 ? (example ?? '{}') : applyJsonEdits(example ?? '{}', edits),
      }),
    );
    const { id: event_id } = event;
    const {
      data: deliveries,
      settled,
      message,
    } = await control.waitForDeliveries({ event_id, timeout_ms: seconds * SECOND_MS }, signal);
    const notes = [
      ...(example === null ? [`No example exists for ${type}, so the payload is empty.`] : []),
      ...(deliveries.length === 0
        ? [`No enabled endpoint subscribes to ${type}.`]
        : seconds > 0 && message !== null
          ? [message]
          : []),
    ];
    return {
      event_id,
      ...(notes.length > 0 && { note: notes.join(' ') }),
      settled,
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
 * The payload of the fixture of the type, as JSON text; null without a fixture.
 * @throws SvcError `validation_failed` for a type that is probably a mistyped one
 */
async function findExample(type: string, control: ControlPlane): Promise<string | null> {
  const types = (await control.listFixtures({})).data.map((fixture) => fixture.type);
  if (types.includes(type)) return (await control.getFixture({ type })).payload_text;
  const closest = findMistypedType(type, types);
  if (closest === null) return null;
  const hint = `Did you mean ${closest}? To send ${type}, pass its payload.`;
  throw new SvcError('validation_failed', `No example exists for ${type}.`, { hint });
}

function toEdits(kind: 'override' | 'add', values: Readonly<Record<string, unknown>>): JsonEdit[] {
  return Object.entries(values).map(([path, value]) => ({ kind, path, value: JSON.stringify(value) }));
}
