// A browser in two words, and nothing where they would be guessed.
import { describe, expect, test } from 'vitest';
import { readDevice } from '../../src/accounts/browser-name.ts';

const M = 'Mozilla/5.0 ';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('readDevice', () => {
  test.each([
    [`${M}(Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome', 'Windows'],
    [
      `${M}(Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
      'Edge',
      'Windows',
    ],
    [
      `${M}(Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 OPR/122.0.0.0`,
      'Opera',
      'macOS',
    ],
    [
      `${M}(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15`,
      'Safari',
      'macOS',
    ],
    [
      `${M}(iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1`,
      'Safari',
      'iPhone',
    ],
    [
      `${M}(iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`,
      'Chrome',
      'iPhone',
    ],
    [
      `${M}(iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/143.0 Mobile/15E148 Safari/605.1.15`,
      'Firefox',
      'iPad',
    ],
    [
      `${M}(Linux; Android 14; SM-S918B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
      'Samsung Internet',
      'Android',
    ],
    [`${M}(X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0`, 'Firefox', 'Linux'],
    [`${M}(X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome', 'ChromeOS'],
    [`${M}(X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Epiphany/605`, undefined, 'Linux'],
  ])('%s', (userAgent, browser, system) => {
    expect(readDevice(userAgent)).toEqual({ browser, system });
  });

  test.each([
    '',
    'node',
    'curl/8.5.0',
    'okhttp/4.12 (Windows)',
    '<b>Chrome/1</b> Windows',
    'Mozilla/5.0',
    `${M}(?)`,
  ])('what names nothing we know stays unknown: %j', (userAgent) => {
    expect(readDevice(userAgent)).toEqual({ browser: undefined, system: undefined });
  });

  test('takes no longer for a hostile one', () => {
    const hostile = `${M}${'Version/1 '.repeat(40)}`.slice(0, 400);
    expect(readDevice(hostile)).toEqual({ browser: undefined, system: undefined });
  });
});
