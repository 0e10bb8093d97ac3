/** The log file of the emulator of `svc emulator exec`, whose command uses the terminal: requests, attempts and notes. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ControlPlane } from '../../contract/control-plane.ts';
import { assertRegularFile } from '../../read-regular-file.ts';
import { createWriteError } from '../file-access.ts';
import type { NoteOutput } from '../process-context.ts';
import { renderAttempt, renderRequest, renderReset } from '../render/stream-items.ts';
import { sanitizeForTerminal } from '../terminal-text.ts';

const plainCapabilities = { width: Number.POSITIVE_INFINITY, color: false, unicode: true };

export class EmulatorLog {
  readonly path: string;
  /** Appends notes to the log. */
  readonly notes: NoteOutput;

  /** @throws SvcError `usage` when the file cannot be written. */
  constructor(path: string) {
    try {
      if (existsSync(path)) assertRegularFile(path);
      writeFileSync(path, '', { mode: 0o600 });
    } catch (error) {
      throw createWriteError(path, error, 'Choose a writable file with --log.');
    }
    this.path = path;
    this.notes = { note: (text) => this.#append(text), noteCapabilities: plainCapabilities };
  }

  /** Logs requests and attempts until `signal` is aborted. */
  async follow(control: Pick<ControlPlane, 'stream'>, signal: AbortSignal): Promise<void> {
    try {
      for await (const item of control.stream({ types: 'request,attempt' }, signal)) {
        if (item.type === 'request') this.#append(renderRequest(item.request, { io: plainCapabilities }));
        if (item.type === 'attempt') this.#append(renderAttempt(item, { io: plainCapabilities }));
        if (item.type === 'reset') this.#append(renderReset(plainCapabilities));
      }
    } catch (error) {
      // The command stopped the emulator, or the emulator had an internal error.
      this.#append(`The log ends here: ${(error as Error).message}`);
    }
  }

  /** The last lines. */
  tail(count: number): string[] {
    const lines = readFileSync(this.path, 'utf8').split('\n');
    return lines.slice(0, -1).slice(-count);
  }

  #append(text: string): void {
    try {
      appendFileSync(this.path, `${sanitizeForTerminal(text)}\n`);
    } catch {
      // A full disk ends the log, not the command.
    }
  }
}
