import { findResourceRoute, toHash } from '../../address.ts';

/** Links the resource of a request; empty for a list request. */
export function ResourceLink({ id }: { readonly id: string | null }) {
  if (id === null) return null;
  const place = findResourceRoute(id);
  if (place === null) return <code>{id}</code>;
  return (
    <a class="mono" href={toHash(place)} tabIndex={-1}>
      {id}
    </a>
  );
}
