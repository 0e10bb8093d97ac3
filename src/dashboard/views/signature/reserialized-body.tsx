import type { SignatureDetail } from '../../../contract/delivery-schemas.ts';
import { HeaderMatchBadge } from './header-match-badge.tsx';
import { excerptAt } from './text-excerpt.ts';

interface Props {
  readonly body: string;
  readonly reserialised: SignatureDetail['reserialised'];
}

/** What a receiver would have computed that parses the body and writes it again. */
export function ReserializedBody({ body, reserialised }: Props) {
  if (reserialised === null) {
    return (
      <p>
        Here <code>JSON.stringify(JSON.parse(body))</code> gives the very same bytes, so the mistake would not
        show. It does with a number such as <code>12.50</code>, an escape such as <code>\u00e9</code>, or in a
        language that writes spaces.
      </p>
    );
  }
  const { body: again, signature, matches, differs_at: at } = reserialised;
  return (
    <>
      <p>
        <code>JSON.stringify(JSON.parse(body))</code> gives other bytes from character {at + 1} on, and so
        another signature. Verify the raw body.
      </p>
      <div class="signature-beside">
        <Side title="As it was sent" text={body} at={at} />
        <Side title="Parsed and written again" text={again} at={at} />
      </div>
      <p>
        Its signature: <code>{signature}</code> <HeaderMatchBadge matches={matches} />
      </p>
    </>
  );
}

interface SideProps {
  readonly title: string;
  readonly text: string;
  readonly at: number;
}

function Side({ title, text, at }: SideProps) {
  const { isCutBefore, same, other, isCutAfter } = excerptAt(text, at);
  return (
    <figure>
      <figcaption class="muted">
        {title}, {new TextEncoder().encode(text).length} bytes
      </figcaption>
      <pre>
        {isCutBefore && '…'}
        {same}
        <mark>{other.slice(0, 1) || '⏎'}</mark>
        {other.slice(1)}
        {isCutAfter && '…'}
      </pre>
    </figure>
  );
}
