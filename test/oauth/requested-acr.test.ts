import { describe, expect, test } from 'vitest';
import { parseParameters } from '../../src/oauth/parameters.ts';
import { parseRequestedAcr } from '../../src/oauth/requested-acr.ts';
import { catchOAuthError } from '../support/expect-error.ts';

const parseAcr = (fields: Record<string, string>) =>
  parseRequestedAcr(parseParameters(new URLSearchParams(fields).toString()));
const buildClaimsParameter = (idToken: unknown) => ({ claims: JSON.stringify({ id_token: idToken }) });

describe('parseRequestedAcr', () => {
  test.each([
    [{}, [], false],
    [{ acr_values: 'gold phr 2 2' }, ['phr', '2'], false],
    [{ claims: '{}' }, [], false],
    [{ claims: '{"userinfo":{"name":{"essential":true}}}' }, [], false],
    [buildClaimsParameter({ acr: null, sub: null, auth_time: { essential: true } }), [], false],
    [buildClaimsParameter({ acr: { value: '2' } }), ['2'], false],
    [{ ...buildClaimsParameter({ acr: { values: ['phr'] } }), acr_values: '2' }, ['phr', '2'], false],
    [buildClaimsParameter({ acr: { essential: true, values: ['gold', 'phr'] } }), ['phr'], true],
    [{ ...buildClaimsParameter({ acr: { essential: true, value: '2' } }), acr_values: '1' }, ['2'], true],
    // Without values, any acr is sufficient.
    [buildClaimsParameter({ acr: { essential: true } }), [], false],
  ])('parses %j', (fields, values, essential) => {
    expect(parseAcr(fields as Record<string, string>)).toEqual({
      acr: { values, essential },
      subject: undefined,
    });
  });

  test.each([
    'acr',
    '[]',
    'null',
    '"x"',
    '{"id_token":',
    '{"id_token":[]}',
    '{"id_token":{"acr":"2"}}',
    '{"id_token":{"acr":{"values":"2"}}}',
    '{"id_token":{"acr":{"values":[2]}}}',
    '{"id_token":{"acr":{"value":2}}}',
    '{"id_token":{"acr":{"essential":"yes","values":["2"]}}}',
    '{"id_token":{"sub":{"value":{}}}}',
    '['.repeat(100_000),
  ])('rejects a malformed claims parameter (example %#)', (text) => {
    expect(catchOAuthError(() => parseAcr({ claims: text }))).toMatchObject({
      error: 'invalid_request',
      reason: { kind: 'claims_invalid' },
    });
  });

  test('rejects a request if all essential acr values are unknown', () => {
    expect(
      catchOAuthError(() => parseAcr(buildClaimsParameter({ acr: { essential: true, values: ['gold'] } }))),
    ).toMatchObject({
      error: 'unmet_authentication_requirements',
      reason: { kind: 'acr_unmet', sent: 'gold' },
    });
  });
});
