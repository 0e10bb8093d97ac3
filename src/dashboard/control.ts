/** The connection to the control plane of the emulator that serves this page. */
import { computed, signal } from '@preact/signals';
import {
  type ControlClientOptions,
  type ControlRequest,
  type ControlTransport,
  createControlClient,
} from '../control/control-client.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { toServerError } from '../control/parse-response.ts';
import { SvcError } from '../errors.ts';

/** Whether the live stream is connected; null before the first connection. */
export const isConnected = signal<boolean | null>(null);

export const isLost = computed(() => isConnected.value === false);

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
  return createControlClient(transport, { controlUrl: `${location.origin}/_svc`, ...callbacks });
}

export const control = createControl({});

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
