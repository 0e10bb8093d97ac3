/** `svc faults`: adds, lists and removes injected faults. */

import type { Option } from 'commander';
import { Argument } from 'commander';
import { describeAppliedCount, describeEffect, describeTarget } from '../../client/texts/describe-fault.ts';
import { type FaultRule, faultFields } from '../../contract/fault-rule.ts';
import { createNewFaultSchema, type Fault } from '../../contract/fault-schemas.ts';
import {
  DEFAULT_ERROR_STATUS,
  type DeliveryFaultKind,
  deliveryFaultDescriptions,
} from '../../domain/fault.ts';
import { formatCount } from '../../domain/message-parts.ts';
import { type Hint, SvcError } from '../../errors.ts';
import { parse } from '../../validation/validate.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { addOptions, createFieldOptions } from '../field-option.ts';
import { idParser, schemaParser } from '../option-parsers.ts';
import { addWorkspacePageOptions, type WorkspacePageOptions } from '../page-options.ts';
import { askChoice, askText, type ChoiceList, type ChoiceSource, toChoiceList } from '../prompt.ts';
import { type Column, printPage, renderFields } from '../render/table.ts';

type AddOptions = Partial<FaultRule>;

const parseStatus = schemaParser(faultFields.status.wrapped);

/** The option of each field. */
function createOptions() {
  return createFieldOptions(faultFields, {
    on: {
      flags: '--on <target>',
      description: 'Target of the fault',
      defaultText: 'delivery with --kind; request with --status, --latency or --drop',
    },
    method: '--method <method>',
    path: '--path <path>',
    api_key_id: '--key <id>',
    status: {
      flags: '--status <status>',
      description: 'For requests, and for error-response: error status of the response',
      defaultText: `${DEFAULT_ERROR_STATUS} for error-response`,
    },
    error_code: '--error-code <code>',
    latency_ms: {
      flags: '--latency <duration>',
      description: 'For requests: real time to wait before the operation',
    },
    drop: '--drop <when>',
    kind: '--kind <kind>',
    webhook_id: '--webhook <id>',
    type: '--type <type>',
    delay_ms: {
      flags: '--delay <duration>',
      description: 'For deliveries: duration of delay, reorder or slow-body',
    },
    count: { flags: '--count <n>', defaultText: 'no limit' },
    probability: {
      flags: '--probability <p>',
      description: 'Probability that the fault is applied, above 0 and at most 1',
      defaultText: '1',
    },
    workspace_id: { flags: '--workspace <id>', defaultText: 'all workspaces' },
  });
}

/** The attempts with each kind of fault, in a line. */
const KIND_HELP = `
Kinds of faults in deliveries:
${renderFields(
  Object.fromEntries(Object.entries(deliveryFaultDescriptions).map(([kind, text]) => [`  ${kind}`, text])),
  { color: false },
)}`;

export const add: CommandDefinition<AddOptions> = {
  configure: (command) => addOptions(command, createOptions()).addHelpText('after', KIND_HELP),
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
      'Deliver each order.shipped event twice',
      'faults add --on delivery --kind duplicate --type order.shipped',
    ],
    [
      'Delay one delivery in ten by ten minutes',
      'faults add --on delivery --kind delay --delay 10m --probability 0.1',
    ],
  ],
  async run(options, context) {
    const fields = { ...options, ...(await askEffect(options, context)) };
    const on = fields.on ?? (fields.kind === undefined ? 'request' : 'delivery');
    const rule = { ...fields, on };
    checkRule(rule);
    const control = await context.connect();
    const fault = await control.addFault(rule);
    context.print(fault, () => `Added ${fault.id}: ${describeEffect(fault)}.`);
  },
};

type Effect = Pick<AddOptions, 'on' | 'kind' | 'status'>;

/** Asks for what the fault affects and does, unless the options say it. */
async function askEffect(options: AddOptions, context: Context): Promise<Effect> {
  const { kind, status, latency_ms, drop, error_code } = options;
  if ([kind, status, latency_ms, drop, error_code].some((value) => value !== undefined)) return {};
  const on = options.on ?? (await askChoice(context, '--on <target>', targetChoices));
  if (on === 'request') {
    const flags = '--status <status>, --latency <duration> or --drop <when>';
    return { on, status: await askText(context, flags, parseStatus) };
  }
  const chosenKind = await askChoice(context, '--kind <kind>', kindChoices);
  return { on: 'delivery', kind: chosenKind as DeliveryFaultKind };
}

const targetDescriptions = {
  request: 'API requests, with --status, --latency or --drop',
  delivery: 'Attempts of deliveries, with --kind',
} as const satisfies Record<FaultRule['on'], string>;

const KIND_HINT: Hint = { text: 'Read about each kind', command: 'svc faults add --help' };

const targetChoices: ChoiceSource = {
  noun: 'target',
  plural: 'targets',
  listHint: {
    ...KIND_HINT,
    text: `Use request with --status, --latency or --drop, and delivery with --kind. ${KIND_HINT.text}`,
  },
  list: async () => toDescribedChoices('TARGET', targetDescriptions),
};

const kindChoices: ChoiceSource = {
  noun: 'kind of fault',
  plural: 'kinds of faults',
  listHint: KIND_HINT,
  list: async () => toDescribedChoices('KIND', deliveryFaultDescriptions),
};

function toDescribedChoices(title: string, descriptions: Readonly<Record<string, string>>): ChoiceList {
  const columns: readonly Column<[word: string, description: string]>[] = [
    { title, value: ([word]) => word },
    { title: 'DESCRIPTION', value: ([, description]) => description, canTruncate: true },
  ];
  return toChoiceList(Object.entries(descriptions), columns, ([word]) => word);
}

/** Reports problems by the names of the options. The emulator would use those of the JSON fields. @throws SvcError `usage` */
function checkRule(rule: object): void {
  const options: Readonly<Record<string, Option>> = createOptions();
  const toOption = (field: string) => options[field]?.long ?? field;
  parse(createNewFaultSchema(toOption), rule, ({ path, problem, value, expected }) => {
    const option = toOption(path);
    return expected === null
      ? new SvcError('usage', `${option} ${problem}.`, {
          hint: { text: 'Show which options apply to each target', command: 'svc faults add --help' },
        })
      : new SvcError('usage', `Invalid value for ${option}: ${JSON.stringify(value)}`, {
          hint: `Pass ${expected}.`,
        });
  });
}

export const list: CommandDefinition<WorkspacePageOptions> = {
  configure: (command) => addWorkspacePageOptions(command, 'Only list faults for this workspace'),
  examples: [
    ['List all faults', 'faults list'],
    ['Print the faults as JSON', 'faults list --json'],
  ],
  async run(options, context) {
    const control = await context.connect();
    const faults = await control.listFaults(options);
    await printPage(context, faults, 'faults', faultColumns);
  },
};

export const faultColumns: readonly Column<Fault>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'FAULT', value: describeEffect, canTruncate: true },
  { title: 'ON', value: describeTarget, hideOrder: 3, canTruncate: true },
  { title: 'APPLIED', value: describeAppliedCount, hideOrder: 2 },
  { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'all', hideOrder: 1 },
];

export const clear: CommandDefinition<{ readonly id?: string; readonly workspace?: string }> = {
  configure: (command) =>
    command
      .addArgument(
        new Argument('[id]', 'Fault ID (flt_…)')
          .default(undefined, 'all faults')
          .argParser(idParser('fault')),
      )
      .option('--workspace <id>', 'Only remove faults for this workspace', idParser('workspace')),
  examples: [
    ['Remove all faults', 'faults clear'],
    ['Remove one fault', 'faults clear flt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  ],
  async run({ id, workspace }, context) {
    const control = await context.connect();
    const result = await control.clearFaults({ id, workspace_id: workspace });
    context.print(result, () => `Removed ${formatCount(result.cleared, 'fault')}.`);
  },
};
