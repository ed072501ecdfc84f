// What acr_values and claims ask, and how what was shown stands to it (OpenID Connect Core §3.1.2.1, §5.5; D41).
import { describe, expect, test } from 'vitest';
import { acrStanding, askedOf, askingAgain } from '../../src/oauth/asked-acr.ts';
import type { Acr, Method } from '../../src/oauth/authentication-methods.ts';
import { parseParameters } from '../../src/oauth/parameters.ts';
import { refusalOf } from '../support/refusal.ts';

const asked = (fields: Record<string, string>) =>
  askedOf(parseParameters(new URLSearchParams(fields).toString()));
const claims = (idToken: unknown) => ({ claims: JSON.stringify({ id_token: idToken }) });

describe('what is asked', () => {
  test.each([
    [{}, [], false],
    [{ acr_values: 'gold phr 2 2' }, ['phr', '2'], false],
    [{ claims: '{}' }, [], false],
    [{ claims: '{"userinfo":{"name":{"essential":true}}}' }, [], false],
    [claims({ acr: null, sub: null, auth_time: { essential: true } }), [], false],
    [claims({ acr: { value: '2' } }), ['2'], false],
    [{ ...claims({ acr: { values: ['phr'] } }), acr_values: '2' }, ['phr', '2'], false],
    [claims({ acr: { essential: true, values: ['gold', 'phr'] } }), ['phr'], true],
    [{ ...claims({ acr: { essential: true, value: '2' } }), acr_values: '1' }, ['2'], true],
    [claims({ acr: { essential: true } }), [], false], // whatever is claimed will do
  ])('%j', (fields, values, essential) => {
    expect(asked(fields as Record<string, string>)).toEqual({
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
  ])('claims that cannot be read are refused', (text) => {
    expect(refusalOf(() => asked({ claims: text }))).toMatchObject({
      error: 'invalid_request',
      reason: { kind: 'claims_unreadable' },
    });
  });

  test('an essential acr that nobody knows cannot be met', () => {
    expect(refusalOf(() => asked(claims({ acr: { essential: true, values: ['gold'] } })))).toMatchObject({
      error: 'unmet_authentication_requirements',
      reason: { kind: 'acr_unmet', sent: 'gold' },
    });
  });

  test.each([
    { acr_values: 'phr 2' },
    claims({ acr: { essential: true, values: ['2', '1'] } }),
    claims({ sub: { value: 'ada' } }),
  ])('%j is asked again as it was', (fields) => {
    const first = asked(fields as Record<string, string>);
    const again = askingAgain(first.acr, first.subject);
    const sent = Object.entries(again).filter(([, value]) => value !== undefined);
    expect(asked(Object.fromEntries(sent) as Record<string, string>)).toEqual(first);
  });
});

describe('how what was shown stands to it', () => {
  test.each([
    [[], ['pwd'], [], 'met'],
    [['1'], ['pwd'], ['otp'], 'met'],
    [['2'], ['pwd'], [], 'unmet'],
    [['2'], ['pwd'], ['otp'], 'step-up'],
    [['2'], ['pwd'], ['swk'], 'step-up'],
    [['2'], ['pwd', 'otp'], ['otp'], 'met'],
    [['2'], ['swk'], [], 'met'],
    [['2', '1'], ['pwd'], ['otp'], 'step-up'],
    [['2', '1'], ['pwd'], [], 'met'],
    [['1', '2'], ['pwd'], ['otp'], 'met'],
    [['phr'], ['pwd', 'otp'], ['otp'], 'unmet'],
    [['phr'], ['pwd', 'otp'], ['otp', 'swk'], 'step-up'],
    [['phrh'], ['swk'], ['swk'], 'unmet'],
    [['phrh'], ['swk'], ['swk', 'hwk'], 'step-up'],
    [['phrh', 'phr'], ['swk'], ['swk'], 'met'],
    [['phr'], ['hwk'], [], 'met'],
  ] as [Acr[], Method[], Method[], string][])(
    '%j after %j, with %j at hand: %s',
    (values, methods, means, standing) => {
      expect(acrStanding({ values, essential: false }, methods, means)).toBe(standing);
    },
  );
});
