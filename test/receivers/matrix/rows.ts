// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of programs.
/**
 * Receivers with the mistakes that their frameworks invite: each row changes a correct program, and names what `svc explain --probe`
 * says about it. `programs/` has the correct ones.
 */

export interface Row {
  readonly framework: FrameworkName;
  readonly mistake: string;
  /** Texts of the program, each with its replacement. */
  readonly patch: readonly Replacement[];
  /** The cause that svc names, as `nameCause` writes it; several if they mean the same. */
  readonly expected: readonly string[];
  /** The payload of the event. */
  readonly payload?: string;
  /** Whether the row needs packages that only `npm run bench:receivers` installs. */
  readonly needsInstall?: true;
}

export type Replacement = readonly [text: string, replacement: string];

export type Language = 'node' | 'python' | 'ruby' | 'php' | 'go' | 'next';

export const frameworkLanguages = {
  'express 5': 'node',
  'express 4': 'node',
  fastify: 'node',
  hono: 'node',
  h3: 'node',
  koa: 'node',
  nest: 'node',
  next: 'next',
  flask: 'python',
  django: 'python',
  fastapi: 'python',
  sinatra: 'ruby',
  php: 'php',
  go: 'go',
} as const satisfies Record<string, Language>;

export type FrameworkName = keyof typeof frameworkLanguages;

/** Each serializer changes it: a number with a zero, characters that some escape, an empty object, and long digits. */
export const PAYLOAD =
  '{"order_id":"ord_1","total":1.50,"note":"Zürich <b>&</b> \\u6771\\u4eac","url":"https://example.com/a","options":{},"big":12345678901234567890}';
/** Larger than the limit of 100 kB that Express and NestJS have. */
const LARGE_PAYLOAD = JSON.stringify({ note: 'x'.repeat(150_000) });

type Mistake = Omit<Row, 'framework' | 'mistake'>;
type Mistakes = Readonly<Record<string, Mistake>>;

function expectCause(expected: string | readonly string[], ...patch: readonly Replacement[]): Mistake {
  return { expected: [expected].flat(), patch };
}

const correct: Mistake = { patch: [], expected: ['cause:delivered'] };
/** Each signature gets the same response, so nothing shows whether a secret is wrong or the verification is not reached. */
const CONSTANT = ['constant'];

/** Mistakes in the verification, which is the same for each framework of a language. */
const verification: Readonly<Record<'node' | 'python' | 'ruby' | 'php' | 'go', Mistakes>> = {
  node: {
    'wrong header name': expectCause('mistake:header_missing', ["'service-signature'", "'x-signature'"]),
    'header name in capitals': expectCause('mistake:header_missing', [
      "'service-signature'",
      "'Service-Signature'",
    ]),
    'another secret': expectCause(
      ['unknown secret or mistake', ...CONSTANT],
      ['process.env.SVC_WEBHOOK_SECRET', "'whsec_of_another_service'"],
    ),
    'secret without whsec_': expectCause('mistake:key_changed', [
      'process.env.SVC_WEBHOOK_SECRET',
      'process.env.SVC_WEBHOOK_SECRET.slice(6)',
    ]),
    'digest without v1=': expectCause('mistake:encoding_changed', ['`v1=${digest}`', 'digest']),
    'body only': expectCause('mistake:content_changed', ['.update(`${timestamp}.`)', '']),
    'timestamp as a number': expectCause('mistake:timestamp_unreadable', [
      'Date.parse(timestamp)',
      'Number(timestamp) * 1000',
    ]),
  },
  python: {
    'wrong header name': expectCause('mistake:header_missing', ['"Service-Signature"', '"X-Signature"']),
    'another secret': expectCause(
      ['unknown secret or mistake', ...CONSTANT],
      ['os.environ["SVC_WEBHOOK_SECRET"]', '"whsec_of_another_service"'],
    ),
    'secret not set': expectCause(
      ['mistake:secret_missing', 'mistake:wrong_secret'],
      ['os.environ["SVC_WEBHOOK_SECRET"]', 'os.environ.get("WEBHOOK_SECRET", "")'],
    ),
    'secret without whsec_': expectCause('mistake:key_changed', ['SECRET.encode()', 'SECRET[6:].encode()']),
    'digest without v1=': expectCause('mistake:encoding_changed', ['"v1=" + ', '']),
    'body only': expectCause('mistake:content_changed', ['timestamp.encode() + b"." + body', 'body']),
    'bytes as text': expectCause('mistake:body_changed', ['b"." + body', 'b"." + str(body).encode()']),
  },
  ruby: {
    'wrong header name': expectCause('mistake:header_missing', [
      '"HTTP_SERVICE_SIGNATURE"',
      '"HTTP_X_SIGNATURE"',
    ]),
    'header name without HTTP_': expectCause('mistake:header_missing', [
      '"HTTP_SERVICE_SIGNATURE"',
      '"Service-Signature"',
    ]),
    'another secret': expectCause(
      ['unknown secret or mistake', ...CONSTANT],
      ['ENV["SVC_WEBHOOK_SECRET"]', '"whsec_of_another_service"'],
    ),
    'secret not set': expectCause('mistake:secret_missing', [
      'ENV["SVC_WEBHOOK_SECRET"]',
      'ENV["WEBHOOK_SECRET"]',
    ]),
    'secret not set, with fetch': expectCause('mistake:secret_missing', [
      'ENV["SVC_WEBHOOK_SECRET"]',
      'ENV.fetch("WEBHOOK_SECRET")',
    ]),
    'digest without v1=': expectCause('mistake:encoding_changed', ['"v1=" + ', '']),
    'body only': expectCause('mistake:content_changed', ['"#{timestamp}.#{body}"', 'body']),
  },
  php: {
    'wrong header name': expectCause('mistake:header_missing', [
      "'HTTP_SERVICE_SIGNATURE'",
      "'HTTP_X_SIGNATURE'",
    ]),
    'header name without HTTP_': expectCause('mistake:header_missing', [
      "'HTTP_SERVICE_SIGNATURE'",
      "'Service-Signature'",
    ]),
    'another secret': expectCause(
      ['unknown secret or mistake', ...CONSTANT],
      ["getenv('SVC_WEBHOOK_SECRET')", "'whsec_of_another_service'"],
    ),
    'secret not set': expectCause(
      ['mistake:secret_missing', 'mistake:wrong_secret'],
      ["getenv('SVC_WEBHOOK_SECRET')", "getenv('WEBHOOK_SECRET')"],
    ),
    'secret not set, with strict types': expectCause(
      'fails before',
      ['<?php', '<?php declare(strict_types=1);'],
      ["getenv('SVC_WEBHOOK_SECRET')", "getenv('WEBHOOK_SECRET')"],
    ),
    'digest without v1=': expectCause('mistake:encoding_changed', ["'v1=' . ", '']),
    'body only': expectCause('mistake:content_changed', ['"$timestamp.$body"', '$body']),
  },
  go: {
    'wrong header name': expectCause('mistake:header_missing', ['"Service-Signature"', '"X-Signature"']),
    'header name in lower case': expectCause('mistake:header_missing', [
      'header.Get("Service-Signature")',
      'strings.Join(header["service-signature"], ",")',
    ]),
    'another secret': expectCause(
      ['unknown secret or mistake', ...CONSTANT],
      ['os.Getenv("SVC_WEBHOOK_SECRET")', '"whsec_of_another_service"'],
    ),
    'secret not set': expectCause(
      ['mistake:secret_missing', 'mistake:wrong_secret'],
      ['"SVC_WEBHOOK_SECRET"', '"WEBHOOK_SECRET"'],
    ),
    'digest without v1=': expectCause('mistake:encoding_changed', ['"v1=" + ', '']),
    'body only': expectCause('mistake:content_changed', ['\tmac.Write([]byte(timestamp + "."))\n', '']),
    'timestamp as a time': expectCause('mistake:timestamp_changed', [
      'mac.Write([]byte(timestamp + "."))',
      'at, _ := time.Parse(time.RFC3339, timestamp)\n\tmac.Write([]byte(at.String() + "."))',
    ]),
  },
};

/** The secret is read from a variable that is not set. */
const unsetInNode: Replacement = ['process.env.SVC_WEBHOOK_SECRET', 'process.env.WEBHOOK_SECRET'];
/** The work throws an error. */
const failingNode: Replacement = ['return data.id', 'throw new Error(`No customer for ${data.id}`)'];
const failingPython: Replacement = ['return event["data"]["id"]', 'return {}[event["data"]["id"]]'];

const express: Mistakes = {
  correct,
  'parsed body': expectCause(
    'mistake:body_changed',
    ["express.raw({ type: 'application/json', ", 'express.json({ '],
    ['verify(body', 'verify(JSON.stringify(body)'],
    ['JSON.parse(body)', 'body'],
  ),
  'parsed body as an object': expectCause('mistake:payload_unreadable', [
    "express.raw({ type: 'application/json', ",
    'express.json({ ',
  ]),
  'parsed body in a template': expectCause(
    'mistake:body_changed',
    ["express.raw({ type: 'application/json', ", 'express.json({ '],
    ['verify(body', 'verify(`${body}`'],
  ),
  'parser before the route': expectCause('mistake:payload_unreadable', [
    'const rawBody',
    "app.use(express.json({ limit: '1mb' }));\nconst rawBody",
  ]),
  'raw parser for another type': expectCause('mistake:payload_unreadable', [
    "type: 'application/json', ",
    '',
  ]),
  'no parser': expectCause('mistake:payload_unreadable', ["'/webhooks', rawBody,", "'/webhooks',"]),
  'secret not set': expectCause('mistake:secret_missing', unsetInNode),
  'secret not set, in production': expectCause('fails before', unsetInNode, [
    'express();',
    "express();\napp.set('env', 'production');",
  ]),
  'digests of different lengths': expectCause('mistake:encoding_changed', [
    'signature.length === expected.length && timingSafeEqual(signature, expected)',
    'timingSafeEqual(signature, Buffer.from(digest))',
  ]),
  'body limit': { ...expectCause('layer:body_limit', [", limit: '1mb'", '']), payload: LARGE_PAYLOAD },
  'guard in front': expectCause(CONSTANT, [
    'const rawBody',
    "app.use((request, response, next) => request.headers.authorization ? next() : response.status(401).json({ message: 'Unauthorized' }));\nconst rawBody",
  ]),
  'guard for tokens': {
    ...expectCause(
      'layer:credentials',
      ['import express', "import { expressjwt } from 'express-jwt';\nimport express"],
      ['const rawBody', "app.use(expressjwt({ secret: 'key', algorithms: ['HS256'] }));\nconst rawBody"],
    ),
    needsInstall: true,
  },
  CSRF: {
    ...expectCause(
      'layer:csrf',
      [
        'import express',
        "import cookieParser from 'cookie-parser';\nimport csrf from 'csurf';\nimport express",
      ],
      ['const rawBody', 'app.use(cookieParser(), csrf({ cookie: true }));\nconst rawBody'],
    ),
    needsInstall: true,
  },
  'redirect to a login': expectCause('layer:sign_in', [
    'const rawBody',
    "app.use((request, response, next) => request.headers.cookie ? next() : response.redirect('/login'));\nconst rawBody",
  ]),
  'wrong path': expectCause(['layer:route', 'layer:method'], ["'/webhooks'", "'/webhook'"]),
  'exception in the work': expectCause('fails later', failingNode),
};

const frameworks: Readonly<Record<FrameworkName, Mistakes>> = {
  'express 5': { ...express, ...verification.node },
  'express 4': { ...express, ...verification.node },
  fastify: {
    correct,
    'parsed body': expectCause(
      'mistake:body_changed',
      ["app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_, body) => body);\n", ''],
      ['verify(body', 'verify(JSON.stringify(body)'],
      ['JSON.parse(body)', 'body'],
    ),
    'parsed body as an object': expectCause('mistake:payload_unreadable', [
      "app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_, body) => body);\n",
      '',
    ]),
    'parser for another type': expectCause(
      'layer:content_type',
      ['app.addContentTypeParser', 'app.removeAllContentTypeParsers();\napp.addContentTypeParser'],
      ["'application/json'", "'application/octet-stream'"],
    ),
    'secret not set': expectCause('mistake:secret_missing', unsetInNode),
    'body limit': {
      ...expectCause('layer:body_limit', ['fastify()', 'fastify({ bodyLimit: 100_000 })']),
      payload: LARGE_PAYLOAD,
    },
    'guard in front': expectCause(CONSTANT, [
      'app.post(',
      "app.addHook('onRequest', async ({ headers }, reply) => headers.authorization ? undefined : reply.code(401).send({ message: 'Unauthorized' }));\napp.post(",
    ]),
    'basic authentication': {
      ...expectCause(
        'layer:credentials',
        ['import fastify', "import basicAuth from '@fastify/basic-auth';\nimport fastify"],
        [
          'app.post(',
          "await app.register(basicAuth, { validate: async () => {}, authenticate: true });\napp.addHook('onRequest', app.basicAuth);\napp.post(",
        ],
      ),
      needsInstall: true,
    },
    CSRF: {
      ...expectCause(
        'layer:csrf',
        [
          'import fastify',
          "import cookie from '@fastify/cookie';\nimport csrf from '@fastify/csrf-protection';\nimport fastify",
        ],
        [
          'app.post(',
          "await app.register(cookie);\nawait app.register(csrf);\napp.addHook('onRequest', app.csrfProtection);\napp.post(",
        ],
      ),
      needsInstall: true,
    },
    'schema in front': expectCause(
      CONSTANT,
      ["app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_, body) => body);\n", ''],
      [
        "'/webhooks', async",
        "'/webhooks', { schema: { body: { type: 'object', required: ['order_id'] } } }, async",
      ],
    ),
    'wrong path': expectCause('layer:route', ["'/webhooks'", "'/webhook'"]),
    'exception in the work': expectCause('fails later', failingNode),
    ...verification.node,
  },
  hono: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'Buffer.from(await context.req.arrayBuffer())',
      'JSON.stringify(await context.req.json())',
    ]),
    'parsed body as an object': expectCause('fails before', [
      'Buffer.from(await context.req.arrayBuffer())',
      'await context.req.json()',
    ]),
    'body without await': expectCause('mistake:body_changed', [
      'Buffer.from(await context.req.arrayBuffer())',
      'String(context.req.text())',
    ]),
    'secret not set': expectCause('fails before', unsetInNode),
    'body limit': {
      ...expectCause(
        'layer:body_limit',
        ['import { HTTPException', "import { bodyLimit } from 'hono/body-limit';\nimport { HTTPException"],
        ["'/webhooks',", "'/webhooks', bodyLimit({ maxSize: 100 * 1024 }),"],
      ),
      payload: LARGE_PAYLOAD,
    },
    'guard in front': expectCause(
      'layer:credentials',
      ['import { HTTPException', "import { bearerAuth } from 'hono/bearer-auth';\nimport { HTTPException"],
      ["'/webhooks',", "'/webhooks', bearerAuth({ token: 'key' }),"],
    ),
    'basic authentication': expectCause(
      'layer:credentials',
      ['import { HTTPException', "import { basicAuth } from 'hono/basic-auth';\nimport { HTTPException"],
      ["'/webhooks',", "'/webhooks', basicAuth({ username: 'a', password: 'b' }),"],
    ),
    'JWT guard': expectCause(
      'layer:credentials',
      ['import { HTTPException', "import { jwt } from 'hono/jwt';\nimport { HTTPException"],
      ["'/webhooks',", "'/webhooks', jwt({ secret: 'key', alg: 'HS256' }),"],
    ),
    'trailing slash': expectCause(['layer:route', 'cause:wrong_path'], ["'/webhooks'", "'/webhooks/'"]),
    'exception in the work': expectCause('fails later', failingNode),
    ...verification.node,
  },
  h3: {
    correct,
    'parsed body': expectCause(
      'mistake:body_changed',
      ['import { H3, ', 'import { H3, readBody, '],
      ['Buffer.from(await event.req.arrayBuffer())', 'JSON.stringify(await readBody(event))'],
    ),
    'body without await': expectCause('mistake:body_changed', [
      'Buffer.from(await event.req.arrayBuffer())',
      'String(event.req.text())',
    ]),
    'secret not set': expectCause('fails before', unsetInNode),
    'basic authentication': expectCause(
      'layer:credentials',
      ['import { H3, ', 'import { H3, basicAuth, '],
      ['async (event) => {', 'async (event) => {'],
      ["app.post('/webhooks'", "app.use(basicAuth({ password: 'b' }));\napp.post('/webhooks'"],
    ),
    'wrong path': expectCause('layer:route', ["'/webhooks'", "'/webhook'"]),
    'another method': expectCause(['layer:method', 'layer:route'], ['app.post', 'app.put']),
    'exception in the work': expectCause('fails later', failingNode),
    ...verification.node,
  },
  koa: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'Buffer.from(context.request.rawBody)',
      'JSON.stringify(context.request.body)',
    ]),
    'parser before the stream is read': expectCause(
      ['mistake:body_changed', 'mistake:payload_unreadable'],
      ['app.use((context)', 'app.use(async (context)'],
      ['Buffer.from(context.request.rawBody)', 'Buffer.concat(await context.req.toArray())'],
    ),
    'no parser': expectCause('fails before', [
      "app.use(bodyParser({ enableTypes: ['json'], jsonLimit: '1mb' }));\n",
      '',
    ]),
    'secret not set': expectCause('fails before', unsetInNode),
    'body limit': { ...expectCause('layer:body_limit', ["'1mb'", "'100kb'"]), payload: LARGE_PAYLOAD },
    'guard in front': expectCause(CONSTANT, [
      'app.use((context) => {',
      "app.use((context, next) => context.get('authorization') ? next() : context.throw(403, 'Access denied'));\napp.use((context) => {",
    ]),
    'wrong path': expectCause('cause:wrong_path', ["'/webhooks'", "'/webhook'"]),
    'exception in the work': expectCause('fails later', failingNode),
    ...verification.node,
  },
  nest: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'verify(rawBody',
      'verify(JSON.stringify(request.body)',
    ]),
    'rawBody is not enabled': expectCause('fails before', ['rawBody: true, ', '']),
    'secret not set': expectCause('fails before', unsetInNode),
    'body limit': {
      ...expectCause('layer:body_limit', ["app.useBodyParser('json', { limit: '1mb' });\n", '']),
      payload: LARGE_PAYLOAD,
    },
    'guard in front': expectCause(CONSTANT, [
      'await app.listen',
      'app.useGlobalGuards({ canActivate: () => false });\nawait app.listen',
    ]),
    'guard that throws': expectCause(CONSTANT, [
      'await app.listen',
      'app.useGlobalGuards({ canActivate: () => { throw new UnauthorizedException(); } });\nawait app.listen',
    ]),
    'exception filter with a timestamp': expectCause(
      ['unknown secret or mistake', ...CONSTANT],
      ['process.env.SVC_WEBHOOK_SECRET', "'whsec_of_another_service'"],
      [
        'await app.listen',
        'app.useGlobalFilters({ catch: (error, host) => host.switchToHttp().getResponse().status(401).json({ statusCode: 401, timestamp: new Date().toISOString(), path: "/webhooks" }) });\nawait app.listen',
      ],
    ),
    'global prefix': expectCause('layer:route', [
      'await app.listen',
      "app.setGlobalPrefix('api');\nawait app.listen",
    ]),
    'exception in the work': expectCause('fails later', failingNode),
    ...verification.node,
  },
  next: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'Buffer.from(await request.arrayBuffer())',
      'JSON.stringify(await request.json())',
    ]),
    'body read twice': expectCause('fails before', [
      'Buffer.from(await request.arrayBuffer())',
      '(await request.json(), await request.text())',
    ]),
    'stream as the body': expectCause('fails before', [
      'Buffer.from(await request.arrayBuffer())',
      'request.body',
    ]),
    'secret not set': expectCause('fails before', unsetInNode),
    'no POST handler': expectCause('layer:method', ['async function POST', 'async function PUT']),
    'sign-in': expectCause('layer:sign_in', [
      'const body',
      "if (!request.headers.has('cookie')) return Response.redirect(new URL('/sign-in', request.url));\n  const body",
    ]),
    'exception in the work': expectCause('fails later', failingNode),
    ...verification.node,
  },
  flask: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'request.get_data()',
      'json.dumps(request.get_json()).encode()',
    ]),
    'parsed body with separators': expectCause('mistake:body_changed', [
      'request.get_data()',
      'json.dumps(request.get_json(), separators=(",", ":")).encode()',
    ]),
    'parsed body as text': expectCause('mistake:body_changed', [
      'request.get_data()',
      'str(request.get_json()).encode()',
    ]),
    'stream before the body': expectCause('mistake:body_changed', [
      'body = request.get_data()',
      'request.stream.read()\n    body = request.get_data()',
    ]),
    'secret not set, as None': expectCause(
      'mistake:secret_missing',
      ['os.environ["SVC_WEBHOOK_SECRET"]', 'os.environ.get("WEBHOOK_SECRET")'],
      ['SECRET.encode()', 'SECRET'],
      ['threaded=True', 'threaded=True, debug=True, use_reloader=False'],
    ),
    'secret not set, with debug': expectCause(
      'mistake:secret_missing',
      ['SECRET.encode()', 'os.environ["WEBHOOK_SECRET"].encode()'],
      ['threaded=True', 'threaded=True, debug=True, use_reloader=False'],
    ),
    'secret not set, without debug': expectCause('fails before', [
      'SECRET.encode()',
      'os.environ["WEBHOOK_SECRET"].encode()',
    ]),
    'header as a key': expectCause('mistake:header_missing', [
      'headers.get("Service-Signature")',
      'headers["X-Signature"]',
    ]),
    CSRF: expectCause('layer:csrf', [
      'app = Flask(__name__)',
      'from flask_wtf.csrf import CSRFProtect\n\napp = Flask(__name__)\napp.config["SECRET_KEY"] = "key"\nCSRFProtect(app)',
    ]),
    'guard in front': expectCause(CONSTANT, [
      '@app.post',
      '@app.before_request\ndef require_token():\n    if "Authorization" not in request.headers:\n        abort(401)\n\n\n@app.post',
    ]),
    'redirect to a login': expectCause('layer:sign_in', [
      '@app.post',
      '@app.before_request\ndef require_login():\n    from flask import redirect\n    return redirect("/login?next=/webhooks")\n\n\n@app.post',
    ]),
    'trailing slash': expectCause('layer:redirect', ['"/webhooks"', '"/webhooks/"']),
    'another method': expectCause('layer:method', ['@app.post', '@app.get']),
    'exception in the work': expectCause('fails later', failingPython),
    'exception in the work, with debug': expectCause('fails later', failingPython, [
      'threaded=True',
      'threaded=True, debug=True, use_reloader=False',
    ]),
    ...verification.python,
  },
  django: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'body = request.body',
      'body = json.dumps(json.loads(request.body)).encode()',
    ]),
    'form instead of the body': expectCause(
      'mistake:body_changed',
      ['body = request.body', 'body = json.dumps(request.POST).encode()'],
      ['json.loads(body)', 'json.loads(request.body)'],
    ),
    'stream before the body': expectCause('mistake:payload_unreadable', [
      'body = request.body',
      'request.read()\n    body = request.body',
    ]),
    CSRF: expectCause('layer:csrf', ['@csrf_exempt\n', '']),
    'CSRF without debug': expectCause('layer:csrf', ['@csrf_exempt\n', ''], ['DEBUG=True', 'DEBUG=False']),
    'blocked host': expectCause('layer:blocked_host', ['"127.0.0.1"],', '"example.com"],']),
    'blocked host without debug': expectCause(
      CONSTANT,
      ['"127.0.0.1"],', '"example.com"],'],
      ['DEBUG=True', 'DEBUG=False'],
    ),
    'trailing slash': expectCause('layer:redirect', ['path("webhooks"', 'path("webhooks/"']),
    'body limit': {
      ...expectCause('layer:body_limit', [
        'DEBUG=True,',
        'DEBUG=True,\n    DATA_UPLOAD_MAX_MEMORY_SIZE=100 * 1024,',
      ]),
      payload: LARGE_PAYLOAD,
    },
    'login required': expectCause(
      'layer:sign_in',
      [
        '"django.middleware.common.CommonMiddleware",',
        '"django.middleware.common.CommonMiddleware",\n        "django.contrib.sessions.middleware.SessionMiddleware",\n        "django.contrib.auth.middleware.AuthenticationMiddleware",',
      ],
      [
        'LOGGING_CONFIG=None,',
        'LOGGING_CONFIG=None,\n    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",\n    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"],',
      ],
      [
        '@csrf_exempt\n',
        'def require_login(view):\n    from django.contrib.auth.decorators import login_required\n    return login_required(view)\n\n\n@csrf_exempt\n@require_login\n',
      ],
      ['settings.configure(', 'import django\n\nsettings.configure('],
      ['\n\n\n@csrf_exempt', '\n\n\n@csrf_exempt'],
      ['urlpatterns =', 'django.setup()\nurlpatterns ='],
    ),
    'another method': expectCause('layer:method', [
      '@csrf_exempt\n',
      'from django.views.decorators.http import require_GET\n\n\n@csrf_exempt\n@require_GET\n',
    ]),
    'header as a key': expectCause('mistake:header_missing', [
      'headers.get("Service-Signature")',
      'headers["X-Signature"]',
    ]),
    'secret not set, with debug': expectCause('mistake:secret_missing', [
      'SECRET.encode()',
      'os.environ["WEBHOOK_SECRET"].encode()',
    ]),
    'secret not set, without debug': expectCause(
      'fails before',
      ['SECRET.encode()', 'os.environ["WEBHOOK_SECRET"].encode()'],
      ['DEBUG=True', 'DEBUG=False'],
    ),
    'exception in the work': expectCause('fails later', failingPython),
    'exception without debug': expectCause('fails later', failingPython, ['DEBUG=True', 'DEBUG=False']),
    ...verification.python,
  },
  fastapi: {
    correct,
    'parsed body': expectCause(
      'mistake:body_changed',
      ['request: Request)', 'request: Request, payload: dict)'],
      ['await request.body()', 'json.dumps(payload).encode()'],
    ),
    'parsed body with separators': expectCause('mistake:body_changed', [
      'await request.body()',
      'json.dumps(await request.json(), separators=(",", ":"), ensure_ascii=False).encode()',
    ]),
    'body as an object': expectCause('fails before', ['await request.body()', 'await request.json()']),
    'wrong header in the signature of the function': expectCause(
      'mistake:header_missing',
      ['HTTPException, ', 'Header, HTTPException, '],
      ['request: Request)', 'request: Request, x_signature: str = Header())'],
    ),
    'model that does not match': expectCause(
      CONSTANT,
      [
        'app = FastAPI()',
        'from pydantic import BaseModel\n\n\nclass Order(BaseModel):\n    order_id: str\n\n\napp = FastAPI()',
      ],
      ['request: Request)', 'request: Request, order: Order)'],
    ),
    'bearer guard': expectCause('layer:credentials', [
      '@app.post("/webhooks")',
      'from fastapi import Depends\nfrom fastapi.security import HTTPBearer\n\n\n@app.post("/webhooks", dependencies=[Depends(HTTPBearer())])',
    ]),
    'basic authentication': expectCause('layer:credentials', [
      '@app.post("/webhooks")',
      'from fastapi import Depends\nfrom fastapi.security import HTTPBasic\n\n\n@app.post("/webhooks", dependencies=[Depends(HTTPBasic())])',
    ]),
    'blocked host': expectCause('layer:blocked_host', [
      'app = FastAPI()',
      'from starlette.middleware.trustedhost import TrustedHostMiddleware\n\napp = FastAPI()\napp.add_middleware(TrustedHostMiddleware, allowed_hosts=["example.com"])',
    ]),
    'redirect to https': expectCause('layer:redirect', [
      'app = FastAPI()',
      'from starlette.middleware.httpsredirect import HTTPSRedirectMiddleware\n\napp = FastAPI()\napp.add_middleware(HTTPSRedirectMiddleware)',
    ]),
    'trailing slash': expectCause('layer:redirect', ['"/webhooks"', '"/webhooks/"']),
    'another method': expectCause('layer:method', ['@app.post', '@app.get']),
    'secret not set, with a key': expectCause('fails before', [
      'SECRET.encode()',
      'os.environ["WEBHOOK_SECRET"].encode()',
    ]),
    'exception in the work': expectCause('fails later', failingPython),
    ...verification.python,
  },
  sinatra: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'problem = verify(body',
      'problem = verify(JSON.generate(JSON.parse(body))',
    ]),
    'parsed body as text': expectCause('mistake:body_changed', [
      'problem = verify(body',
      'problem = verify(JSON.parse(body).to_s',
    ]),
    'body read twice': expectCause('mistake:body_changed', [
      'body = request.body.read',
      'JSON.parse(request.body.read)\n  body = request.body.read',
    ]),
    CSRF: expectCause(CONSTANT, [
      'post "/webhooks" do',
      'enable :sessions\nset :session_secret, "x" * 64\nuse Rack::Session::Cookie, secret: "x" * 64\nuse Rack::Protection::AuthenticityToken\n\npost "/webhooks" do',
    ]),
    'basic authentication': expectCause('layer:credentials', [
      'post "/webhooks" do',
      'use(Rack::Auth::Basic) { false }\n\npost "/webhooks" do',
    ]),
    'wrong path': expectCause('layer:route', ['"/webhooks"', '"/webhook"']),
    'exception in the work': expectCause('fails later', [
      'event["data"]["id"]',
      'event["data"]["customer"]["id"]',
    ]),
    ...verification.ruby,
  },
  php: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'verify($body)',
      'verify(json_encode(json_decode($body)))',
    ]),
    'parsed body as arrays': expectCause('mistake:body_changed', [
      'verify($body)',
      'verify(json_encode(json_decode($body, true), JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES))',
    ]),
    'form instead of the body': expectCause('mistake:body_changed', [
      'verify($body)',
      'verify(json_encode($_POST))',
    ]),
    'guard in front': expectCause(CONSTANT, [
      '$body = file',
      "if (!isset($_SERVER['HTTP_AUTHORIZATION'])) {\n    http_response_code(401);\n    exit('Access denied');\n}\n$body = file",
    ]),
    'exception in the work': expectCause('fails later', [
      'return $event->data->id',
      'return $event->customer->id',
    ]),
    ...verification.php,
  },
  go: {
    correct,
    'parsed body': expectCause('mistake:body_changed', [
      'if problem := verify(body,',
      'var parsed map[string]any\n\tjson.Unmarshal(body, &parsed)\n\tserialized, _ := json.Marshal(parsed)\n\tif problem := verify(serialized,',
    ]),
    'decoder before the body': expectCause('mistake:body_changed', [
      'body, err :=',
      'var first any\n\tjson.NewDecoder(r.Body).Decode(&first)\n\tbody, err :=',
    ]),
    'limited reader': {
      ...expectCause('mistake:body_changed', [
        'io.ReadAll(r.Body)',
        'io.ReadAll(io.LimitReader(r.Body, 65536))',
      ]),
      payload: LARGE_PAYLOAD,
    },
    'body limit': {
      ...expectCause('layer:body_limit', [
        'io.ReadAll(r.Body)',
        'io.ReadAll(http.MaxBytesReader(w, r.Body, 65536))',
      ]),
      payload: LARGE_PAYLOAD,
    },
    'path with a slash': expectCause('layer:redirect', ['"/webhooks"', '"/webhooks/"']),
    'guard in front': expectCause(CONSTANT, [
      'body, err :=',
      'if r.Header.Get("Authorization") == "" {\n\t\thttp.Error(w, "access denied", http.StatusForbidden)\n\t\treturn\n\t}\n\tbody, err :=',
    ]),
    'exception in the work': expectCause('cause:connection_error', [
      'return received.Data.ID',
      'var none *event\n\treturn none.Data.ID',
    ]),
    ...verification.go,
  },
};

export const rows: readonly Row[] = Object.entries(frameworks).flatMap(([framework, mistakes]) =>
  Object.entries(mistakes).map(([mistake, row]) => ({
    framework: framework as FrameworkName,
    mistake,
    ...row,
    ...(framework === 'express 4' && { patch: [["'express'", "'express-4'"] as const, ...row.patch] }),
  })),
);
