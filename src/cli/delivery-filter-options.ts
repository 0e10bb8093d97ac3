/** The options that select deliveries. */
import type { ControlInput } from '../contract/control-operations.ts';
import { DeliveryFilter, type PageFields } from '../contract/list-filters.ts';
import { deliveryStatusFilters } from '../domain/delivery.ts';
import type { CliCommand } from './command.ts';
import { addOptions, createFieldOptions } from './field-option.ts';
import { idParser, parseTimeOrAge, schemaParser } from './option-parsers.ts';

export type DeliveryFilterOptions = Readonly<Omit<ControlInput<'listDeliveries'>, keyof typeof PageFields>>;
type FilterField = keyof DeliveryFilterOptions;

const TIME_FORMS = 'such as 1h (one hour ago) or 2026-11-20T12:00:00Z';

function createOptions() {
  return createFieldOptions<DeliveryFilterOptions>({
    status: [
      '--status <status>',
      'Only deliveries with this status; unsuccessful means failing or failed, and pending includes failing and paused',
      deliveryStatusFilters,
    ],
    response_status: [
      '--response <status>',
      'Only deliveries whose last attempt got this response status or class, such as 404 or 4xx; none for no response',
      schemaParser(DeliveryFilter.response_status.wrapped),
    ],
    event_id: ['--event <id>', 'Only deliveries of this event (evt_…)', idParser('event')],
    type: ['--type <type>', 'Only deliveries of this event type'],
    webhook_id: ['--webhook <id>', 'Only deliveries to this endpoint (wh_…)', idParser('webhook')],
    workspace_id: ['--workspace <id>', 'Only deliveries in this workspace (ws_…)', idParser('workspace')],
    text: ['--text <text>', 'Only deliveries with this text in an ID, the event type, the URL or the body'],
    since: ['--since <when>', `Only deliveries created since this time, ${TIME_FORMS}`, parseTimeOrAge],
    until: ['--until <when>', `Only deliveries created before this time, ${TIME_FORMS}`, parseTimeOrAge],
  });
}

/** @param omitted fields that the command does not have */
export function addDeliveryFilterOptions(
  command: CliCommand,
  omitted: readonly FilterField[] = [],
): CliCommand {
  const options = Object.entries(createOptions()).filter(
    ([field]) => !omitted.includes(field as FilterField),
  );
  return addOptions(
    command,
    options.map(([, option]) => option),
  );
}
