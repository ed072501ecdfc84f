// Proves that nothing interpolated can become markup, and that nothing is lost on the way to the reader.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Html, html, type Renderable, render } from '../../../src/web/html/html.ts';

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** What a browser shows for escaped text. */
function decode(markup: string): string {
  return markup.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

/** Strings in which the dangerous characters are common rather than rare. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', 'a', ';', '#', '\0', '\n', '`', '-', '!'),
  }),
  fc.constantFrom(
    '</p><script>alert(1)</script>',
    '" onfocus="alert(1)',
    "' x='",
    '<!--',
    ']]>',
    '&lt;',
    '&amp;amp;',
  ),
);

describe('html`…`', () => {
  test('no interpolated string can create or close a tag', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const markup = render(html`<p>${text}</p>`);
        expect(markup.match(/[<>]/g)).toEqual(['<', '>', '<', '>']);
      }),
    );
  });

  test('no interpolated string can leave a quoted attribute', () => {
    fc.assert(
      fc.property(hostile, hostile, (first, second) => {
        const markup = render(html`<a title="${first}" lang='${second}'>`);
        expect(markup.match(/["']/g)).toEqual(['"', '"', "'", "'"]);
        expect(markup.match(/[<>]/g)).toEqual(['<', '>']);
      }),
    );
  });

  test('the reader sees exactly what was interpolated', () => {
    fc.assert(fc.property(hostile, (text) => decode(render(html`${text}`)) === text));
  });

  test('Html is kept as it is, at any depth, and escaped only once', () => {
    fc.assert(
      fc.property(fc.array(hostile), (texts) => {
        const items = texts.map((text) => html`<li>${text}</li>`);
        const markup = render(html`<ul>${[items, [[]]]}</ul>`);
        expect(markup).toBe(`<ul>${items.map(render).join('')}</ul>`);
        expect(markup.match(/<li>/g)?.length ?? 0).toBe(texts.length);
      }),
    );
  });

  test('null, undefined and false render nothing; 0 and the empty string render themselves', () => {
    expect(render(html`[${null}${undefined}${false}${''}${0}]`)).toBe('[0]');
  });

  test('an object that looks like Html is not taken for it', () => {
    const forged = JSON.parse('{"markup":"<script>"}');
    expect(render(html`${forged as Renderable}`)).toBe('[object Object]');
    const stringlike = { toString: () => '<script>' };
    expect(render(html`${stringlike as unknown as Renderable}`)).toBe('&lt;script&gt;');
    expect(html`x`).toBeInstanceOf(Html);
  });
});
