/** The framework of a receiver, by the headers of its responses, and its own way to get the raw body. */
interface Framework {
  readonly header: readonly [name: string, value: RegExp];
  /** What to do in addition, if the verification gets a changed or an empty body. */
  readonly rawBody: string;
}

/** The first row that applies counts. */
export const frameworks: readonly Framework[] = [
  {
    header: ['x-powered-by', /^Express\b/],
    rawBody:
      "In Express, put express.raw({ type: '*/*' }) on this route, before app.use(express.json()). In NestJS, set rawBody: true and use req.rawBody.",
  },
  {
    header: ['x-powered-by', /^Next\.js\b/],
    rawBody:
      'In Next.js, call await request.text() once, and JSON.parse after the verification. In pages/api, set bodyParser: false.',
  },
  {
    header: ['server', /^Werkzeug\b/],
    rawBody: 'In Flask, call request.get_data() before request.form, request.files or request.stream.',
  },
  {
    header: ['server', /^(?:WSGIServer|gunicorn)\b/],
    rawBody:
      'A WSGI stream can be read only once: keep the bytes of the first read. In Django, use request.body before request.POST or request.read().',
  },
  {
    header: ['server', /^(?:uvicorn|hypercorn|daphne)\b/i],
    rawBody: 'In FastAPI and Starlette, use await request.body().',
  },
  {
    header: ['server', /^TornadoServer\b|\baiohttp\b/],
    rawBody: 'In Tornado, use self.request.body. In aiohttp, use await request.read().',
  },
  {
    header: ['server', /\bRuby\b|^(?:WEBrick|thin|puma)\b/i],
    rawBody: 'In Rack, call request.body.rewind before request.body.read if something has read it before.',
  },
  {
    header: ['x-powered-by', /^PHP\b/],
    rawBody:
      "In PHP, use file_get_contents('php://input'). In Laravel and Symfony, use $request->getContent().",
  },
  {
    header: ['server', /^Kestrel\b/],
    rawBody:
      'In ASP.NET Core, call Request.EnableBuffering(), and set Request.Body.Position = 0 after each read.',
  },
];
