// The colours of code: whatever they do, a text stays the same to whoever reads or copies it.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GROUPS, TEMPLATES } from '../../../src/pages/console/snippets/templates.ts';
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

const markup = (text: string, language: CodeLanguage) => render(html`${highlighted(text, language)}`);
/** What a browser shows of it. */
const shown = (text: string, language: CodeLanguage) => markup(text, language).replace(/<\/?span[^>]*>/g, '');

describe.each(LANGUAGES)('%s', (language) => {
  test('every template reads as it is written', () => {
    for (const { files } of TEMPLATES)
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
    '<span class="code-word">const</span> a = <span class="code-text">&#39;b&#39;</span>; <span class="code-comment">// c</span>',
  ],
  [
    'js',
    "fetch('https://a.example') // b",
    'fetch(<span class="code-text">&#39;https://a.example&#39;</span>) <span class="code-comment">// b</span>',
  ],
  [
    'sh',
    'curl https://a.example/#b # c',
    '<span class="code-word">curl</span> https://a.example/#b <span class="code-comment"># c</span>',
  ],
  ['yaml', "  a-b: 'c'", '  <span class="code-word">a-b</span>: <span class="code-text">&#39;c&#39;</span>'],
  ['env', '# a\nB=c', '<span class="code-comment"># a</span>\n<span class="code-word">B</span>=c'],
] as const)('%s: %s', (language, text, marked) => {
  expect(markup(text, language)).toBe(marked);
});

test('every template has a language of its own among them', () => {
  expect(GROUPS.length).toBeGreaterThan(5);
  for (const { files } of TEMPLATES)
    for (const { language, template } of files)
      expect(markup(template, language), template.slice(0, 40)).toContain('<span class="code-');
});
