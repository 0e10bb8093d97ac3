import type { SignatureDetail } from '../../../contract/delivery-schemas.ts';
import { excerptAt } from './text-excerpt.ts';
import { HeaderMatchBadge } from './verification-result.tsx';

interface Props {
  readonly body: string;
  readonly reserialised: SignatureDetail['reserialised'];
}

/** The signature that a receiver computes after parsing and re-serializing the body. */
export function ReserializedBody({ body, reserialised }: Props) {
  if (reserialised === null) {
    return (
      <p>
        For this body, <code>JSON.stringify(JSON.parse(body))</code> returns the same bytes, so the mistake
        stays hidden. It breaks verification for a number such as <code>12.50</code>, an escape such as{' '}
        <code>\u00e9</code>, or a JSON library that adds spaces.
      </p>
    );
  }
  const { body: reserializedBody, signature, matches, differs_at: at } = reserialised;
  return (
    <>
      <p>
        <code>JSON.stringify(JSON.parse(body))</code> changes the bytes from character {at + 1} on, so the
        signature does not match. Verify the raw body.
      </p>
      <div class="signature-comparison">
        <BodyExcerpt title="Sent" text={body} at={at} />
        <BodyExcerpt title="Parsed and serialized again" text={reserializedBody} at={at} />
      </div>
      <p>
        Signature: <code>{signature}</code> <HeaderMatchBadge matches={matches} />
      </p>
    </>
  );
}

interface BodyExcerptProps {
  readonly title: string;
  readonly text: string;
  readonly at: number;
}

function BodyExcerpt({ title, text, at }: BodyExcerptProps) {
  const { isCutBefore, equalText, differentText, isCutAfter } = excerptAt(text, at);
  return (
    <figure>
      <figcaption class="muted">
        {title}, {new TextEncoder().encode(text).length} bytes
      </figcaption>
      <pre>
        {isCutBefore && '…'}
        {equalText}
        <mark>{differentText.slice(0, 1) || '⏎'}</mark>
        {differentText.slice(1)}
        {isCutAfter && '…'}
      </pre>
    </figure>
  );
}
