import { styleFor } from './style.ts';

/** Renders names and aligned values, one per line. A null value is skipped. */
export function renderFields(
  fields: Readonly<Record<string, string | number | null>>,
  capabilities: { readonly color: boolean },
): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  const indent = `\n${' '.repeat(width + 2)}`;
  return shown
    .map(
      ([name, value]) =>
        `${styleFor(capabilities).dim(name.padEnd(width))}  ${String(value).replaceAll('\n', indent)}`,
    )
    .join('\n');
}
