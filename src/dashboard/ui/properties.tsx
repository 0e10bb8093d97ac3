/** Lists of names and values. */
import type { ComponentChildren } from 'preact';

interface Props {
  /** The values by name. Those that are empty have no row. */
  readonly items: Readonly<Record<string, ComponentChildren>>;
  readonly class?: string;
}

export function Properties({ items, class: className }: Props) {
  return (
    <dl class={className}>
      {Object.entries(items).map(
        ([name, value]) => value && [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>],
      )}
    </dl>
  );
}
