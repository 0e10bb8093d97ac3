import type { Route } from '../../address.ts';

export function WebhooksView({ route }: { readonly route: Route }) {
  return <div class="page">{route.section}</div>;
}
