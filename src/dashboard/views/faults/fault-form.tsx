/** Adds a fault: a field for each field of its table that can be set. The control plane checks the values. */
import { useState } from 'preact/hooks';
import { formatDuration } from '../../../domain/duration.ts';
import { type DeliveryFaultKind, getDefaultDelayMs, getDeliveryFault } from '../../../domain/fault.ts';
import type { ControlInput } from '../../../operations/control-operations.ts';
import { type FaultRule, faultTable, findFaultProblem } from '../../../resources/fault.ts';
import { control } from '../../control.ts';
import { connectFields, Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { useEventTypes } from '../../use-event-types.ts';
import { useFormSubmit } from '../../use-form-submit.ts';

type FieldName = keyof typeof faultTable;
type Draft = Readonly<Partial<Record<FieldName, string>>>;

/** Fields that the place of the form decides, or that it does not offer. */
const hiddenNames: readonly FieldName[] = ['on', 'webhook_id', 'workspace_id', 'api_key_id'];

const hints: Draft = {
  path: '{id} and * match any segment.',
  latency_ms: 'For example 2s, in real time.',
  delay_ms: 'For example 10m.',
  probability: 'From 0 to 1.',
  count: 'Leave empty for no limit.',
};

interface Props {
  /** Also of the button. */
  readonly label: string;
  /** What the fault applies to. */
  readonly target: Pick<FaultRule, 'on' | 'webhook_id'>;
  readonly initial: Draft;
}

/** The form is reset after the fault was added. */
export function FaultForm({ label, target, initial }: Props) {
  const [draft, setDraft] = useState(initial);
  const kind = draft.kind as DeliveryFaultKind | undefined;
  const names = listFields({ ...target, ...(kind && { kind }) });
  const types = useEventTypes();
  const form = useFormSubmit(names, async () => {
    const values = names.flatMap((name) => {
      const text = draft[name]?.trim() ?? '';
      return text === '' ? [] : [[name, name === 'probability' ? Number(text) : text]];
    });
    await control.addFault({ ...target, ...Object.fromEntries(values) } as ControlInput<'addFault'>);
    setDraft(initial);
  });
  const field = connectFields<Draft>(draft, setDraft, form.error);
  const defaultMs = kind && getDefaultDelayMs(kind);
  const placeholders: Draft = {
    delay_ms: defaultMs === undefined ? '' : formatDuration(defaultMs),
    type: 'every type',
    method: 'any',
    path: 'any',
    probability: '1',
    count: 'no limit',
  };
  return (
    <Form label={label} form={form} action={label} variant="plain">
      <div class="grid">
        {names.map((name) => (
          <Field
            key={name}
            label={faultTable[name].label}
            hint={(name === 'kind' && kind ? `${getDeliveryFault(kind).description}.` : hints[name]) ?? ''}
            placeholder={placeholders[name] ?? 'none'}
            {...toChoices(name, types)}
            {...field(name)}
          />
        ))}
      </div>
    </Form>
  );
}

/** The fields that do not contradict the rule. */
function listFields(rule: FaultRule | Pick<FaultRule, 'on'>): FieldName[] {
  const { kind, ...others } = faultTable;
  const names = Object.keys({ kind, ...others }) as FieldName[];
  return names.filter((name) => {
    const problem = findFaultProblem({ ...rule, [name]: '' } as FaultRule);
    return (
      !hiddenNames.includes(name) && (name === 'kind' ? rule.on === 'delivery' : problem?.field !== name)
    );
  });
}

function toChoices(name: FieldName, types: readonly string[]) {
  const { schema } = faultTable[name];
  if (name === 'type') return { suggestions: types };
  if (schema.type !== 'picklist' || !('options' in schema)) return {};
  const none = name === 'kind' ? {} : { '': 'no' };
  return { options: { ...none, ...Object.fromEntries(schema.options.map((option) => [option, option])) } };
}
