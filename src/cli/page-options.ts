/** The options of commands that print a page of a list. */

import { Option } from 'commander';
import * as v from 'valibot';
import { Limit } from '../contract/list-filters.ts';
import { describeRange } from '../validation/validate.ts';
import type { CliCommand } from './command.ts';
import { schemaParser } from './option-parsers.ts';

export interface PageOptions {
  readonly limit?: number | undefined;
  readonly startingAfter?: string | undefined;
}

/** @param limit that of the API that the command uses (default: that of the control plane) */
export function addPageOptions(
  command: CliCommand,
  limit: v.OptionalSchema<v.GenericSchema<unknown, number>, number> = Limit,
): CliCommand {
  const description = `Maximum number of items,${describeRange(limit, String)}`;
  const option = new Option('--limit <n>', description).default(undefined, String(v.getDefault(limit)));
  return command
    .addOption(option.argParser(schemaParser(limit)))
    .option('--starting-after <id>', 'Show the items after this ID (end_cursor of the previous page)');
}

/** Converts {@link PageOptions} to parameters of the control plane. */
export function toPageParameters({ limit, startingAfter }: PageOptions) {
  return { limit, starting_after: startingAfter };
}
