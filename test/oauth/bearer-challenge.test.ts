import { expect, test } from 'vitest';
import { parseBearerChallenge } from '../../src/oauth/bearer.ts';

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
  // Long headers must be parsed in linear time.
  [`Bearer ${'a'.repeat(16_000)} scope=x`, { scope: 'x' }],
])('parseBearerChallenge parses a WWW-Authenticate header (example %#)', (header, parameters) => {
  const challenge = parseBearerChallenge(header);
  expect(challenge && Object.fromEntries(challenge)).toEqual(parameters);
});
