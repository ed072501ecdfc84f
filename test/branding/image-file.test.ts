// Logo file types, detected from the file's content.
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { parseImage, wrapInSvg } from '../../src/branding/image-file.ts';

const MAX_BYTES = 100_000;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>';

test('PNG, JPEG and WebP images are wrapped in a square SVG', async () => {
  const blank = sharp({ create: { width: 8, height: 4, channels: 4, background: '#0b6e4f' } });
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const content = await blank.clone().toFormat(format).toBuffer();
    const image = parseImage(content, MAX_BYTES);
    expect(image).toEqual({ type: `image/${format}`, content });
    if ('error' in image) continue;
    const wrapped = wrapInSvg(image);
    expect(wrapped.toString()).toContain(`href="data:image/${format};base64,${content.toString('base64')}"`);
    expect(parseImage(wrapped, MAX_BYTES)).toMatchObject({ type: 'image/svg+xml' });
  }
});

test('an SVG may begin with an XML declaration, comments and a doctype', async () => {
  const content = await readFile('src/public/logo.svg');
  expect(parseImage(content, MAX_BYTES)).toEqual({ type: 'image/svg+xml', content });
  const before = `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- Created with Inkscape -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">`;
  for (const svg of [SVG, SVG.replaceAll('"', "'"), SVG.replaceAll('=', ' = ')])
    expect(parseImage(Buffer.from(`${before}${svg}`), MAX_BYTES)).toMatchObject({ type: 'image/svg+xml' });
});

test('a file that is oversized, incomplete or of an unsupported type is refused', () => {
  for (const [content, error] of [
    ['', 'is not an SVG'],
    ['GIF89a.......', 'is not an SVG'],
    ['<!doctype html><svg viewBox="0 0 8 8"></svg>', 'is not an SVG'],
    [SVG.replace(/ viewBox="[^"]*"/, ''), 'without viewBox'],
    [SVG.replace(/ xmlns="[^"]*"/, ''), 'without xmlns'],
    ['x'.repeat(MAX_BYTES + 1), 'is 101 kB, but the maximum is 100 kB'],
  ] as const)
    expect(parseImage(Buffer.from(content), MAX_BYTES), content.slice(0, 99)).toEqual({
      error: expect.stringContaining(error),
    });
});
