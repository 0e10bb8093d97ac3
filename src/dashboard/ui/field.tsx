/** Form fields with their errors. */
import { useEffect, useId, useRef } from 'preact/hooks';
import type { FormError } from '../form-error.ts';

interface Props {
  readonly label: string;
  /** The name of the field in the control plane. */
  readonly name: string;
  readonly hint?: string;
  readonly error: FormError | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly inputMode?: 'numeric' | 'decimal' | 'url';
  readonly autofocus?: boolean;
  readonly suggestions?: readonly string[];
  /** Titles by value of a select, which replaces the input. */
  readonly options?: Readonly<Record<string, string>>;
  /** Number of rows of a text area, which replaces the input. */
  readonly rows?: number;
}

export function Field({ label, name, hint, error, onChange, suggestions, options, rows, ...rest }: Props) {
  const id = useId();
  const isInvalid = error?.field === name;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (rest.autofocus) input.current?.focus();
  }, []);
  const control = {
    ...rest,
    autocomplete: 'off' as const,
    spellcheck: false,
    id,
    name,
    'aria-invalid': isInvalid,
    'aria-describedby': `${id}-hint`,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options !== undefined && (
        <select {...control}>
          {Object.entries(options).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
      {rows !== undefined && <textarea {...control} rows={rows} />}
      {options === undefined && rows === undefined && (
        <input {...control} ref={input} list={suggestions && `${id}-suggestions`} />
      )}
      {suggestions && (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      <p id={`${id}-hint`} class="muted" data-state={isInvalid ? 'failed' : undefined} aria-live="polite">
        {isInvalid ? error.message : hint}
      </p>
    </div>
  );
}

/** The names of the texts in a draft. */
type TextName<Draft> = {
  [Name in keyof Draft & string]: Draft[Name] extends string | null | undefined ? Name : never;
}[keyof Draft & string];

/** Connects fields to the form values in `draft`: `<Field label="Path" {...field('path')} />`. Null is shown as an empty text. */
export function connectFields<Draft>(
  draft: Draft,
  onChange: (draft: Draft) => void,
  error: FormError | null,
): (name: TextName<Draft>) => Pick<Props, 'name' | 'error' | 'value' | 'onChange'> {
  return (name) => ({
    name,
    error,
    value: String(draft[name] ?? ''),
    onChange: (value) => onChange({ ...draft, [name]: value }),
  });
}
