import { describe, expect, it } from 'vitest';
import { classifyAddress, classifyHost, isLoopbackName } from '../../src/domain/network-address.ts';

describe('classifyAddress', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['192.0.2.1', 'private'],
    ['198.51.100.255', 'private'],
    ['203.0.113.0', 'private'],
    ['2001:db8::1', 'private'],
    ['3fff:fff::1', 'private'],
    ['3fff:1000::1', 'public'],
    ['fd12:3456::1', 'private'],
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['100.128.0.0', 'public'],
    ['2606:4700::1111', 'public'],
  ])('the address %s is %s', (address, kind) => {
    expect(classifyAddress(address).kind).toBe(kind);
  });

  it.each([
    ['169.254.169.254', 'link-local'],
    ['169.254.0.0', 'link-local'],
    ['fe80::1', 'link-local'],
    ['febf:ffff::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fd00:ec2::254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['192.0.0.192', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'tunnel'],
    ['64:ff9b:1::a9fe:a9fe', 'translated'],
    ['example.com', 'not an IP address'],
    ['', 'not an IP address'],
    ['a:b', 'not an IP address'],
    ['::2', 'unspecified'],
    ['::1:0', 'unspecified'],
  ])('the address %s is blocked: %s', (address, word) => {
    const { kind, description } = classifyAddress(address);
    expect(kind).toBe('blocked');
    expect(description).toContain(word);
  });

  it.each([
    ['mapped', '::ffff:169.254.169.254', 'blocked'],
    ['mapped, in hexadecimal', '::ffff:a9fe:a9fe', 'blocked'],
    ['mapped, written out', '0:0:0:0:0:FFFF:A9FE:A9FE', 'blocked'],
    ['compatible', '::169.254.169.254', 'blocked'],
    ['translated', '::ffff:0:169.254.169.254', 'blocked'],
    ['NAT64', '64:ff9b::169.254.169.254', 'blocked'],
    ['6to4', '2002:a9fe:a9fe::1', 'blocked'],
    ['mapped', '::ffff:127.0.0.1', 'loopback'],
    ['6to4', '2002:7f00:1::', 'loopback'],
    ['NAT64', '64:ff9b::a00:1', 'private'],
    ['mapped', '::ffff:8.8.8.8', 'public'],
  ])(
    'an IPv6 address that contains an IPv4 address (%s) is classified by the IPv4 address: %s',
    (_form, address, kind) => {
      expect(classifyAddress(address).kind).toBe(kind);
    },
  );
});

it.each([
  ['localhost', 'loopback'],
  ['LOCALHOST.', 'loopback'],
  ['app.localhost', 'loopback'],
  ['notlocalhost', 'private'],
  ['printer.local', 'private'],
  ['host.docker.internal', 'private'],
  ['shop.test', 'private'],
  ['nas.home.arpa', 'private'],
  ['NAS.Home.Arpa', 'private'],
  ['receiver', 'private'],
  ['example.com', 'public'],
  ['localhost.example.com', 'public'],
  ['[::1]', 'loopback'],
  ['[fe80::1]', 'blocked'],
  ['10.1.2.3', 'private'],
])('the host %s is %s', (host, kind) => {
  expect(classifyHost(host).kind).toBe(kind);
});

it.each([
  ['LocalHost', true],
  ['App.Localhost.', true],
  ['localhost.example.com', false],
  ['notlocalhost', false],
])('isLoopbackName(%j) returns %s', (name, isLoopback) => {
  expect(isLoopbackName(name)).toBe(isLoopback);
});
