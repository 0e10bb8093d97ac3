import type { ComponentChildren } from 'preact';
import type { Query } from '../use-query.ts';

interface Props<Value> {
  readonly query: Query<Value>;
  /** What is loading, as in "Loading deliveries…". */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** The answer to a question; until there is one, that it is awaited, or why there is none and a way to ask again. */
export function QueryView<Value>({ query, what, children }: Props<Value>) {
  const { value, error, refetch } = query;
  return (
    <>
      {error !== null && (
        <p class="state error" role="alert">
          {error}{' '}
          <button type="button" onClick={refetch}>
            Try again
          </button>
        </p>
      )}
      {value === undefined && error === null && (
        <p class="state" role="status">
          Loading {what}…
        </p>
      )}
      {value !== undefined && children(value)}
    </>
  );
}

/** Where there is nothing: what would be here, and how it comes. */
export function EmptyState({ children }: { readonly children: ComponentChildren }) {
  return <div class="state">{children}</div>;
}
