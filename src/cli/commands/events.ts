/** `svc events`: lists, shows and creates events through the public API, so that the scopes and the workspace of the key apply. */
import * as v from 'valibot';
import { indentJson } from '../../domain/json.ts';
import { wholeNumberFrom } from '../../validation/value-schemas.ts';
import { eventTypeChoices } from '../choices/fixture-choices.ts';
import { eventChoices, eventColumns, toEventRows } from '../choices/resource-choices.ts';
import { AskedArgument, type CommandDefinition } from '../command.ts';
import { addEventOptions, createEventBodyFactory, type EventOptions } from '../event-options.ts';
import { addWorkspaceOption } from '../option-parsers.ts';
import { addPageOptions, type PageOptions } from '../page-options.ts';
import { askChoice } from '../prompt.ts';
import { printPage } from '../render/table.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';

/** The limit of the public API, unless the gap `list.limit` is overridden. */
const PAGE_LIMIT = v.optional(wholeNumberFrom(1, 100), 20);

interface ListOptions extends PageOptions {
  readonly type?: string;
  readonly workspace?: string;
}

export const list: CommandDefinition<ListOptions> = {
  configure: (command) =>
    addWorkspaceOption(
      addPageOptions(command, PAGE_LIMIT).option('--type <type>', 'Only events of this type'),
    ),
  examples: [
    ['List the newest events of the workspace', 'events list'],
    ['Print 100 events of a type as JSON', 'events list --type order.shipped --limit 100 --json'],
  ],
  async run({ type, workspace, limit, starting_after }, context) {
    const workspaceId = workspace ?? (await context.getWorkspaceId());
    const api = await context.connectApi(workspaceId);
    const response = await api.listEvents({
      [(await context.getStatus()).workspace_parameter]: workspaceId,
      ...(type === undefined ? {} : { type }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
      ...(starting_after === undefined ? {} : { starting_after }),
    });
    const rows = toEventRows(response);
    const scheduleTimeOf = await fetchScheduleTimes(rows, await context.connect(), context);
    await printPage(context, { ...response.value, data: rows }, 'events', eventColumns(scheduleTimeOf), {
      type,
      jsonText: response.text,
    });
  },
};

export const get: CommandDefinition<{ readonly id?: string }> = {
  configure: (command) => command.addArgument(new AskedArgument('id', 'Event ID (evt_…)')),
  examples: [['Show an event with its payload', 'events get evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D']],
  async run({ id }, context) {
    const eventId = id ?? (await askChoice(context, 'id', eventChoices));
    const { text } = await (await context.connectApi()).getEvent(eventId);
    context.printJsonText(text, () => indentJson(text));
  },
};

export const create: CommandDefinition<EventOptions & { readonly type?: string }> = {
  configure: (command) =>
    addEventOptions(command.addArgument(new AskedArgument('type', 'Event type, such as order.shipped'))),
  examples: [
    ['Create an event with the payload of its fixture', 'events create order.shipped'],
    ['Create an event with your own payload', 'events create order.shipped --data \'{"order_id":"ord_1"}\''],
    [
      'Create an event once, however often the command runs',
      'events create invoice.paid --data @invoice.json --idempotency-key invoice-7',
    ],
  ],
  async run(options, context) {
    const type = options.type ?? (await askChoice(context, 'type', eventTypeChoices));
    const workspace = options.workspace ?? (await context.getWorkspaceId());
    const createBody = await createEventBodyFactory(type, { ...options, workspace }, context);
    const api = await context.connectApi(workspace);
    const { text } = await api.createEvent(createBody(), options.idempotencyKey);
    context.printJsonText(text, () => indentJson(text));
  },
};
