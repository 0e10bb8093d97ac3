/** The settings of a resource as columns: a boolean is 0 or 1, and a list or an object is JSON. */
import type * as v from 'valibot';

export type ColumnOf<Value> = Value extends boolean
  ? 0 | 1
  : Value extends string | number | null
    ? Value
    : string;

/** The columns of the settings in `values` that are not undefined. @param settings their schemas */
export function toColumns<Settings extends v.ObjectEntries, Values extends object>(
  settings: Settings,
  values: Values,
): { readonly [Name in keyof Values as Name & keyof Settings]: ColumnOf<Exclude<Values[Name], undefined>> } {
  const columns = Object.entries(values as Record<string, unknown>).flatMap(([name, value]) => {
    const schema = settings[name];
    if (schema === undefined || value === undefined) return [];
    if (typeof value === 'boolean') return [[name, toFlag(value)]];
    return [[name, isJson(schema) ? JSON.stringify(value) : value]];
  });
  return Object.fromEntries(columns);
}

/** The settings in the columns of a row. */
export function fromColumns<Settings extends v.ObjectEntries>(
  settings: Settings,
  row: { readonly [Name in keyof Settings]: unknown },
): v.InferOutput<v.ObjectSchema<Settings, undefined>> {
  const values = Object.entries(settings).map(([name, schema]) => {
    const column = row[name];
    if (schema.type === 'boolean') return [name, column === 1];
    return [name, isJson(schema) ? JSON.parse(String(column)) : column];
  });
  return Object.fromEntries(values);
}

/** A boolean, as SQLite stores it. */
export function toFlag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** Whether the column of a setting contains JSON. */
export function isJson({ type }: { readonly type: string }): boolean {
  return ['array', 'object', 'record', 'strict_object'].includes(type);
}
