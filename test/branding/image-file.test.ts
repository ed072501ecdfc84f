// Which files an operator's pictures may be: of what they are, not of what they are called, and SVG without anything that acts.
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { asSvg, readImage } from '../../src/branding/image-file.ts';

const MOST = 100_000;
const svg = (inside: string, root = 'viewBox="0 0 8 8"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${root}>${inside}</svg>`);
const SQUARE = '<path d="M0 0h8v8z"/>';

const blank = sharp({ create: { width: 8, height: 4, channels: 4, background: '#0b6e4f' } });

describe('is taken', () => {
  test.each(['png', 'jpeg', 'webp'] as const)('a %s, and put into a square SVG', async (format) => {
    const content = await blank.clone().toFormat(format).toBuffer();
    const image = readImage(content, MOST);
    expect(image).toEqual({ type: `image/${format}`, content });
    if ('fault' in image) return;
    const wrapped = asSvg(image).toString();
    expect(wrapped).toMatch(/viewBox="0 0 64 64"/);
    expect(wrapped).toContain(`href="data:image/${format};base64,${content.toString('base64')}"`);
    // What is served passes its own rules.
    expect(readImage(Buffer.from(wrapped), MOST)).toMatchObject({ type: 'image/svg+xml' });
  });

  test('our own logo', async () => {
    const content = await readFile('src/public/logo.svg');
    expect(readImage(content, MOST)).toEqual({ type: 'image/svg+xml', content });
  });

  test('an SVG of shapes, text, gradients and filters', () => {
    for (const inside of [
      SQUARE,
      `<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs><rect fill="url(#a)" width="8" height="8"/>`,
      `<style>path { fill: url("#a") } @media (prefers-color-scheme: dark) { path { fill: #fff } }</style>${SQUARE}`,
      `<filter id="f"><feGaussianBlur stdDeviation="1"/></filter><use href="#f"/><use xlink:href="#f" xmlns:xlink="http://www.w3.org/1999/xlink"/>`,
      `<image href="data:image/png;base64,iVBORw0KGgo="/>`,
    ])
      expect(readImage(svg(inside), MOST), inside).toMatchObject({ type: 'image/svg+xml' });
  });

  test('what drawing programs write around it', () => {
    const text = `\ufeff<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with Inkscape -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg width="8mm" viewBox="0 0 8 8" xmlns="http://www.w3.org/2000/svg" xmlns:svg="http://www.w3.org/2000/svg"
 xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"><sodipodi:namedview id="a"/>${SQUARE}</svg>`;
    expect(readImage(Buffer.from(text), MOST)).toMatchObject({ type: 'image/svg+xml' });
  });
});

describe('is refused', () => {
  test('an SVG with anything that acts or fetches', () => {
    const REFUSED = [
      ['<script>alert(1)</script>', 'script'],
      ['<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>', 'script'],
      ['<h:iframe xmlns:h="http://www.w3.org/1999/xhtml"/>', 'iframe'],
      ['<foreignObject><p>x</p></foreignObject>', 'foreignObject'],
      ['<a href="#x"><path d="M0 0"/></a>', '<a>'],
      ['<animate attributeName="href" to="javascript:alert(1)"/>', 'animate'],
      ['<set attributeName="onload" to="alert(1)"/>', 'set'],
      ['<path onload="alert(1)" d="M0 0"/>', 'onload'],
      ["<path d='M0 0'onclick ='alert(1)'/>", 'onclick'],
      ['<image href="https://evil.example/x.png"/>', 'evil.example'],
      ['<image xlink:href="//evil.example/x.png"/>', 'evil.example'],
      ['<image href="data:image/svg+xml;base64,PHN2Zz4="/>', 'data:image/svg'],
      ['<use href="&#104;ttps://evil.example/x.svg#a"/>', '&#104;'],
      ['<style>@import "https://evil.example/x.css";</style>', '@import'],
      ['<rect style="fill: url( https://evil.example/x)"/>', 'url('],
      ['<rect fill="url(&quot;https://evil.example/x&quot;)"/>', 'url('],
      ['<style><![CDATA[ x ]]></style>', 'CDATA'],
    ] as const;
    for (const [inside, named] of REFUSED)
      expect(readImage(svg(inside), MOST), inside).toEqual({ fault: expect.stringContaining(named) });
  });

  test('entities, a stylesheet of elsewhere, another encoding', () => {
    for (const before of [
      '<!DOCTYPE svg [<!ENTITY x "y">]>',
      '<?xml-stylesheet href="https://evil.example/x.css"?>',
      '<?xml version="1.0" encoding="utf-16"?>',
    ])
      expect(readImage(Buffer.concat([Buffer.from(before), svg(SQUARE)]), MOST)).toHaveProperty('fault');
  });

  test('an SVG that could not be shown', () => {
    expect(readImage(svg(SQUARE, 'width="8"'), MOST)).toEqual({ fault: expect.stringContaining('viewBox') });
    const unnamed = Buffer.from(`<svg viewBox="0 0 8 8">${SQUARE}</svg>`);
    expect(readImage(unnamed, MOST)).toEqual({ fault: expect.stringContaining('xmlns') });
  });

  test('everything else', () => {
    for (const [what, content] of [
      ['nothing', Buffer.alloc(0)],
      ['a GIF', Buffer.from('GIF89a.......')],
      ['a page', Buffer.from('<!doctype html><svg viewBox="0 0 8 8"></svg>')],
      ['words', Buffer.from('logo')],
      ['UTF-16', Buffer.from('\ufeff<svg viewBox="0 0 8 8"/>', 'utf16le')],
    ] as const)
      expect(readImage(content, MOST), what).toEqual({
        fault: expect.stringContaining('SVG (in UTF-8), PNG'),
      });
  });

  test('what is too large', () => {
    expect(readImage(Buffer.alloc(100_001), MOST)).toEqual({ fault: 'has 101 kB; 100 kB are the most' });
  });
});
