import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useRevealedSecret } from '../../use-revealed-secret.ts';

const MASK = '••••••••••••••••';

/** The secret of an endpoint, hidden until somebody asks for it; it can be copied without. */
export function WebhookSecret({ webhookId }: { readonly webhookId: string }) {
  const { shown, toggle } = useRevealedSecret(webhookId);
  return (
    <>
      <span class="row webhooks-secret">
        <code>{shown?.secret ?? <span aria-hidden="true">{MASK}</span>}</code>
        <button type="button" class="quiet" aria-pressed={shown !== null} onClick={toggle}>
          <Icon name="eye" /> {shown === null ? 'Show' : 'Hide'}
        </button>
        <CopyButton
          what="the secret"
          text={async () => (await control.revealSecret({ id: webhookId })).secret}
        />
      </span>
      {shown !== null && shown.previous_secret !== null && (
        <span class="row webhooks-secret">
          <span class="muted">before the rotation</span> <code>{shown.previous_secret}</code>
        </span>
      )}
    </>
  );
}

/** A secret that has just been made. */
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
        Give this secret to the receiver, which verifies signatures with it. The API shows it this once; this
        page hides it until it is asked for.
      </p>
      <p class="row webhooks-secret card">
        <code>{secret}</code> <CopyButton what="the secret" text={secret} label="Copy" />
      </p>
      <div class="row">
        <button type="button" class="main" autofocus onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
