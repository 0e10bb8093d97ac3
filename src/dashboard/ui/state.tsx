import type { ComponentChildren } from 'preact';
import type { Asked } from '../asked.ts';

interface Props<Value> {
  readonly asked: Asked<Value>;
  /** What is loading, as in "Loading deliveries…". */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** The answer to a question; until there is one, that it is awaited, or why there is none and a way to ask again. */
export function Answer<Value>({ asked, what, children }: Props<Value>) {
  const { value, error, again } = asked;
  return (
    <>
      {error !== null && (
        <p class="state error" role="alert">
          {error}{' '}
          <button type="button" onClick={again}>
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
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="state">{children}</div>;
}
