import { signal } from '@preact/signals';
import { parseHash, toHash } from './address.ts';

export const route = signal(parseHash(location.hash));

addEventListener('hashchange', () => {
  route.value = parseHash(location.hash);
});

export function navigate(to: Parameters<typeof toHash>[0]): void {
  location.hash = toHash(to);
}

/** Shows something else without a step in the history. */
export function replaceRoute(to: Parameters<typeof toHash>[0]): void {
  history.replaceState(null, '', toHash(to));
  route.value = parseHash(location.hash);
}

/** Changes members of the query without a step in the history; an empty one is taken away. */
export function updateQuery(changes: Readonly<Record<string, string>>): void {
  const { section, id, query } = route.value;
  replaceRoute({ section, id, query: { ...query, ...changes } });
}
