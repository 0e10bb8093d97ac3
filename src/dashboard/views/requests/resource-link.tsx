import { findResourceRoute, toHash } from '../../address.ts';

/** What a request was about, linked where the page shows it; nothing for a list. */
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
