import { mishaps, type Trial, untouched } from './trial.ts';

interface Props {
  readonly trial: Trial;
  readonly onChange: (trial: Trial) => void;
  readonly sentBody: string;
}

export function TrialForm({ trial, onChange, sentBody }: Props) {
  const { secret, body, minutesLater, toleranceMinutes, computed } = trial;
  return (
    <form class="signature-trial" onSubmit={(event) => event.preventDefault()}>
      <fieldset class="row">
        <legend>Try what goes wrong elsewhere</legend>
        {mishaps.map(({ name, change }) => (
          <button key={name} type="button" onClick={() => onChange({ ...untouched, ...change(sentBody) })}>
            {name}
          </button>
        ))}
        <button type="button" disabled={trial === untouched} onClick={() => onChange(untouched)}>
          As it was
        </button>
      </fieldset>
      <div class="signature-fields">
        <label>
          Secret
          <input
            value={secret}
            placeholder="that of the endpoint"
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => onChange({ ...trial, secret: currentTarget.value })}
          />
        </label>
        <label>
          Minutes after it was sent
          <input
            type="number"
            step="any"
            value={minutesLater}
            placeholder="0"
            onInput={({ currentTarget }) => onChange({ ...trial, minutesLater: currentTarget.value })}
          />
        </label>
        <label>
          Tolerance in minutes
          <input
            type="number"
            min="0"
            step="any"
            value={toleranceMinutes}
            placeholder="as configured"
            onInput={({ currentTarget }) => onChange({ ...trial, toleranceMinutes: currentTarget.value })}
          />
        </label>
      </div>
      <label>
        Digest that your receiver computed
        <input
          value={computed}
          placeholder="v1=…, to find the mistake that leads to it"
          spellcheck={false}
          autocomplete="off"
          maxLength={512}
          onInput={({ currentTarget }) => onChange({ ...trial, computed: currentTarget.value })}
        />
      </label>
      <label>
        Body as the receiver has it
        <textarea
          rows={4}
          spellcheck={false}
          value={body ?? sentBody}
          onInput={({ currentTarget: { value } }) =>
            onChange({ ...trial, body: value === sentBody ? null : value })
          }
        />
      </label>
    </form>
  );
}
