import type { Command } from 'commander';
import { type DisplayStatus, displayStatuses } from '../domain/delivery.ts';
import { choiceOption, parseSince } from './option-parsers.ts';

/** The filter of `svc deliveries list`, `tail` and `wait`. */
export interface DeliveryFilterOptions {
  readonly status?: DisplayStatus;
  readonly event?: string;
  readonly type?: string;
  readonly webhook?: string;
  readonly workspace?: string;
  readonly text?: string;
  readonly since?: string;
}

export function addDeliveryFilterOptions(command: Command): Command {
  return addSelectionOptions(
    command.addOption(choiceOption('--status <status>', 'Only deliveries with this status', displayStatuses)),
  );
}

/** Every filter option but `--status`. */
export function addSelectionOptions(command: Command): Command {
  return command
    .option('--event <id>', 'Only deliveries of this event (evt_…)')
    .option('--type <type>', 'Only deliveries of this event type')
    .option('--webhook <id>', 'Only deliveries to this endpoint (wh_…)')
    .option('--workspace <id>', 'Only deliveries in this workspace (ws_…)')
    .option('--text <text>', 'Only deliveries with this text in an ID, the event type, the URL or the body')
    .option(
      '--since <when>',
      'Only deliveries created since this time, such as 1h (one hour ago) or 2026-11-20T12:00:00Z',
      parseSince,
    );
}

/** The filter as the control plane takes it. */
export function toDeliveryFilter(options: DeliveryFilterOptions) {
  return {
    status: options.status,
    event_id: options.event,
    type: options.type,
    webhook_id: options.webhook,
    workspace_id: options.workspace,
    text: options.text,
    since: options.since,
  };
}
