import { styleFor } from './style.ts';

/** Names and values under each other, the values aligned; a value that is null is left out. */
export function renderFields(
  fields: Readonly<Record<string, string | number | null>>,
  look: { readonly color: boolean },
): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${styleFor(look).dim(name.padEnd(width))}  ${value}`).join('\n');
}
