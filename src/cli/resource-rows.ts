/** The options of lists and of endpoints. */
import type * as v from 'valibot';
import { Limit, PageFields } from '../operations/page-fields.ts';
import { pickSettable } from '../resources/define-resource.ts';
import { endpointTable } from '../resources/endpoint.ts';
import { describeRange } from '../resources/validate.ts';
import type { ChoiceSource } from './choices/choice-source.ts';
import { parseHeaders, parseSubscriptions, parseWebhookUrl } from './option-parsers.ts';

/**
 * The options of commands that print a page of a list.
 * @param source the listed resources, which completion suggests
 * @param limit that of the API that the command uses (default: that of the control plane)
 */
export function pageRows(
  source: ChoiceSource,
  limit: v.OptionalSchema<v.GenericSchema<unknown, number>, number> = Limit,
) {
  return {
    limit: {
      schema: limit,
      option: '--limit <n>',
      summary: `Maximum number of items,${describeRange(limit, String)}`,
      defaultText: String(limit.default),
    },
    starting_after: {
      schema: PageFields.starting_after,
      option: '--starting-after <id>',
      summary: 'Show the items after this ID (end_cursor of the previous page)',
      source,
    },
  } as const;
}

const settings = pickSettable(endpointTable);
export const endpointRows = {
  ...settings,
  url: { ...settings.url, parse: parseWebhookUrl },
  events: { ...settings.events, parse: parseSubscriptions },
  headers: { ...settings.headers, parse: parseHeaders },
};
