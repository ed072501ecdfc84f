// For how long a document is gone by: what Cache-Control says, between five minutes and a day.
import { expect, test } from 'vitest';
import { freshFor } from '../../src/agents/document-reads.ts';

test.each<[string | undefined, number]>([
  [undefined, 300],
  ['', 300],
  ['public', 300],
  ['max-age=0', 300],
  ['max-age=299', 300],
  ['public, max-age=3600', 3600],
  ['Public, Max-Age="3600"', 3600],
  ['max-age=86400', 86_400],
  ['max-age=9999999999', 86_400],
  ['max-age=99999999999999', 300],
  ['max-age=-1', 300],
  ['max-age=7200, max-age=600', 600],
  ['no-store, max-age=3600', 300],
  ['no-cache', 300],
  ['no-cache="set-cookie", max-age=3600', 300],
  ['s-maxage=7200', 300],
])('%s: %i seconds', (cacheControl, seconds) => {
  expect(freshFor(cacheControl)).toBe(seconds);
});
