/** Parses and formats the routes of the page in the URL fragment. Shortens URLs for display. */
import { idPrefixes } from '../domain/ids.ts';

const sections = ['home', 'deliveries', 'events', 'webhooks', 'requests', 'trigger', 'missing'] as const;
export type Section = (typeof sections)[number];

/** Routes live in the URL fragment: `#/deliveries/del_…?status=failed`. */
export interface Route {
  readonly section: Section;
  /** ID of the resource that is open; null for a list. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

/** Parses a URL fragment. Without a section, it is the first page. */
export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const [name = '', id = ''] = path.split('/');
  const section = sections.find((candidate) => candidate === name);
  // The list of endpoints is Home.
  const isHome = name === '' || (section === 'webhooks' && id === '');
  return {
    section: isHome ? 'home' : (section ?? 'missing'),
    id: section === undefined ? null : decodeId(id) || null,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** `#/deliveries/del_…?status=failed`, without empty query values. */
export function toHash({ section, id = null, query = {} }: Partial<Route> & Pick<Route, 'section'>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== '');
  const search = entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
  return `#/${section}${id === null ? '' : `/${encodeURIComponent(id)}`}${search}`;
}

/** The route of a resource, by the prefix of its ID (§2); null for resources without a page. */
export function findResourceRoute(id: string): Pick<Route, 'section' | 'id'> | null {
  const sectionByKind = {
    event: 'events',
    webhook: 'webhooks',
    delivery: 'deliveries',
    request: 'requests',
  } as const;
  for (const [kind, section] of Object.entries(sectionByKind)) {
    if (id.startsWith(idPrefixes[kind as keyof typeof sectionByKind])) return { section, id };
  }
  return null;
}

function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A URL without its scheme and trailing slash: `localhost:3000/hooks`. */
export function shortenUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
