import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { defaultOptions, findUrlError, type ReplayOptions } from './replay-options.ts';

interface Props {
  readonly options: ReplayOptions;
  readonly onChange: (options: ReplayOptions) => void;
  /** Initial value of the field for a different URL. */
  readonly url: string;
  /** Whether the options apply to several deliveries. */
  readonly isBulk?: boolean;
  readonly children?: ComponentChildren;
}

/** Whether to retry the delivery or to send a new one, possibly to another URL. */
export function ReplayOptionsForm({ options, onChange, url, isBulk = false, children }: Props) {
  const name = useId();
  const { isNew, url: customUrl } = options;
  return (
    <fieldset class="stack">
      <legend class="visually-hidden">Replay as</legend>
      <label class="check">
        <input
          type="radio"
          name={name}
          checked={!isNew}
          // Another URL or body would create a new delivery.
          onChange={() => onChange(defaultOptions)}
        />
        <span>
          <strong>{isBulk ? 'Send these deliveries again' : 'Send this delivery again'}</strong>
          <span class="muted">Same ID and body, with a new timestamp and signature.</span>
        </span>
      </label>
      <label class="check">
        <input
          type="radio"
          name={name}
          checked={isNew}
          onChange={() => onChange({ ...options, isNew: true })}
        />
        <span>
          <strong>{isBulk ? 'Send as new deliveries' : 'Send as a new delivery'}</strong>
          <span class="muted">Same event, with a new ID and its own retries.</span>
        </span>
      </label>
      <div class="stack replay-extra">
        <label class="check">
          <input
            type="checkbox"
            checked={customUrl !== null}
            onChange={({ currentTarget: { checked } }) =>
              onChange({ ...options, isNew: checked || isNew, url: checked ? url : null })
            }
          />
          <span>To a different URL</span>
        </label>
        {customUrl !== null && (
          <UrlField url={customUrl} onInput={(text) => onChange({ ...options, url: text })} />
        )}
        {children}
      </div>
    </fieldset>
  );
}

interface UrlFieldProps {
  readonly url: string;
  readonly onInput: (url: string) => void;
}

function UrlField({ url, onInput }: UrlFieldProps) {
  const id = useId();
  const error = findUrlError(url);
  return (
    <label>
      URL
      <input
        type="url"
        value={url}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={error !== null}
        aria-describedby={id}
        onInput={({ currentTarget }) => onInput(currentTarget.value.trim())}
      />
      <span id={id} aria-live="polite" class={error === null ? 'muted' : 'error-text'}>
        {error === null
          ? 'The custom headers of the endpoint are not sent to this URL.'
          : `The URL ${error}.`}
      </span>
    </label>
  );
}
