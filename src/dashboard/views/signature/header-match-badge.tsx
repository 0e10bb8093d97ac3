/** Whether a signature is the one in the header. */
export function HeaderMatchBadge({ matches }: { readonly matches: boolean }) {
  return (
    <span class={`badge ${matches ? 'succeeded' : 'failed'}`}>
      <span aria-hidden="true">{matches ? '✓' : '✗'}</span> {matches ? 'in the header' : 'not in the header'}
    </span>
  );
}
