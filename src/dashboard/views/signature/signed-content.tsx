import type { SignatureDetail } from '../../../contract/delivery-schemas.ts';

type Parts = SignatureDetail['signed_parts'];

const names = { id: 'delivery id', timestamp: 'timestamp', body: 'body', literal: 'fixed' } as const;

/** The string that is signed, each part told apart by its colour and by its name. */
export function SignedContent({ label, parts }: { readonly label: string; readonly parts: Parts }) {
  const bytes = new TextEncoder().encode(joinParts(parts)).length;
  return (
    <figure class="signature-string">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section tabIndex={0} aria-label={label}>
        {parts.map(({ part, text }, index) => (
          <span key={index} class={`signature-part ${part}`}>
            <span class="signature-name">{names[part]}</span>
            <code>{text}</code>
          </span>
        ))}
      </section>
      <figcaption class="muted">{bytes} bytes, without anything between the parts.</figcaption>
    </figure>
  );
}

export function joinParts(parts: Parts): string {
  return parts.map(({ text }) => text).join('');
}
