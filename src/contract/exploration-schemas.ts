/** Schemas of the exploration of an endpoint's receiver. `openapi-schema-texts.ts` describes each field. */
import * as v from 'valibot';
import { HOUR_MS } from '../domain/duration.ts';
import { commandlessDisturbances, disturbanceNames, MAX_RUNS, MAX_SEED } from '../domain/exploration.ts';
import { isHttpUrl } from '../domain/http-url.ts';
import { Count, JsonObject } from './fields.ts';
import { wholeNumberFrom } from './operation.ts';

const MAX_TIME_MS = HOUR_MS;

const DisturbanceName = v.picklist(disturbanceNames);

/** Without `restart`: the control plane does not run the commands of its clients. */
const CommandlessDisturbance = v.picklist(commandlessDisturbances);

/** What to explore, apart from the ID of the endpoint. */
export const ExplorationFields = {
  runs: v.optional(wholeNumberFrom(1, MAX_RUNS)),
  time_ms: v.optional(wholeNumberFrom(1, MAX_TIME_MS)),
  seed: v.optional(wholeNumberFrom(0, MAX_SEED)),
  only: v.optional(v.pipe(v.array(CommandlessDisturbance), v.minLength(1, 'must not be empty'))),
  /** A URL. The option `--observe` of `svc receiver explore` accepts a command too. */
  observe: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => isHttpUrl(text), 'must be an http or https URL'),
    ),
  ),
};

/** An exploration in progress. */
export const Exploration = v.object({
  phase: v.picklist(['searching', 'shrinking', 'confirming']),
  seed: Count,
  runs: Count,
  requests: Count,
  /** Steps of the smallest history that has failed; null before one fails. */
  steps: v.nullable(Count),
  duration_ms: v.number(),
});

const ExplorationFailure = v.object({
  rule: v.string(),
  reference: v.string(),
  summary: v.string(),
  message: v.string(),
  reason: v.string(),
  remedy: v.string(),
  failed: Count,
  played: Count,
  original_steps: Count,
  shrink_runs: Count,
  shrink_ms: v.number(),
  steps: v.array(
    v.object({ step: Count, sent: v.string(), received: v.string(), broken: v.array(v.string()) }),
  ),
  unusual_events: v.array(v.object({ event: Count, payload: v.string() })),
  history: JsonObject,
});

/** The fields are those of `svc receiver explore --json`, and `events`. */
export const ExplorationReport = v.object({
  ok: v.boolean(),
  interrupted: v.boolean(),
  seed: Count,
  runs: Count,
  requests: Count,
  duration_ms: v.number(),
  effects: v.nullable(v.picklist(['ids', 'count'])),
  disturbances: v.array(DisturbanceName),
  events: v.array(v.string()),
  failure: v.nullable(ExplorationFailure),
});

export type Exploration = v.InferOutput<typeof Exploration>;
export type ExplorationReport = v.InferOutput<typeof ExplorationReport>;
