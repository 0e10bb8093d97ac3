/** Every security rule. The title of a test that shows it ends with its ID. docs/security.md lists the most important rules. */
export const securityRules: Readonly<Record<string, string>> = {
  // Files.
  'files.search-root': 'The search for the files of a project ends at the project root',
  'files.shared-folders': 'The search does not enter the home folder or a folder such as `/tmp`',
  'files.configuration':
    'A configuration file that another user can change is refused, before it is executed',
  'files.size': 'A file that is larger than its limit is refused without being read',
  'files.standard-input': 'Standard input is read up to a limit, and SIGTERM ends the wait for it',
  'files.recordings': 'A recording of more than 256 MB is refused without being read',
  'files.groups':
    'Write permission is accepted for a group with the ID of the owner, but not for another one',
  'files.trusted-folders': 'Only `SVC_TRUST_FOLDERS` adds exceptions, and only as absolute paths',
  'files.completion': 'Completion does not execute a configuration file',
  'files.run-file':
    'A run file or a state folder that another user can change is refused, and nothing is written there',
  'files.checkout':
    'A run file that came with a checkout is refused, because it does not have the mode with which `svc` creates run files',
  'files.run-file-process': 'A run file whose process belongs to another user is ignored',
  'files.state-folder': 'Only its owner can write to a new state folder, regardless of the umask',
  'files.addon':
    'The single executable loads the SQLite driver only from a folder that no other user except root can change, and replaces the file as a whole',
  'files.compile-cache':
    'Compiled code is cached only in a folder that no other user except root can change. Windows does not provide this information',
  'files.credentials': 'Tokens and keys are not sent to another machine whose address comes only from a file',
  'files.busy-port':
    'A token is not sent to another program that already uses the port of `svc emulator start`',
  'files.run-file-mode': 'Only its owner can read `.svc/run.json`',
  'files.database-mode': 'Only its owner can read a new database',
  'files.env-file-mode':
    'Only its owner can read a file written by `--write-env`, even if others could read it before',
  'files.request-log':
    'The request log contains no API key, cookie or endpoint secret. Bodies of requests are stored unchanged',
  'files.key-hashes': 'API keys are stored as hashes',
  'files.config-output': '`svc config` masks secrets, passwords of proxies and tokens in links',
  // Network.
  'network.loopback': 'The emulator listens on a loopback address by default',
  'network.blocked-addresses': 'Deliveries never go to link-local, metadata or unspecified addresses',
  'network.plain-http': 'Plain HTTP never goes to a public address',
  'network.strict-profile': 'Under the strict profile, deliveries go only to public addresses over HTTPS',
  'network.own-address': 'Deliveries never go to the emulator itself',
  'network.checked-address':
    'The emulator connects to the exact address that it checked, so a DNS change in between has no effect',
  'network.proxy': 'A proxy gives no access to addresses that are blocked without it',
  'network.redirects': 'Redirects are not followed',
  'network.certificates':
    'Certificates of receivers are checked. An endpoint can skip the check only for its own deliveries',
  'network.double-headers': 'A request with two `Host` or two `Origin` headers is blocked',
  'network.host-header': 'A request without exactly one valid `Host` is refused on every path',
  'network.api-host':
    'While only this machine can reach the emulator, `/v1` accepts only the names of this machine, its public address and `--allow-host` (DNS rebinding)',
  'network.random-keys':
    'If other machines can reach the emulator, API keys do not depend on `--random-seed`. Keys that an earlier run stored in the database keep working',
  'network.receiver-check':
    '`svc receiver check` and `--observe` connect only to addresses that deliveries can go to',
  'network.doctor': 'The probes of `svc doctor` connect only to addresses that deliveries can go to',
  'network.logged-size': 'Paths and bodies in the request log are limited in size',
  'network.other-servers': 'Commands reject responses from servers that are not emulators',
  'network.public-address':
    'Through a public address or a tunnel, `/v1` is reachable and the control plane is not',
  // Control plane and token.
  'control.host': 'A foreign `Host` is blocked on every path and on the live stream (DNS rebinding)',
  'control.origin': 'A page of another origin is blocked by `Origin` and by `Sec-Fetch-Site`',
  'control.forms': 'A form on another site cannot change anything',
  'control.response-headers': 'Responses are not cached, not framed and not shared with other pages',
  'control.token':
    'If other machines can reach the emulator, everything except `/v1` and `/healthz` requires a token',
  'control.image':
    'The image does not start an emulator that other containers can reach unless its user sets a token',
  'control.mcp-secrets':
    'Tools for coding agents show the secret of an endpoint only if the call asks for it',
  'control.api-key': 'An API key does not open the control plane',
  'control.random-token': 'The token does not depend on `--random-seed`',
  'control.weak-token': 'A token that can be guessed or that a cookie cannot carry is refused',
  'control.cookie':
    'The token is removed from the address bar and stored in a cookie that scripts cannot read',
  'control.workspaces':
    'A key gives access only to its own workspace; for any other workspace the API returns 404',
  'control.internal-errors': 'Internal errors are logged, and their details are not sent to the client',
  // Dashboard.
  'dashboard.content-policy':
    'The page runs only its own scripts (Content-Security-Policy) and cannot be embedded',
  'dashboard.other-sites': 'A page of another site cannot change, read or embed anything, in a real browser',
  'dashboard.text': 'Stored text is shown as text, never as markup',
  'dashboard.files': 'Only files in the folder of the dashboard are served',
  // Receivers and their responses.
  'receivers.time-limit':
    'An attempt ends at its time limit if the receiver never responds, or sends its headers or body slowly',
  'receivers.informational': 'A receiver that sends endless informational responses (1xx) is disconnected',
  'receivers.response-size': 'Only a limited part of a response is stored',
  'receivers.compression': 'A compressed response is stored compressed, so that it cannot expand',
  'receivers.header-values': 'Header values with line breaks are refused, so that they cannot add headers',
  'receivers.request-size':
    'A request body that is too large is refused, without reading it if `Content-Length` shows its size',
  // Load.
  'load.slow-clients': 'A client of the live stream that stops reading adds no work for each change',
  'load.file-descriptors':
    'If connections use up all file descriptors, the emulator keeps running and loses no delivery',
  // Terminal output.
  'output.one-place': 'One function cleans all output of commands, and nothing else writes to a terminal',
  'output.escapes': 'Control, bidirectional and invisible characters are shown as escapes',
  'output.other-surfaces': 'The dashboard and the results of tools show them as escapes, too',
  'output.colors': 'Only the program itself can color text or create links',
  'output.json': '`--json` writes such characters as JSON escapes and keeps the value',
  'output.tables': 'A value cannot break out of its table row',
  'output.names': 'A name without a visible character is refused',
  // Exports.
  'exports.secrets': 'An export contains no API keys, endpoint secrets, passwords, tokens or cookies',
  'exports.download': 'A browser saves an export and does not show it at the address of the emulator',
  // Variables and links.
  'values.lines': 'A value with a line break or a control character is refused in every line-based format',
  'values.quotes':
    'Values are quoted, so that a shell and a dotenv reader read the same text. A value that a dotenv file cannot quote is refused',
  'values.links': '`svc open` opens only `http:` and `https:` URLs',
  // Snapshots.
  'snapshots.replace': '`snapshot save` replaces only snapshots',
  'snapshots.save':
    '`snapshot save` does not replace a device, FIFO, folder or empty file, even through a symbolic link',
  'snapshots.schema': 'A snapshot is loaded only if its tables, indexes, views and triggers are those of svc',
  'snapshots.rows':
    'A snapshot is loaded only if SQLite finds no damage, no missing reference, and no column that breaks a condition of the schema',
  'snapshots.temporary': 'The temporary file of a save that was killed is removed by the next save',
  'snapshots.hostile':
    'Snapshots changed at random or on purpose neither stop a running emulator nor damage its database',
  'snapshots.atomic': 'A load that fails changes nothing',
  // Storage.
  'storage.other-files': 'A file that is not a database is refused and not changed',
  'storage.damaged': 'A database with a damaged schema is refused',
  'storage.schema':
    'A database is used only if its schema is exactly that of svc, so that no foreign trigger runs',
  'storage.lock': 'Only one process can use a database at a time',
  'storage.unavailable':
    'If the file is damaged, requests get 503 `storage_unavailable`, and the process keeps running',
  'storage.file-removed':
    'If a database file is removed or replaced, every write fails, so that nothing is accepted and then lost',
  'storage.no-loss':
    'No accepted event is lost when the folder of a busy emulator is repeatedly emptied, and its state saved as a snapshot and loaded by a new process',
  'storage.size': 'The size of a database is limited, and pending deliveries are never removed',
  'storage.new-file':
    'If the database file of an emulator is removed and another emulator creates a new one, the first emulator does not change the new file',
  'storage.crashes': 'A full disk or a killed process loses no accepted event',
};
