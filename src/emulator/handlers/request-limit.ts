/** Limits how many requests of a kind run at the same time, so that clients cannot use up the memory or the time of the emulator. */
import { SvcError } from '../../domain/errors.ts';

export class RequestLimit {
  readonly #max: number;
  readonly #name: string;
  #running = 0;

  /** @param name what the requests do, in the plural: "waits for deliveries" */
  constructor(max: number, name: string) {
    this.#max = max;
    this.#name = name;
  }

  /**
   * Counts a request until the returned function is called.
   * @throws SvcError `rate_limited` (429) if as many requests as allowed are running.
   */
  enter(): () => void {
    if (this.#running >= this.#max) {
      throw new SvcError('rate_limited', `At most ${this.#max} ${this.#name} can run at the same time.`, {
        headers: { 'Retry-After': '1' },
      });
    }
    this.#running++;
    let isRunning = true;
    return () => {
      if (isRunning) this.#running--;
      isRunning = false;
    };
  }
}
