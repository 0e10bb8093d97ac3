/** The resources of the MCP server: what an agent can read without a call of a tool. */
import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import { createControlDocument, createPublicDocument } from '../contract/openapi/openapi-document.ts';
import { createPublicOperations } from '../contract/public-operations.ts';
import { escapeInvisibleInJson } from '../domain/invisible-characters.ts';
import { SvcError } from '../errors.ts';
import { documentEventType, documentEventTypes } from '../fixtures/document-event-types.ts';
import { builtInEventTypes, findFixture } from '../fixtures/event-fixtures.ts';
import { fixtureFolders } from '../fixtures/fixture-folders.ts';
import { findPackageFiles } from '../package-files.ts';
import { listGaps } from '../profile/list-gaps.ts';
import type { ConnectEmulator, ConnectedEmulator } from './connected-emulator.ts';
import { detailDelivery } from './summarize-delivery.ts';

const SCHEME = 'svc://';
const EVENT_TYPES = `${SCHEME}event-types/`;
const DELIVERIES = `${SCHEME}deliveries/`;
const DOCS = `${SCHEME}docs/`;

interface FixedResource {
  readonly title: string;
  readonly read: (emulator: ConnectedEmulator, projectFolder: string) => Promise<object>;
}

const fixedResources: Readonly<Record<string, FixedResource>> = {
  [`${SCHEME}openapi/service`]: {
    title: 'OpenAPI document of the emulated service, /v1',
    async read({ control, rules }, projectFolder) {
      const { base_url: serverUrl, environment } = await control.getStatus({});
      const builtInTypes = new Set(builtInEventTypes());
      return createPublicDocument({
        serverUrl,
        operations: createPublicOperations({ rules, environment, eventTypes: builtInTypes }),
        rules,
        eventTypes: documentEventTypes(fixtureFolders(projectFolder)),
      });
    },
  },
  [`${SCHEME}openapi/control-plane`]: {
    title: 'OpenAPI document of the control plane, /_svc',
    read: async ({ control }) => createControlDocument((await control.getStatus({})).control_url),
  },
  [`${SCHEME}gaps`]: {
    title: 'What the service description leaves open, and how the emulator decides it without overrides',
    async read({ control }) {
      const { profile, environment } = await control.getStatus({});
      return listGaps(profile, {}, environment).map(({ id, question, value, reason, reference }) => ({
        id,
        question,
        value,
        reason,
        reference,
      }));
    },
  },
};

export const resourceTemplates = [
  {
    name: 'event-type',
    uriTemplate: `${EVENT_TYPES}{type}`,
    title: 'An event type with an example and a JSON Schema of its payload',
    mimeType: 'application/json',
  },
  {
    name: 'delivery',
    uriTemplate: `${DELIVERIES}{id}`,
    title: 'A delivery with its attempts and bodies',
    mimeType: 'application/json',
  },
];

/** All resources except those of the templates that come and go. */
export function listResources(projectFolder: string) {
  const eventTypes = documentEventTypes(fixtureFolders(projectFolder));
  return [
    ...Object.entries(fixedResources).map(([uri, { title }]) => toEntry(uri, title, 'application/json')),
    ...eventTypes.map(({ type, description }) =>
      toEntry(EVENT_TYPES + type, description, 'application/json'),
    ),
    ...listPages().map(({ name, read }) => toEntry(DOCS + name, readTitle(read()), 'text/markdown')),
  ];
}

function toEntry(uri: string, title: string, mimeType: string) {
  return { uri, name: uri.slice(SCHEME.length), title, mimeType };
}

/** @throws ResourceNotFoundError */
export async function readResource(uri: string, connect: ConnectEmulator, projectFolder: string) {
  const text = await readText(uri, connect, projectFolder);
  if (text === null) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, mimeType: uri.startsWith(DOCS) ? 'text/markdown' : 'application/json', text }] };
}

/** Null for a resource that does not exist. */
async function readText(
  uri: string,
  connect: ConnectEmulator,
  projectFolder: string,
): Promise<string | null> {
  const fixed = Object.hasOwn(fixedResources, uri) ? fixedResources[uri] : undefined;
  if (fixed !== undefined) return toJson(await fixed.read(await connect(), projectFolder));
  if (uri.startsWith(EVENT_TYPES)) return readEventType(uri.slice(EVENT_TYPES.length), projectFolder);
  if (uri.startsWith(DELIVERIES)) return readDelivery(uri.slice(DELIVERIES.length), await connect());
  const page = listPages().find(({ name }) => DOCS + name === uri);
  return page?.read() ?? null;
}

function readEventType(type: string, projectFolder: string): string | null {
  const fixture = findFixture(type, fixtureFolders(projectFolder));
  return fixture === null ? null : toJson(documentEventType(fixture));
}

async function readDelivery(id: string, { control }: ConnectedEmulator): Promise<string | null> {
  try {
    return toJson(escapeInvisibleInJson(detailDelivery(await control.getDelivery({ id }), true)));
  } catch (error) {
    if (error instanceof SvcError && error.code === 'not_found') return null;
    throw error;
  }
}

function toJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

/** The pages of the documentation that this package contains; none in a package without documentation. */
function listPages(): { readonly name: string; read(): string }[] {
  const folder = findPackageFiles('docs');
  const paths = folder?.list() ?? [];
  return paths
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({
      name: path.slice(0, -'.md'.length),
      read: () => folder?.read(path)?.toString('utf8') ?? '',
    }));
}

/** The first heading of a page. */
function readTitle(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}
