// Child process that converts the logo to PNG. Isolates the image decoders and their memory.
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';

const LOGO_SIZE = 96; // pixels, more than twice the displayed size

process.stdout.write(
  await sharp(await buffer(process.stdin), { density: 300, limitInputPixels: 50_000_000 })
    .resize(LOGO_SIZE, LOGO_SIZE, { fit: 'contain', background: '#00000000' })
    .png()
    .toBuffer(),
);
