/** Explains the signature of an attempt: the signed content, the headers, the secrets, and the verification. */
import './signature.css';
import type { Attempt, DeliveryDetail, SignatureDetail } from '../../../contract/delivery-schemas.ts';
import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useQuery } from '../../use-query.ts';
import { useRevealedSecret } from '../../use-revealed-secret.ts';
import { ReserializedBody } from './reserialized-body.tsx';
import { SignatureChecker } from './signature-checker.tsx';
import { joinParts, SignedContent } from './signed-content.tsx';
import { HeaderMatchBadge, VerificationResult } from './verification-result.tsx';

interface Props {
  readonly deliveryId: string;
  readonly attempt: number;
}

export function SignatureView({ deliveryId, attempt }: Props) {
  const query = useQuery(
    () =>
      Promise.all([
        control.describeSignature({ id: deliveryId, attempt }),
        control.getDelivery({ id: deliveryId }),
      ]),
    [deliveryId, attempt],
  );
  return (
    <QueryView query={query} what="the signature">
      {([detail, delivery]) => (
        <SignatureDetails key={`${deliveryId} ${attempt}`} detail={detail} delivery={delivery} />
      )}
    </QueryView>
  );
}

interface SignatureDetailsProps {
  readonly detail: SignatureDetail;
  readonly delivery: DeliveryDetail;
}

function SignatureDetails({ detail, delivery }: SignatureDetailsProps) {
  const { signed_parts: parts, secrets, verification, reserialised } = detail;
  const attempt = delivery.attempts.find(({ number }) => number === detail.attempt);
  const text = joinParts(parts);
  return (
    <div class="signature">
      {verification === null ? (
        <p class="muted">
          This attempt cannot be verified because its secret or its signature scheme no longer exists.
        </p>
      ) : (
        <VerificationResult verification={verification} />
      )}
      <section>
        <h4 class="row">
          Signed content <CopyButton what="signed content" text={text} />
        </h4>
        <SignedContent label="Signed content" parts={parts} />
      </section>
      <section>
        <h4>Headers</h4>
        <SignatureHeaders detail={detail} />
      </section>
      <section>
        <h4>Signing secret</h4>
        <SigningSecrets secrets={secrets} webhookId={delivery.webhook_id} />
      </section>
      {attempt !== undefined && (
        <AttemptChecks attempt={attempt} delivery={delivery} reserialised={reserialised} />
      )}
    </div>
  );
}

interface AttemptChecksProps {
  readonly attempt: Attempt;
  readonly delivery: DeliveryDetail;
  readonly reserialised: SignatureDetail['reserialised'];
}

function AttemptChecks({ attempt, delivery, reserialised }: AttemptChecksProps) {
  return (
    <>
      <section>
        <h4>Verify step by step</h4>
        <SignatureChecker deliveryId={delivery.id} attempt={attempt} />
      </section>
      <section>
        <h4>If your receiver parses the body first</h4>
        <ReserializedBody body={attempt.request.body} reserialised={reserialised} />
      </section>
    </>
  );
}

function SignatureHeaders({
  detail: { headers, signed_parts: parts },
}: {
  readonly detail: SignatureDetail;
}) {
  const findPart = (value: string) =>
    parts.find(({ part, text }) => part !== 'literal' && text === value)?.part;
  return (
    <dl class="properties">
      {Object.entries(headers).map(([name, value]) => {
        const part = findPart(value);
        return [
          <dt key={name}>
            <code>{name}</code>
          </dt>,
          <dd key={`${name} value`}>
            <code class={part === undefined ? '' : `signed-part ${part}`}>{value}</code>
          </dd>,
        ];
      })}
    </dl>
  );
}

interface SigningSecretsProps {
  readonly secrets: SignatureDetail['secrets'];
  readonly webhookId: string;
}

/** The secrets of the endpoint, masked until the user shows them, and the signature of each. */
export function SigningSecrets({ secrets, webhookId }: SigningSecretsProps) {
  const { revealed, toggle } = useRevealedSecret(webhookId);
  return (
    <div class="signature-secrets">
      {secrets.map(({ name, masked, signature, matches }) => {
        const secret = name === 'current' ? revealed?.secret : revealed?.previous_secret;
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
          <Icon name="eye" /> {revealed === null ? 'Show' : 'Hide'}{' '}
          {secrets.length === 1 ? 'secret' : 'secrets'}
        </button>
      </div>
    </div>
  );
}
