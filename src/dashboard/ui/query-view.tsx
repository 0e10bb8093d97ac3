import type { ComponentChildren } from 'preact';
import type { Query } from '../use-query.ts';
import { ActionButton } from './action-button.tsx';

interface Props<Value> {
  readonly query: Query<Value>;
  /** What is loading, as in "Loading deliveries…". */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** Renders the result of a query, or its loading or error state with a button to retry. */
export function QueryView<Value>({ query, what, children }: Props<Value>) {
  const { value, error, refetch } = query;
  return (
    <>
      {error !== null && (
        <p class="placeholder" data-state="failed" role="alert">
          {error} <ActionButton onClick={refetch}>Try again</ActionButton>
        </p>
      )}
      {value === undefined && error === null && (
        <p class="placeholder" role="status">
          Loading {what}…
        </p>
      )}
      {value !== undefined && children(value)}
    </>
  );
}
