import { describe, expect, it } from 'vitest';
import {
  findWebhookUrlError,
  findWebhookUrlProblem,
  isSameUrl,
  toForwardUrl,
  WEBHOOK_URL_MAX_LENGTH,
} from '../../src/domain/webhook-url.ts';

const longest = `https://example.com/${'a'.repeat(WEBHOOK_URL_MAX_LENGTH - 20)}`;

describe('findWebhookUrlProblem', () => {
  it.each([
    'https://example.com',
    'https://example.com:8443/hooks?tenant=1',
    'https://10.0.0.1/',
    'https://localhost:3000/',
    'HTTPS://Example.COM/',
    'https://bücher.example/ä',
    'http://localhost:3000/hooks',
    'http://app.localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://192.168.0.7',
    'http://[fd12::7]/',
    'http://host.docker.internal:8080/',
    'http://receiver/',
    'http://lvh.me:3000/',
    'http://hooks.example.com/',
    longest,
  ])('findWebhookUrlProblem accepts %s if local receivers are accepted [webhook.url]', (url) => {
    expect(findWebhookUrlProblem(url, 'local')).toBeNull();
  });

  it('findWebhookUrlProblem accepts letters such as ü after thousands of checks', () => {
    for (let i = 0; i < 20_000; i++) findWebhookUrlProblem('https://example.com/', 'local');
    expect(findWebhookUrlProblem('https://bücher.example/ä', 'local')).toBeNull();
  });

  it.each([
    ['http://8.8.8.8/', 'must use HTTPS'],
    ['http://[::ffff:8.8.8.8]/', 'must use HTTPS'],
  ])(
    'findWebhookUrlProblem accepts plain HTTP only for loopback and private addresses, not %s [webhook.url]',
    (url, problem) => {
      expect(findWebhookUrlProblem(url, 'local')).toContain(problem);
    },
  );

  it.each([
    'http://example.com/',
    'http://localhost/',
    'https://localhost/',
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://receiver.internal/',
    'https://receiver/',
  ])(
    'findWebhookUrlProblem refuses %s if an endpoint must be publicly reachable over HTTPS [§6.registration.url, webhook.url]',
    (url) => {
      expect(findWebhookUrlProblem(url, 'public')).toContain('must be publicly reachable over HTTPS');
    },
  );

  it('findWebhookUrlError names the setting that accepts a URL only if there is one [webhook.url]', () => {
    expect(findWebhookUrlError('url', 'http://127.0.0.1/', 'public')).toMatchObject({
      code: 'validation_failed',
      message: 'url must be publicly reachable over HTTPS (127.0.0.1 is a loopback address).',
      hint: { text: expect.stringContaining('"overrides": {"webhook.url": "local"}') },
    });
    expect(findWebhookUrlError('url', 'http://8.8.8.8/', 'public')).toMatchObject({ hint: undefined });
    expect(findWebhookUrlError('url', 'http://8.8.8.8/', 'local')).toMatchObject({ hint: undefined });
    expect(findWebhookUrlError('url', 'http://127.0.0.1/', 'local')).toBeNull();
  });

  it.each(['https://example.com/hooks', 'https://8.8.8.8/', 'https://[2606:4700::1111]:8443/'])(
    'findWebhookUrlProblem accepts %s if an endpoint must be publicly reachable over HTTPS [§6.registration.url, webhook.url]',
    (url) => {
      expect(findWebhookUrlProblem(url, 'public')).toBeNull();
    },
  );

  it.each([
    ['http://2852039166/', '169.254.169.254'],
    ['http://0xa9fea9fe/', '169.254.169.254'],
    ['http://0xa9.0xfe.0xa9.0xfe/', '169.254.169.254'],
    ['http://0251.0376.0251.0376/', '169.254.169.254'],
    ['http://169.254.43518/', '169.254.169.254'],
    ['http://１６９.254.169.254/', '169.254.169.254'],
    ['https://169.254.169.254/latest/meta-data', '169.254.169.254'],
    ['http://[::ffff:169.254.169.254]/', '[::ffff:a9fe:a9fe]'],
    ['http://[64:ff9b::a9fe:a9fe]/', '[64:ff9b::a9fe:a9fe]'],
    ['http://[2002:a9fe:a9fe::]/', '[2002:a9fe:a9fe::]'],
    ['https://[fd00:ec2::254]/', '[fd00:ec2::254]'],
    ['https://[fe80::1]/', '[fe80::1]'],
    ['http://0/', '0.0.0.0'],
    ['http://[::]:3000/', '[::]'],
  ])(
    'findWebhookUrlProblem refuses a link-local, metadata or unspecified address in every spelling: %s',
    (url, address) => {
      expect(findWebhookUrlProblem(url, 'local')).toContain('must not be a blocked address');
      expect(findWebhookUrlProblem(url, 'local')).toContain(address);
    },
  );

  it.each(['http://0x7f.1:3000/', 'http://2130706433/', 'http://0177.0.0.1/', 'http://127.1/'])(
    'findWebhookUrlProblem recognizes another spelling of loopback: %s',
    (url) => {
      expect(findWebhookUrlProblem(url, 'local')).toBeNull();
      expect(findWebhookUrlProblem(url.replace('http:', 'https:'), 'public')).not.toBeNull();
    },
  );

  it.each([
    ['', 'absolute'],
    ['example.com/hooks', 'absolute'],
    ['/hooks', 'absolute'],
    ['file:///etc/passwd', 'absolute'],
    ['javascript:alert(1)', 'absolute'],
    ['https:example.com', 'absolute'],
    ['https:///example.com', 'absolute'],
    ['https:\\\\example.com', 'absolute'],
    ['https://exa mple.com/', 'whitespace'],
    [' https://example.com/', 'whitespace'],
    ['https://example.com/\r\nX-Injected: 1', 'whitespace'],
    ['https://example.com/\u0000', 'whitespace'],
    ['https://example.com/\u200b', 'whitespace'],
    ['https://example.com/\ud800', 'whitespace'],
    ['https://example.com:99999/', 'absolute'],
    ['https://[::1/', 'absolute'],
    ['https://300.0.0.1/', 'absolute'],
    ['https://user:secret@example.com/', 'user name'],
    ['https://user@example.com/', 'user name'],
    ['https://:secret@example.com/', 'user name'],
    ['https://example.com:0/', 'port 0'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com/#', 'fragment'],
    [`${longest}a`, 'at most 2048'],
    ['ftp://example.com', 'must be an absolute https:// or http:// URL'],
  ])('findWebhookUrlProblem refuses %j and says what the URL must be', (url, problem) => {
    expect(findWebhookUrlProblem(url, 'local')).toContain(problem);
  });
});

it('findWebhookUrlProblem asks for an https:// URL if an endpoint must be publicly reachable', () => {
  expect(findWebhookUrlProblem('ftp://example.com', 'public')).toBe('must be an absolute https:// URL');
});

describe('toForwardUrl', () => {
  it.each([
    ['3000', 'http://localhost:3000/'],
    [':3000', 'http://localhost:3000/'],
    ['3000/hooks', 'http://localhost:3000/hooks'],
    [':3000/hooks?a=1', 'http://localhost:3000/hooks?a=1'],
    ['localhost', 'http://localhost/'],
    ['LocalHost/hooks', 'http://localhost/hooks'],
    ['[fd12::a]/hooks', 'http://[fd12::a]/hooks'],
    ['example.com.?a', 'https://example.com./?a'],
    ['app:80', 'http://app/'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['192.168.1.7:8080/in', 'http://192.168.1.7:8080/in'],
    ['[::1]:3000', 'http://[::1]:3000/'],
    ['host.docker.internal:8080', 'http://host.docker.internal:8080/'],
    ['web:8080/hooks', 'http://web:8080/hooks'],
  ])('an address on this machine or network gets http: %s', (written, url) => {
    expect(toForwardUrl(written)).toBe(url);
  });

  it.each([
    ['hooks.example.com', 'https://hooks.example.com/'],
    ['hooks.example.com:8443/in', 'https://hooks.example.com:8443/in'],
    ['8.8.4.4/in', 'https://8.8.4.4/in'],
  ])('an address elsewhere gets https: %s', (written, url) => {
    expect(toForwardUrl(written)).toBe(url);
  });

  it.each(['http://localhost:3000', 'https://localhost:3000/a#b', 'HTTP://hooks.example.com', 'http://3000'])(
    'a URL with a scheme is unchanged: %s',
    (written) => {
      expect(toForwardUrl(written)).toBe(written);
    },
  );

  it.each([
    ...['', ' ', ':', '/hooks', '//localhost:3000', '70000', ':99999/in', 'localhost:port', 'a b:3000'],
    ...['http://', 'ftp://localhost:3000', '::1', ':3000:4000', 'mailto:somebody'],
    ...[
      '.',
      'a..b',
      'nope.',
      '.nope',
      'nope',
      'nope/webhooks',
      'nope/a.b:80',
      'nope?a=b.c',
      'localhosts',
      'localhost-3000',
      '0x7f000001',
    ],
  ])('toForwardUrl(%j) returns null', (written) => {
    expect(toForwardUrl(written)).toBeNull();
  });
});

it.each([
  ['http://localhost:3000', 'http://LOCALHOST:3000/', true],
  ['https://example.com:443/a?b', 'https://example.com/a?b', true],
  ['http://localhost:3000/a', 'http://localhost:3000/a/', false],
  ['http://localhost:3000/', 'https://localhost:3000/', false],
  ['http://127.0.0.1:3000/hooks', 'http://localhost:3000/hooks', true],
  ['http://[::1]:3000/', 'http://127.0.0.1:3000/', false],
])('isSameUrl compares %s with %s', (one, other, isSame) => {
  expect(isSameUrl(one, other)).toBe(isSame);
});
