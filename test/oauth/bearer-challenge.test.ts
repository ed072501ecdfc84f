// What a protected resource's challenge says, however it is written.
import { expect, test } from 'vitest';
import { bearerChallenge } from '../../src/oauth/bearer.ts';

test.each<[string | undefined, Record<string, string> | undefined]>([
  [undefined, undefined],
  ['Basic realm="x"', undefined],
  ['Bearer', {}],
  ['bearer scope="a b", scope="c"', { scope: 'a b' }],
  [
    'Basic realm="x", Bearer resource_metadata=https://a.example/x',
    { resource_metadata: 'https://a.example/x' },
  ],
  ['Bearer error_description="a \\"b\\""', { error_description: 'a "b"' }],
  // As long as a head may be: read to its end once, not from each of its letters.
  [`Bearer ${'a'.repeat(16_000)} scope=x`, { scope: 'x' }],
])('%.60s', (header, parameters) => {
  const found = bearerChallenge(header);
  expect(found && Object.fromEntries(found)).toEqual(parameters);
});
