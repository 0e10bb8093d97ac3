/** `svc events`: lists, shows and creates events through the public API, so that the scopes and the workspace of the key apply. */
import * as v from 'valibot';
import { indentJson } from '../../domain/json-text.ts';
import { publicEventFilters } from '../../resources/event.ts';
import { wholeNumberFrom } from '../../resources/value-schemas.ts';
import { eventChoices, toListedEvents } from '../choices/resource-choices.ts';
import type { CommandGroup } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { createEventBodyFactory, eventRows } from '../event-options.ts';
import { workspaceRow } from '../option-rows.ts';
import { printPage } from '../render/table.ts';
import { pageRows } from '../resource-rows.ts';

/** The limit of the public API, unless the gap `list.limit` is overridden. */
const PAGE_LIMIT = v.optional(wholeNumberFrom(1, 100), 20);

const list = defineCommand({
  options: { ...publicEventFilters, ...pageRows(eventChoices, PAGE_LIMIT), workspace: workspaceRow },
  examples: [['List the newest events of the workspace', 'events list']],
  async run({ workspace, ...options }, context) {
    const api = await context.connectApi();
    const response = await api.listEvents({
      [(await context.getStatus()).workspace_parameter]: workspace,
      ...options,
    });
    const data = toListedEvents(response);
    const { columns, plural } = eventChoices;
    await printPage(context, { ...response.value, data }, plural, await columns(data, context), {
      type: options.type,
      jsonText: response.text,
    });
  },
});

const get = defineCommand({
  options: { id: { argument: '<id>', summary: 'Event ID (evt_…)', source: eventChoices } },
  examples: [['Show an event with its payload', 'events get evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D']],
  async run({ id }, context) {
    const { text } = await (await context.connectApi()).getEvent(id);
    context.printJsonText(text, () => indentJson(text));
  },
});

const create = defineCommand({
  options: eventRows,
  examples: [
    ['Create an event with the payload of its fixture', 'events create order.shipped'],
    ['Create an event with your own payload', 'events create order.shipped --data \'{"order_id":"ord_1"}\''],
    [
      'Create an event once, however often the command runs',
      'events create invoice.paid --data @invoice.json --idempotency-key invoice-7',
    ],
  ],
  async run(options, context) {
    const createBody = await createEventBodyFactory(options, context);
    const api = await context.connectApi();
    const { text } = await api.createEvent(createBody(), options.idempotencyKey);
    context.printJsonText(text, () => indentJson(text));
  },
});

export const command: CommandGroup = {
  commands: {
    list: { summary: 'List events, newest first', ...list },
    get: { summary: 'Show an event', ...get },
    create: { summary: 'Create an event', ...create },
    import: {
      summary: 'Create the events of a recording again',
      load: () => import('./events-import.ts'),
    },
  },
};
