// The Config OP plan of the OpenID Foundation: the one module that reads discovery and keys.
import { describe, expect, test } from 'vitest';
import { expectHttps, publishedInProduction } from './in-production.ts';

const published = await publishedInProduction();
const list = (member: string) => published.discovery[member] as string[];

describe('oidcc-config-certification-test-plan', () => {
  describe('oidcc-discovery-endpoint-verification', () => {
    test('200, JSON, the issuer it was asked under, without a trailing slash', () => {
      expect(published.type).toMatch(/^application\/json\b/);
      expect(published.discovery.issuer).toBe(published.issuer);
      expect(published.issuer).toBe(new URL(published.issuer).origin);
    });

    test('every address is https', () => {
      expectHttps(published.discovery);
      for (const member of ['authorization', 'token', 'userinfo'])
        expect(published.discovery).toHaveProperty(`${member}_endpoint`);
      expect(published.discovery).toHaveProperty('jwks_uri');
      expect(published.discovery).not.toHaveProperty('registration_endpoint');
    });

    test('every list has the value that the plan needs', () => {
      const needed = {
        response_types_supported: 'code',
        subject_types_supported: 'public',
        id_token_signing_alg_values_supported: 'RS256',
        grant_types_supported: 'authorization_code',
        scopes_supported: 'openid',
        claims_supported: 'sub',
        code_challenge_methods_supported: 'S256',
        token_endpoint_auth_methods_supported: 'client_secret_basic',
      };
      for (const [member, value] of Object.entries(needed))
        expect(list(member), member).toEqual(expect.arrayContaining([value]));
    });

    test('request objects: by value, by reference, and their algorithms are said explicitly', () => {
      expect(published.discovery).toMatchObject({
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        claims_parameter_supported: true,
        request_object_signing_alg_values_supported: [],
      });
    });

    test('scopes and languages are well-formed (RFC 6749 §3.3, BCP 47)', () => {
      for (const scope of list('scopes_supported')) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
      const locales = list('ui_locales_supported');
      expect(Intl.getCanonicalLocales(locales)).toEqual(locales);
    });

    test('the keys are public ones with a kid each, of use for every algorithm that is listed (RFC 7517, RFC 7518)', () => {
      const kids = published.keys.map(({ kid }) => kid);
      expect(new Set(kids).size).toBe(kids.length);
      for (const key of published.keys) {
        expect(['RSA', 'EC', 'OKP']).toContain(key.kty);
        expect(key).toMatchObject({ kid: expect.stringMatching(/./), use: 'sig', alg: expect.any(String) });
        for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])
          expect(key).not.toHaveProperty(member);
        for (const member of ['n', 'e', 'x', 'y'])
          if (key[member] !== undefined) expect(key[member]).toMatch(/^[A-Za-z0-9_-]+$/);
      }
      const algorithms = published.keys.map(({ alg }) => alg);
      expect(algorithms).toEqual(expect.arrayContaining(list('id_token_signing_alg_values_supported')));
    });
  });
});
