/** Filters and fields that the lists of several resources have. */
import * as v from 'valibot';
import { defineFilters, toFilterFields } from './define-resource.ts';
import { expecting, RelativeTime, wholeNumberFrom } from './value-schemas.ts';
import { described, idOf } from './values.ts';

export const TIME_FORMS = 'ISO 8601, or a duration before now, such as `1h`';
const MAX_TEXT_LENGTH = 1000;

/** The field of items in lists that are filtered by a text. */
export const excerptField = {
  excerpt: described(
    {
      summary: 'Part of the body or payload around the first match of `text`',
      detail: 'Omitted if another field contains the text, and without this filter',
    },
    v.optional(v.string()),
  ),
};

/** @param column that has the sequence of the workspace, such as `e.workspace_seq` */
export const workspaceFilter = (column: string) =>
  defineFilters({
    workspace_id: {
      schema: idOf('workspace'),
      label: 'Workspace',
      summary: 'Only items in this workspace',
      defaultText: 'all',
      sql: `${column} = (SELECT seq FROM workspaces WHERE id = @workspace_id)`,
      option: '--workspace <id>',
    },
  });

/** For operations on several resources of one workspace or of all. */
export const WorkspaceFilter = toFilterFields(workspaceFilter('workspace_seq'));

/** From `since`, which is included, to `until`, which is not. The values of the conditions are milliseconds since 1970. */
export const createdFilters = (table: string) =>
  defineFilters({
    since: {
      schema: RelativeTime,
      label: 'Since',
      summary: `Only items created at or after this schedule time: ${TIME_FORMS}`,
      example: '1h',
      sql: `${table}.created_at >= @since`,
      option: '--since <when>',
    },
    until: {
      schema: RelativeTime,
      label: 'Before',
      summary: `Only items created before this schedule time: ${TIME_FORMS}`,
      sql: `${table}.created_at < @until`,
      option: '--until <when>',
    },
  });

/** Put it last in its table: SQLite evaluates conditions in order, and this one can read long texts. */
export const textFilter = (summary: string, columns: readonly string[]) =>
  defineFilters({
    text: {
      schema: v.pipe(
        v.string(),
        v.maxLength(MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters long`),
      ),
      label: 'Search',
      summary,
      detail: 'Case-insensitive for the letters A to Z',
      sql: columns.map((column) => `instr(lower(${column}), lower(@text)) > 0`).join(' OR '),
      option: '--text <text>',
    },
  });

/** One of the words, in any case. */
export const wordOf = <const Words extends readonly string[]>(words: Words) =>
  v.pipe(v.string(), v.metadata({ jsonSchema: { enum: words } }), v.toLowerCase(), v.picklist(words));

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** `none` means that the last attempt got no response. */
export const ResponseStatus = expecting(
  'a status from 100 to 599, a class such as 4xx, or none',
  v.union([wholeNumberFrom(100, 599), wordOf([...statusClasses, 'none'])]),
);

/** The condition that a response status has the value of {@link ResponseStatus}. A status of 0 means no response. */
export function hasStatus(column: string, filter: string): string {
  return `CASE WHEN ${filter} = 'none' THEN ${column} = 0
    WHEN ${filter} LIKE '_xx' THEN ${column} / 100 = CAST(substr(${filter}, 1, 1) AS INTEGER)
    ELSE ${column} = ${filter} END`;
}
