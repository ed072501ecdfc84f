import { describe, expect, test } from 'vitest';
import { createIpMatcher, isLoopbackIp, isPublicIp } from '../../src/oauth/public-ip.ts';

describe('isPublicIp', () => {
  test.each([
    ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...[
      '169.254.169.254',
      '100.64.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...['::1', '::', 'fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '2001:db8::1', '64:ff9b::7f00:1'],
    ...['::7f00:1', '::a00:1', '4000::1', 'fec0::1', '64:ff9b:1::7f00:1', '::ffff:0:127.0.0.1'],
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '2002:7f00:1::', '2001::1'],
    ...[
      '0.255.255.255',
      '100.127.255.255',
      '192.0.0.8',
      '192.88.99.1',
      '198.51.100.1',
      '203.0.113.1',
      '239.1.1.1',
    ],
    ...[
      'fd00:ec2::254',
      'febf::1',
      '3fff::1',
      '2001:2::1',
      '2001:10::1',
      '2001:20::1',
      '5f00::1',
      '100::1',
      '2002:5db8:d822::1',
    ],
    // Cloud metadata services
    ...[
      '169.254.170.2',
      '169.254.0.23',
      '100.100.100.200',
      '192.0.0.192',
      '168.63.129.16',
      '::ffff:168.63.129.16',
      '::ffff:a83f:8110',
      'fd20:ce::254',
    ],
    ...['64:ff9b::5db8:d822', '64:ff9b:1::5db8:d822', '2001:0:4136:e378::1', '::93.184.216.34'],
    // Notations that other programs may parse differently
    ...[
      '1572395042',
      '0x5db8d822',
      '013556154042',
      '0135.0270.0330.042',
      '93.12113954',
      '093.184.216.34',
      '93.184.216.34.',
    ],
    ...['2606:4700:4700::1111%1', ' 93.184.216.34', '[2606:4700:4700::1111]'],
    ...['localhost', 'example.com', '', '127.0.0.1.nip.io', '1.2.3.4:80', 'fe80::1%eth0'],
  ])('returns false for %s', (ip) => {
    expect(isPublicIp(ip)).toBe(false);
  });
});

test.each(['1.1.1.1', '93.184.216.34', '168.63.129.15', '::ffff:93.184.216.34', '2606:4700:4700::1111'])(
  'isPublicIp returns true for %s',
  (ip) => {
    expect(isPublicIp(ip)).toBe(true);
  },
);

test('createIpMatcher matches IPv4 and IPv6 addresses against networks', () => {
  const matches = createIpMatcher(['10.1.0.0/16', '192.168.7.7', 'fd00::/8']);
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', '192.168.7.7', 'fd12::1'])
    expect(matches(inside), inside).toBe(true);
  for (const outside of ['10.2.0.1', '192.168.7.8', 'fe80::1', 'fe80::1%eth0', '10.1', 'x', ''])
    expect(matches(outside), outside).toBe(false);
  expect(createIpMatcher([])('10.1.2.3')).toBe(false);
});

test.each([
  ['127.0.0.1', true],
  ['127.255.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['0.0.0.0', false],
  ['127.1', false],
  ['localhost', false],
])('isLoopbackIp(%s) is %s', (ip, isLoopback) => {
  expect(isLoopbackIp(ip)).toBe(isLoopback);
});
