/** The connection to the control plane of the emulator that serves this page. */
import { computed, signal } from '@preact/signals';
import {
  type ControlClientOptions,
  type ControlRequest,
  type ControlTransport,
  createControlClient,
} from '../client/control-client.ts';
import { toServerError } from '../client/parse-response.ts';
import type { ControlPlane } from '../contract/control-plane.ts';
import { SvcError } from '../errors.ts';

/** Whether the live stream is connected; null before the first connection. */
export const isConnected = signal<boolean | null>(null);

export const isLost = computed(() => isConnected.value === false);

/** Time after which data is loaded without the live stream. */
const STREAM_WAIT_MS = 1_000;

/** Resolves when the live stream has connected or failed. */
const streamOpened = new Promise<void>((resolve) => {
  isConnected.subscribe((isUp) => isUp !== null && resolve());
  setTimeout(resolve, STREAM_WAIT_MS);
});

const controlUrl = `${location.origin}/_svc`;

const transport: ControlTransport = {
  async send(request) {
    return (await sendRequest(request)).text();
  },
  async open(request) {
    return readChunks(await sendRequest(request));
  },
};

/** A client with its own callbacks for the live stream. */
export function createControl(callbacks: Omit<ControlClientOptions, 'controlUrl'>): ControlPlane {
  return createControlClient(transport, { controlUrl, ...callbacks });
}

/** Whether data was loaded before the live stream was open, so that later changes may be missing from it. */
export let hasLoadedBeforeStream = false;

/** The client that the page uses. Its first requests wait for the live stream, so that the page misses no change between loading and following. */
export const control = createControlClient(
  {
    ...transport,
    async send(request) {
      if (isConnected.peek() === null) await streamOpened;
      hasLoadedBeforeStream ||= isConnected.peek() === null;
      return transport.send(request);
    },
  },
  { controlUrl },
);

async function sendRequest({ url, signal, ...request }: ControlRequest): Promise<Response> {
  const response = await fetch(url, { ...request, signal: signal ?? null }).catch((error) => {
    if (signal?.aborted) throw new SvcError('interrupted', 'Canceled.', { cause: error });
    throw new SvcError('no_emulator', `Cannot connect to ${url.origin}.`, { cause: error });
  });
  if (response.ok) return response;
  throw toServerError({ status: response.status, text: await response.text() }, url.href);
}

async function* readChunks({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
