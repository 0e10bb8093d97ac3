import { route } from '../router.ts';

/** Text around a match of the search, which is highlighted. */
export function Excerpt({ text }: { readonly text: string }) {
  const search = (route.value.query.text ?? '').trim();
  const index = text.toLowerCase().indexOf(search.toLowerCase());
  if (search === '' || index === -1) return <>{text}</>;
  const end = index + search.length;
  return (
    <>
      {text.slice(0, index)}
      <mark>{text.slice(index, end)}</mark>
      {text.slice(end)}
    </>
  );
}
