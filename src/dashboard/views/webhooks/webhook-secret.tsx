/** The secrets of an endpoint: hidden until the user shows them, or new. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ControlOutput } from '../../../operations/control-operations.ts';
import { control } from '../../control.ts';
import { withErrorToast } from '../../toasts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';

const MASK = '••••••••••••••••';

interface WebhookSecretProps {
  readonly webhookId: string;
  /** Other buttons. */
  readonly children: ComponentChildren;
}

/** The secret of an endpoint, hidden until the user shows it. It can be copied while hidden. */
export function WebhookSecret({ webhookId, children }: WebhookSecretProps) {
  /** Null while they are hidden. */
  const [revealed, setRevealed] = useState<ControlOutput<'revealSecret'> | null>(null);
  const toggle = async () => {
    const secrets = revealed === null ? await withErrorToast(control.revealSecret({ id: webhookId })) : null;
    setRevealed(secrets ?? null);
  };
  return (
    <>
      <span class="row">
        <code>{revealed?.secret ?? <span aria-hidden="true">{MASK}</span>}</code>
        <ActionButton data-variant="quiet" aria-pressed={revealed !== null} onClick={toggle}>
          <Icon name="eye" /> {revealed === null ? 'Show' : 'Hide'}
        </ActionButton>
        <CopyButton what="secret" text={async () => (await control.revealSecret({ id: webhookId })).secret} />
        {children}
      </span>
      {revealed !== null && revealed.previous_secret !== null && (
        <span class="row">
          <span class="muted">previous secret</span> <code>{revealed.previous_secret}</code>
        </span>
      )}
    </>
  );
}

export function NewWebhookSecret({
  secret,
  onDone,
  children,
}: {
  readonly secret: string;
  readonly onDone: () => void;
  /** Other buttons. */
  readonly children?: ComponentChildren;
}) {
  return (
    <>
      <p>
        Your receiver needs this secret to verify signatures. The API does not return it again, but you can
        view it in this dashboard.
      </p>
      <p class="row card">
        <code>{secret}</code> <CopyButton what="secret" text={secret} label="Copy" />
      </p>
      <div class="row">
        <button type="button" data-variant="primary" autofocus onClick={onDone}>
          Done
        </button>
        {children}
      </div>
    </>
  );
}
