/** The options of commands that print a page of a list. */

import * as v from 'valibot';
import type { ControlInput } from '../contract/control-operations.ts';
import { Limit, PageFields, WorkspaceFilter } from '../contract/list-filters.ts';
import { describeRange } from '../validation/validate.ts';
import type { CliCommand } from './command.ts';
import { addOptions, createFieldOptions } from './field-option.ts';

export type PageOptions = Readonly<ControlInput<'listWorkspaces'>>;
export type WorkspacePageOptions = Readonly<ControlInput<'listKeys'>>;

/** @param limit that of the API that the command uses (default: that of the control plane) */
export function addPageOptions(
  command: CliCommand,
  limit: v.OptionalSchema<v.GenericSchema<unknown, number>, number> = Limit,
): CliCommand {
  const options = createFieldOptions(
    { ...PageFields, limit },
    {
      limit: {
        flags: '--limit <n>',
        description: `Maximum number of items,${describeRange(limit, String)}`,
        defaultText: String(v.getDefault(limit)),
      },
      starting_after: {
        flags: '--starting-after <id>',
        description: 'Show the items after this ID (end_cursor of the previous page)',
      },
    },
  );
  return addOptions(command, options);
}

/** The options of a list of all workspaces or of one. @param description what the list of a workspace contains */
export function addWorkspacePageOptions(command: CliCommand, description: string): CliCommand {
  const options = createFieldOptions(WorkspaceFilter, {
    workspace_id: { flags: '--workspace <id>', description },
  });
  return addOptions(addPageOptions(command), options);
}
