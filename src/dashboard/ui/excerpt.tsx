import { route } from '../router.ts';

/** A narrow column shows the match, and cuts what follows. */
const MAX_BEFORE = 12;

/** Text around a match of the search, which is highlighted. */
export function Excerpt({ text }: { readonly text: string }) {
  const search = (route.value.query.text ?? '').trim();
  const index = text.toLowerCase().indexOf(search.toLowerCase());
  if (search === '' || index === -1) return <>{text}</>;
  const end = index + search.length;
  return (
    <>
      {index > MAX_BEFORE ? `…${text.slice(index - MAX_BEFORE, index)}` : text.slice(0, index)}
      <mark>{text.slice(index, end)}</mark>
      {text.slice(end)}
    </>
  );
}
