/** `svc logs`: lists, shows and follows logged API requests. */

import { idPrefixes } from '../../domain/ids.ts';
import { findCurlProblem, toCurlCommand } from '../../resources/logged-request.ts';
import { requestFilters } from '../../resources/request.ts';
import { keyChoices, requestChoices } from '../choices/resource-choices.ts';
import type { CommandGroup } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { follow } from '../follow.ts';
import { operation } from '../operation-command.ts';
import { idParser } from '../option-parsers.ts';
import { renderRequestDetail } from '../render/requests.ts';
import { renderRequest } from '../render/stream-items.ts';

/** The filters of the API, with a key by its ID or its name. */
const filterRows = {
  ...requestFilters,
  key: {
    option: '--key <key>',
    summary: 'Only requests with this API key: its ID (key_…) or its name',
    parse: (text: string) => (text.startsWith(idPrefixes.apiKey) ? idParser('apiKey')(text) : text),
    source: keyChoices,
  },
} as const;

export const tail = defineCommand({
  options: filterRows,
  examples: [
    ['Follow requests until you press Ctrl-C', 'logs tail'],
    ['Follow requests to one path, one JSON object per line', 'logs tail --path /v1/events --json'],
  ],
  async run(options, context) {
    const control = await context.connect();
    const stream = control.stream({ types: 'request', ...toRequestFilter(options) }, context.signal);
    const heading = 'Following API requests. Press Ctrl-C to stop.';
    return follow(stream, context, { heading }, (item) => {
      if (item.type === 'request') context.printItem(item, () => renderRequest(item.request, context));
    });
  },
});

export const command = {
  commands: {
    list: operation('listRequests', {
      summary: 'List API requests, newest first',
      options: filterRows,
      input: toRequestFilter,
      list: requestChoices,
      examples: [
        ['List the newest requests', 'logs list'],
        [
          'List the requests with a 4xx response in the last ten minutes',
          'logs list --status 4xx --since 10m',
        ],
        [
          'Find the request that created an event',
          'logs list --resource evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --method POST',
        ],
      ],
    }),
    get: operation('getRequest', {
      summary: 'Show an API request with its headers and bodies',
      options: {
        id: { argument: '<id>', summary: 'Request ID (req_…)', source: requestChoices },
        curl: {
          option: '--curl',
          summary: 'Print a curl command that sends the request with the key in SVC_API_KEY',
        },
      },
      async during(call, _, context, { curl }) {
        const request = await call;
        if (!curl) return request;
        return {
          ...request,
          curl: toCurlCommand(request, (await (await context.connect()).getStatus({})).url),
        };
      },
      render: (request, context) =>
        'curl' in request ? String(request.curl) : renderRequestDetail(request, context),
      async warn(request, _, { io }) {
        const problem = 'curl' in request ? findCurlProblem(request) : null;
        if (problem !== null) io.note(`The command does not send the same request, because ${problem}.`);
      },
      examples: [
        [
          'Show a request and its response, with headers and bodies',
          'logs get req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
        ],
        ['Print a request as a curl command', 'logs get req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --curl'],
      ],
    }),
    tail: { summary: 'Follow API requests in real time', ...tail },
  },
} satisfies CommandGroup;

function toRequestFilter({ key, ...fields }: { readonly key?: string }) {
  if (key === undefined) return fields;
  return { ...fields, [key.startsWith(idPrefixes.apiKey) ? 'api_key_id' : 'api_key_name']: key };
}
