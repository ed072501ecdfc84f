import { expect, test } from 'vitest';
import { getDeviceKind, parseUserAgent } from '../../src/accounts/user-agent.ts';

const MOZILLA = 'Mozilla/5.0 ';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

const SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

test('parseUserAgent returns the browser and the operating system', () => {
  for (const [userAgent, browser, system] of [
    [`(Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome', 'Windows'],
    [
      `(Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
      'Edge',
      'Windows',
    ],
    [`(Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Version/18.6 Safari/605.1.15`, 'Safari', 'macOS'],
    [`(iPhone; CPU iPhone OS 18_6) ${SAFARI} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome', 'iPhone'],
    [`(iPad; CPU OS 18_6) ${SAFARI} FxiOS/143.0 Mobile/15E148 Safari/605.1.15`, 'Firefox', 'iPad'],
    [`(Linux; Android 14) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0`, 'Samsung Internet', 'Android'],
    ['(X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox', 'Linux'],
    [`(X11; Linux x86_64) ${SAFARI} Epiphany/605`, undefined, 'Linux'],
    ['Version/1 '.repeat(40), undefined, undefined],
  ])
    expect(parseUserAgent(`${MOZILLA}${userAgent}`), userAgent).toEqual({ browser, system });
  for (const unknown of [
    '',
    'curl/8.5.0',
    'okhttp/4.12 (Windows)',
    '<b>Chrome/1</b> Windows',
    `${MOZILLA}(?)`,
  ])
    expect(parseUserAgent(unknown), unknown).toEqual({ browser: undefined, system: undefined });
});

test('getDeviceKind returns the kind of device', () => {
  for (const [system, kind] of [
    ['iPhone', 'phone'],
    ['iPad', 'tablet'],
    ['Android', 'phone'],
    ['Windows', 'computer'],
    ['ChromeOS', 'computer'],
    [undefined, 'unknown'],
    [null, 'unknown'],
  ] as const)
    expect(getDeviceKind(system), String(system)).toBe(kind);
  const android = `${MOZILLA}(Linux; Android 14) ${WEBKIT} Chrome/141.0.0.0`;
  expect(getDeviceKind('Android', `${android} Mobile Safari/537.36`)).toBe('phone');
  expect(getDeviceKind('Android', `${android} Safari/537.36`)).toBe('tablet');
});
