/** Creates the MCP server. Each connection has its own. */
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { type InternalErrorLog, SvcError } from '../domain/errors.ts';
import { escapeInvisibleInJson } from '../domain/invisible-characters.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { VERSION } from '../platform/package-info.ts';
import { readResource, resources, resourceTemplates } from './mcp-resources.ts';
import { type ConnectEmulator, START_EMULATOR, type Tool, toErrorJson } from './tool.ts';
import { deliveriesTool } from './tools/deliveries.ts';
import { clockTool, explainTool, faultsTool, stateTool } from './tools/operation-tools.ts';
import { receiverTool } from './tools/receiver.ts';
import { replayTool } from './tools/replay.ts';
import { statusTool } from './tools/status.ts';
import { triggerTool } from './tools/trigger.ts';

export interface McpServerOptions {
  readonly connect: ConnectEmulator;
  /** Folder of the project, see `ToolCall`. */
  readonly projectFolder: string;
  readonly internalErrorLog: InternalErrorLog;
}

/** Their list is part of each request to a model, so a test limits its size. */
const tools: readonly Tool[] = [
  statusTool,
  triggerTool,
  deliveriesTool,
  explainTool,
  replayTool,
  clockTool,
  receiverTool,
  faultsTool,
  stateTool,
];

const INSTRUCTIONS =
  'A local emulator of a webhook service. Loop: trigger an event, wait, explain a delivery that failed, correct the receiver, replay. Each result names the next call. Retries follow a clock that you can move.';

export function createMcpServer(options: McpServerOptions): Server {
  const { connect } = options;
  const server = new Server(
    { name: 'svc', title: 'svc webhook emulator', version: VERSION },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: listTools() }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) {
      const suggestion =
        suggestMatch(
          params.name,
          tools.map(({ name }) => name),
        ) ?? '';
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The tool does not exist. ${suggestion}`);
    }
    return callTool(tool, params.arguments ?? {}, context, options);
  });
  server.setRequestHandler('resources/list', async () => ({ resources }));
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', ({ params }) =>
    readResource(params.uri, connect).catch(throwProtocolError),
  );
  return server;
}

/** An error of a resource has no result, so it becomes an error of the protocol. */
function throwProtocolError(error: unknown): never {
  if (!(error instanceof SvcError)) throw error;
  const isInternal = error.code === 'internal_error';
  const code = isInternal ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  const text = error.code === 'no_emulator' ? `${error.text} ${START_EMULATOR}` : error.text;
  throw new ProtocolError(code, text);
}

export function listTools() {
  return tools.map(({ name, description, inputSchema, hints }) => ({
    name,
    description,
    inputSchema,
    annotations: { ...hints },
  }));
}

/** Runs a tool. Errors are results, so that the model reads them. */
async function callTool(
  tool: Tool,
  args: Record<string, unknown>,
  context: ServerContext,
  { connect, projectFolder, internalErrorLog }: McpServerOptions,
) {
  try {
    const emulator = await connect();
    const result = await tool.call(args, { emulator, projectFolder, signal: context.mcpReq.signal });
    // Text in a result can come from receivers. What a user cannot see must not reach the model unseen either.
    const structuredContent = escapeInvisibleInJson(result);
    // For clients that read only the text. The protocol asks for both.
    return { content: [toText(JSON.stringify(structuredContent))], structuredContent };
  } catch (cause) {
    if (!(cause instanceof SvcError)) internalErrorLog.report(`MCP tool ${tool.name}`, cause);
    const internal = 'Internal error in svc. Its log has the details.';
    const error = cause instanceof SvcError ? cause : new SvcError('internal_error', internal, { cause });
    return { isError: true, content: [toText(toErrorJson(error, tool))] };
  }
}

function toText(text: string) {
  return { type: 'text' as const, text };
}
