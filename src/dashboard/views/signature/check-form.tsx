import { type CheckInput, mistakes, unchangedInput } from './check-input.ts';

interface Props {
  readonly input: CheckInput;
  readonly onChange: (checkInput: CheckInput) => void;
  readonly sentBody: string;
}

export function CheckForm({ input, onChange, sentBody }: Props) {
  const { secret, body, minutesLater, toleranceMinutes, computed } = input;
  return (
    <form class="signature-form" onSubmit={(event) => event.preventDefault()}>
      <fieldset class="row">
        <legend>Try a common mistake</legend>
        {mistakes.map(({ name, change }) => (
          <button
            key={name}
            type="button"
            onClick={() => onChange({ ...unchangedInput, ...change(sentBody) })}
          >
            {name}
          </button>
        ))}
        <button type="button" disabled={input === unchangedInput} onClick={() => onChange(unchangedInput)}>
          Reset
        </button>
      </fieldset>
      <div class="signature-fields">
        <label>
          Secret
          <input
            value={secret}
            placeholder="endpoint secret"
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => onChange({ ...input, secret: currentTarget.value })}
          />
        </label>
        <label>
          Minutes after sending
          <input
            type="number"
            step="any"
            value={minutesLater}
            placeholder="0"
            onInput={({ currentTarget }) => onChange({ ...input, minutesLater: currentTarget.value })}
          />
        </label>
        <label>
          Tolerance in minutes
          <input
            type="number"
            min="0"
            step="any"
            value={toleranceMinutes}
            placeholder="default"
            onInput={({ currentTarget }) => onChange({ ...input, toleranceMinutes: currentTarget.value })}
          />
        </label>
      </div>
      <label>
        Digest that your receiver computed
        <input
          value={computed}
          placeholder="v1=…"
          spellcheck={false}
          autocomplete="off"
          maxLength={512}
          onInput={({ currentTarget }) => onChange({ ...input, computed: currentTarget.value })}
        />
      </label>
      <label>
        Body that your receiver received
        <textarea
          rows={4}
          spellcheck={false}
          value={body ?? sentBody}
          onInput={({ currentTarget: { value } }) =>
            onChange({ ...input, body: value === sentBody ? null : value })
          }
        />
      </label>
    </form>
  );
}
