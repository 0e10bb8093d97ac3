/** The resources of the MCP server: the gap register, and each delivery. */
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { SvcError } from '../domain/errors.ts';
import { escapeInvisibleInJson } from '../domain/invisible-characters.ts';
import { listGaps } from '../profile/list-gaps.ts';
import { detailDelivery } from './summarize-delivery.ts';
import type { ConnectEmulator } from './tool.ts';

const mimeType = 'application/json';
const GAPS = 'svc://gaps';
const DELIVERIES = 'svc://deliveries/';

const gapsTitle =
  'What the service description leaves open, and how the emulator decides it without overrides';
export const resources = [{ uri: GAPS, name: 'gaps', title: gapsTitle, mimeType }];

const deliveryTitle = 'A delivery with its attempts and bodies';
export const resourceTemplates = [
  { name: 'delivery', uriTemplate: `${DELIVERIES}{id}`, title: deliveryTitle, mimeType },
];

/** @throws ResourceNotFoundError */
export async function readResource(uri: string, connect: ConnectEmulator) {
  const value = await readContent(uri, connect).catch((error) => {
    throw error instanceof SvcError && error.code === 'not_found' ? new ResourceNotFoundError(uri) : error;
  });
  return { contents: [{ uri, mimeType, text: JSON.stringify(escapeInvisibleInJson(value), null, 2) }] };
}

async function readContent(uri: string, connect: ConnectEmulator): Promise<object> {
  const { control } = await connect();
  if (uri.startsWith(DELIVERIES))
    return detailDelivery(await control.getDelivery({ id: uri.slice(DELIVERIES.length) }), true);
  if (uri !== GAPS) throw new ResourceNotFoundError(uri);
  const { profile, environment } = await control.getStatus({});
  return listGaps(profile, {}, environment).map(({ id, question, value, reason, reference }) => ({
    id,
    question,
    value,
    reason,
    reference,
  }));
}
