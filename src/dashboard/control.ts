/** The control plane of the emulator that served this page. */
import { createRemoteControlPlane, type RemoteRequest } from '../control/remote.ts';
import { toServerError } from '../control/server-error.ts';
import { SvcError } from '../errors.ts';
import { isConnected } from './connection.ts';

export const control = createRemoteControlPlane(
  {
    async send(request) {
      return (await exchange(request)).text();
    },
    async open(request) {
      return readText(await exchange(request));
    },
  },
  {
    controlUrl: `${location.origin}/_svc`,
    onLost: () => {
      isConnected.value = false;
    },
    onBack: () => {
      isConnected.value = true;
    },
  },
);

async function exchange({ url, signal, ...request }: RemoteRequest): Promise<Response> {
  const response = await fetch(url, { ...request, signal: signal ?? null }).catch((error) => {
    throw new SvcError('no_emulator', `Nothing answers at ${url.origin}.`, { cause: error });
  });
  if (response.ok) return response;
  throw toServerError({ status: response.status, text: await response.text() }, url.href);
}

async function* readText({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
