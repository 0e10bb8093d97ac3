/** What a receiver for tests answers: said beforehand, for every request or for those of one event type. */
import { SvcError } from '../errors.ts';
import { AnswerSchema } from './argument-schemas.ts';
import { checkArguments } from './check-arguments.ts';
import { type Duration, toMs } from './duration-argument.ts';
import type { ReceivedRequest } from './received-request.ts';

/** How to answer one request; a number is its status. */
export type Answer = number | DetailedAnswer;

export interface DetailedAnswer {
  /** 200 when left out. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** Waits that long before it answers, in real time. */
  readonly delayMs?: number;
  /** Answers only when it has resolved. */
  readonly after?: Promise<unknown>;
  /** Closes the connection instead. */
  readonly drop?: boolean;
}

/** Refuses for a time of the schedule clock, counted from when it is set, and then answers 200. */
export interface Outage extends Pick<DetailedAnswer, 'headers' | 'body' | 'drop'> {
  readonly downFor: Duration;
  /** Default: 503. */
  readonly status?: number;
}

/** Where an {@link Outage} reads the schedule time. */
export interface ScheduleClockReader {
  show(): Promise<{ readonly now: string }>;
}

/** The same always; one for each request in turn, the last of them from then on; or what a function says. */
export type Answers =
  | Answer
  | readonly Answer[]
  | Outage
  | ((request: ReceivedRequest, index: number) => Answer | Promise<Answer>);

/** Answers in turn, counted from 0. */
export class ResponseScript {
  readonly #pick: (request: ReceivedRequest, index: number) => Answer | Promise<Answer>;
  #given = 0;

  /**
   * @param call for messages: who was given the answers.
   * @throws SvcError `usage` for an outage without a clock.
   */
  constructor(answers: Answers, call: string, clock?: ScheduleClockReader) {
    this.#pick = toPick(answers, call, clock);
  }

  /** @throws SvcError `usage` when a function returned what is not an answer, or what that function throws. */
  async next(request: ReceivedRequest): Promise<DetailedAnswer> {
    const answer = await this.#pick(request, this.#given++);
    return typeof answer === 'number' ? { status: answer } : answer;
  }
}

function toPick(
  answers: Answers,
  call: string,
  clock: ScheduleClockReader | undefined,
): (request: ReceivedRequest, index: number) => Answer | Promise<Answer> {
  if (typeof answers === 'function') {
    return async (request, index) => {
      const answer = await answers(request, index);
      checkArguments(call, { answer: AnswerSchema }, [answer]);
      return answer;
    };
  }
  if (typeof answers === 'number') return () => answers;
  if (isList(answers)) return (_, index) => answers[Math.min(index, answers.length - 1)] ?? {};
  return 'downFor' in answers ? toOutage(answers, call, clock) : () => answers;
}

function toOutage(
  { downFor, ...answer }: Outage,
  call: string,
  clock: ScheduleClockReader | undefined,
): () => Promise<Answer> {
  if (clock === undefined) {
    throw new SvcError('usage', `${call}: downFor needs a schedule clock.`, {
      hint: "Pass that of a workspace: createReceiver({ downFor: '2h' }, { clock: workspace.clock })",
    });
  }
  const readTime = async () => Date.parse((await clock.show()).now);
  const endsAt = readTime().then((now) => now + toMs(downFor));
  // A request finds the failure; without one, nobody needs it.
  endsAt.catch(() => undefined);
  return async () => ((await readTime()) < (await endsAt) ? { status: 503, ...answer } : 200);
}

function isList(answers: DetailedAnswer | Outage | readonly Answer[]): answers is readonly Answer[] {
  return Array.isArray(answers);
}
