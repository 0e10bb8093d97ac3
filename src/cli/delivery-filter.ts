import type { Command } from 'commander';
import { type DeliveryStatus, deliveryStatuses } from '../domain/delivery.ts';
import { choiceOption, parseSince } from './option-parsers.ts';

/** What deliveries can be narrowed to, in lists and in the live stream. */
export interface DeliveryFilterOptions {
  readonly status?: DeliveryStatus;
  readonly event?: string;
  readonly type?: string;
  readonly webhook?: string;
  readonly workspace?: string;
  readonly text?: string;
  readonly since?: string;
}

export function addDeliveryFilterOptions(command: Command): Command {
  return addSelectionOptions(
    command.addOption(choiceOption('--status <status>', 'only deliveries in this state', deliveryStatuses)),
  );
}

/** All of the filter but the state. */
export function addSelectionOptions(command: Command): Command {
  return command
    .option('--event <id>', 'only deliveries of this event')
    .option('--type <type>', 'only deliveries of events of this type')
    .option('--webhook <id>', 'only deliveries to this endpoint')
    .option('--workspace <id>', 'only deliveries of this workspace')
    .option('--text <text>', 'only with this in an id, the type, the address or the body')
    .option('--since <when>', 'only since then: 1h, or a time', parseSince);
}

/** The members of a request that {@link DeliveryFilterOptions} stand for. */
export function toDeliveryFilter(options: DeliveryFilterOptions) {
  const { status, event, type, webhook, workspace, text, since } = options;
  return {
    ...(status === undefined ? {} : { status }),
    ...(event === undefined ? {} : { event_id: event }),
    ...(type === undefined ? {} : { type }),
    ...(webhook === undefined ? {} : { webhook_id: webhook }),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
    ...(text === undefined ? {} : { text }),
    ...(since === undefined ? {} : { since }),
  };
}
