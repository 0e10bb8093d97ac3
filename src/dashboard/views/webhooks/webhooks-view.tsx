/** The endpoints of the workspace, or the open one. */
import './webhooks.css';
import type { Route } from '../../address.ts';
import { WebhookList } from './webhook-list.tsx';
import { WebhookView } from './webhook-view.tsx';

export function WebhooksView({ route: { id } }: { readonly route: Route }) {
  return id === null ? <WebhookList /> : <WebhookView key={id} id={id} />;
}
