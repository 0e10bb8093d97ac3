import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useRevealedSecret } from '../../use-revealed-secret.ts';

const MASK = '••••••••••••••••';

/** The secret of an endpoint, hidden until the user shows it. It can be copied while hidden. */
export function WebhookSecret({ webhookId }: { readonly webhookId: string }) {
  const { revealed, toggle } = useRevealedSecret(webhookId);
  return (
    <>
      <span class="row webhooks-secret">
        <code>{revealed?.secret ?? <span aria-hidden="true">{MASK}</span>}</code>
        <button type="button" class="subtle" aria-pressed={revealed !== null} onClick={toggle}>
          <Icon name="eye" /> {revealed === null ? 'Show' : 'Hide'}
        </button>
        <CopyButton what="secret" text={async () => (await control.revealSecret({ id: webhookId })).secret} />
      </span>
      {revealed !== null && revealed.previous_secret !== null && (
        <span class="row webhooks-secret">
          <span class="muted">previous secret</span> <code>{revealed.previous_secret}</code>
        </span>
      )}
    </>
  );
}

/** A secret that was just created. */
export function NewWebhookSecret({
  secret,
  onDone,
}: {
  readonly secret: string;
  readonly onDone: () => void;
}) {
  return (
    <div class="form">
      <p>
        Your receiver needs this secret to verify signatures. The API does not return it again, but you can
        show it in this dashboard.
      </p>
      <p class="row webhooks-secret card">
        <code>{secret}</code> <CopyButton what="secret" text={secret} label="Copy" />
      </p>
      <div class="row">
        <button type="button" class="primary" autofocus onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
