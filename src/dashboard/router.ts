import { signal } from '@preact/signals';
import { parseHash, toHash } from './address.ts';

export const route = signal(parseHash(location.hash));

addEventListener('hashchange', () => {
  route.value = parseHash(location.hash);
});

export function navigate(to: Parameters<typeof toHash>[0]): void {
  location.hash = toHash(to);
}

/** Navigates without a history entry. */
export function replaceRoute(to: Parameters<typeof toHash>[0]): void {
  history.replaceState(null, '', toHash(to));
  route.value = parseHash(location.hash);
}

/** Changes query values without a history entry; an empty value removes its key. */
export function updateQuery(changes: Readonly<Record<string, string>>): void {
  const { section, id, query } = route.value;
  replaceRoute({ section, id, query: { ...query, ...changes } });
}
