/** Generates IDs, API keys, secrets and random numbers, from the seed of the run if there is one. */
import type { Environment } from '../../domain/credentials.ts';
import { UlidGenerator } from '../../domain/ids.ts';
import {
  createRandomApiKey,
  createRandomSource,
  createWebhookSecret,
  type RandomSource,
} from '../../domain/secret.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';

/**
 * Each purpose has its own random source, so that in a seeded run the values for one purpose do not depend on how often
 * another one is used.
 */
export class IdAndSecretGenerator {
  readonly #seed: number | null;
  readonly #seedsKeys: boolean;
  #series = '';
  readonly #idGenerators = new Map<string, UlidGenerator>();
  #secrets: RandomSource;

  /**
   * @param seed of the run; null for unpredictable values.
   * @param seedsKeys whether API keys are also derived from the seed.
   */
  constructor(seed: number | null, seedsKeys: boolean) {
    this.#seed = seed;
    this.#seedsKeys = seedsKeys;
    this.#secrets = createRandomSource(seed);
  }

  /**
   * Starts a series from its beginning. A seeded run generates the same values in the same series, so a store must not use
   * a series twice, unless the rows with its values were removed.
   */
  startSeries(series: string): void {
    this.#series = series;
    this.#idGenerators.clear();
    this.#secrets = this.createRandomSource('secrets');
  }

  ids(purpose: string): UlidGenerator {
    const existing = this.#idGenerators.get(purpose);
    if (existing) return existing;
    const generator = new UlidGenerator(this.createRandomSource(purpose).fill);
    this.#idGenerators.set(purpose, generator);
    return generator;
  }

  webhookSecret(key: SignatureScheme['key']): string {
    return createWebhookSecret(key, this.#secrets.fill);
  }

  apiKey(environment: Environment): string {
    // Always drawn, so that the following secrets do not depend on `seedsKeys`.
    const seededKey = createRandomApiKey(environment, this.#secrets.fill);
    return this.#seedsKeys ? seededKey : createRandomApiKey(environment);
  }

  /** Uniform in [0, 1); in a seeded run always the same for the same name. */
  seededRandom(name: string): number {
    return this.createRandomSource(name).next();
  }

  /** A new random source for a purpose. In a seeded run, it repeats the values of any earlier one for the purpose in the series. */
  createRandomSource(purpose: string): RandomSource {
    return createRandomSource(this.#seed, `${this.#series} ${purpose}`);
  }
}
