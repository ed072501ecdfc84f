import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deferred, Html, html, type Renderable, render } from '../../../src/web/html/html.ts';

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function decode(markup: string): string {
  return markup.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

const hostileText = fc.oneof(
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

describe('the html`…` tag', () => {
  test('prevents strings from opening or closing a tag', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const markup = render(html`<p>${text}</p>`);
        expect(markup.match(/[<>]/g)).toEqual(['<', '>', '<', '>']);
      }),
    );
  });

  test('prevents strings from ending a quoted attribute', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (first, second) => {
        const markup = render(html`<a title="${first}" lang='${second}'>`);
        expect(markup.match(/["']/g)).toEqual(['"', '"', "'", "'"]);
        expect(markup.match(/[<>]/g)).toEqual(['<', '>']);
      }),
    );
  });

  test('renders deferred markup last and escapes the values', () => {
    let text = 'early';
    const markup = html`<p>${deferred(() => html`<b>${text}</b>`)}</p>`;
    text = '<late>';
    expect(render(markup)).toBe('<p><b>&lt;late&gt;</b></p>');
  });

  test('preserves the interpolated text', () => {
    fc.assert(fc.property(hostileText, (text) => decode(render(html`${text}`)) === text));
  });

  test('doesn’t escape Html values in nested arrays', () => {
    fc.assert(
      fc.property(fc.array(hostileText), (texts) => {
        const items = texts.map((text) => html`<li>${text}</li>`);
        const markup = render(html`<ul>${[items, [[]]]}</ul>`);
        expect(markup).toBe(`<ul>${items.map(render).join('')}</ul>`);
        expect(markup.match(/<li>/g)?.length ?? 0).toBe(texts.length);
      }),
    );
  });

  test('renders nothing for null, undefined, false and the empty string', () => {
    expect(render(html`[${null}${undefined}${false}${''}${0}]`)).toBe('[0]');
  });

  test('escapes objects that only look like Html', () => {
    const forged = JSON.parse('{"markup":"<script>"}');
    expect(render(html`${forged as Renderable}`)).toBe('[object Object]');
    const stringlike = { toString: () => '<script>' };
    expect(render(html`${stringlike as unknown as Renderable}`)).toBe('&lt;script&gt;');
    expect(html`x`).toBeInstanceOf(Html);
  });
});
