/** The emulator that `svc emulator start` and `svc listen` run in their own process until they end. */

import { assertStateFolderTrusted } from '../config/run-file.ts';
import type { Config } from '../config.ts';
import type { Emulator } from '../emulator.ts';
import type { Rules } from '../profile/rules.ts';
import { bootEmulator } from './boot-emulator.ts';
import type { Context } from './context.ts';
import { openUrl } from './open-url.ts';
import { announceReady, type ReadyStatus } from './ready-line.ts';
import { registerEmulator } from './register-emulator.ts';

export interface ForegroundEmulator {
  readonly emulator: Emulator;
  /** Path of the self-signed certificate that clients must trust; null without one. */
  readonly certificate: string | null;
  /** Prints the ready line or the banner, and opens the dashboard if the configuration says so. */
  announce(status: ReadyStatus): Promise<void>;
  close(): Promise<void>;
}

interface ForegroundSettings {
  readonly config: Config;
  readonly rules: Rules;
  /** Removes all data of the database first. */
  readonly fresh?: boolean | undefined;
}

/**
 * Starts an emulator that the commands in this folder find.
 * @throws SvcError as `bootEmulator`; `untrusted_file` if another user can change the state folder
 */
export async function startInForeground(
  { config, rules, fresh }: ForegroundSettings,
  context: Context,
): Promise<ForegroundEmulator> {
  const { projectFolder, values } = config;
  assertStateFolderTrusted(projectFolder, context.env);
  const emulator = await bootEmulator(config, rules, context, fresh);
  try {
    const { certificate, remove } = registerEmulator(emulator, projectFolder, context);
    return {
      emulator,
      certificate,
      async announce(status) {
        await announceReady(status, emulator.control, { certificate, rules }, context);
        if (values.open) void showDashboard(status.dashboard_url, context);
      },
      async close() {
        remove();
        await emulator.close();
      },
    };
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

async function showDashboard(url: string, context: Context): Promise<void> {
  if (!(await openUrl(url, context))) context.io.note(`No browser was found. Open this address: ${url}`);
}
