// Child process that converts the logo from standard input to PNG.
// Most mail clients don't support SVG. The process isolates the image decoders, and frees their memory when it exits.
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';

/** Width and height in pixels, more than twice the size shown in emails. */
const SIZE = 96;

process.stdout.write(
  await sharp(await buffer(process.stdin), { density: 300, limitInputPixels: 50_000_000 })
    .resize(SIZE, SIZE, { fit: 'contain', background: '#00000000' })
    .png()
    .toBuffer(),
);
