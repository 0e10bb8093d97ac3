/** The tool `faults`: injects a fault, or removes all faults. */
import * as v from 'valibot';
import { NewFaultInput } from '../../contract/fault-schemas.ts';
import { JsonObject } from '../../contract/fields.ts';
import { EXAMPLE_TYPE } from '../summarize-delivery.ts';
import { defineTool, formatCall, parseArguments, requireArgument } from '../tool.ts';

export const faultsTool = defineTool({
  name: 'faults',
  description: 'Inject a fault into deliveries or API requests, or remove all faults',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('status'),
  input: v.strictObject({
    action: v.picklist(['add', 'clear']),
    fault: v.optional(
      v.pipe(
        JsonObject,
        v.description('Such as {"on":"delivery","kind":"error-response","status":503,"count":1}'),
      ),
    ),
  }),
  output: {},
  async run({ action, fault }, { emulator: { control } }) {
    if (action === 'clear') return { ...(await control.clearFaults({})), next: formatCall('status') };
    const example = { on: 'delivery', kind: 'duplicate' };
    const given = requireArgument(fault, 'fault', example);
    const input = parseArguments(NewFaultInput, given, (changes) => ({ fault: { ...given, ...changes } }));
    const { id, on, kind } = await control.addFault(input);
    return {
      fault: { id, on, kind },
      next: formatCall('trigger', { type: input.type ?? EXAMPLE_TYPE, wait_seconds: 10 }),
    };
  },
});
