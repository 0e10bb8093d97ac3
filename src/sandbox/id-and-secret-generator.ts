/** What the emulator makes up itself: ids, keys, secrets and chance. */
import type { Environment } from '../domain/environment.ts';
import { UlidGenerator } from '../domain/ids.ts';
import { createRandomSource, type RandomSource } from '../domain/random-source.ts';
import { createApiKey, createWebhookSecret } from '../domain/secret.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';

/**
 * Each purpose draws from a source of its own, so that in a seeded run what is drawn for one does not depend on what
 * happens elsewhere: how often a status is asked for changes no key, and one workspace no id of another.
 */
export class IdAndSecretGenerator {
  readonly #seed: number | null;
  readonly #seedsKeys: boolean;
  #series = '';
  readonly idSource = new Map<string, UlidGenerator>();
  #secrets: RandomSource;

  /**
   * @param seed of the run; null for what cannot be foretold.
   * @param seedsKeys whether API keys come from the seed too
   */
  constructor(seed: number | null, seedsKeys: boolean) {
    this.#seed = seed;
    this.#seedsKeys = seedsKeys;
    this.#secrets = createRandomSource(seed);
  }

  /**
   * Begins a series anew, as if nothing had been drawn of it. A seeded run makes the same things in the same series,
   * and so a store must not meet a series a second time, unless what was made of it is gone.
   */
  startSeries(series: string): void {
    this.#series = series;
    this.idSource.clear();
    this.#secrets = this.randomSource('secrets');
  }

  /** The source of ids for one purpose. */
  ids(purpose: string): UlidGenerator {
    const known = this.idSource.get(purpose);
    if (known) return known;
    const source = new UlidGenerator(this.randomSource(purpose).fill);
    this.idSource.set(purpose, source);
    return source;
  }

  /** @param key how the scheme of the deliveries makes a key of it. */
  webhookSecret(key: SignatureScheme['key']): string {
    return createWebhookSecret(key, this.#secrets.fill);
  }

  apiKey(environment: Environment): string {
    // Drawn in any case: the secrets that follow are the same.
    const seeded = createApiKey(environment, this.#secrets.fill);
    return this.#seedsKeys ? seeded : createApiKey(environment);
  }

  /** Uniform in [0, 1); in a seeded run always the same about the same thing. */
  seededRandom(about: string): number {
    return this.randomSource(about).next();
  }

  /** A new source for one purpose, which begins where the series does. */
  randomSource(purpose: string): RandomSource {
    return createRandomSource(this.#seed, `${this.#series} ${purpose}`);
  }
}
