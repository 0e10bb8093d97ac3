/** What a receiver for tests answers: said beforehand, for every request or for those of one event type. */
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

/** The same always; one for each request in turn, the last of them from then on; or what a function says. */
export type Answers =
  | Answer
  | readonly Answer[]
  | ((request: ReceivedRequest, index: number) => Answer | Promise<Answer>);

/** Answers in turn, counted from 0. */
export class AnswerScript {
  readonly #answers: Answers;
  #given = 0;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  async next(request: ReceivedRequest): Promise<DetailedAnswer> {
    const answer = await this.#pick(request, this.#given++);
    return typeof answer === 'number' ? { status: answer } : answer;
  }

  #pick(request: ReceivedRequest, index: number): Answer | Promise<Answer> {
    const answers = this.#answers;
    if (typeof answers === 'function') return answers(request, index);
    if (typeof answers === 'number' || !isList(answers)) return answers;
    return answers[Math.min(index, answers.length - 1)] ?? {};
  }
}

function isList(answers: DetailedAnswer | readonly Answer[]): answers is readonly Answer[] {
  return Array.isArray(answers);
}
