/** The options that select deliveries. */
import type { Command } from 'commander';
import { type DisplayStatus, displayStatuses } from '../domain/delivery.ts';
import type { ResponseFilter } from '../domain/status-filter.ts';
import { choiceOption, idParser, parseResponseOption, parseTimeOrAge } from './option-parsers.ts';

/** The filter of `list`, `tail`, `export` and `wait`; `wait` has a `--status` of its own, and no `--response`. */
export interface DeliveryFilterOptions {
  readonly status?: DisplayStatus;
  readonly response?: ResponseFilter;
  readonly event?: string;
  readonly type?: string;
  readonly webhook?: string;
  readonly workspace?: string;
  readonly text?: string;
  readonly since?: string;
}

export function addDeliveryFilterOptions(command: Command): Command {
  return addFilterOptionsWithoutStatus(
    command
      .addOption(
        choiceOption(
          '--status <status>',
          'Only deliveries with this status; pending includes failing and paused',
          displayStatuses,
        ),
      )
      .option(
        '--response <status>',
        'Only deliveries whose last attempt got this response status or class, such as 404 or 4xx; none for no response',
        parseResponseOption,
      ),
  );
}

export function addFilterOptionsWithoutStatus(command: Command): Command {
  return command
    .option('--event <id>', 'Only deliveries of this event (evt_…)', idParser('event'))
    .option('--type <type>', 'Only deliveries of this event type')
    .option('--webhook <id>', 'Only deliveries to this endpoint (wh_…)', idParser('webhook'))
    .option('--workspace <id>', 'Only deliveries in this workspace (ws_…)', idParser('workspace'))
    .option('--text <text>', 'Only deliveries with this text in an ID, the event type, the URL or the body')
    .option(
      '--since <when>',
      'Only deliveries created since this time, such as 1h (one hour ago) or 2026-11-20T12:00:00Z',
      parseTimeOrAge,
    );
}

export interface UntilOption {
  readonly until?: string;
}

export function addUntilOption(command: Command): Command {
  return command.option(
    '--until <when>',
    'Only deliveries created before this time, such as 1h (one hour ago) or 2026-11-20T12:00:00Z',
    parseTimeOrAge,
  );
}

export function toDeliveryFilter(options: DeliveryFilterOptions) {
  return {
    status: options.status,
    response_status: options.response,
    event_id: options.event,
    type: options.type,
    webhook_id: options.webhook,
    workspace_id: options.workspace,
    text: options.text,
    since: options.since,
  };
}
