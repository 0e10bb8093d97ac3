import { type Command, InvalidArgumentError } from 'commander';
import { createNewFaultSchema } from '../../../contract/fault-schemas.ts';
import { listProblems } from '../../../contract/validate.ts';
import { describeEffect } from '../../../control/describe-fault.ts';
import {
  type DeliveryFaultKind,
  deliveryFaultKinds,
  type FaultRule,
  faultTargets,
  requestDrops,
} from '../../../domain/fault.ts';
import { SvcError } from '../../../errors.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { choiceOption, parseDurationMs, wholeNumberParser } from '../../option-parsers.ts';

interface Options {
  readonly on?: FaultRule['on'];
  readonly method?: string;
  readonly path?: string;
  readonly key?: string;
  readonly status?: number;
  readonly errorCode?: string;
  /** Milliseconds. */
  readonly latency?: number;
  readonly drop?: (typeof requestDrops)[number];
  readonly kind?: DeliveryFaultKind;
  readonly webhook?: string;
  readonly type?: string;
  /** Milliseconds. */
  readonly delay?: number;
  readonly count?: number;
  readonly probability?: number;
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    command
      .addOption(choiceOption('--on <what>', 'what it meets; told by the rest when left out', faultTargets))
      .option('--method <method>', 'requests: only with this method', (text) => text.toUpperCase())
      .option('--path <path>', 'requests: only to this path, such as /events/{id}')
      .option('--key <id>', 'requests: only with this API key (key_…)')
      .option('--status <status>', 'requests: answer with this error', wholeNumberParser(400, 599))
      .option('--error-code <code>', 'requests: the error.code of that answer')
      .option('--latency <duration>', 'requests: wait so long first, in real time', parseDurationMs)
      .addOption(
        choiceOption(
          '--drop <when>',
          'requests: close the connection, before or after the work',
          requestDrops,
        ),
      )
      .addOption(choiceOption('--kind <kind>', 'deliveries: what becomes of them', deliveryFaultKinds))
      .option('--webhook <id>', 'deliveries: only to this endpoint (wh_…)')
      .option('--type <type>', 'deliveries: only of this event type')
      .option(
        '--delay <duration>',
        'deliveries: for how long delay, reorder or slow-body last',
        parseDurationMs,
      )
      .option('--count <n>', 'fire so often, and then no more', wholeNumberParser(1, Number.MAX_SAFE_INTEGER))
      .option('--probability <p>', 'fire by chance, such as 0.1', toProbability)
      .option('--workspace <id>', 'only in this workspace'),
  examples: [
    'faults add --on request --method POST --path /events --status 503 --count 2',
    'faults add --on request --drop after --count 1',
    'faults add --on delivery --kind duplicate --type order.shipped',
    'faults add --on delivery --kind delay --delay 10m --probability 0.1',
  ],
  run,
};

function toProbability(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('A probability is above 0 and at most 1.');
  return value;
}

async function run(options: Options, context: Context): Promise<void> {
  const rule = toRule(options);
  checkRule(rule);
  const control = await context.connect();
  const fault = await control.addFault(rule);
  context.print(fault, () => `${fault.id} is in force: ${describeEffect(fault)}.`);
}

function toRule(options: Options) {
  const { on, kind, key, errorCode, latency, webhook, delay, workspace, ...same } = options;
  const members = {
    ...same,
    ...{ kind, api_key_id: key, error_code: errorCode, latency_ms: latency },
    ...{ webhook_id: webhook, delay_ms: delay, workspace_id: workspace },
  };
  return { on: on ?? (kind === undefined ? 'request' : 'delivery'), ...members } as const;
}

const optionNames: Readonly<Record<string, string>> = {
  ...{ api_key_id: 'key', error_code: 'error-code', latency_ms: 'latency' },
  ...{ webhook_id: 'webhook', delay_ms: 'delay', workspace_id: 'workspace' },
};

/** The emulator checks it too, but calls what is wrong by its members. @throws SvcError `usage` */
function checkRule(rule: object): void {
  const toOption = (member: string) => `--${optionNames[member] ?? member}`;
  const [wrong] = listProblems(createNewFaultSchema(toOption), rule);
  if (wrong === undefined) return;
  throw new SvcError('usage', `${toOption(wrong.path)} ${wrong.problem}.`, {
    hint: 'svc faults add --help shows what goes together.',
  });
}
