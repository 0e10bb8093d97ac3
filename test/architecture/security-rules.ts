/**
 * Every security rule, with the tests that show it: file, group and title. docs/security.md explains the rules and lists the most important ones.
 */
export const securityRules: Readonly<
  Record<string, readonly { readonly rule: string; readonly tests: readonly string[] }[]>
> = {
  Files: [
    {
      rule: 'The search for the files of a project ends at the project root',
      tests: [
        'test/config/trusted-path.test.ts › the search for the files of a project › the search ends at the nearest folder with %s',
        'test/config/trusted-path.test.ts › the search for the files of a project › the search is limited to the working folder when no folder above is a project root',
        'test/config/trusted-path.test.ts › the search for the files of a project › svc.config.mjs in a folder above the project is not executed',
      ],
    },
    {
      rule: 'The search does not enter the home folder or a folder such as `/tmp`',
      tests: [
        'test/config/trusted-path.test.ts › the search for the files of a project › the search does not enter the home folder from a folder in it',
        'test/config/trusted-path.test.ts › the search for the files of a project › the search does not enter a folder in which every user can create files, such as /tmp',
      ],
    },
    {
      rule: 'A configuration file that another user can change is refused, before it is executed',
      tests: [
        'test/config/trusted-path.test.ts › a configuration file › a configuration file is refused when another user owns it, its folder or the link to it',
        'test/config/trusted-path.test.ts › a configuration file › a configuration file is refused when every user can write to it: %s',
        'test/config/trusted-path.test.ts › a configuration file › a configuration file is refused when every user can write to its folder, even when the folder is sticky',
        'test/config/trusted-path.test.ts › a configuration file › a configuration file is refused when it is a link into a folder that every user can write to',
      ],
    },
    {
      rule: 'A file that is a FIFO or a device, or larger than its limit, is refused without being opened',
      tests: [
        'test/read-regular-file.test.ts › readRegularFile › readRegularFile refuses a FIFO without waiting for its writer, and a device without end',
        'test/read-regular-file.test.ts › readRegularFile › readRegularFile refuses a file of more than 16 MB unless it has another limit',
        'test/read-regular-file.test.ts › readRegularFile › readRegularFile limits a system file that has no size',
        'test/cli/named-files.test.ts › a file that an option names › a device or a FIFO is refused at once: svc %s',
        'test/config/trusted-path.test.ts › a configuration file › a configuration file is refused when it is a FIFO or a device, which could block the process beyond SIGTERM',
        'test/config/trusted-path.test.ts › the state folder › the state folder is refused when the run file is a FIFO or a device',
        'test/sandbox/state-lifecycle.test.ts › the stored API key is not read from a FIFO or a device, which could hold up the process beyond SIGTERM',
        'test/fixtures/event-fixtures.test.ts › a project fixture that is a FIFO or a device is refused without being opened',
      ],
    },
    {
      rule: 'Standard input is read up to a limit, and SIGTERM ends the wait for it',
      tests: [
        'test/cli/io.test.ts › standard input › standard input without end is refused above the limit',
        'test/cli/io.test.ts › standard input › an interruption ends the wait for standard input',
      ],
    },
    {
      rule: 'A recording is read in parts, so that its size does not exhaust the memory',
      tests: [
        'test/cli/capture/read-capture.test.ts › the size of a recording › NDJSON of any size is read in parts, and a payload is read again when it is needed',
        'test/cli/capture/read-capture.test.ts › the size of a recording › a line of several megabytes is read, and a line of more than 16 MB is rejected',
        'test/cli/capture/read-capture.test.ts › the size of a recording › HAR of more than 256 MB is rejected without being read',
      ],
    },
    {
      rule: 'Under sudo, the files of the user who called it are used',
      tests: [
        'test/config/trusted-path.test.ts › a configuration file › a configuration file is used under sudo when the user who called it owns it',
      ],
    },
    {
      rule: 'Write permission is accepted for a private group but not for a shared one',
      tests: [
        'test/config/trusted-path.test.ts › findTrustProblem › findTrustProblem returns a problem or null for %s',
      ],
    },
    {
      rule: 'Only `SVC_TRUST_FOLDERS` adds exceptions, and only as absolute paths',
      tests: [
        'test/config/trusted-path.test.ts › a configuration file › a configuration file is used when SVC_TRUST_FOLDERS names its folder, a folder above it, or all folders',
        'test/config/trusted-path.test.ts › a configuration file › a configuration file is refused when SVC_TRUST_FOLDERS has a relative path, which would name every project',
      ],
    },
    {
      rule: 'Completion does not execute a configuration file',
      tests: [
        'test/cli/completion.test.ts › completion of values › completion after "svc %s" does not execute svc.config.mjs',
      ],
    },
    {
      rule: 'A run file or a state folder that another user can change is refused, and nothing is written there',
      tests: [
        'test/config/trusted-path.test.ts › the state folder › the state folder is refused when every user can write to %s',
        'test/config/trusted-path.test.ts › the state folder › the state folder is refused when another user owns the run file or its folder',
        'test/config/trusted-path.test.ts › the state folder › the state folder is not written to when another user can change it',
      ],
    },
    {
      rule: 'A run file that came with a checkout is refused, because it does not have the mode with which `svc` creates run files',
      tests: [
        'test/config/trusted-path.test.ts › the state folder › the state folder is refused when others can read the run file, as after a checkout',
      ],
    },
    {
      rule: 'A run file whose process belongs to another user is ignored',
      tests: [
        'test/config/run-file.test.ts › the run file › a run file with the process of another user does not count',
      ],
    },
    {
      rule: 'Only its owner can write to a new state folder, regardless of the umask',
      tests: [
        'test/config/trusted-path.test.ts › the state folder › the state folder is created so that only its owner can write to it, whatever the umask',
      ],
    },
    {
      rule: 'The single executable loads the SQLite driver only from a folder that no other user except root can change, nor any folder above it, and only if the file is the one that it contains',
      tests: [
        'test/store/addon-cache.test.ts › unpackAddon › the next folder is used when the first one %s',
        'test/store/addon-cache.test.ts › unpackAddon › the next folder is used when the first one belongs to another user',
        'test/store/addon-cache.test.ts › unpackAddon › the next folder is used when other users can write to a folder above the first one',
        'test/store/addon-cache.test.ts › unpackAddon › the addon is replaced when its file %s',
      ],
    },
    {
      rule: 'Compiled code is cached only in a folder that no other user except root can change, nor any folder above its real path. Windows does not provide this information',
      tests: [
        'test/compile-cache.test.ts › enableCompileCache › a folder in or above which others can write is not used',
        'test/cache-folder.test.ts › openPrivateFolder › a folder whose path has a link is checked at its real path, which is the result',
      ],
    },
    {
      rule: 'Tokens and keys are not sent to another machine whose address comes only from a file',
      tests: [
        'test/cli/emulator-target.test.ts › the credential is not sent to an address on another machine that only %s names',
        'test/cli/emulator-target.test.ts › the credential is sent to %s',
      ],
    },
    {
      rule: 'A token is not sent to another program that already uses the port of `svc emulator start`',
      tests: [
        'test/cli/emulator-target.test.ts › the control plane token › the token is not sent to the program that uses the port of svc emulator start, which may belong to another user',
      ],
    },
    {
      rule: 'Only its owner can read `.svc/run.json`',
      tests: [
        'test/config/run-file.test.ts › the run file › the folder of the run file is not under version control, and other users cannot read the file',
      ],
    },
    {
      rule: 'Only its owner can read a new database',
      tests: [
        'test/store/database.test.ts › openDatabase with a new file › a new database and its log are readable only by their owner',
      ],
    },
    {
      rule: 'Only its owner can read a file written by `--write-env`, even if others could read it before',
      tests: [
        'test/cli/env-file.test.ts › writeEnvFile › an env file can be read only by its owner, even if others could read it before',
      ],
    },
    {
      rule: 'The request log contains no API key, cookie or endpoint secret. Bodies of requests are stored unchanged',
      tests: [
        'test/http/request-log.test.ts › headers and bodies in the request log › the log contains no secret: only the last four characters of an API key',
        'test/http/request-log.test.ts › headers and bodies in the request log › the log does not contain the secret of an endpoint that was created',
      ],
    },
    {
      rule: 'API keys are stored as hashes',
      tests: ['test/http/authentication.test.ts › the database contains only hashes of keys'],
    },
    {
      rule: '`svc config` masks secrets, passwords of proxies and tokens in links',
      tests: [
        'test/config.test.ts › listConfig › listConfig shows every setting with its source, and no secret',
        'test/config.test.ts › listConfig › listConfig masks the password of a proxy',
        'test/config.test.ts › listConfig › listConfig masks the token in a link to the dashboard',
      ],
    },
  ],
  Network: [
    {
      rule: 'The emulator listens on a loopback address by default',
      tests: [
        'test/http/control-guard.test.ts › an emulator listens on the loopback address only by default',
      ],
    },
    {
      rule: 'Deliveries never go to link-local, metadata or unspecified addresses',
      tests: [
        'test/network/address-policy.test.ts › findBlockReason › findBlockReason blocks %s under every rule',
      ],
    },
    {
      rule: 'Plain HTTP never goes to a public address',
      tests: [
        'test/delivery/outbound-agent.test.ts › allowed destinations › the sender never uses plain HTTP to a public address',
      ],
    },
    {
      rule: 'Under the strict profile, deliveries go only to public addresses over HTTPS',
      tests: [
        'test/delivery/outbound-agent.test.ts › allowed destinations › under the strict rule the sender connects only to public addresses over HTTPS',
      ],
    },
    {
      rule: 'Deliveries never go to the emulator itself',
      tests: [
        'test/delivery/outbound-agent.test.ts › allowed destinations › the sender never connects to the emulator itself',
      ],
    },
    {
      rule: 'The emulator connects to the exact address that it checked, so a DNS change in between has no effect',
      tests: [
        'test/delivery/outbound-agent.test.ts › allowed destinations › the sender connects to the exact address that was checked and resolves a name once per connection',
      ],
    },
    {
      rule: 'A proxy gives no access to addresses that are blocked without it',
      tests: [
        'test/delivery/sender-proxy.test.ts › requests through a proxy › the sender does not connect to %s through a proxy either',
      ],
    },
    {
      rule: 'Redirects are not followed',
      tests: ['test/delivery/sender.test.ts › a response › a response with status %i is not followed'],
    },
    {
      rule: 'Certificates of receivers are checked. An endpoint can skip the check only for its own deliveries',
      tests: [
        'test/delivery/sender-tls.test.ts › requests over TLS › the sender rejects a certificate of an unknown authority',
        'test/delivery/sender-tls.test.ts › requests over TLS › the sender accepts the %s certificate when a request skips the check, for that request only',
      ],
    },
    {
      rule: 'A request with two `Host` or two `Origin` headers is blocked',
      tests: [
        'test/http/control-guard.test.ts › a request without exactly one host and one origin › two hosts, the allowed one first',
      ],
    },
    {
      rule: 'A request without exactly one valid `Host` is refused on every path',
      tests: [
        'test/http/host-header.test.ts › a request without exactly one valid Host › a request without exactly one valid Host gets 400 from every path and leaves no internal error: %s',
      ],
    },
    {
      rule: 'While only this machine can reach the emulator, `/v1` accepts only the names of this machine, its public address and `--allow-host` (DNS rebinding)',
      tests: [
        'test/http/host-header.test.ts › /v1 of an emulator that only this machine can reach › the API rejects the host %s, which DNS rebinding could make resolve to this machine',
      ],
    },
    {
      rule: 'If other machines can reach the emulator, API keys do not depend on `--random-seed`. Keys that an earlier run stored in the database keep working',
      tests: [
        'test/http/host-header.test.ts › the API key of a seeded run › the API key does not come from the seed %s, and the webhook secret still does',
      ],
    },
    {
      rule: '`svc receiver check` and `--observe` connect only to addresses that deliveries can go to',
      tests: [
        'test/network/address-policy.test.ts › startPolicyRequest › startPolicyRequest blocks the address in %s',
        'test/cli/commands/receiver.test.ts › svc receiver check › a check of %s with %j is rejected, because deliveries cannot go there',
        'test/receiver/side-effect-observer.test.ts › createSideEffectObserver › the side effect count is not read from %s',
      ],
    },
    {
      rule: 'The probes of `svc doctor` connect only to addresses that deliveries can go to',
      tests: [
        'test/delivery/probe-webhook.test.ts › probeWebhook › a probe does not connect where deliveries may not go',
      ],
    },
    {
      rule: 'Requests without a valid API key can fill only a limited part of the request log',
      tests: [
        'test/http/request-log.test.ts › headers and bodies in the request log › the log keeps little of a request without a valid key, and not its body',
        'test/http/request-log.test.ts › the request log › the log keeps the newest requests without a valid key up to a limit, and every request with one',
        'test/http/request-log.test.ts › the request log › the log keeps a short part of the path of a request without a valid key',
      ],
    },
    {
      rule: 'Headers and bodies in the request log are limited in size',
      tests: [
        'test/http/request-log.test.ts › headers and bodies in the request log › huge headers of a client with a key are stored up to a limit',
        'test/http/request-log.test.ts › headers and bodies in the request log › the log stores only a part of a long response, with its full size',
      ],
    },
    {
      rule: 'Commands reject responses from servers that are not emulators',
      tests: [
        'test/client/http-control-client.test.ts › a server that is not an emulator › every operation rejects with no_emulator when the server responds with %s',
        'test/client/http-control-client.test.ts › a server that is not an emulator › a response with status %s that does not end fails with no_emulator',
        'test/client/http-control-client.test.ts › a server that is not an emulator › the stream fails with no_emulator when a message does not end',
        'test/client/http-control-client.test.ts › a server that is not an emulator › a list ends when a cursor repeats',
      ],
    },
    {
      rule: 'Through a public address or a tunnel, `/v1` is reachable and the control plane is not',
      tests: [
        'test/http/public-address.test.ts › the control plane › the control plane does not respond at a public name, host %s',
      ],
    },
  ],
  'Control plane and token': [
    {
      rule: 'A foreign `Host` is blocked on every path and on the live stream (DNS rebinding)',
      tests: [
        'test/http/control-guard.test.ts › the control plane › the control plane checks the host on every path, including the live stream and unknown paths',
      ],
    },
    {
      rule: 'A page of another origin is blocked by `Origin` and by `Sec-Fetch-Site`',
      tests: [
        'test/http/control-guard.test.ts › the control plane › the control plane rejects a page of %j',
        'test/http/control-guard.test.ts › the control plane › the control plane rejects Sec-Fetch-Site %s, which an embedded stream sends without an Origin',
      ],
    },
    {
      rule: 'A form on another site cannot change anything',
      tests: [
        'test/http/control-guard.test.ts › a form of another site › a form without a body changes nothing',
      ],
    },
    {
      rule: 'Responses are not cached, not framed and not shared with other pages',
      tests: [
        'test/http/control-guard.test.ts › every response › a response of %s is not cached, not framed and not shared with other pages',
      ],
    },
    {
      rule: 'If other machines can reach the emulator, the control plane and the dashboard require a token',
      tests: [
        'test/http/control-auth.test.ts › token requirement › on the loopback address',
        'test/http/control-auth.test.ts › a request without the token › GET %s without the token returns 401',
      ],
    },
    {
      rule: 'The image does not start an emulator that other containers can reach unless its user sets a token',
      tests: ['test/scripts/image.test.ts › the image does not start an emulator without a token'],
    },
    {
      rule: 'The endpoint for coding agents, `/_svc/mcp`, follows the same rules',
      tests: [
        'test/mcp/mcp-resources.test.ts › /_svc/mcp › /_svc/mcp requires the token and rejects other hosts and origins',
      ],
    },
    {
      rule: 'Tools for coding agents show the secret of an endpoint only if the call asks for it',
      tests: [
        'test/mcp/mcp-tools.test.ts › status › status of a new emulator contains no secret and continues with an endpoint',
        'test/mcp/mcp-tools.test.ts › receiver and faults › receiver shows the secret of an endpoint only when it is asked for',
      ],
    },
    {
      rule: 'An API key does not open the control plane',
      tests: [
        'test/http/control-auth.test.ts › a request without the token › an API key is not a token, and only the page accepts a token in its query',
      ],
    },
    {
      rule: 'The token does not depend on `--random-seed`',
      tests: ['test/http/control-auth.test.ts › the token differs in every run, even with the same seed'],
    },
    {
      rule: 'A token that can be guessed or that a cookie cannot carry is refused',
      tests: [
        'test/http/control-auth.test.ts › the configured token %j is rejected, because a cookie cannot carry it or it can be guessed',
      ],
    },
    {
      rule: 'A client that sends wrong tokens is throttled. While it is throttled, it cannot find out whether a token is correct',
      tests: [
        'test/http/control-auth.test.ts › a client with wrong tokens › a client with wrong tokens gets 429 with Retry-After after the twentieth, and one more attempt each second',
        'test/http/control-auth.test.ts › a client with wrong tokens › a throttled client does not learn whether a token in a header, a cookie or a link is correct',
      ],
    },
    {
      rule: 'The token is removed from the address bar and stored in a cookie that scripts cannot read',
      tests: [
        'test/http/control-auth.test.ts › a request with the token › the page moves the token of its link to a cookie that scripts cannot read',
      ],
    },
    {
      rule: 'A key gives access only to its own workspace; for any other workspace the API returns 404',
      tests: [
        'test/http/authentication.test.ts › resources of another workspace › a resource of another workspace gets the same 404 as one that does not exist',
      ],
    },
    {
      rule: 'Internal errors are logged, and their details are not sent to the client',
      tests: [
        'test/http/control-api.test.ts › errors of the control plane › an internal error is logged, and its details are not sent to the client',
      ],
    },
  ],
  Dashboard: [
    {
      rule: 'The page runs only its own scripts (Content-Security-Policy) and cannot be embedded',
      tests: [
        'test/http/dashboard.test.ts › the page › the page can only run its own files, and cannot be embedded',
        'test/browser/safety.test.ts › the content security policy blocks injected markup and requests to other hosts',
      ],
    },
    {
      rule: 'A page of another site cannot change, read or embed anything, in a real browser',
      tests: [
        'test/browser/safety.test.ts › a page of another site at %s cannot change, read or embed anything',
      ],
    },
    {
      rule: 'Stored text is shown as text, never as markup',
      tests: [
        'test/browser/stored-text.test.ts › stored text is not rendered as markup in a delivery, its request, its response and its signature',
        'test/browser/stored-text.test.ts › stored text is not rendered as markup in an event, an endpoint, the request log and the workspace list',
      ],
    },
    {
      rule: 'Only files in the folder of the dashboard are served',
      tests: ['test/http/dashboard.test.ts › a path outside of the dashboard'],
    },
  ],
  'Receivers and their responses': [
    {
      rule: 'An attempt ends at its time limit if the receiver never responds, or sends its headers or body slowly',
      tests: [
        'test/delivery/sender-failures.test.ts › time limits › the time limit ends an attempt whose receiver never responds',
        'test/delivery/sender-failures.test.ts › time limits › the time limit ends an attempt whose receiver sends its headers slowly',
        'test/delivery/sender-failures.test.ts › time limits › the time limit ends an attempt whose receiver sends its body slowly, and closes the connection',
      ],
    },
    {
      rule: 'A receiver that sends endless informational responses (1xx) is disconnected',
      tests: [
        'test/delivery/sender-failures.test.ts › connection errors › a receiver that never stops sending informational responses is cut off before the time limit',
      ],
    },
    {
      rule: 'Only a limited part of a response is stored',
      tests: ['test/delivery/sender.test.ts › the response size limit'],
    },
    {
      rule: 'A compressed response is stored compressed, so that it cannot expand',
      tests: ['test/delivery/sender.test.ts › a response › a compressed response is recorded unchanged'],
    },
    {
      rule: 'Header values with line breaks are refused, so that they cannot add headers',
      tests: ['test/delivery/sender.test.ts › a line break'],
    },
    {
      rule: 'A request body that is too large is refused, without reading it if `Content-Length` shows its size',
      tests: [
        'test/http/invalid-input.test.ts › a body that is too large › a body is rejected because of its Content-Length, regardless of its content',
      ],
    },
  ],
  Load: [
    {
      rule: 'A client of the live stream that stops reading adds no work for each change',
      tests: [
        'test/http/sse-response.test.ts › the live stream › all clients share one read of each change',
        'test/http/sse-messages.test.ts › the live stream › the stream reads no changes for a client that does not read',
      ],
    },
    {
      rule: 'If connections use up all file descriptors, the emulator keeps running and loses no delivery',
      tests: [
        'test/e2e/descriptors.test.ts › svc emulator start with 64 file descriptors, all taken right after the start, keeps its deliveries and sends them when some are free',
      ],
    },
  ],
  'Terminal output': [
    {
      rule: 'One function cleans all output of commands, and nothing else writes to a terminal',
      tests: [
        'test/architecture/terminal-output.test.ts › the output of the command line › only io.ts writes to standard output or standard error',
        'test/architecture/terminal-output.test.ts › the output of the command line › every function of Io escapes hostile characters',
      ],
    },
    {
      rule: 'Control, bidirectional and invisible characters are shown as escapes',
      tests: [
        'test/domain/invisible-characters.test.ts › escapeInvisible › escapeInvisible writes an escape for %s',
        'test/cli/terminal-text.test.ts › terminal text › sanitized text contains no invisible character',
        'test/cli/hostile-text.test.ts › untrusted text that a command prints › invisible characters are shown as escapes in results, completion and errors',
      ],
    },
    {
      rule: 'The dashboard and the results of tools show them as escapes, too',
      tests: [
        'test/browser/stored-text.test.ts › stored text › invisible and bidirectional characters are shown as escapes',
        'test/mcp/mcp-tools.test.ts › results and resources show invisible and bidirectional characters of a receiver as escapes',
        'test/mcp/mcp-tools.test.ts › errors of tools show invisible characters as escapes',
      ],
    },
    {
      rule: 'Only the program itself can color text or create links',
      tests: [
        'test/cli/terminal-text.test.ts › terminal text › styles of svc are kept, and their content is escaped',
      ],
    },
    {
      rule: '`--json` writes such characters as JSON escapes and keeps the value',
      tests: [
        'test/cli/hostile-text.test.ts › untrusted text that a command prints › invisible characters are JSON escapes with --json, and the value is the same',
      ],
    },
    {
      rule: 'A value cannot break out of its table row',
      tests: ['test/cli/table.test.ts › renderTable › a row stays on one line, regardless of its values'],
    },
    {
      rule: 'A name without a visible character is refused',
      tests: [
        'test/control/control-plane.test.ts › createWorkspace rejects the name %j, which has no visible character',
      ],
    },
  ],
  Exports: [
    {
      rule: 'An export contains no API keys, endpoint secrets, passwords, tokens or cookies, in any format',
      tests: [
        'test/control/export/export-deliveries.test.ts › the secrets of an export › no format contains secrets, and each contains the signature',
        'test/control/export/export-deliveries.test.ts › the secrets of an export › the previous secret of an endpoint is removed, too',
        'test/control/export/export-deliveries.test.ts › the secrets of an export › tokens in the URL of an endpoint are removed',
      ],
    },
    {
      rule: 'A browser saves an export and does not show it at the address of the emulator',
      tests: [
        'test/control/export/export-deliveries.test.ts › the download of an export › the response with format %s is a download that no page interprets',
      ],
    },
  ],
  'Variables and links': [
    {
      rule: '`svc env` and `--write-env` check that each value is a valid URL, key, ID, token or secret',
      tests: [
        'test/cli/env-variables.test.ts › svc env rejects an emulator that reports %s %j',
        'test/cli/env-variables.test.ts › toEnvVariables › toEnvVariables numbers the secrets of additional endpoints and validates each one',
      ],
    },
    {
      rule: 'A value with a line break or a control character is refused in every line-based format',
      tests: [
        'test/cli/env-variables.test.ts › renderVariables › the value %j is rejected in every line-based format',
      ],
    },
    {
      rule: 'Values are quoted, so that a shell and a dotenv reader read the same text. A value that a dotenv file cannot quote is refused',
      tests: [
        'test/cli/env-variables.test.ts › renderVariables › the value %s is the same for a dotenv reader and a shell',
        'test/cli/env-variables.test.ts › renderVariables › the value %s is rejected in a dotenv file, which cannot quote it',
      ],
    },
    {
      rule: '`svc open` opens only `http:` and `https:` URLs',
      tests: ['test/cli/env-variables.test.ts › svc open › svc open does not open the dashboard URL %s'],
    },
  ],
  Snapshots: [
    {
      rule: '`snapshot save` replaces only snapshots',
      tests: [
        'test/sandbox/snapshot.test.ts › saving a snapshot › saving replaces an existing snapshot and no other file',
      ],
    },
    {
      rule: '`snapshot save` does not replace a device, FIFO, folder or empty file, even through a symbolic link',
      tests: [
        'test/store/database-copy.test.ts › a path that is not a regular snapshot file › saving to a FIFO, a device or a folder is refused',
        'test/store/database-copy.test.ts › a path that is not a regular snapshot file › saving to an empty file that svc did not write is refused',
      ],
    },
    {
      rule: '`snapshot load` reads only regular files of at most 16 GB, so a FIFO, a device or a huge file cannot hold up the process',
      tests: [
        'test/store/database-copy.test.ts › a path that is not a regular snapshot file › loading from a FIFO is refused without blocking',
        'test/store/database-copy.test.ts › a path that is not a regular snapshot file › loading from a device is refused',
        'test/store/database-copy.test.ts › a path that is not a regular snapshot file › loading from a file of more than 16 GB is refused without reading it',
      ],
    },
    {
      rule: 'A snapshot is loaded only if its tables, indexes, views and triggers are those of svc',
      tests: [
        'test/store/database-copy.test.ts › a crafted snapshot › a snapshot is refused with 422 if its schema has %s',
      ],
    },
    {
      rule: 'Every row of a snapshot is checked by the schemas of the API before a row is copied',
      tests: [
        'test/store/database-copy.test.ts › a crafted snapshot › a snapshot is refused with 422 if a row of %s has an invalid %s',
        'test/store/database-copy.test.ts › a crafted snapshot › an unchanged snapshot with a row in each table is loaded',
      ],
    },
    {
      rule: 'The temporary file of a save that was killed is removed later',
      tests: [
        'test/store/database-copy.test.ts › the temporary file of a killed save › the temporary file is deleted when the database is next opened',
        'test/store/database-copy.test.ts › the temporary file of a killed save › a temporary file that is a minute old is deleted by the next save to its folder',
      ],
    },
    {
      rule: 'Snapshots changed at random or on purpose neither stop a running emulator nor damage its database',
      tests: ['test/torture/hostile-snapshot.test.ts'],
    },
    {
      rule: 'A load that fails changes nothing',
      tests: [
        'test/store/check-snapshot.test.ts › Store.loadSnapshot › a load that fails at its end changes neither rows nor baseline',
      ],
    },
  ],
  Storage: [
    {
      rule: 'A file that is not a database is refused and not changed',
      tests: [
        'test/store/database.test.ts › openDatabase with an existing file › openDatabase refuses a file that is not a database, and does not change it',
      ],
    },
    {
      rule: 'A database with a damaged schema, or of a newer version, is refused',
      tests: [
        'test/store/database.test.ts › openDatabase with an existing file › openDatabase refuses a database with a damaged schema',
        'test/store/database.test.ts › openDatabase with an existing file › openDatabase refuses a database that a newer version wrote, and does not change it',
      ],
    },
    {
      rule: 'Only one process can use a database at a time',
      tests: [
        'test/store/database.test.ts › openDatabase with an existing file › openDatabase refuses a database that another emulator has open, in this process or another one',
      ],
    },
    {
      rule: 'If the file is damaged, requests get 503 `storage_unavailable`, and the process keeps running',
      tests: [
        'test/torture/storage-faults.test.ts › a running emulator with a failing disk › an emulator with a damaged file keeps running and reports the damage',
      ],
    },
    {
      rule: 'If a database file is removed, replaced or truncated, every write fails, so that nothing is accepted and then lost',
      tests: [
        'test/sandbox/lost-database.test.ts › a database file › every write fails with 503 for a file %s',
        'test/sandbox/lost-database.test.ts › a database file › a removed file is reported even if nothing is written',
        'test/sandbox/lost-database.test.ts › a database file › deliveries stop while the file is removed, so that none is sent without being recorded',
      ],
    },
    {
      rule: 'No accepted event is lost when the folder of a busy emulator is repeatedly emptied, and its state saved as a snapshot and loaded by a new process',
      tests: ['test/torture/removed-database.test.ts'],
    },
    {
      rule: 'The size of a database is limited, and pending deliveries are never removed',
      tests: [
        'test/store/retention.test.ts › Retention.removalsToFit › pending deliveries and their events are kept, however large they are',
        'test/store/retention.test.ts › an emulator with default retention limits › the status contains the default limits',
      ],
    },
    {
      rule: 'A database with a second hard link is refused',
      tests: [
        'test/sandbox/lost-database.test.ts › a database file › a file with a second hard link is refused at boot and not changed',
      ],
    },
    {
      rule: 'If the database file of an emulator is removed and another emulator creates a new one, the first emulator does not change the new file',
      tests: [
        'test/sandbox/lost-database.test.ts › a database file › the file that another emulator created in the place of a removed one keeps its log when the first emulator stops',
      ],
    },
    {
      rule: 'A full disk or a killed process loses no accepted event',
      tests: ['test/torture/kills.test.ts'],
    },
  ],
};
