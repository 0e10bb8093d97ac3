import type { Route } from '../../address.ts';

export function TriggerView({ route }: { readonly route: Route }) {
  return <div class="page">{route.section}</div>;
}
