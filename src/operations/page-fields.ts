/** Fields of inputs that select a page of a list or a workspace. */
import * as v from 'valibot';
import { wholeNumberFrom } from '../resources/value-schemas.ts';
import { described, idOf } from '../resources/values.ts';

export const Limit = described(
  { summary: 'Maximum number of items' },
  v.optional(wholeNumberFrom(1, 1000), 50),
  10,
);

/** Which page of a list to return (§2). */
export const PageFields = {
  limit: Limit,
  starting_after: described(
    { summary: '`end_cursor` of the previous page', defaultText: 'first page' },
    v.optional(v.string()),
  ),
};
/** The workspace of an operation that concerns exactly one. */
export const DefaultWorkspace = {
  workspace_id: described(
    { summary: 'ID of the workspace', defaultText: 'the default one' },
    v.optional(idOf('workspace')),
  ),
};
