/** Fields that several operations and the seed have in common. */
import * as v from 'valibot';
import { findHeaderProblem } from '../domain/delivery-headers.ts';

const NAME_LENGTH = 'must be 1 to 200 characters long';
export const Name = v.pipe(
  v.string(),
  v.minLength(1, NAME_LENGTH),
  v.maxLength(200, NAME_LENGTH),
  v.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters'),
);

/** Headers of deliveries beside those of §6. */
export const ExtraHeaders = v.pipe(
  v.record(v.string(), v.string()),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [name, value] of Object.entries(dataset.value)) {
      const problem = findHeaderProblem(name, value);
      if (problem !== null) addIssue({ message: `cannot be added: ${problem}` });
    }
  }),
);

/** A secret that an endpoint is given. */
export const Secret = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters'),
);

const SPEED_RANGE = 'must be from 0.001 to 1000000';

/** Schedule seconds per real second. */
export const Speed = v.pipe(v.number(), v.minValue(0.001, SPEED_RANGE), v.maxValue(1_000_000, SPEED_RANGE));
