import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLogoLoader, type EmailImage } from '../../src/mail/logo.ts';
import { createBranding } from '../support/service.ts';

const rethrow = (error: unknown) => {
  throw error;
};

/** Returns an image's format and size, and the colors of its middle and one corner. */
async function inspectImage(image: EmailImage | undefined) {
  const { data, info } = await sharp(image?.content)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colorAt = (x: number, y: number) => [...data.subarray(4 * (y * info.width + x)).subarray(0, 4)];
  const { format } = await sharp(image?.content).metadata();
  return { format, size: [info.width, info.height], middle: colorAt(48, 48), corner: colorAt(1, 1) };
}

describe('the logo in emails', () => {
  test('is the default logo if none is configured', async () => {
    const logo = await createLogoLoader({ logo: undefined }, rethrow)();
    expect(logo?.cid).toBe('logo');
    expect(logo?.content.length).toBeLessThan(5_000);
    expect(await inspectImage(logo)).toMatchObject({ format: 'png', size: [96, 96] });
  });

  test('is the configured logo, converted to PNG', async () => {
    expect(await inspectImage(await createLogoLoader(readConfig(createBranding()), rethrow)())).toEqual({
      format: 'png',
      size: [96, 96],
      middle: [0x0b, 0x6e, 0x4f, 255],
      corner: [0, 0, 0, 0],
    });
  });

  test('is omitted if the conversion fails', async () => {
    const errors: unknown[] = [];
    const broken = {
      type: 'image/png',
      content: Buffer.from('\x89PNG\r\n\x1a\n, followed by a string', 'latin1'),
    } as const;
    const logo = createLogoLoader({ logo: broken }, (error) => errors.push(error));
    expect([await logo(), await logo()]).toEqual([undefined, undefined]);
    expect(errors).toHaveLength(1);
  });
});
