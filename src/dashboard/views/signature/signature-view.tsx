/** Explains the signature of an attempt: the signed content, the headers, the secrets, and the verification. */
import { checkStatusSymbols } from '../../../domain/delivery.ts';
import type { SignatureDetail } from '../../../operations/signature-schemas.ts';
import { control } from '../../control.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Properties } from '../../ui/properties.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Badge } from '../../ui/status-badge.tsx';
import { useQuery } from '../../use-query.ts';

interface Props {
  readonly deliveryId: string;
  readonly attempt: number;
}

export function SignatureView({ deliveryId, attempt }: Props) {
  const query = useQuery(() => control.describeSignature({ id: deliveryId, attempt }), [deliveryId, attempt]);
  return (
    <QueryView query={query} what="the signature">
      {(detail) => <SignatureDetails detail={detail} />}
    </QueryView>
  );
}

interface DetailProps {
  readonly detail: SignatureDetail;
}

function SignatureDetails({ detail }: DetailProps) {
  const text = detail.signed_parts.map((part) => part.text).join('');
  return (
    <div class="stack">
      <VerificationResult verification={detail.verification} />
      <section class="stack">
        <h4 class="row">
          Signed content <CopyButton what="signed content" text={text} />
        </h4>
        <SignedContent parts={detail.signed_parts} />
        <p class="muted">
          {new TextEncoder().encode(text).length} bytes. Nothing is added between the parts.
        </p>
      </section>
      <section class="stack">
        <h4>Headers</h4>
        <SignatureHeaders detail={detail} />
      </section>
      <section class="stack">
        <h4>Endpoint secret</h4>
        <SigningSecrets secrets={detail.secrets} />
      </section>
    </div>
  );
}

/** The result of signature verification, in the words of `svc verify`. */
function VerificationResult({ verification }: Pick<SignatureDetail, 'verification'>) {
  if (verification === null) {
    return (
      <p class="muted">
        This attempt cannot be verified because its secret or its signature scheme no longer exists.
      </p>
    );
  }
  const { ok, reason, detail, remedy } = verification;
  return (
    <div class="notice" data-state={ok ? 'succeeded' : 'failed'}>
      <p>
        <strong>
          <span aria-hidden="true">{checkStatusSymbols[ok ? 'passed' : 'failed']}</span>{' '}
          {ok ? 'svc signed this attempt correctly' : reason}
        </strong>{' '}
        {detail}
      </p>
      {remedy !== null && <p>{remedy}</p>}
    </div>
  );
}

/** The name of each part, and the state whose colors it has. */
const partStyles = {
  id: { name: 'delivery ID', state: 'highlighted' },
  timestamp: { name: 'timestamp', state: 'pending' },
  body: { name: 'body', state: 'succeeded' },
  literal: { name: 'constant text', state: 'canceled' },
} as const;

/** The signed content, with each part marked by a color and a name. */
function SignedContent({ parts }: { readonly parts: SignatureDetail['signed_parts'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <section tabIndex={0} aria-label="Signed content">
      {parts.map(({ part, text }, index) => (
        <mark key={index} data-state={partStyles[part].state}>
          <small>{partStyles[part].name}</small>
          <code>{text}</code>
        </mark>
      ))}
    </section>
  );
}

function SignatureHeaders({ detail: { headers, signed_parts: parts } }: DetailProps) {
  const findPart = (value: string) =>
    parts.find(({ part, text }) => part !== 'literal' && text === value)?.part;
  const items = Object.entries(headers).map(([name, value]) => {
    const part = findPart(value);
    const code = <code>{value}</code>;
    return [name, part === undefined ? code : <mark data-state={partStyles[part].state}>{code}</mark>];
  });
  return <Properties items={Object.fromEntries(items)} />;
}

/** The secrets of the endpoint, masked, and whether the signature of each is in the header. */
function SigningSecrets({ secrets }: Pick<SignatureDetail, 'secrets'>) {
  const items = secrets.flatMap(({ name, masked, signature, matches }) => {
    const label = name === 'current' ? 'Secret' : 'Previous secret';
    return [
      [label, <code>{masked}</code>],
      [
        `Signature of the ${label.toLowerCase()}`,
        <>
          <code>{signature}</code>{' '}
          <Badge state={matches ? 'succeeded' : 'failed'}>
            {matches ? 'matches the header' : 'does not match the header'}
          </Badge>
        </>,
      ],
    ];
  });
  return <Properties items={Object.fromEntries(items)} />;
}
