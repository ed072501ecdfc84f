// Pictures and other files, as people and attackers upload them.
import sharp from 'sharp';

/** A picture with coloured halves, wider than high. */
export const halves = (width = 400, height = 300) =>
  sharp({ create: { width, height, channels: 3, background: '#ff0000' } }).composite([
    {
      input: { create: { width: Math.floor(width / 2), height, channels: 3, background: '#0000ff' } },
      left: 0,
      top: 0,
    },
  ]);

/** A GIF or WebP of two frames. */
export const animation = async (format: 'gif' | 'webp'): Promise<Buffer> => {
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

/** A PNG of some hundred kB that takes 400 MB once it is decoded. */
export const interlaced = (): Promise<Buffer> =>
  sharp({ create: { width: 7000, height: 7000, channels: 4, background: '#000000' } })
    .toColourspace('rgb16')
    .png({ progressive: true, compressionLevel: 9 })
    .toBuffer();

/** A small PNG whose head says that it has so many pixels a side: what is called a decompression bomb. */
export async function gigantic(side: number): Promise<Buffer> {
  return sharp({
    create: { width: side, height: side, channels: 3, background: '#000000' },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
}
