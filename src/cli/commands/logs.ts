/** `svc logs`: lists, shows and follows logged API requests. */
import { findCurlProblem, toCurlCommand } from '../../client/logged-request.ts';
import { matchesRequestFilter, type RequestCondition, RequestFilter } from '../../contract/list-filters.ts';
import { formatRelative } from '../../domain/duration.ts';
import { idPrefixes } from '../../domain/ids.ts';
import { requestChoices } from '../choices/resource-choices.ts';
import { AskedArgument, type CliCommand, type CommandDefinition } from '../command.ts';
import { addOptions, createFieldOptions } from '../field-option.ts';
import { follow } from '../follow.ts';
import { idParser } from '../option-parsers.ts';
import { addPageOptions, type PageOptions } from '../page-options.ts';
import { askChoice } from '../prompt.ts';
import { renderRequestDetail, requestColumns } from '../render/requests.ts';
import { renderRequest } from '../render/stream-items.ts';
import { printPage } from '../render/table.ts';

/** The fields of the API, with a time as text, and a key by its ID or its name. */
type RequestFilterOptions = Omit<RequestCondition, 'api_key_id' | 'api_key_name' | 'since'> & {
  readonly key?: string;
  readonly since?: string;
};

export const list: CommandDefinition<RequestFilterOptions & PageOptions> = {
  configure: (command) => addPageOptions(addRequestFilterOptions(command)),
  examples: [
    ['List the newest requests', 'logs list'],
    ['List the requests with a 4xx response in the last ten minutes', 'logs list --status 4xx --since 10m'],
    ['Find a request by its ID', 'logs list --request req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    [
      'Find the request that created an event',
      'logs list --resource evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --method POST',
    ],
  ],
  async run(options, context) {
    const control = await context.connect();
    const page = await control.listRequests(toRequestFilter(options));
    const columns = requestColumns(context.io, (at) => formatRelative(at, context.now()));
    await printPage(context, page, 'requests', columns);
  },
};

export const get: CommandDefinition<{ readonly id?: string; readonly curl?: true }> = {
  configure: (command) =>
    command
      .addArgument(new AskedArgument('id', 'Request ID (req_…)'))
      .option('--curl', 'Print a curl command that sends the request with the key in SVC_API_KEY'),
  examples: [
    ['Show a request and its response, with headers and bodies', 'logs get req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['Print a request as a curl command', 'logs get req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --curl'],
  ],
  async run({ id, curl }, context) {
    const requestId = id ?? (await askChoice(context, 'id', requestChoices));
    const control = await context.connect();
    const request = await control.getRequest({ id: requestId });
    if (curl) {
      const { url } = await control.getStatus({});
      const command = toCurlCommand(request, url);
      context.print({ curl: command }, () => command);
      const problem = findCurlProblem(request);
      if (problem !== null)
        context.io.note(`The command does not send the same request, because ${problem}.`);
    } else context.print(request, () => renderRequestDetail(request, context));
  },
};

export const tail: CommandDefinition<RequestFilterOptions> = {
  configure: addRequestFilterOptions,
  examples: [
    ['Follow requests until you press Ctrl-C', 'logs tail'],
    ['Follow requests to one path, one JSON object per line', 'logs tail --path /v1/events --json'],
  ],
  async run({ since, ...options }, context) {
    const control = await context.connect();
    const stream = control.stream({ types: 'request', since }, context.signal);
    const heading = 'Following API requests. Press Ctrl-C to stop.';
    // The stream cannot filter requests by most fields. It filters by `since` itself.
    const condition = toRequestFilter(options);
    return follow(stream, context, { heading }, (item) => {
      if (item.type !== 'request' || !matchesRequestFilter(condition, item.request)) return;
      context.printItem(item, () => renderRequest(item.request, context));
    });
  },
};

function addRequestFilterOptions(command: CliCommand): CliCommand {
  const { api_key_id: _, api_key_name: key, ...fields } = RequestFilter;
  const options = createFieldOptions(
    { ...fields, key },
    {
      method: '--method <method>',
      path: '--path <text>',
      status: {
        flags: '--status <status>',
        description:
          'Only requests with this response status or class, such as 404 or 4xx; 0 for dropped connections',
      },
      key: {
        flags: '--key <key>',
        description: 'Only requests with this API key: its ID (key_…) or its name',
        parse: parseKey,
      },
      request_id: '--request <id>',
      resource_id: '--resource <id>',
      workspace_id: '--workspace <id>',
      min_duration_ms: {
        flags: '--slower-than <duration>',
        description: 'Only requests that took at least this long, such as 100ms',
      },
      since: '--since <when>',
    },
  );
  return addOptions(command, options);
}

function parseKey(text: string): string {
  return text.startsWith(idPrefixes.apiKey) ? idParser('apiKey')(text) : text;
}

function toRequestFilter<Options extends { readonly key?: string }>({ key, ...fields }: Options) {
  if (key === undefined) return fields;
  return { ...fields, [key.startsWith(idPrefixes.apiKey) ? 'api_key_id' : 'api_key_name']: key };
}
