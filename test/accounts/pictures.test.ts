// Encodes uploaded pictures and rejects other files.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { encodePicture } from '../../src/accounts/pictures.ts';
import {
  createAnimation,
  createInterlacedPng,
  createOversizedPng,
  createTwoColorPicture,
} from '../support/pictures.ts';

const decode = async (picture: Buffer | undefined) => {
  if (picture === undefined) throw new Error('the picture was refused');
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const getColorAt = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * info.channels).subarray(0, 3),
  ];
  return { info, getColorAt };
};
const isRed = ([red = 0, green = 0, blue = 0]: number[]) => red > 200 && green < 60 && blue < 60;
const isBlue = ([red = 0, green = 0, blue = 0]: number[]) => blue > 200 && red < 60 && green < 60;

describe('encodePicture', () => {
  test.each(['png', 'jpeg', 'webp'] as const)(
    'converts a %s picture to a square WebP picture',
    async (format) => {
      const picture = await encodePicture(await createTwoColorPicture(800, 300).toFormat(format).toBuffer());
      const { info, getColorAt } = await decode(picture);
      expect([info.width, info.height]).toEqual([256, 256]);
      expect((await sharp(picture).metadata()).format).toBe('webp');
      expect(isBlue(getColorAt(20, 128)), 'the left half').toBe(true);
      expect(isRed(getColorAt(236, 128)), 'the right half').toBe(true);
    },
  );

  test('enlarges small pictures and keeps transparency', async () => {
    const transparent = { r: 0, g: 0, b: 0, alpha: 0 };
    const small = await sharp({ create: { width: 3, height: 5, channels: 4, background: transparent } })
      .png()
      .toBuffer();
    const { width, hasAlpha } = await sharp(await encodePicture(small)).metadata();
    expect([width, hasAlpha]).toEqual([256, true]);
  });

  test('removes metadata such as the location', async () => {
    const secret = 'Rue du Secret 12';
    const file = await createTwoColorPicture()
      .withExif({ IFD0: { ImageDescription: secret }, IFD3: { GPSLatitude: '48/1 51/1 30/1' } })
      .withIccProfile('p3')
      .jpeg()
      .toBuffer();
    expect(file.includes(secret)).toBe(true);
    const picture = (await encodePicture(file)) ?? Buffer.alloc(0);
    const { exif, icc, xmp, iptc } = await sharp(picture).metadata();
    expect([exif, icc, xmp, iptc]).toEqual([undefined, undefined, undefined, undefined]);
    expect(picture.includes(secret)).toBe(false);
  });

  test('applies the EXIF orientation', async () => {
    const rotated = await createTwoColorPicture(300, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { getColorAt } = await decode(await encodePicture(rotated));
    expect(isBlue(getColorAt(128, 20)), 'the left half is at the top').toBe(true);
    expect(isRed(getColorAt(128, 236)), 'the right half is at the bottom').toBe(true);
  });

  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>';
  test.each<[string, () => Promise<Buffer> | Buffer]>([
    ['an empty file', () => Buffer.alloc(0)],
    ['an SVG after an XML declaration', () => Buffer.from(`<?xml version="1.0"?>\n${svg}`)],
    ['an animated GIF', () => createAnimation('gif')],
    ['an animated WebP', () => createAnimation('webp')],
    ['an AVIF image', () => createTwoColorPicture(64, 64).avif().toBuffer()],
    ['a PDF', () => Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\n')],
    [
      'a truncated PNG',
      async () => (await createTwoColorPicture().png({ compressionLevel: 0 }).toBuffer()).subarray(0, 9_000),
    ],
    [
      'a truncated JPEG',
      async () => (await createTwoColorPicture(2000, 2000).jpeg().toBuffer()).subarray(0, 9_000),
    ],
    ['a 64-megapixel PNG', () => createOversizedPng(8_000)],
    ['an interlaced 16-bit PNG with 49 megapixels', createInterlacedPng],
  ])('refuses %s', async (_, file) => {
    expect(await encodePicture(await file())).toBeUndefined();
  });
});

test('encodePicture fails with 503 if 19 pictures are already waiting', async () => {
  const file = await createTwoColorPicture().png().toBuffer();
  const results = await Promise.allSettled(Array.from({ length: 25 }, () => encodePicture(file)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
  expect(await encodePicture(file)).toBeDefined();
});
