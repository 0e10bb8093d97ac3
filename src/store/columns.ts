/** The fields of a resource as columns: a boolean is 0 or 1, and a list or an object is JSON. */
import type * as v from 'valibot';

/** The column of a field. One that is missing is null. */
export type ColumnOf<Value> = Value extends undefined
  ? null
  : Value extends boolean
    ? 0 | 1
    : Value extends string | number | null
      ? Value
      : string;

/** The columns of settings, see {@link toColumns}. */
export type SettingColumns<Settings extends v.ObjectEntries> = {
  readonly [Name in keyof Settings]: ColumnOf<v.InferOutput<Settings[Name]>>;
};

/** A text can be a time, which is stored as a number. */
type StoredValue<Value> = Value extends string ? Value | number : ColumnOf<Value>;

/** The columns of the settings in `values` that are not undefined. @param settings their schemas */
export function toColumns<Settings extends v.ObjectEntries, Values extends object>(
  settings: Settings,
  values: Values,
): { readonly [Name in keyof Values as Name & keyof Settings]: ColumnOf<Exclude<Values[Name], undefined>> } {
  const columns = Object.entries(values as Record<string, unknown>).flatMap(([name, value]) => {
    const schema = settings[name];
    if (schema === undefined || value === undefined) return [];
    if (typeof value === 'boolean') return [[name, toFlag(value)]];
    return [[name, value !== null && isJson(schema) ? JSON.stringify(value) : value]];
  });
  return Object.fromEntries(columns);
}

type ReadonlyFields<Values> = { readonly [Name in keyof Values]: Readonly<Values[Name]> };

/** As {@link toColumns}, for a new row: a setting without a value is null. */
export function toNewColumns<Settings extends v.ObjectEntries>(
  settings: Settings,
  values: ReadonlyFields<v.InferOutput<v.ObjectSchema<Settings, undefined>>>,
): SettingColumns<Settings> {
  const given = values as Readonly<Record<string, unknown>>;
  const withNulls = Object.keys(settings).map((name) => [name, given[name] ?? null]);
  return toColumns(settings, Object.fromEntries(withNulls)) as unknown as SettingColumns<Settings>;
}

type ColumnsOf<Fields extends v.ObjectEntries> = {
  readonly [Name in keyof Fields]: StoredValue<v.InferOutput<Fields[Name]>>;
};

/**
 * Returns a function that reads the fields of a resource from the columns with their names. A time is a number. A column
 * that is null makes an optional field missing, and any other field null.
 */
export function createRowReader<Fields extends v.ObjectEntries>(fields: Fields) {
  // The schemas are read once, because the live stream converts each delivery and each request.
  const readers = Object.entries(fields).map(([name, field]) => [name, createColumnReader(field)] as const);
  return (row: ColumnsOf<Fields>): v.InferOutput<v.ObjectSchema<Fields, undefined>> => {
    const values: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const value = row[name] === null ? null : read(row[name]);
      if (value !== null || fields[name]?.type !== 'optional') values[name] = value;
    }
    return values as v.InferOutput<v.ObjectSchema<Fields, undefined>>;
  };
}

function createColumnReader(field: v.GenericSchema): (column: unknown) => unknown {
  const { type } = unwrap(field);
  if (type === 'boolean') return (column) => column === 1;
  if (type === 'string')
    return (column) => (typeof column === 'number' ? new Date(column).toISOString() : column);
  return isJson(field) ? (column) => JSON.parse(String(column)) : (column) => column;
}

/** The schema without `optional` or `nullable` around it. */
function unwrap(schema: { readonly type: string; readonly wrapped?: v.GenericSchema }): {
  readonly type: string;
} {
  return schema.wrapped ?? schema;
}

export function toFlag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

export function isJson(field: v.GenericSchema): boolean {
  return ['array', 'object', 'record', 'strict_object'].includes(unwrap(field).type);
}
