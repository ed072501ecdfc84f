import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findParameterError, parseParameters } from '../../src/oauth/parameters.ts';

describe('parseParameters', () => {
  test('decodes values as application/x-www-form-urlencoded', () => {
    const parameters = parseParameters('scope=openid+profile%20email&name=Zo%C3%A9&plus=%2B&eq=a=b');
    expect(parameters.get('scope')).toBe('openid profile email');
    expect(parameters.get('name')).toBe('Zoé');
    expect(parameters.get('plus')).toBe('+');
    expect(parameters.get('eq')).toBe('a=b');
    expect(findParameterError(parameters)).toBeUndefined();
  });

  test('decodes names before detecting repeated parameters', () => {
    const parameters = parseParameters('client%5Fid=app&client_id=other');
    expect(parameters.get('client_id')).toBeUndefined();
    expect([...parameters.repeated]).toEqual(['client_id']);
  });

  test('treats empty parameters as absent (RFC 6749 §3.1)', () => {
    for (const text of ['state=', 'state', 'other=1', '', '&&'])
      expect(parseParameters(text).get('state'), text).toBeUndefined();
    expect(findParameterError(parseParameters('state=&scope'))).toBeUndefined();
  });

  test('accepts names such as __proto__ and constructor', () => {
    const parameters = parseParameters('__proto__=x&constructor=y&name[]=z&toString=t');
    expect(parameters.get('__proto__')).toBe('x');
    expect(parameters.get('constructor')).toBe('y');
    expect(parameters.get('name[]')).toBe('z');
    expect(parameters.get('name')).toBeUndefined();
    expect(parameters.get('hasOwnProperty')).toBeUndefined();
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(findParameterError(parameters)).toBeUndefined();
  });
});

describe('findParameterError', () => {
  test('reports a repeated parameter (RFC 6749 §3.1)', () => {
    for (const text of ['a=1&a=2', 'a=1&a=1', 'a=&a=1', 'a=1&a', 'a=%ff&a=1', 'a=1&a=%ff']) {
      const parameters = parseParameters(text);
      expect(parameters.get('a'), text).toBeUndefined();
      expect(findParameterError(parameters)?.description, text).toBe(
        "The parameter 'a' was sent more than once.",
      );
    }
  });

  test('accepts several resource parameters (RFC 8707 §2)', () => {
    const parameters = parseParameters('resource=https://a.example&resource=https://b.example');
    expect(findParameterError(parameters)).toBeUndefined();
    expect(parameters.repeated.size).toBe(0);
  });

  test.each([
    ['bad percent-encoding', 'a=%zz'],
    ['a lone percent sign', 'a=100%'],
    ['a truncated UTF-8 sequence', 'a=%C3'],
    ['overlong UTF-8', 'a=%c0%80'],
    ['an encoded surrogate', 'a=%ed%a0%80'],
    ['NUL', 'a=x%00y'],
    ['a raw NUL', 'a=x\u0000y'],
    ['an escape character', 'a=%1b'],
    ['DEL', 'a=%7f'],
    ['the replacement character', 'a=\ufffd'],
  ])('reports a parameter with %s', (_, text) => {
    const parameters = parseParameters(`${text}&b=2`);
    expect(parameters.get('a')).toBeUndefined();
    expect(parameters.get('b')).toBe('2');
    expect(findParameterError(parameters)?.description).toBe(
      "The parameter 'a' must be percent-encoded UTF-8 text without control characters.",
    );
  });

  test('ignores parameters with malformed names', () => {
    const parameters = parseParameters('%ff=1&%00=2&a=3');
    expect([...parameters.entries]).toEqual([['a', '3']]);
    expect(findParameterError(parameters)).toBeUndefined();
  });

  test('returns only allowed characters (RFC 6749 §5.2)', () => {
    const name = encodeURIComponent(`"é\\\n<${'x'.repeat(500)}`);
    const description = findParameterError(parseParameters(`${name}=1&${name}=2`))?.description ?? '';
    expect(description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(description.length).toBeLessThan(100);
  });
});

describe('parsing of hostile input', () => {
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom('%', '%0', '%00', '%ff', '&', '=', '+', '[]', '__proto__', '\u0000', '\ud800'),
        fc.string({ unit: 'binary' }),
      ),
    )
    .map((pieces) => pieces.join(''));

  test('never throws or returns a NUL character', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const parameters = parseParameters(text);
        findParameterError(parameters);
        for (const [name, value] of parameters.entries) {
          expect(`${name}${value}`).not.toContain('\u0000');
          expect(parameters.get(name) ?? '').toBe(parameters.repeated.has(name) ? '' : value);
        }
      }),
      { numRuns: 500 },
    );
  });
});
