// Parameters of queries and forms: read once, strictly, never throwing (D17, RFC 6749 §3.1, §3.2).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOf, parseParameters } from '../../src/oauth/parameters.ts';

describe('reading', () => {
  test('values are decoded as application/x-www-form-urlencoded', () => {
    const parameters = parseParameters('scope=openid+profile%20email&name=Zo%C3%A9&plus=%2B&eq=a=b');
    expect(parameters.get('scope')).toBe('openid profile email');
    expect(parameters.get('name')).toBe('Zoé');
    expect(parameters.get('plus')).toBe('+');
    expect(parameters.get('eq')).toBe('a=b');
    expect(faultOf(parameters)).toBeUndefined();
  });

  test('names are decoded too, so that an encoded spelling is the same parameter', () => {
    const parameters = parseParameters('client%5Fid=app&client_id=other');
    expect(parameters.get('client_id')).toBeUndefined();
    expect([...parameters.repeated]).toEqual(['client_id']);
  });

  test('an empty value is a missing one (RFC 6749 §3.1, D17)', () => {
    for (const text of ['state=', 'state', 'other=1', '', '&&'])
      expect(parseParameters(text).get('state'), text).toBeUndefined();
    expect(faultOf(parseParameters('state=&scope'))).toBeUndefined();
  });

  test('names that mean something to JavaScript are ordinary unknown parameters', () => {
    const parameters = parseParameters('__proto__=x&constructor=y&name[]=z&toString=t');
    expect(parameters.get('__proto__')).toBe('x');
    expect(parameters.get('constructor')).toBe('y');
    expect(parameters.get('name[]')).toBe('z');
    expect(parameters.get('name')).toBeUndefined();
    expect(parameters.get('hasOwnProperty')).toBeUndefined();
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(faultOf(parameters)).toBeUndefined();
  });
});

describe('faults', () => {
  test('a repeated parameter has no value and is a fault, whatever its values are (D17)', () => {
    for (const text of ['a=1&a=2', 'a=1&a=1', 'a=&a=1', 'a=1&a', 'a=%ff&a=1', 'a=1&a=%ff']) {
      const parameters = parseParameters(text);
      expect(parameters.get('a'), text).toBeUndefined();
      expect(faultOf(parameters)?.description, text).toBe("The parameter 'a' was sent more than once.");
    }
  });

  test('resource alone may come several times (RFC 8707 §2)', () => {
    const parameters = parseParameters('resource=https://a.example&resource=https://b.example');
    expect(faultOf(parameters)).toBeUndefined();
    expect(parameters.repeated.size).toBe(0);
  });

  test.each([
    ['bad percent-encoding', 'a=%zz'],
    ['a lone percent sign', 'a=100%'],
    ['a truncated sequence', 'a=%C3'],
    ['overlong UTF-8', 'a=%c0%80'],
    ['an encoded surrogate', 'a=%ed%a0%80'],
    ['NUL', 'a=x%00y'],
    ['a raw NUL', 'a=x\u0000y'],
    ['an escape character', 'a=%1b'],
    ['DEL', 'a=%7f'],
    ['what raw bytes that are no UTF-8 have become', 'a=\ufffd'],
  ])('%s makes the parameter malformed, without a value (D17)', (_, text) => {
    const parameters = parseParameters(`${text}&b=2`);
    expect(parameters.get('a')).toBeUndefined();
    expect(parameters.get('b')).toBe('2');
    expect(faultOf(parameters)?.description).toBe(
      "The parameter 'a' is not percent-encoded UTF-8 text without control characters.",
    );
  });

  test('a name that cannot be decoded is nobody’s', () => {
    const parameters = parseParameters('%ff=1&%00=2&a=3');
    expect([...parameters.entries]).toEqual([['a', '3']]);
    expect(faultOf(parameters)).toBeUndefined();
  });

  test('the description stays short printable ASCII without quote or backslash (RFC 6749 §5.2)', () => {
    const name = encodeURIComponent(`"é\\\n<${'x'.repeat(500)}`);
    const fault = faultOf(parseParameters(`${name}=1&${name}=2`))?.description ?? '';
    expect(fault).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(fault.length).toBeLessThan(100);
  });
});

describe('properties', () => {
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom('%', '%0', '%00', '%ff', '&', '=', '+', '[]', '__proto__', '\u0000', '\ud800'),
        fc.string({ unit: 'binary' }),
      ),
    )
    .map((pieces) => pieces.join(''));

  test('no text whatever makes it throw, and no value holds a NUL', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const parameters = parseParameters(text);
        faultOf(parameters);
        for (const [name, value] of parameters.entries) {
          expect(`${name}${value}`).not.toContain('\u0000');
          expect(parameters.get(name) ?? '').toBe(parameters.repeated.has(name) ? '' : value);
        }
      }),
      { numRuns: 500 },
    );
  });
});
