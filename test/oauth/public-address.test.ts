// Which addresses the service may call by itself: no way to what only this machine or its network can reach.
import { describe, expect, test } from 'vitest';
import { isPublicAddress, isWithin, rangesOf } from '../../src/oauth/public-address.ts';

describe('not public', () => {
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
    ...['localhost', 'example.com', '', '127.0.0.1.nip.io', '1.2.3.4:80', 'fe80::1%eth0'],
  ])('%s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each(['1.1.1.1', '93.184.216.34', '::ffff:93.184.216.34', '2606:4700:4700::1111'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test('ranges: an address, a network, IPv4 within IPv6; nothing is within none', () => {
  const ranges = rangesOf(['10.1.0.0/16', '192.168.7.7', 'fd00::/8']);
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', '192.168.7.7', 'fd12::1'])
    expect(isWithin(inside, ranges), inside).toBe(true);
  for (const outside of ['10.2.0.1', '192.168.7.8', 'fe80::1', 'x', ''])
    expect(isWithin(outside, ranges), outside).toBe(false);
  expect(isWithin('10.1.2.3', rangesOf([]))).toBe(false);
});
