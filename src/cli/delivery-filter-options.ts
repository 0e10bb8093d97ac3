/** The options that select deliveries. */
import type { ControlInput } from '../operations/control-operations.ts';
import type { PageFields } from '../operations/page-fields.ts';
import { deliveryFilters } from '../resources/delivery.ts';
import type { CliCommand } from './command.ts';
import { addOptions, createTableOptions } from './field-option.ts';

export type DeliveryFilterOptions = Readonly<Omit<ControlInput<'listDeliveries'>, keyof typeof PageFields>>;
type FilterField = keyof DeliveryFilterOptions;

/** @param omitted fields that the command does not have */
export function addDeliveryFilterOptions(
  command: CliCommand,
  omitted: readonly FilterField[] = [],
): CliCommand {
  const names = (Object.keys(deliveryFilters) as FilterField[]).filter((name) => !omitted.includes(name));
  return addOptions(command, createTableOptions(deliveryFilters), names);
}
