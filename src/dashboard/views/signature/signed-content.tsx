import type { SignatureDetail } from '../../../contract/delivery-schemas.ts';

type Parts = SignatureDetail['signed_parts'];

const partNames = { id: 'delivery ID', timestamp: 'timestamp', body: 'body', literal: 'separator' } as const;

/** The signed content, with each part marked by a color and a name. */
export function SignedContent({ label, parts }: { readonly label: string; readonly parts: Parts }) {
  const bytes = new TextEncoder().encode(joinParts(parts)).length;
  return (
    <figure class="signed-content">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <section tabIndex={0} aria-label={label}>
        {parts.map(({ part, text }, index) => (
          <span key={index} class={`signed-part ${part}`}>
            <span class="signed-part-name">{partNames[part]}</span>
            <code>{text}</code>
          </span>
        ))}
      </section>
      <figcaption class="muted">{bytes} bytes. Nothing is added between the parts.</figcaption>
    </figure>
  );
}

export function joinParts(parts: Parts): string {
  return parts.map(({ text }) => text).join('');
}
