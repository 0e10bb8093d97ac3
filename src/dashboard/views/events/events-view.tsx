import type { Route } from '../../address.ts';

export function EventsView({ route }: { readonly route: Route }) {
  return <div class="page">{route.section}</div>;
}
