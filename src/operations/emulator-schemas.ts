/** Schemas of the emulator, its clocks, its database and its snapshots. */
import * as v from 'valibot';
import { environments } from '../domain/credentials.ts';
import { profileNames } from '../profile/gap.ts';
import { AttemptSummary } from '../resources/attempt.ts';
import { Count, described, Hint, idOf, resource, Timestamp } from '../resources/values.ts';

export const EmulatorStatus = resource('Status of the running emulator.', {
  url: described('URL of the emulator.', v.string()),
  version: described('Version of svc.', v.string()),
  base_url: described('Base URL of the API. Ends in `/v1`.', v.string()),
  control_url: described('Base URL of the control plane.', v.string()),
  dashboard_url: described(
    'URL of the dashboard. Includes the control token if one is required.',
    v.string(),
  ),
  control_token: described('Control token. Omitted if none is required.', v.optional(v.string())),
  environment: described('Emulated environment.', v.picklist(environments)),
  profile: described(
    'Name of the profile, which sets the behavior that the service description does not define.',
    v.picklist(profileNames),
  ),
  sender: described('Name of the sender whose webhooks are delivered.', v.string()),
  example_type: described('An event type of the sender.', v.string()),
  workspace_id: described('ID of the default workspace.', idOf('workspace')),
  api_key: described('API key of the default workspace.', v.string()),
  webhook_id: described(
    'ID of the endpoint of `--forward-to`, if there is one.',
    v.optional(idOf('webhook')),
  ),
  webhook_secret: described('Current secret of that endpoint.', v.optional(v.string())),
  pid: described('Process ID of the emulator.', Count),
  db: described('Path of the database file, or `:memory:`.', v.string()),
  project_folder: described('Folder whose fixtures the emulator uses.', v.string()),
  started_at: described('Wall time at which the emulator started.', Timestamp),
  boot_ms: described('Time to start, without the tunnel, in milliseconds.', Count),
  payload_field: described('Field of `POST /v1/events` with the payload.', v.picklist(['payload', 'data'])),
  workspace_parameter: described('Query parameter of `GET /v1/events` with the workspace.', v.string()),
  deliveries: described(
    'Deliveries that have not settled.',
    v.object({
      pending: described('Number of pending deliveries.', Count),
      in_flight: described('Number of attempts in progress.', Count),
    }),
  ),
  storage_problem: described(
    'Problem with the database file. Writes fail until it is resolved. Omitted if there is no problem.',
    v.optional(
      v.object({
        kind: described('What happened to the file.', v.picklist(['removed', 'replaced'])),
        message: described('Description of the problem.', v.string()),
        hint: Hint,
      }),
    ),
  ),
});

export const ResetResult = resource('Status of the emulator after a reset.', {
  ...EmulatorStatus.entries,
  kept_deliveries: described('Number of deliveries in the state that was restored.', Count),
});

/** Only the running emulator can check the database, because it has locked it. */
export const Diagnosis = resource('Result of the database check.', {
  database: described(
    'State of the database.',
    v.object({
      size_bytes: described('Size of the database in bytes.', Count),
      damage: described('Problems that the integrity check of SQLite found.', v.array(v.string())),
    }),
  ),
});

export const ClockState = resource('The schedule clock of a workspace.', {
  workspace_id: described('ID of the workspace that the clock belongs to.', idOf('workspace')),
  now: described('Current schedule time.', Timestamp),
  speed: described('Current speed, in schedule seconds per real second. 0 while frozen.', v.number()),
  wall: described('Current wall time.', Timestamp),
  next_due_at: described('Schedule time of the next attempt. `null` without one.', v.nullable(Timestamp)),
});

export const ClockMove = resource('The schedule clock after a move, and the attempts that the move caused.', {
  ...ClockState.entries,
  attempts: described('Attempts that were sent during the move.', v.array(AttemptSummary)),
  pending: described('Number of deliveries that are still pending, including paused deliveries.', Count),
  paused: described(
    'Disabled endpoints with pending deliveries.',
    v.array(
      v.object({
        webhook_id: described('ID of the endpoint.', idOf('webhook')),
        deliveries: described('Number of its pending deliveries.', Count),
      }),
    ),
  ),
});

export const SavedSnapshot = resource('A saved snapshot.', {
  path: described('Path of the file.', v.string()),
  size_bytes: described('Size of the file in bytes.', Count),
  saved_at: described('Wall time at which the snapshot was saved.', Timestamp),
});

export type ClockMove = v.InferOutput<typeof ClockMove>;
export type ClockState = v.InferOutput<typeof ClockState>;
export type Diagnosis = v.InferOutput<typeof Diagnosis>;
export type EmulatorStatus = v.InferOutput<typeof EmulatorStatus>;
export type SavedSnapshot = v.InferOutput<typeof SavedSnapshot>;
