// A process of its own: the logo on its standard input as a PNG for mails, which hardly any mail program shows an SVG in.
// It stays outside the service so that the decoders never run beside anything else, and what they need is given back.
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';

/** Width and height in pixels: twice what mails show, and a little more. */
const SIZE = 96;

process.stdout.write(
  await sharp(await buffer(process.stdin), { density: 300, limitInputPixels: 50_000_000 })
    .resize(SIZE, SIZE, { fit: 'contain', background: '#00000000' })
    .png()
    .toBuffer(),
);
