/**
 * What responds to a delivery: each response that is known, by what it shows. A row applies if everything that it lists matches:
 * status, header, one of the phrases of a message, a part of a page, a redirect. The first row that applies counts.
 */

import type { DeliveryCause, LayerKind } from '../domain/causes.ts';
import { type MistakeReason, USE_RAW_BODY } from '../signature/refusals.ts';

/** What a response shows, and who responds with it. */
export interface Row {
  /** Who responds, at the start of a sentence. */
  readonly by?: string;
  /** Default: those of failures. */
  readonly status?: readonly number[];
  readonly header?: readonly [name: string, value: RegExp];
  /** Phrases of a message. */
  readonly says?: readonly RegExp[];
  /** A part of a page; its first group is quoted as the evidence. */
  readonly page?: RegExp;
  /** What it changes: the path, the host or http to https, or only the slash at the end of the path. */
  readonly redirect?: 'path' | 'origin' | 'slash';
  readonly isEmpty?: true;
  /** The URL of the request. */
  readonly url?: RegExp;
  /** Whether your own code can respond the same. */
  readonly isLikely?: true;
  /** What happened, with `{by}`, `{status}`, and values of the exchange. A row can have its own. */
  readonly sentence?: string;
  readonly fix?: string;
  readonly command?: string;
}

/** What its rows share, and the rows in which it can be recognized (default: one). */
interface Layer extends Row {
  readonly fix: string;
  readonly cause?: DeliveryCause;
  readonly sentence: string;
  /** For a layer that verifies: the mistake that its message reports. */
  readonly reason?: MistakeReason;
  readonly rows?: readonly Row[];
}

const REDIRECTS = [301, 302, 303, 307, 308];
const REJECTIONS = [400, 401, 403, 422, 500];
const CREDENTIALS = [401, 403];
/** Words of a message about the data, which can have a field with the name signature. */
const NOT_DATA = String.raw`^(?!.*\b(?:body|column|data|document|field|image|jwt|parameter|payload|property|query|token)\b)(?=.{1,200}$).*?(?<![a-z])`;
const SIGNATURE = '(?:signatures?|hmac|digest)(?![a-z])';
const verification = (pattern: string) =>
  new RegExp(NOT_DATA + pattern.replaceAll('SIGNATURE', SIGNATURE), 'i');

/** What the layers share that verify. */
const VERIFICATION = { by: 'The verification', status: REJECTIONS, cause: 'signature_rejected' } as const;

const BYPASS_VERCEL =
  'Add ?x-vercel-protection-bypass=SECRET to the endpoint URL. The secret is in the settings of the project, under Deployment Protection.';
const CLERK = 'The middleware of Clerk';
const PASS_CLERK = 'Make the path public: call auth.protect() in clerkMiddleware only for other routes.';

export const layers: Readonly<Record<LayerKind, Layer>> = {
  secret_unset: {
    ...VERIFICATION,
    sentence:
      'It says {says}: the key of an HMAC has no value. If this is your verification, the secret is not set in the receiver.',
    fix: 'Set the secret of the receiver, and restart it.',
    reason: 'secret_missing',
    rows: [
      {
        says: [
          // Node.js, WebCrypto, Python, Ruby, PHP, Java.
          /The "key" argument must be of type .*Received (?:undefined|null)/,
          /Zero-length key is not supported/,
          /key: expected bytes or bytearray, but got 'NoneType'|KeyError: '[A-Z_]*SECRET[A-Z_]*'/,
          /key not found: "[A-Z_]*SECRET[A-Z_]*"/,
          /hash_hmac\(\): Argument #3 \(\$key\) must be of type string, (?:null|bool|false) given/,
          /IllegalArgumentException: Empty key/,
        ],
      },
      // The debug pages of Django and Sinatra.
      { page: /<title>KeyError\s/, says: [/^'[A-Z_]*SECRET[A-Z_]*'$/] },
      {
        page: /(no implicit conversion of nil into String)[\s\S]{1,4000}?openssl&#x2F;hmac\.rb<\/code> in\s+<code><strong>initialize/,
      },
      // The debug page of Rails.
      {
        page: /<div class="message">(no implicit conversion of nil into String)<\/div>[\s\S]{1,4000}?<div class="line active"> +hmac = new\(key, digest\)/,
      },
    ],
  },
  parsed_body: {
    ...VERIFICATION,
    sentence:
      'It says {says}. If this is your verification, it did not get the raw body, or a header that it reads.',
    fix: USE_RAW_BODY,
    reason: 'payload_unreadable',
    says: [
      /The "data" argument must be of type .*Received (?:undefined|null|an instance of (?:Object|Array))/,
      /Body is unusable|Body has already been (?:read|consumed)|stream is not readable/,
      /You cannot access body after reading from request['’]s data stream/,
      /Webhook payload must be provided as a string or a Buffer/,
      /Expected payload to be of type string or Buffer/,
      /hash_hmac\(\): Argument #2 \(\$data\) must be of type string, (?:array|null) given/,
    ],
  },
  signature_header: {
    ...VERIFICATION,
    sentence:
      'It says {says}, but the signature was sent, as {signature_header}: the receiver probably looks for another name.',
    fix: 'Read the header {signature_header}, in any case of letters. Node.js lists header names in lower case, PHP as HTTP_{SIGNATURE_HEADER}, getallheaders() of PHP in another case on each server, and a proxy may remove headers.',
    reason: 'header_missing',
    says: [
      verification(
        String.raw`(?:(?:missing|no|absent|without(?: an?)?)(?:[ _-][\w-]+){0,4}?[ _-]SIGNATURE(?![ _-](?:found|match))|SIGNATURE(?:[ _-]header)?(?:[ _-](?:is|was|were))?[ _-](?:missing|required|absent|undefined|empty|not[ _-](?:found|present|provided|set|sent))|missing[ _-]required[ _-]headers\.?$)`,
      ),
      /^header [\w-]*signature[\w-]*: field required/i,
      /Unable to extract timestamp and signatures from header/,
    ],
  },
  signature_time: {
    ...VERIFICATION,
    sentence: 'It says {says}: the verification was reached, and rejected the time of the signature.',
    fix: 'Compare the timestamp {timestamp} with the current time in the same unit and time zone.',
    says: [
      verification(
        '(?:timestamps?|signature|webhook|request|message)(?:[ _-](?:is|was|has))?[ _-](?:too[ _-](?:old|new)|expired|stale|in[ _-]the[ _-]future|outside[ _-](?:of[ _-])?(?:the[ _-])?(?:tolerance|allowed|window))',
      ),
    ],
  },
  signature: {
    ...VERIFICATION,
    sentence: 'It says {says}: the verification was reached, and rejected the signature.',
    fix: 'Check that the receiver uses {secret}. If it does, probe it to find the mistake.',
    says: [
      /No signatures found matching the expected signature/,
      verification(
        String.raw`(?:(?:invalid|bad|wrong|incorrect|mismatched|unverified|forged)(?:[ _-]\w+){0,2}[ _-]SIGNATURE|SIGNATURE(?:[ _-](?:header|verification|validation|check|is|are|was|were|did|do|does))*[ _-]?(?:invalid|incorrect|wrong|bad|mismatch(?:ed)?|failed|failure|error|not[ _-](?:valid|match|verified)|(?:don|doesn|didn)['’]?t match|could not be verified)|(?:could not|unable to|failed to|cannot|can['’]t|error) verify(?:ing)?(?: [\w-]+){0,2} SIGNATURE|(?:verification|validation) of (?:the )?SIGNATURE failed|no (?:matching )?signatures? found(?: in [\w -]*headers?)?\.?$)`,
      ),
    ],
  },
  csrf: {
    sentence: '{by} rejected the request ({status}), before your code could verify the signature.',
    fix: 'Exclude the path of the endpoint URL from the CSRF protection: the signature replaces it.',
    rows: [
      {
        by: 'The CSRF protection of Laravel',
        status: [419],
        fix: 'In bootstrap/app.php, add the path to validateCsrfTokens(except: […]), or define the route in routes/api.php.',
      },
      {
        by: 'The CSRF protection of Django',
        status: [403],
        fix: 'Add @csrf_exempt to the view.',
        page: /<p>(CSRF verification failed\. Request aborted\.)<\/p>/,
      },
      {
        by: 'The CSRF protection of Django REST framework',
        status: [403],
        says: [/^CSRF Failed: /],
        fix: 'Set authentication_classes = [] in the view.',
      },
      {
        by: 'The CSRF protection of Rails',
        says: [
          /InvalidAuthenticityToken|^Can['’]t verify CSRF token authenticity|^The change you wanted was rejected/,
        ],
        fix: 'Add skip_forgery_protection to the controller.',
      },
      {
        by: 'The CSRF protection of Flask-WTF',
        status: [400],
        fix: 'Add @csrf.exempt to the view.',
        says: [/^The CSRF (?:session )?tokens? (?:is|has|do) /],
      },
      {
        by: 'CSRF protection',
        status: [400, 403],
        says: [
          // After the status on a page of Pyramid.
          /^(?:\w+Error: |400 )?(?:invalid|missing|bad) csrf (?:origin|token|secret|\(Cross Site)/i,
          /^(?:\w*Error: )?CSRF token (?:missing|mismatch)\.?$/i,
          /^(?:Invalid CSRF Token '|(?:The )?CSRF token is invalid|Could not verify the provided CSRF token)/i,
          /^(?:Cross-site POST form submissions are forbidden|Forbidden - (?:CSRF token|referer|origin) )/i,
        ],
      },
      {
        by: 'CSRF protection',
        status: [500],
        says: [/^(?:\w*Error: )?Did not get a valid CSRF token for 'POST /],
      },
    ],
  },
  blocked_host: {
    sentence: '{by} does not accept the host {host} ({status}), so your code was not called.',
    fix: 'Add the host {hostname} to the allowed hosts of the framework.',
    rows: [
      {
        by: 'Angular',
        says: [/to allowedHosts under the serve target in angular\.json/],
        fix: 'Add {hostname} to allowedHosts of the serve target in angular.json.',
      },
      {
        by: 'Vite',
        status: [403],
        says: [/^Blocked request\. This host .*is not allowed/],
        fix: 'Add {hostname} to server.allowedHosts in vite.config.js.',
      },
      {
        by: 'webpack-dev-server',
        status: [403],
        says: [/^Invalid Host(?:\/Origin)? header/],
        fix: 'Add {hostname} to devServer.allowedHosts in webpack.config.js.',
      },
      {
        by: 'Rails',
        status: [403],
        says: [/^Blocked hosts?:/],
        fix: 'Add config.hosts << "{hostname}" to config/environments/development.rb.',
      },
      {
        by: 'Sinatra',
        status: [403],
        header: ['content-type', /^text\/plain/],
        says: [/^Host not permitted$/],
        fix: "In configure :development, set :host_authorization, permitted_hosts: ['localhost', '{hostname}'].",
      },
      {
        by: 'Django',
        status: [400],
        says: [/^DisallowedHost\b|^Invalid HTTP_HOST header/],
        fix: 'Add {hostname} to ALLOWED_HOSTS in settings.py.',
      },
      {
        by: 'Starlette',
        status: [400],
        says: [/^Invalid host header/],
        fix: 'Add {hostname} to allowed_hosts of TrustedHostMiddleware.',
      },
      {
        by: 'The framework',
        status: [400, 403],
        says: [/^Host .* is not trusted|^Untrusted Host|^Bad Request - Invalid Hostname/],
      },
    ],
  },
  tunnel: {
    sentence: '{by} responded instead of your receiver ({status}).',
    fix: 'Start the tunnel, or register the URL on this machine: svc reaches it without a tunnel.',
    rows: [
      {
        by: 'ngrok',
        header: ['ngrok-error-code', /^ERR_NGROK_(?:8012|8013)$/],
        fix: 'Start your receiver at the port to which ngrok forwards. ngrok is running.',
      },
      { by: 'ngrok', header: ['ngrok-error-code', /^ERR_NGROK_3200$/] },
      {
        by: 'ngrok',
        header: ['ngrok-error-code', /^ERR_NGROK_/],
        fix: 'Look up the code at ngrok.com/docs/errors, or register the URL on this machine: svc reaches it without a tunnel.',
      },
      { by: 'Cloudflare', status: [530] },
      {
        by: 'A dev tunnel',
        header: ['www-authenticate', /^tunnel\b/i],
        fix: 'Make the port of the tunnel public, or allow anonymous access: devtunnel host --allow-anonymous.',
      },
      {
        by: 'Codespaces',
        header: ['location', /github\.dev\/(?:pf-signin|signin|auth)/],
        fix: 'Make the port public: gh codespace ports visibility PORT:public.',
      },
      { by: 'localtunnel', says: [/^503 - Tunnel Unavailable/] },
      { by: 'localtunnel', header: ['x-localtunnel-status', /./] },
      {
        by: 'localtunnel',
        status: [401, 511],
        says: [/^(?:Tunnel website ahead|Friendly Reminder|You are about to visit)/i],
        fix: "Send its header: svc webhooks update {webhook} --headers 'bypass-tunnel-reminder: 1'.",
      },
    ],
  },
  protected_preview: {
    sentence: '{by} protects this deployment ({status}), so your code was not called.',
    fix: 'Turn off the protection of this deployment, or register a URL that bypasses it.',
    rows: [
      { by: 'Vercel', header: ['set-cookie', /_vercel_sso_nonce/], fix: BYPASS_VERCEL },
      { by: 'Vercel', header: ['location', /^https:\/\/vercel\.com\/(?:sso-api|login)/], fix: BYPASS_VERCEL },
      { by: 'Netlify', status: [401], header: ['server', /^Netlify/i], page: /password/i },
      {
        by: 'Cloudflare Access',
        header: ['location', /\.cloudflareaccess\.com\//],
        fix: 'Add a bypass policy for the path in Cloudflare Zero Trust.',
      },
      {
        by: 'Google Cloud Run',
        status: CREDENTIALS,
        says: [/^Your client does not have permission to get URL/],
        fix: 'Allow unauthenticated invocations of the service.',
      },
    ],
  },
  sign_in: {
    sentence: '{by} requires a sign-in ({status}), before your code could verify the signature.',
    fix: 'Exclude the path of the endpoint URL from the authentication middleware: the signature replaces a sign-in.',
    rows: [
      { by: CLERK, header: ['x-clerk-auth-reason', /protect-rewrite|dev-browser-missing/], fix: PASS_CLERK },
      { by: CLERK, header: ['location', /\.accounts\.dev\//], fix: PASS_CLERK },
      {
        by: 'The middleware of Auth.js',
        status: REDIRECTS,
        header: ['location', /\/api\/auth\/signin/],
        fix: 'Exclude the path in the matcher of middleware.ts: the signature replaces a sign-in.',
      },
      {
        by: 'An authentication middleware',
        status: REDIRECTS,
        redirect: 'path',
        header: [
          'location',
          /[/.](?:sign[-_]?in|log[-_]?in|authorize|oauth2\/(?:start|sign_in|v\d\/auth)|openid-connect\/auth|sessions?\/new)(?:[/?#]|$)/i,
        ],
      },
      {
        by: 'An authentication middleware',
        status: CREDENTIALS,
        says: [/^You need to sign in or sign up before continuing/],
      },
    ],
  },
  waf: {
    sentence: '{by} blocked the request ({status}), before it reached your code.',
    fix: 'Add a rule that lets the path of the endpoint URL pass, or register a URL behind the firewall.',
    rows: [
      { by: 'Cloudflare', header: ['cf-mitigated', /./] },
      { by: 'Cloudflare', status: CREDENTIALS, says: [/^Attention Required! \| Cloudflare/] },
      { by: 'The firewall of Vercel', header: ['x-vercel-mitigated', /./] },
      { by: 'AWS WAF', header: ['x-amzn-waf-action', /./] },
      {
        by: 'CloudFront',
        status: [403],
        header: ['server', /^CloudFront$/],
        page: /(Request blocked)\./,
      },
      { by: 'ModSecurity', status: [403, 406], says: [/generated by Mod_Security|^Not Acceptable!/] },
      {
        by: 'An F5 firewall',
        status: [200, 403],
        page: /<body>(The requested URL was rejected\. Please consult with your administrator\.)/,
      },
      { by: 'Akamai', status: [403], header: ['server', /^AkamaiGHost$/], says: [/^Access Denied/] },
    ],
  },
  credentials: {
    sentence: '{by} rejected the request ({status}), before your code could verify the signature.',
    fix: "Exclude the path of the endpoint URL, or send the credentials: svc webhooks update {webhook} --headers 'Authorization: …'.",
    rows: [
      { by: 'Basic authentication', status: [401], header: ['www-authenticate', /^Basic\b/i] },
      { by: 'A check for a bearer token', status: CREDENTIALS, header: ['www-authenticate', /^Bearer\b/i] },
      {
        by: 'A check of credentials',
        status: [401],
        header: ['www-authenticate', /^(?!.*(?:signature|hmac))./i],
      },
      {
        by: 'A check for an API token',
        status: CREDENTIALS,
        says: [
          /^(?:\w*Error: )?(?:No auth(?:orization)? token(?: was found)?$|jwt (?:must be provided|malformed))/i,
          /^(?:\w*Error: )?(?:No Authorization was found in request|No token provided)/i,
          /^(?:Not authenticated|Unauthenticated)\.?$|^Full authentication is required to access this resource/i,
          /^(?:\w*Error: )?Missing authorization header|^Authorization header (?:is )?(?:missing|required|not found)/i,
          /^(?:Access|Bearer|Auth) token (?:is )?(?:missing|required)|^Missing (?:API key|bearer token|access token)/i,
          /^Authentication credentials were not provided|^No API key found in request|^Invalid IAP credentials/i,
        ],
      },
    ],
  },
  body_limit: {
    sentence: '{by} rejected the body of {size} ({status}), before your code ran.',
    fix: 'Raise the body limit of the framework, or of the proxy in front of it.',
    rows: [
      {
        by: 'Vercel',
        header: ['x-vercel-error', /FUNCTION_PAYLOAD_TOO_LARGE/],
        fix: 'Send a smaller payload: the limit of 4.5 MB cannot be raised.',
      },
      {
        by: 'The body parser',
        status: [413],
        says: [/^(?:PayloadTooLargeError: )?request entity too large/i],
        fix: "Raise its limit, such as express.raw({ type: '*/*', limit: '5mb' }). Express and NestJS accept 100 kB, koa-bodyparser 1 MB.",
      },
      {
        by: 'Fastify',
        status: [413],
        says: [/FST_ERR_CTP_BODY_TOO_LARGE|^Request body is too large/],
        fix: 'Raise bodyLimit of the route or of fastify(). The default is 1 MiB.',
      },
      {
        by: 'Next.js',
        status: [413],
        says: [/^Body exceeded .*limit/],
        fix: 'Set api.bodyParser to false in the config of the page, which verification needs anyway. The default limit is 1 MB.',
      },
      {
        by: 'Django',
        says: [/^RequestDataTooBig\b|^Request body exceeded settings\.DATA_UPLOAD_MAX_MEMORY_SIZE/],
        fix: 'Raise DATA_UPLOAD_MAX_MEMORY_SIZE in settings.py. The default is 2.5 MB.',
      },
      {
        by: 'axum',
        status: [413],
        says: [/length limit exceeded/],
        fix: 'Add the layer DefaultBodyLimit::max(…). The default is 2 MB.',
      },
      {
        by: 'nginx',
        status: [413],
        page: /<center>(nginx)/,
        fix: 'Raise client_max_body_size. The default is 1 MB.',
      },
      { by: 'A body limit', status: [413] },
    ],
  },
  content_type: {
    sentence: '{by} does not accept the content type {content_type} ({status}).',
    fix: 'Accept {content_type} at this route, and read the body as raw bytes.',
    rows: [
      {
        by: 'Fastify',
        status: [415],
        says: [/FST_ERR_CTP_INVALID_MEDIA_TYPE/],
        fix: "Add addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body)).",
      },
      { by: 'The framework', status: [415] },
    ],
  },
  method: {
    cause: 'wrong_path',
    sentence: '{by} does not accept POST at this path ({status}{allow}).',
    fix: 'Handle POST at this path, such as with export async function POST in route.ts of Next.js, or correct the endpoint URL.',
    rows: [
      { by: 'The server', status: [405] },
      {
        by: 'CloudFront',
        status: [403],
        header: ['server', /^CloudFront$/],
        page: /(not configured to allow the HTTP request method)/,
        fix: 'Allow POST in the cache behavior of the distribution.',
      },
    ],
  },
  plain_http: {
    by: 'The receiver',
    status: [400],
    says: [
      /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL-enabled server port/i,
      /^Client sent an HTTP request to an HTTPS server|^This combination of host and port requires TLS/,
    ],
    sentence: '{by} expects TLS at this port, but the request was sent as plain HTTP ({status}).',
    fix: 'Register the https:// URL',
    rows: [
      {
        url: /^https:/,
        sentence: '{by} expects TLS, but a proxy or tunnel forwarded the request as plain HTTP ({status}).',
        fix: "Make the proxy or tunnel forward to HTTPS: for example, run ngrok http https://localhost:PORT, or set Cloudflare's encryption mode to Full.",
      },
      { url: /^http:/, command: 'svc webhooks update {webhook} --url {https_url}' },
    ],
  },
  http2_only: {
    by: 'The receiver',
    status: [403],
    says: [/ALPN Protocol, expected `h2` to be available/],
    sentence: '{by} accepts only HTTP/2 ({status}), and webhooks use HTTP/1.1.',
    fix: 'Allow HTTP/1.1 in the receiver: pass allowHTTP1: true to http2.createSecureServer.',
  },
  redirect: {
    cause: 'redirect',
    sentence: '{by} expects the request at {location} ({status}). Redirects are not followed.',
    fix: 'Register this URL',
    command: 'svc webhooks update {webhook} --url {location}',
    rows: [
      { by: 'Django', says: [/^You called this URL via POST, but the URL doesn['’]t end in a slash/] },
      { by: 'The router', status: REDIRECTS, redirect: 'slash' },
      { by: 'The server', status: REDIRECTS, redirect: 'origin' },
    ],
  },
  route: {
    cause: 'wrong_path',
    sentence: '{by} has no POST route for this path ({status}).',
    fix: 'Check the path of the endpoint URL and the prefix under which the route is registered.',
    rows: [
      {
        by: 'Django',
        status: [404],
        page: /<title>Page not found at [\s\S]{1,4000}?<th[^>]*>Raised by:<\/th>\s*<td>([^<]+)/,
        sentence: '{by} called your view, which raised Http404 ({status}).',
        fix: 'Check what the view looks up, such as with get_object_or_404.',
      },
      {
        by: 'Flask',
        status: [404],
        says: [/^The requested URL was not found on the server/],
        isLikely: true,
        sentence: '{by} has no POST route for this path, or your code called abort(404) ({status}).',
        fix: 'Check the path of the endpoint URL and the prefix of the blueprint. If they are correct, look for abort(404) and get_or_404 in the view.',
      },
      {
        by: 'The router',
        status: [404],
        says: [
          // Express, Fastify, h3, Rails.
          /^Cannot POST\b|^Route POST:.*not found|^Cannot find any (?:route|path) matching|^No route matches \[POST\]/,
          // Django, Sinatra, Laravel, Spring, Next.js.
          /^Page not found at|^Sinatra doesn['’]t know this ditty/,
          /^The route .*could not be found|^No static resource|^This page could not be found/,
        ],
      },
      {
        by: 'API Gateway',
        status: [403],
        says: [/^Missing Authentication Token$/],
        isLikely: true,
        sentence: '{by} has no POST route for this path, or one that requires AWS_IAM ({status}).',
        fix: 'Check the path of the endpoint URL, including the stage. If it is correct, set the authorization of the method to NONE, and deploy the API.',
      },
    ],
  },
  proxy: {
    sentence: '{by} got no valid response from your receiver ({status}).',
    fix: 'Start your receiver at the address to which the proxy forwards, and read the log of the proxy.',
    rows: [
      { by: 'nginx', status: [502, 504], page: /<center>(nginx)/ },
      {
        by: 'nginx',
        status: [503],
        page: /<center>(nginx)/,
        isLikely: true,
        sentence:
          '{by} responded with {status} itself, usually because it limits requests or connections, shows a maintenance page, or is an ingress whose service has no endpoints.',
        fix: 'Read the error log of nginx: it names a limit, such as limit_req. For an ingress, check that the pods of the service are ready.',
      },
      {
        by: 'Caddy',
        status: [502],
        header: ['server', /^Caddy$/],
        isEmpty: true,
        isLikely: true,
        sentence:
          '{by} responded with an empty {status}: it got no response from your receiver, or your code responded like this.',
      },
      {
        by: 'lighttpd',
        status: [502, 503, 504],
        header: ['server', /^lighttpd\//],
        page: /^<\?xml[\s\S]+<h1>(50\d [\w ]+)<\/h1>/,
      },
      {
        by: 'Cloudflare',
        status: [502, 504, 520, 521, 522, 523, 524, 525, 526],
        header: ['server', /^cloudflare$/],
        says: [/^error code: 5\d\d$|\| 5\d\d: |^Bad gateway/i],
      },
      { by: 'Envoy', status: [503], says: [/^(?:upstream connect error or disconnect|no healthy upstream)/] },
      { by: 'A load balancer of AWS', status: [502, 503, 504], header: ['server', /^awselb\//] },
      { by: 'Heroku', status: [503], page: /(herokucdn\.com\/error-pages\/application-error)/ },
      {
        by: 'HAProxy',
        status: [502, 503, 504],
        page: /^<html><body><h1>50\d [\w -]+<\/h1>\n(No server is available to handle this request|The server returned an invalid or incomplete response|The server didn't respond in time)\./,
      },
      {
        by: 'Apache',
        status: [502, 503],
        // Werkzeug has the same sentences without line breaks.
        page: /<p>(The proxy server received an invalid\nresponse from an upstream server|The server is temporarily unable to service your\nrequest)/,
      },
      { by: 'Varnish', status: [503], header: ['server', /^Varnish$/] },
    ],
  },
  index_page: {
    by: 'The index page of a web app',
    status: [200],
    page: /^(?=[\s\S]*<script)[\s\S]*(<div id="(?:root|app|__nuxt|svelte)">(?=\s*(?:<!--.*?-->)?\s*<\/div>)|<app-root>)/i,
    isLikely: true,
    sentence:
      '{by} responded to the delivery with {status}. It responds to every path, so your code was probably not called.',
    fix: 'Register the URL of your API server, or forward this path to it.',
  },
  bad_request: {
    by: 'Django',
    cause: 'rejected',
    status: [400],
    page: /<h1>(Bad Request \(400\))<\/h1><p><\/p>/,
    isLikely: true,
    sentence:
      '{by} refused the request ({status}). With DEBUG off, it does not say why: usually {hostname} is not in ALLOWED_HOSTS, the body is too large, or your code raised BadRequest or SuspiciousOperation.',
    fix: 'Add {hostname} to ALLOWED_HOSTS in settings.py. If it is there, read the log of django.security.',
  },
  fatal_error: {
    by: 'PHP',
    status: [200],
    says: [/^(?:PHP )?(?:Fatal|Parse) error ?: /],
    cause: 'delivered',
    sentence: 'The response is {status}, but its body contains a fatal error of {by}: {says}.',
    fix: 'Correct the error, and turn off display_errors, so that PHP responds with 500 and the delivery is repeated.',
  },
};

/** The rows of all layers, in order, each with what its layer has. */
export const layerRows = Object.entries(layers).flatMap(([kind, { rows = [{}], ...layer }]) =>
  rows.map((row) => ({ ...layer, ...row, kind: kind as LayerKind })),
);
