/** `svc events`: lists, shows and creates events through the public API, so that the scopes and the workspace of the key apply. */
import * as v from 'valibot';
import { indentJson } from '../../domain/json-text.ts';
import { type PublicEventFilter, publicEventFilters } from '../../resources/event.ts';
import { wholeNumberFrom } from '../../resources/value-schemas.ts';
import { eventTypeChoices } from '../choices/fixture-choices.ts';
import { eventChoices, toEventRows } from '../choices/resource-choices.ts';
import { AskedArgument, type CommandDefinition, type CommandGroup } from '../command.ts';
import { addEventOptions, createEventBodyFactory, type EventOptions } from '../event-options.ts';
import { addOptions, createTableOptions } from '../field-option.ts';
import { addWorkspaceOption } from '../option-parsers.ts';
import { addPageOptions, type PageOptions } from '../page-options.ts';
import { askChoice } from '../prompt.ts';
import { printPage } from '../render/table.ts';

/** The limit of the public API, unless the gap `list.limit` is overridden. */
const PAGE_LIMIT = v.optional(wholeNumberFrom(1, 100), 20);

type ListOptions = PageOptions & PublicEventFilter & { readonly workspace?: string };

const list: CommandDefinition<ListOptions> = {
  configure: (command) =>
    addWorkspaceOption(
      addOptions(addPageOptions(command, eventChoices, PAGE_LIMIT), createTableOptions(publicEventFilters)),
    ),
  examples: [
    ['List the newest events of the workspace', 'events list'],
    ['Print 100 events of a type as JSON', 'events list --type order.shipped --limit 100 --json'],
  ],
  async run({ workspace, ...options }, context) {
    const workspaceId = workspace ?? (await context.getWorkspaceId());
    const api = await context.connectApi();
    const response = await api.listEvents({
      [(await context.getStatus()).workspace_parameter]: workspaceId,
      ...toQuery(options),
    });
    const rows = toEventRows(response);
    const { columns, plural } = eventChoices;
    await printPage(context, { ...response.value, data: rows }, plural, await columns(rows, context), {
      type: options.type,
      jsonText: response.text,
    });
  },
};

function toQuery(values: object): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

const get: CommandDefinition<{ readonly id?: string }> = {
  configure: (command) => command.addArgument(new AskedArgument('id', 'Event ID (evt_…)', eventChoices)),
  examples: [['Show an event with its payload', 'events get evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D']],
  async run({ id }, context) {
    const eventId = id ?? (await askChoice(context, 'id', eventChoices));
    const { text } = await (await context.connectApi()).getEvent(eventId);
    context.printJsonText(text, () => indentJson(text));
  },
};

const create: CommandDefinition<EventOptions & { readonly type?: string }> = {
  configure: (command) =>
    addEventOptions(
      command.addArgument(new AskedArgument('type', 'Event type, such as order.shipped', eventTypeChoices)),
    ),
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
    const api = await context.connectApi();
    const { text } = await api.createEvent(createBody(), options.idempotencyKey);
    context.printJsonText(text, () => indentJson(text));
  },
};

export const events: CommandGroup = {
  examples: [
    ['List the newest events', 'events list --limit 5'],
    ['Create an event', `events create order.shipped --data '{"order_id":"ord_1"}'`],
  ],
  commands: {
    list: { summary: 'List events, newest first', ...list },
    get: { summary: 'Show an event', ...get },
    create: { summary: 'Create an event', ...create },
    import: {
      summary: 'Create the events of a recording again',
      load: async () => (await import('./events-import.ts')).command,
    },
  },
};
