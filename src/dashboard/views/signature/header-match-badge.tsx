/** Whether a signature equals the one in the header. */
export function HeaderMatchBadge({ matches }: { readonly matches: boolean }) {
  return (
    <span class={`badge ${matches ? 'succeeded' : 'failed'}`}>
      <span aria-hidden="true">{matches ? '✓' : '✗'}</span>{' '}
      {matches ? 'matches the header' : 'does not match the header'}
    </span>
  );
}
