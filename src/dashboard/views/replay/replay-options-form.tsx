import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { findUrlProblem, type ReplayOptions } from './replay-options.ts';

interface Props {
  readonly options: ReplayOptions;
  readonly onChange: (choice: ReplayOptions) => void;
  /** The address that the field begins with. */
  readonly url: string;
  /** More that a new delivery may have otherwise. */
  readonly children?: ComponentChildren;
}

/** The same delivery once more, or a new one, which may go elsewhere. */
export function ReplayOptionsForm({ options, onChange, url, children }: Props) {
  const name = useId();
  const { isNew, url: other } = options;
  return (
    <fieldset class="replay-choice">
      <legend class="unseen">What is sent</legend>
      <label class="replay-option">
        <input
          type="radio"
          name={name}
          checked={!isNew}
          onChange={() => onChange({ isNew: false, url: null, body: null })}
        />
        <span>
          <strong>Same id</strong>
          <span class="muted">A new attempt: the same bytes, with a fresh timestamp and signature.</span>
        </span>
      </label>
      <label class="replay-option">
        <input
          type="radio"
          name={name}
          checked={isNew}
          onChange={() => onChange({ ...options, isNew: true })}
        />
        <span>
          <strong>New id</strong>
          <span class="muted">A new delivery of the same event, with retries of its own.</span>
        </span>
      </label>
      <div class="replay-more">
        <label class="replay-option">
          <input
            type="checkbox"
            checked={other !== null}
            onChange={({ currentTarget: { checked } }) =>
              onChange({ ...options, isNew: checked || isNew, url: checked ? url : null })
            }
          />
          <span>To another address</span>
        </label>
        {other !== null && <OtherUrl url={other} onInput={(text) => onChange({ ...options, url: text })} />}
        {children}
      </div>
    </fieldset>
  );
}

interface OtherUrlProps {
  readonly url: string;
  readonly onInput: (url: string) => void;
}

function OtherUrl({ url, onInput }: OtherUrlProps) {
  const id = useId();
  const problem = findUrlProblem(url);
  return (
    <label>
      Address
      <input
        type="url"
        value={url}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={problem !== null}
        aria-describedby={id}
        onInput={({ currentTarget }) => onInput(currentTarget.value.trim())}
      />
      <span id={id} aria-live="polite" class={problem === null ? 'muted' : 'replay-refused'}>
        {problem === null ? 'The headers of the endpoint are not sent there.' : `The address ${problem}.`}
      </span>
    </label>
  );
}
