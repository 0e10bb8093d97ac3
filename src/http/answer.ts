import type { HTTPResponse } from 'h3';
import type { SvcError } from '../errors.ts';
import { type FaultLog, isFault } from './fault-log.ts';
import { toSvcError } from './respond.ts';

export interface Answering {
  readonly faultLog: FaultLog;
  readonly nextRequestId: () => string;
}

/** One request beside `/v1`, from its id to its answer; no error gets past it. */
export async function answer(
  { faultLog, nextRequestId }: Answering,
  respond: (requestId: string) => HTTPResponse | Promise<HTTPResponse>,
  refuse: (error: SvcError, requestId: string) => HTTPResponse,
): Promise<HTTPResponse> {
  const requestId = nextRequestId();
  try {
    return await respond(requestId);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (isFault(error)) faultLog.report(requestId, thrown);
    return refuse(error, requestId);
  }
}
