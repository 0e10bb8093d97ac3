import type { ControlInput } from '../../../contract/control-operations.ts';

const numberFields = ['count', 'probability', 'status'];

/** Omits empty values. A text that is not a number stays a text, so that the control plane names it. */
export function toNewFault(values: Readonly<Record<string, string>>): ControlInput<'addFault'> {
  const entries = Object.entries(values).map(([name, text]) => {
    const value = text.trim();
    const isNumber = numberFields.includes(name) && !Number.isNaN(Number(value));
    return [name, value !== '' && isNumber ? Number(value) : value] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== '')) as ControlInput<'addFault'>;
}
