import { idPrefixes } from '../domain/ids.ts';

/** What the page shows is in its address, after the `#`: `#/deliveries/del_…?status=failed`. */
export const sections = ['deliveries', 'events', 'webhooks', 'requests', 'keys', 'trigger'] as const;
export type Section = (typeof sections)[number];

export interface Route {
  readonly section: Section;
  /** The one thing that is shown; null where a list is. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

/** Reads the part of an address after `#`; what it does not know leads to the deliveries. */
export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const [name = '', id = ''] = path.split('/');
  const section = sections.find((each) => each === name);
  return {
    section: section ?? 'deliveries',
    id: section === undefined ? null : decode(id) || null,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** `#/deliveries/del_…?status=failed`; members of the query that are empty are left out. */
export function toHash({ section, id = null, query = {} }: Partial<Route> & Pick<Route, 'section'>): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${section}${id === null ? '' : `/${encodeURIComponent(id)}`}${search}`;
}

/** Where a thing is shown, by the prefix of its id (§2); null where it has no place of its own. */
export function findResourceRoute(id: string): Pick<Route, 'section' | 'id'> | null {
  const prefixes = {
    event: 'events',
    webhook: 'webhooks',
    delivery: 'deliveries',
    request: 'requests',
  } as const;
  for (const [kind, section] of Object.entries(prefixes)) {
    if (id.startsWith(idPrefixes[kind as keyof typeof prefixes])) return { section, id };
  }
  return null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
