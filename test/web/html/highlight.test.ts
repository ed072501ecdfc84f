// The colours of code: whatever they do, a text stays the same to whoever reads or copies it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { API_TEMPLATES, GROUPS, TEMPLATES } from '../../../src/pages/console/snippets/templates.ts';
import { type CodeLanguage, highlighted } from '../../../src/web/html/highlight.ts';
import { html, render } from '../../../src/web/html/html.ts';

const LANGUAGES: CodeLanguage[] = [
  'js',
  'python',
  'go',
  'php',
  'java',
  'csharp',
  'ruby',
  'sh',
  'yaml',
  'apache',
  'env',
  'css',
  'html',
  'plain',
];

const EVERY = [...TEMPLATES, ...API_TEMPLATES];

const markup = (text: string, language: CodeLanguage) => render(html`${highlighted(text, language)}`);
/** What a browser shows of it. */
const shown = (text: string, language: CodeLanguage) => markup(text, language).replace(/<\/?i\b[^>]*>/g, '');

describe.each(LANGUAGES)('%s', (language) => {
  test('every template reads as it is written', () => {
    for (const { files } of EVERY)
      for (const { template } of files) expect(shown(template, language)).toBe(render(html`${template}`));
  });

  test('so does any text', () => {
    const alphabet = fc.constantFrom(
      ...'"\'`\\/*#<>!-=: \n{}ab1',
      'return ',
      'import ',
      '<!--',
      '-->',
      '"""',
    );
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        expect(shown(text, language)).toBe(render(html`${text}`));
      }),
    );
  });
});

test.each([
  [
    'js',
    "const a = 'b'; // c",
    '<i class="w">const</i> a = <i class="t">&#39;b&#39;</i>; <i class="c">// c</i>',
  ],
  [
    'js',
    "fetch('https://a.example') // b",
    'fetch(<i class="t">&#39;https://a.example&#39;</i>) <i class="c">// b</i>',
  ],
  ['sh', 'curl https://a.example/#b # c', '<i class="w">curl</i> https://a.example/#b <i class="c"># c</i>'],
  ['yaml', "  a-b: 'c'", '  <i class="w">a-b</i>: <i class="t">&#39;c&#39;</i>'],
  ['env', '# a\nB=c', '<i class="c"># a</i>\n<i class="w">B</i>=c'],
] as const)('%s: %s', (language, text, marked) => {
  expect(markup(text, language)).toBe(marked);
});

test('every template has a language of its own among them', () => {
  expect(GROUPS.length).toBeGreaterThan(5);
  for (const { files } of EVERY)
    for (const { language, template } of files)
      expect(markup(template, language), template.slice(0, 40)).toContain('<i class="');
});
