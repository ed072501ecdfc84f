// Syntax highlighting adds markup and never changes the text.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  API_TEMPLATES,
  CLIENT_TEMPLATES,
  SNIPPET_GROUPS,
} from '../../../src/pages/console/snippets/templates.ts';
import { type CodeLanguage, highlight } from '../../../src/web/html/highlight.ts';
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

const ALL_TEMPLATES = [...CLIENT_TEMPLATES, ...API_TEMPLATES];

const highlightText = (text: string, language: CodeLanguage) => render(html`${highlight(text, language)}`);
const removeHighlighting = (text: string, language: CodeLanguage) =>
  highlightText(text, language).replace(/<\/?i\b[^>]*>/g, '');

describe.each(LANGUAGES)('highlighting as %s', (language) => {
  test('does not change the text of any code template', () => {
    for (const { files } of ALL_TEMPLATES)
      for (const { template } of files)
        expect(removeHighlighting(template, language)).toBe(render(html`${template}`));
  });

  test('does not change arbitrary text', () => {
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
        expect(removeHighlighting(text, language)).toBe(render(html`${text}`));
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
] as const)('comments, strings and keywords are highlighted in %s: %s', (language, text, highlighted) => {
  expect(highlightText(text, language)).toBe(highlighted);
});

test('every code template contains highlighted text', () => {
  expect(SNIPPET_GROUPS.length).toBeGreaterThan(5);
  for (const { files } of ALL_TEMPLATES)
    for (const { language, template } of files)
      expect(highlightText(template, language), template.slice(0, 40)).toContain('<i class="');
});
