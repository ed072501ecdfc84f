// Creates pictures to upload, including malicious ones.
import sharp from 'sharp';

/** The left half is blue, and the right half is red. */
export const createTwoColorPicture = (width = 400, height = 300) =>
  sharp({ create: { width, height, channels: 3, background: '#ff0000' } }).composite([
    {
      input: { create: { width: Math.floor(width / 2), height, channels: 3, background: '#0000ff' } },
      left: 0,
      top: 0,
    },
  ]);

export const createAnimation = async (format: 'gif' | 'webp'): Promise<Buffer> => {
  const frames = await Promise.all(
    ['#ff0000', '#00ff00'].map((background) =>
      sharp({ create: { width: 32, height: 32, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
};

/** The file is a few hundred kB, but needs 400 MB when decoded. */
export const createInterlacedPng = (): Promise<Buffer> =>
  sharp({ create: { width: 7000, height: 7000, channels: 4, background: '#000000' } })
    .toColourspace('rgb16')
    .png({ progressive: true, compressionLevel: 9 })
    .toBuffer();

export async function createOversizedPng(side: number): Promise<Buffer> {
  return sharp({
    create: { width: side, height: side, channels: 3, background: '#000000' },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
}
