/** `svc faults`: adds, lists and removes injected faults. */

import { type DeliveryFaultKind, deliveryFaults } from '../../domain/fault.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { describeEffect, type Fault, type FaultRule, faultTable } from '../../resources/fault.ts';
import type { ChoiceSource } from '../choices/choice-source.ts';
import { faultChoices } from '../choices/resource-choices.ts';
import type { CommandGroup } from '../command.ts';
import type { Context } from '../context.ts';
import { operation } from '../operation-command.ts';
import { schemaParser } from '../option-parsers.ts';
import { askChoice, askText } from '../prompt.ts';
import { renderFields } from '../render/table.ts';

const onDefault = 'delivery with --kind; request with --status, --latency or --drop';

const KIND_HELP = `
Kinds of faults in deliveries:
${renderFields(
  Object.fromEntries(
    Object.entries(deliveryFaults).map(([kind, { description }]) => [`  ${kind}`, description]),
  ),
  { color: false },
)}`;

const STATUS = 'status';

/** The effects of a fault that a prompt offers: those on deliveries and, unless it is for them, an error status. */
const effectChoices = (on: Fault['on'] | undefined): ChoiceSource => ({
  noun: 'fault',
  plural: 'faults',
  listHint:
    on === undefined
      ? 'For a fault in requests, add --status <status>'
      : { text: 'List the kinds', command: 'svc faults add --help' },
  list: async () => [
    ...Object.entries(deliveryFaults).map(([value, { description }]) => ({ value, description })),
    ...(on === undefined ? [{ value: STATUS, description: 'An API request gets an error status' }] : []),
  ],
});

/** The target, and what the fault does if no option says it. */
async function completeFault(
  { on, kind, status, latency_ms: latency, drop }: Partial<FaultRule>,
  context: Context,
): Promise<Partial<FaultRule>> {
  const hasEffect = [kind, status, latency, drop].some((value) => value !== undefined);
  if (hasEffect) return { on: on ?? (kind === undefined ? 'request' : 'delivery') };
  // Connects first, so that svc asks only if an emulator is running.
  if (context.io.interactive) await context.connect();
  const effect = on === 'request' ? STATUS : await askChoice(context, '--kind <kind>', effectChoices(on));
  if (effect !== STATUS) return { on: 'delivery', kind: effect as DeliveryFaultKind };
  return { on: 'request', status: await askText(context, '--status <status>', parseStatus) };
}

const parseStatus = schemaParser(faultTable.status.schema);

export const command = {
  commands: {
    add: operation('addFault', {
      summary: 'Add a fault',
      options: { ...faultTable, on: { ...faultTable.on, defaultText: onDefault } },
      input: completeFault,
      notes: KIND_HELP,
      render: (fault) => `Added ${fault.id}: ${describeEffect(fault)}.`,
      examples: [
        [
          'Respond to the next two event requests with 503',
          'faults add --on request --method POST --path /events --status 503 --count 2',
        ],
        [
          'Drop the connection after the next request is handled, to test idempotency',
          'faults add --on request --drop after --count 1',
        ],
        [
          'Fail the next three attempts to an endpoint with 503',
          'faults add --kind error-response --status 503 --count 3 --webhook wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
        ],
        [
          'Delay one delivery in ten by ten minutes',
          'faults add --on delivery --kind delay --delay 10m --probability 0.1',
        ],
      ],
    }),
    list: operation('listFaults', {
      summary: 'List faults and how often each was applied',
      options: {
        workspace_id: { option: '--workspace <id>', summary: 'Only list faults for this workspace' },
      },
      list: faultChoices,
      examples: [['List all faults', 'faults list']],
    }),
    clear: operation('clearFaults', {
      summary: 'Remove faults',
      options: {
        id: {
          argument: '[id]',
          summary: 'Fault ID (flt_…)',
          defaultText: 'all faults',
          source: faultChoices,
        },
        workspace_id: { option: '--workspace <id>', summary: 'Only remove faults for this workspace' },
      },
      render: ({ cleared }) => `Removed ${formatCount(cleared, 'fault')}.`,
      examples: [
        ['Remove all faults', 'faults clear'],
        ['Remove one fault', 'faults clear flt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
      ],
    }),
  },
} satisfies CommandGroup;
