/** The options of commands that print a page of a list. */
import * as v from 'valibot';
import type { ControlInput } from '../operations/control-operations.ts';
import { Limit, PageFields } from '../operations/page-fields.ts';
import { describeRange } from '../resources/validate.ts';
import type { CliCommand } from './command.ts';
import { addOptions, createTableOptions } from './field-option.ts';
import type { ChoiceSource } from './prompt.ts';

export type PageOptions = Readonly<ControlInput<'listWorkspaces'>>;

/**
 * @param source the listed resources, which completion suggests
 * @param limit that of the API that the command uses (default: that of the control plane)
 */
export function addPageOptions(
  command: CliCommand,
  source: ChoiceSource,
  limit: v.OptionalSchema<v.GenericSchema<unknown, number>, number> = Limit,
): CliCommand {
  const options = createTableOptions({
    limit: {
      schema: limit,
      option: '--limit <n>',
      summary: `Maximum number of items,${describeRange(limit, String)}`,
      defaultText: String(v.getDefault(limit)),
    },
    starting_after: {
      schema: PageFields.starting_after,
      option: '--starting-after <id>',
      summary: 'Show the items after this ID (end_cursor of the previous page)',
      source,
    },
  });
  return addOptions(command, options);
}
