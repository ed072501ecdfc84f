// Uploaded pictures: what they show is kept in a square of 256 pixels, whatever else the file is or holds is not.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { encodePicture } from '../../src/accounts/pictures.ts';
import { animation, gigantic, halves, interlaced } from '../support/pictures.ts';

const decoded = async (picture: Buffer | undefined) => {
  if (picture === undefined) throw new Error('the picture was refused');
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const colorAt = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * info.channels).subarray(0, 3),
  ];
  return { info, colorAt };
};
const isRed = ([red = 0, green = 0, blue = 0]: number[]) => red > 200 && green < 60 && blue < 60;
const isBlue = ([red = 0, green = 0, blue = 0]: number[]) => blue > 200 && red < 60 && green < 60;

describe('taken', () => {
  test.each(['png', 'jpeg', 'webp'] as const)(
    '%s becomes a WebP of 256 × 256, cut around its centre',
    async (format) => {
      const picture = await encodePicture(await halves(800, 300).toFormat(format).toBuffer());
      const { info, colorAt } = await decoded(picture);
      expect([info.width, info.height]).toEqual([256, 256]);
      expect((await sharp(picture).metadata()).format).toBe('webp');
      expect(isBlue(colorAt(20, 128)), 'the left half').toBe(true);
      expect(isRed(colorAt(236, 128)), 'the right half').toBe(true);
    },
  );

  test('a small one is made larger, a transparent one stays so', async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 };
    const small = await sharp({ create: { width: 3, height: 5, channels: 4, background: clear } })
      .png()
      .toBuffer();
    const { width, hasAlpha } = await sharp(await encodePicture(small)).metadata();
    expect([width, hasAlpha]).toEqual([256, true]);
  });

  test('metadata does not survive: place, camera, colour profile, comments', async () => {
    const secret = 'Rue du Secret 12';
    const file = await halves()
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

  test('a photograph is turned upright, as its camera noted', async () => {
    const turned = await halves(300, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { colorAt } = await decoded(await encodePicture(turned));
    expect(isBlue(colorAt(128, 20)), 'what was left is above').toBe(true);
    expect(isRed(colorAt(128, 236)), 'what was right is below').toBe(true);
  });
});

describe('refused', () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>';
  test.each<[string, () => Promise<Buffer> | Buffer]>([
    ['nothing', () => Buffer.alloc(0)],
    ['SVG behind an XML declaration', () => Buffer.from(`<?xml version="1.0"?>\n${svg}`)],
    ['an animated GIF', () => animation('gif')],
    ['an animated WebP', () => animation('webp')],
    ['AVIF', () => halves(64, 64).avif().toBuffer()],
    ['PDF', () => Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\n')],
    ['half a PNG', async () => (await halves().png({ compressionLevel: 0 }).toBuffer()).subarray(0, 9_000)],
    ['half a JPEG', async () => (await halves(2000, 2000).jpeg().toBuffer()).subarray(0, 9_000)],
    ['a PNG of 64 million pixels', () => gigantic(8_000)],
    ['an interlaced PNG of 49 million pixels with 16 bits a sample', interlaced],
  ])('%s', async (_, file) => {
    expect(await encodePicture(await file())).toBeUndefined();
  });
});

test('one at a time is encoded, 19 wait, and further ones are refused at once', async () => {
  const file = await halves().png().toBuffer();
  const results = await Promise.allSettled(Array.from({ length: 25 }, () => encodePicture(file)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({ status: 503, error: 'temporarily_unavailable' });
  expect(await encodePicture(file)).toBeDefined();
});
