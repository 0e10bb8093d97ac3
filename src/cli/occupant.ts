/** Whose a port is, and whose a folder. */
import type { Config, ConfigValues } from '../config.ts';
import type { EmulatorStatus } from '../contract/emulator.ts';
import { createHttpControlPlane } from '../control/http-client.ts';
import { findOwnRunFile } from '../control/run-file.ts';
import { SvcError } from '../errors.ts';
import { abortAfter } from '../timers.ts';
import { findTarget, getStatusOf } from './target.ts';

const LONGEST_ANSWER_MS = 1_000;

/** The emulator that has the configured port; null where another program has it, or none. */
export async function findOccupant(values: ConfigValues, cwd: string): Promise<EmulatorStatus | null> {
  const { host, port } = values;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const signal = abortAfter(LONGEST_ANSWER_MS);
  const asked = ['http', 'https'].map(async (scheme) => {
    const target = await findTarget({ ...values, controlUrl: `${scheme}://${authority}` }, cwd);
    return createHttpControlPlane({ ...target, signal }).getStatus({});
  });
  return Promise.any(asked).catch(() => null);
}

/** Whom to ask for the port, and what else there is to do. */
export function describeOccupant(occupant: EmulatorStatus | null, port: number): string {
  return occupant === null
    ? `Another program listens there: lsof -i :${port} names it. Or take any free port with --port 0.`
    : `An emulator listens there: process ${occupant.pid}, database ${occupant.db}. Stop it with svc emulator stop --url ${occupant.url}, or take any free port with --port 0.`;
}

/**
 * One emulator a folder: the commands in it find no more than that.
 * @throws SvcError `already_running` when one answers that was started in this very folder.
 */
export async function refuseSecond({ values, projectFolder }: Config): Promise<void> {
  const run = findOwnRunFile(projectFolder);
  if (run === null) return;
  const target = await findTarget({ ...values, controlUrl: null }, projectFolder);
  const control = createHttpControlPlane({ ...target, signal: abortAfter(LONGEST_ANSWER_MS) });
  const running = await getStatusOf(run, control).catch(() => null);
  if (running === null) return;
  const message = `An emulator runs in this folder already: process ${running.pid} at ${running.url}, database ${running.db}.`;
  throw new SvcError('already_running', message, {
    hint: 'svc emulator stop ends it. Another one beside it needs a folder of its own.',
  });
}
