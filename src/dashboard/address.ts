/** Parses and formats the routes of the page in the URL fragment, and their filters. Shortens URLs for display. */

import { type DashboardSection, dashboardSections } from '../domain/dashboard-sections.ts';
import { parseRelativeTime } from '../domain/duration.ts';
import { idPrefixes } from '../domain/ids.ts';
import { parseResponseFilter } from '../domain/status-filter.ts';

export type Section = DashboardSection;

/** Routes live in the URL fragment: `#/deliveries/del_…?status=failed`. */
export interface Route {
  readonly section: Section;
  /** ID of the resource that is open; null for a list. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

/** Parses a URL fragment. An unknown section becomes the overview. */
export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const [name = '', id = ''] = path.split('/');
  const section = dashboardSections.find((candidate) => candidate === name);
  return {
    section: section ?? 'overview',
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

/**
 * The trimmed values of `names` that are valid and not empty.
 * @param isStatus whether a text is a value of the filter `status`
 */
export function pickFilters<Name extends string>(
  query: Readonly<Record<string, string>>,
  names: readonly Name[],
  isStatus = isHttpStatus,
): { readonly [_ in Name]?: string } {
  const isValid = (name: Name, text: string) => {
    // The time that the text is relative to does not matter here.
    if (name === 'since' || name === 'until') return !Number.isNaN(parseRelativeTime(text, 0));
    if (name === 'response') return parseResponseFilter(text) !== null;
    return name !== 'status' || isStatus(text);
  };
  const entries = names.flatMap((name) => {
    const text = query[name]?.trim() ?? '';
    return text !== '' && isValid(name, text) ? [[name, text]] : [];
  });
  return Object.fromEntries(entries);
}

function isHttpStatus(text: string): boolean {
  return /^[1-5](?:\d\d|xx)$/i.test(text);
}

/** A URL without its scheme and trailing slash: `localhost:3000/hooks`. */
export function shortenUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
