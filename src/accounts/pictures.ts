// Re-encodes uploaded pictures as WebP (256 × 256 pixels, without metadata), and stores them.
import { createHash } from 'node:crypto';
import type { Metadata, default as Sharp } from 'sharp';
import type { Queryable } from '../store/database.ts';
import { deletePicture, insertPicture } from '../store/pictures.ts';
import { createKeyedQueue } from './keyed-queue.ts';

/** Width and height in pixels: twice the largest displayed size. */
const PICTURE_SIZE = 256;
/** 50 megapixels at 3 bytes per pixel. A small file can decode to a huge picture. */
const MAX_DECODED_BYTES = 150_000_000;
/** Bytes per sample, by sharp's `depth` value. */
const SAMPLE_BYTES: Record<string, number> = { uchar: 1, ushort: 2 };
/** Decoding an interlaced picture needs a second buffer. */
const INTERLACED_FACTOR = 2;
const FORMATS = ['jpeg', 'png', 'webp'];
const VIPS_LOADERS = ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'];
const MAX_QUEUE_LENGTH = 19;

let sharpImport: Promise<typeof Sharp> | undefined;

const loadSharp = (): Promise<typeof Sharp> => {
  sharpImport ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: VIPS_LOADERS });
    return sharp;
  });
  return sharpImport;
};

/** Encodes one picture at a time because encoding can use 200 MB of memory. */
const encodingQueue = createKeyedQueue(1, MAX_QUEUE_LENGTH);

/**
 * @returns undefined if the file is corrupt, too large, animated, or not a JPEG, PNG or WebP file
 * @throws OAuthError `temporarily_unavailable` if the queue is full
 */
export const encodePicture = (file: Buffer): Promise<Buffer | undefined> =>
  encodingQueue(
    '',
    (work) => work(),
    () => encode(file),
  );

async function encode(file: Buffer): Promise<Buffer | undefined> {
  const sharp = await loadSharp();
  try {
    const picture = sharp(file, { limitInputPixels: MAX_DECODED_BYTES, failOn: 'error' });
    const metadata = await picture.metadata();
    const { format, pages = 1 } = metadata;
    if (!FORMATS.includes(format) || pages > 1 || computeDecodedSize(metadata) > MAX_DECODED_BYTES)
      return undefined;
    return await picture
      .autoOrient()
      .resize(PICTURE_SIZE, PICTURE_SIZE, { fit: 'cover' })
      .toColorspace('srgb')
      .webp({ quality: 85 })
      .timeout({ seconds: 10 })
      .toBuffer();
  } catch {
    return undefined;
  }
}

const computeDecodedSize = ({ width, height, channels, depth, isProgressive }: Metadata): number =>
  width * height * channels * (SAMPLE_BYTES[depth] ?? 4) * (isProgressive ? INTERLACED_FACTOR : 1);

/**
 * The caller must lock the owner first and store the returned hash in the same transaction.
 * @param ownerId user ID or client_id. The hash includes it, so owners never share a stored picture.
 * @returns the picture's hash, which is the last path segment of its URL
 */
export async function replacePicture(
  transaction: Queryable,
  ownerId: string,
  oldHash: string | null,
  content: Buffer | null,
): Promise<string | null> {
  const hash = content && createHash('sha256').update(`${ownerId}:`).update(content).digest('base64url');
  if (hash === oldHash) return hash;
  if (content && hash) await insertPicture(transaction, { hash, content, type: 'image/webp' });
  if (oldHash !== null) await deletePicture(transaction, oldHash);
  return hash;
}
