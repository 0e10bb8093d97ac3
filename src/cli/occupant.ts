/** Whose a port is. */
import type { ConfigValues } from '../config.ts';
import type { EmulatorStatus } from '../contract/resources.ts';
import { createHttpControlPlane } from '../control/http-client.ts';
import { findTarget } from './target.ts';

const LONGEST_ANSWER_MS = 1_000;

/** The emulator that has the configured port; null where another program has it, or none. */
export async function findOccupant(values: ConfigValues, cwd: string): Promise<EmulatorStatus | null> {
  const { host, port } = values;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
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
