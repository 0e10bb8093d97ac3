import type { WebhookDetail } from '../../../contract/resources.ts';

/** What is particular about an endpoint: that it is disabled, or there only while somebody listens. */
export function WebhookBadges({ webhook: { disabled, listener } }: { readonly webhook: WebhookDetail }) {
  return (
    <span class="row">
      {disabled && (
        <span
          class="badge pending"
          title="Pending deliveries wait; events that happen meanwhile are not for it."
        >
          disabled
        </span>
      )}
      {listener && (
        <span class="badge canceled" title="It goes when nobody listens any more.">
          svc listen
        </span>
      )}
    </span>
  );
}
