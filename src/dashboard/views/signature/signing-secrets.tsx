import type { SignatureDetail } from '../../../contract/delivery-schemas.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useRevealedSecret } from '../../use-revealed-secret.ts';
import { HeaderMatchBadge } from './header-match-badge.tsx';

interface Props {
  readonly secrets: SignatureDetail['secrets'];
  readonly webhookId: string;
}

/** The secrets of the endpoint, masked until the user shows them, and the signature of each. */
export function SigningSecrets({ secrets, webhookId }: Props) {
  const { shown, toggle } = useRevealedSecret(webhookId);
  return (
    <div class="signature-secrets">
      {secrets.map(({ name, masked, signature, matches }) => {
        const secret = name === 'current' ? shown?.secret : shown?.previous_secret;
        return (
          <dl key={name} class="properties">
            <dt>{name === 'current' ? 'Secret' : 'Previous secret'}</dt>
            <dd>
              <code>{secret ?? masked}</code>
              {secret && <CopyButton what="secret" text={secret} />}
            </dd>
            <dt>Signature</dt>
            <dd>
              <code>{signature}</code> <HeaderMatchBadge matches={matches} />
            </dd>
          </dl>
        );
      })}
      <div class="row">
        <button type="button" onClick={toggle}>
          <Icon name="eye" /> {shown === null ? 'Show' : 'Hide'} {secrets.length === 1 ? 'secret' : 'secrets'}
        </button>
      </div>
    </div>
  );
}
