/** Describes a resource as a table of its fields and a table of its filters. Everything that shows or sets a field iterates over them. */
import * as v from 'valibot';
import { described, type FieldText, resource } from './values.ts';

export interface Field<Schema extends v.GenericSchema = v.GenericSchema> extends FieldText {
  readonly schema: Schema;
  /** Its name in tables, property lists and the dashboard. */
  readonly label: string;
  readonly example?: v.InferInput<Schema>;
  /** Whether clients set it. Every other field is set by the emulator. */
  readonly settable?: true;
  /** Whether a resource can be without it. Requests can then omit it, and responses do. */
  readonly optional?: true;
  /** The value of a new resource, if clients do not have to set it. */
  readonly initial?: v.InferInput<Schema>;
  /** Whether the emulator sets it if a request omits it. */
  readonly derived?: true;
  /** Whether it is computed from several columns. Every other field is a column, or the ID of a row that a column names. */
  readonly computed?: true;
  /** Whether only the control plane has it, and `/v1` does not. */
  readonly controlOnly?: true;
  /** Flags of the option that sets it. */
  readonly option?: string;
  /** The text of that option, if the summary does not fit. */
  readonly optionSummary?: string;
  /** How lists of the command line show it (default: not). */
  readonly column?: ColumnForm;
  /** The lines that describe a value of an endpoint where one endpoint is shown. */
  readonly show?: (value: never) => readonly string[];
}

export interface ColumnForm {
  /** In a narrow terminal, columns are hidden in this order, 1 first (default: always shown). */
  readonly hideOrder?: number;
  /** Whether its values can be truncated before a column is hidden. */
  readonly canTruncate?: true;
  /** Whether it is to the right of all other columns. */
  readonly isLast?: true;
  /** Whether the column is hidden if it is empty, even if there is space for it. */
  readonly hideIfEmpty?: true;
}

export type Fields = Readonly<Record<string, Field>>;

/** Keeps the types of the schemas. */
export function defineFields<const Table extends Fields>(table: Table): Table {
  return table;
}

type Settable<Table extends Fields> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly settable: true }
    ? Name
    : never]: Table[Name];
};
type Public<Table extends Fields> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly controlOnly: true }
    ? never
    : Name]: Table[Name];
};
type Stored<Table extends Fields> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly computed: true }
    ? never
    : Name]: Table[Name];
};
type RequestSchemas<Table extends Fields> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly initial: infer Initial }
    ? v.OptionalSchema<Table[Name]['schema'], Initial>
    : Table[Name] extends { readonly derived: true }
      ? v.OptionalSchema<Table[Name]['schema'], undefined>
      : ResponseSchema<Table[Name]>;
};
type ResponseSchema<Row extends Field> = Row extends { readonly optional: true }
  ? v.OptionalSchema<Row['schema'], undefined>
  : Row['schema'];
type FilterSchemas<Table extends Filters> = {
  readonly [Name in keyof Table]: v.OptionalSchema<Table[Name]['schema'], undefined>;
};
type ResponseSchemas<Table extends Fields> = { readonly [Name in keyof Table]: ResponseSchema<Table[Name]> };

/** The schemas of all fields, for a response. */
export function toResponseFields<const Table extends Fields>(table: Table): ResponseSchemas<Table> {
  return mapValues(table, ({ schema, defaultText: _, example, optional, ...text }) => {
    const field = described(text, schema, example);
    return optional ? v.optional(field) : field;
  });
}

/** The schemas of the fields, for a request that creates the resource. */
export function toRequestFields<const Table extends Fields>(table: Table): RequestSchemas<Table> {
  return mapValues(table, ({ schema, example, initial, optional, derived, ...text }) => {
    if (optional || derived) return described(text, v.optional(schema), example);
    const field = described(text, schema, example);
    return initial === undefined ? field : v.optional(field, initial as never);
  });
}

export function pickSettable<const Table extends Fields>(table: Table): Settable<Table> {
  return filterFields(table, ({ settable }) => settable === true);
}

/** The fields that are read from one column each. */
export function omitComputed<const Table extends Fields>(table: Table): Stored<Table> {
  return filterFields(table, ({ computed }) => computed !== true);
}

export function pickPublic<const Table extends Fields>(table: Table): Public<Table> {
  return filterFields(table, ({ controlOnly }) => controlOnly !== true);
}

function filterFields<Result>(table: Fields, isSelected: (field: Field) => boolean): Result {
  return Object.fromEntries(Object.entries(table).filter(([, field]) => isSelected(field))) as Result;
}

export interface Filter<Schema extends v.GenericSchema = v.GenericSchema> extends FieldText {
  /** Of its value. Every filter can be omitted. */
  readonly schema: Schema;
  readonly label: string;
  readonly example?: v.InferInput<Schema>;
  /** Its SQL condition. The value of the filter is `@name`. */
  readonly sql: string;
  /** Flags of its option (default: commands do not have it). */
  readonly option?: string;
  /** The text of that option, if the summary does not fit. */
  readonly optionSummary?: string;
}

export type Filters = Readonly<Record<string, Filter>>;

/** Keeps the types of the schemas. SQLite evaluates the conditions in the order of the table, so expensive ones come last. */
export function defineFilters<const Table extends Filters>(table: Table): Table {
  return table;
}

/** A filter as the store gets it: its times are milliseconds since 1970. A missing field matches everything. */
export type Condition<Input> = {
  readonly [Name in keyof Input]: Name extends 'since' | 'until' ? number | undefined : Input[Name];
};
/** A filter after validation. */
export type FilterInput<Table extends Filters> = Partial<
  v.InferOutput<v.ObjectSchema<FilterSchemas<Table>, undefined>>
>;
export type ConditionOf<Table extends Filters> = Condition<FilterInput<Table>>;

/** The schemas of the filters, for the request of a list. */
export function toFilterFields<const Table extends Filters>(table: Table): FilterSchemas<Table> {
  return mapValues(table, ({ schema, example, ...text }) => described(text, v.optional(schema), example));
}

export function toConditions<const Table extends Filters>(
  table: Table,
): { readonly [Name in keyof Table]: string } {
  return mapValues(table, ({ sql }) => sql);
}

/** A page of a list (§2). */
export const pageOf = <Item extends v.GenericSchema>(item: Item) =>
  resource('A page of the list, newest first.', {
    data: described('Items on this page, newest first.', v.array(item)),
    has_more: described('Whether more items are available after this page.', v.boolean()),
    end_cursor: described(
      'ID of the last item on this page, or `null` if the page is empty. To get the next page, pass it as `starting_after`.',
      v.nullable(v.string()),
      null,
    ),
  });

export type Page<Item> = { data: Item[]; has_more: boolean; end_cursor: string | null };

/** The fields of `input` that the table has. */
export function pickFields<Input extends object, Name extends PropertyKey>(
  table: Readonly<Record<Name, unknown>>,
  input: Input,
): Pick<Input, Name & keyof Input> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(table, name))) as Pick<
    Input,
    Name & keyof Input
  >;
}

/** The fields of the table that have a value, by their label. */
export function describeFields(table: Fields, values: object): Readonly<Record<string, string>> {
  const given: Readonly<Record<string, unknown>> = { ...values };
  const described = Object.entries(table).flatMap(([name, { label }]) => {
    const texts = [given[name] ?? []].flat();
    return texts.length === 0 ? [] : [[label, texts.join(', ')]];
  });
  return Object.fromEntries(described);
}

/** The table with each value replaced. */
export function mapValues<Value, Result = Readonly<Record<string, unknown>>>(
  table: Readonly<Record<string, Value>>,
  map: (value: Value) => unknown,
): Result {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value)])) as Result;
}
