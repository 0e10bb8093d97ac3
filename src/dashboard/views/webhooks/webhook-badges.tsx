import type { WebhookDetail } from '../../../contract/resources.ts';

/** Badges of an endpoint: disabled, or created by `svc listen`. */
export function WebhookBadges({ webhook: { disabled, listener } }: { readonly webhook: WebhookDetail }) {
  return (
    <span class="row">
      {disabled && (
        <span
          class="badge pending"
          title="Pending deliveries wait. New events are not delivered to this endpoint."
        >
          disabled
        </span>
      )}
      {listener && (
        <span class="badge canceled" title="Removed when svc listen stops.">
          svc listen
        </span>
      )}
    </span>
  );
}
