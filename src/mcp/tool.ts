/** A tool of the MCP server: its definition, what a call gets, and the form of its results and errors. */
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { ApiClient } from '../client/api-client.ts';
import { SvcError } from '../domain/errors.ts';
import { escapeInvisibleInJson } from '../domain/invisible-characters.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import { parse } from '../resources/validate.ts';
import { wholeNumber } from '../resources/value-schemas.ts';

/** The emulator that the tools and resources use, in this process or over HTTP. */
export interface ConnectedEmulator {
  readonly control: ControlPlane;
  /** A client of `/v1`, which creates events like a client of the service. */
  readonly connectApi: () => Promise<ApiClient>;
}

/**
 * Finds or starts the emulator. Called for each request, because the emulator can stop and start between two of them.
 * @throws SvcError `no_emulator`
 */
export type ConnectEmulator = () => Promise<ConnectedEmulator>;

/** What the client can show or ask before a call. Only tools that change nothing outside of the emulator lack `openWorldHint`. */
interface ToolHints {
  readonly readOnlyHint?: true;
  /** Whether a call can lose data. The default of the protocol is true. */
  readonly destructiveHint?: boolean;
}

export interface ToolCall {
  readonly emulator: ConnectedEmulator;
  /** Folder of the project, where relative paths start. */
  readonly projectFolder: string;
  /** Aborted when the client cancels the call or leaves. */
  readonly signal: AbortSignal;
}

/** A result is one JSON object. `next` is the call that is most likely useful after it. */
export interface ToolResult {
  readonly next: string;
  readonly [field: string]: unknown;
}

/** All tools, so that the compiler checks the calls that results name. */
type ToolName =
  | 'status'
  | 'trigger'
  | 'deliveries'
  | 'explain'
  | 'replay'
  | 'clock'
  | 'receiver'
  | 'faults'
  | 'state';

export interface Tool {
  readonly name: ToolName;
  readonly description: string;
  readonly hints: ToolHints;
  readonly inputSchema: JsonSchema;
  /** The call that helps after an error. */
  readonly nextAfterError: string;
  /** @throws SvcError `validation_failed` for invalid arguments, and the errors of the control plane. */
  call(args: Record<string, unknown>, call: ToolCall): Promise<ToolResult>;
}

type JsonSchema = { type: 'object'; [keyword: string]: unknown };
type ToolDefinition<Fields extends v.ObjectEntries> = Pick<
  Tool,
  'name' | 'description' | 'hints' | 'nextAfterError'
> & {
  readonly fields: Fields;
  /** What a model must know about a field beyond its name, in few words. */
  readonly about?: { readonly [Name in keyof Fields]?: string };
  run(input: v.InferOutput<v.StrictObjectSchema<Fields, undefined>>, call: ToolCall): Promise<ToolResult>;
};

export function defineTool<const Fields extends v.ObjectEntries>({
  fields,
  about = {},
  run,
  ...definition
}: ToolDefinition<Fields>): Tool {
  const schema = v.strictObject(fields);
  return {
    ...definition,
    inputSchema: toInputSchema(schema, about),
    call: async (args, call) => run(parseArguments(schema, args), call),
  };
}

/** The keywords that tell a model how to call a tool. Other problems, such as an invalid ID, are in the error of the call. */
const SHOWN_KEYWORDS = ['type', 'enum', 'maximum', 'items', 'default'];

/** The JSON Schema of the arguments, in few tokens: clients send the list of tools to the model with each request. */
function toInputSchema(
  schema: v.GenericSchema,
  about: Readonly<Record<string, string | undefined>>,
): JsonSchema {
  const { properties = {}, required = [] } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' });
  const shorten = (field: object): object =>
    Object.fromEntries(
      Object.entries(field)
        .filter(([keyword]) => SHOWN_KEYWORDS.includes(keyword))
        .map(([keyword, value]) => [keyword, keyword === 'items' ? shorten(value) : value]),
    );
  const shown = Object.entries(properties).map(([name, field]) => [
    name,
    { ...shorten(field as object), ...(about[name] !== undefined && { description: about[name] }) },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(shown),
    ...(required.length > 0 && { required }),
  };
}

/** Writes a call as text for the field `next`, such as `explain {"id":"del_…"}`. */
export function formatCall(tool: ToolName, args: object = {}): string {
  return `${tool} ${JSON.stringify(args)}`;
}

/** Clients give up on a call after about a minute. */
const MAX_CALL_SECONDS = 55;

/** The field with the time limit of a wait. */
export const waitSeconds = (initial: number) => v.optional(wholeNumber(0, MAX_CALL_SECONDS), initial);

/** An argument that only some actions of a tool need. @throws SvcError `validation_failed` without it */
export function requireArgument<Value>(value: Value | undefined, name: string, example: unknown): Value {
  if (value !== undefined) return value;
  const hint = `Pass ${JSON.stringify({ [name]: example })}`;
  throw new SvcError('validation_failed', `${name} is required for this action.`, { hint });
}

/** Names and words of the tools are shorter. The time of a search for the closest one grows with this length. */
const MAX_COMPARED_LENGTH = 64;

/** @throws SvcError `validation_failed`, which suggests the closest name or word */
export function parseArguments<Schema extends v.GenericSchema>(
  schema: Schema,
  args: object,
): v.InferOutput<Schema> {
  return parse(schema, args, ({ path, problem, keys, value, isUnknownField, choices }) => {
    const word = String(isUnknownField ? keys.at(-1) : value).slice(0, MAX_COMPARED_LENGTH);
    const hint = suggestMatch(word, choices) ?? undefined;
    return new SvcError('validation_failed', `${path || 'The arguments'} ${problem}.`, { hint });
  });
}

export const START_EMULATOR = 'Start an emulator in a shell: svc emulator start --detach';

/** Length of a text in an error, in characters: it can contain what the client sent. */
const MAX_ERROR_LENGTH = 500;

/** The error of a call, as JSON. Its hint can name a command, which the client can run in a shell. */
export function toErrorJson({ code, message, hint }: SvcError, { nextAfterError }: Tool): string {
  const cut = (text: string) =>
    text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text;
  return JSON.stringify(
    escapeInvisibleInJson({
      error: { code, message: cut(message), ...(hint && { hint: { ...hint, text: cut(hint.text) } }) },
      next: code === 'no_emulator' ? START_EMULATOR : nextAfterError,
    }),
  );
}
