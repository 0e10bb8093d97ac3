/** Which emulator the commands talk to, and how they know that it is that one. */
import type { ConfigValues } from '../config.ts';
import { findRunFile } from '../control/run-file.ts';
import { SvcError } from '../errors.ts';
import { readNamedFile } from './values.ts';

type TargetSettings = Pick<ConfigValues, 'controlUrl' | 'ca'>;

export interface Target {
  readonly controlUrl: string;
  /** Path of the certificate of its own making that the emulator of this folder serves; null where it has none. */
  readonly certificate: string | null;
  /** The certificates to trust beside the usual ones, in PEM. */
  readonly ca: string | undefined;
}

/** @throws SvcError `no_emulator` when neither the configuration nor a run file names an emulator. */
export async function findTarget(values: TargetSettings, cwd: string): Promise<Target> {
  const run = findRunFile(cwd);
  const controlUrl = values.controlUrl === null ? run?.control_url : toControlUrl(values.controlUrl);
  if (controlUrl === undefined) throw new SvcError('no_emulator', 'No emulator runs in this folder.');
  const certificate = (controlUrl === run?.control_url && run.certificate) || null;
  const files = controlUrl.startsWith('https:') ? [certificate, values.ca] : [];
  const texts = files.filter((path) => path !== null).map((path) => readNamedFile(path, cwd));
  const ca = texts.length === 0 ? undefined : (await Promise.all(texts)).join('\n');
  return { controlUrl, certificate, ca };
}

/** The address of the emulator itself is as good as that of its control plane. */
function toControlUrl(text: string): string {
  const url = new URL(text);
  if (url.pathname === '/') url.pathname = '/_svc';
  return url.href.replace(/\/$/, '');
}
