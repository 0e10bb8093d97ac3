/** The options that select deliveries. */
import type { ControlInput } from '../contract/control-operations.ts';
import { DeliveryFilter, type PageFields } from '../contract/list-filters.ts';
import type { CliCommand } from './command.ts';
import { addOptions, createFieldOptions } from './field-option.ts';

export type DeliveryFilterOptions = Readonly<Omit<ControlInput<'listDeliveries'>, keyof typeof PageFields>>;
type FilterField = keyof DeliveryFilterOptions;

/** @param omitted fields that the command does not have */
export function addDeliveryFilterOptions(
  command: CliCommand,
  omitted: readonly FilterField[] = [],
): CliCommand {
  const options = createFieldOptions(DeliveryFilter, {
    status: {
      flags: '--status <status>',
      description:
        'Only deliveries with this status; unsuccessful means failing or failed, and pending includes failing and paused',
    },
    response_status: {
      flags: '--response <status>',
      description:
        'Only deliveries whose last attempt got this response status or class, such as 404 or 4xx; none for no response',
    },
    event_id: '--event <id>',
    type: '--type <type>',
    webhook_id: '--webhook <id>',
    workspace_id: '--workspace <id>',
    text: '--text <text>',
    since: '--since <when>',
    until: '--until <when>',
  });
  const names = (Object.keys(options) as FilterField[]).filter((name) => !omitted.includes(name));
  return addOptions(command, options, names);
}
