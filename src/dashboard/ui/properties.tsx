/** Lists of names and values. */
import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy-button.tsx';

interface Props {
  /** The values by name. Those that are empty have no row. */
  readonly items: Readonly<Record<string, ComponentChildren>>;
  readonly class?: string;
}

export function Properties({ items, class: classes = '' }: Props) {
  return (
    <dl class={`properties ${classes}`}>
      {Object.entries(items).map(
        ([name, value]) => value && [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value}</dd>],
      )}
    </dl>
  );
}

/** @param what kind of the resource, such as "event" */
export function CopyableId({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <span class="copyable-id">
      <code>{id}</code> <CopyButton what={`${what} ID`} text={id} />
    </span>
  );
}
