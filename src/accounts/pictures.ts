// Pictures that people upload: what they show is kept, at the size it is shown in, and nothing else of the file.
import { createHash } from 'node:crypto';
import type { Metadata, default as Sharp } from 'sharp';
import type { Queryable } from '../store/database.ts';
import { deletePicture, insertPicture } from '../store/pictures.ts';
import { openLine } from './lines.ts';

/** Width and height in pixels: twice what pages show at most. */
const SIZE = 256;
/**
 * Maximum size of a picture once it is decoded, in bytes: 50 megapixels of a photograph. A small file may decode to any
 * size.
 */
const MAX_DECODED = 150_000_000;
/** Bytes of a sample, by what sharp calls it; others are larger. */
const SAMPLE_BYTES: Record<string, number> = { uchar: 1, ushort: 2 };
/** Interlaced pictures are decoded as a whole, with as much again for what is known of them so far. */
const INTERLACED = 2;
const FORMATS = ['jpeg', 'png', 'webp'];
/** Decoders that never see a byte from outside but those of `FORMATS`. */
const LOADERS = ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'];
/** Besides the one that is worked on. */
const MOST_WAITING = 19;

let loading: Promise<typeof Sharp> | undefined;

/** Loaded with the first picture: it is large, and few processes ever see one. */
const loadSharp = (): Promise<typeof Sharp> => {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: LOADERS });
    return sharp;
  });
  return loading;
};

/** One picture at a time: each may need 200 MB for a moment. */
const line = openLine(1, MOST_WAITING);

/**
 * Makes a picture of our own out of an uploaded JPEG, PNG or WebP: 256 × 256 WebP, upright, cut to a square around its
 * centre, without metadata.
 * @returns undefined for anything else: other formats, animations, broken or gigantic files
 * @throws OAuthError `temporarily_unavailable` when too many wait
 */
export const encodePicture = (file: Buffer): Promise<Buffer | undefined> =>
  line(
    '',
    (wait) => wait(),
    () => encode(file),
  );

async function encode(file: Buffer): Promise<Buffer | undefined> {
  const sharp = await loadSharp();
  try {
    const picture = sharp(file, { limitInputPixels: MAX_DECODED, failOn: 'error' });
    const metadata = await picture.metadata();
    const { format, pages = 1 } = metadata;
    if (!FORMATS.includes(format) || pages > 1 || decodedSize(metadata) > MAX_DECODED) return undefined;
    return await picture
      .autoOrient()
      .resize(SIZE, SIZE, { fit: 'cover' })
      .toColorspace('srgb')
      .webp({ quality: 85 })
      .timeout({ seconds: 10 })
      .toBuffer();
  } catch {
    return undefined;
  }
}

const decodedSize = ({ width, height, channels, depth, isProgressive }: Metadata): number =>
  width * height * channels * (SAMPLE_BYTES[depth] ?? 4) * (isProgressive ? INTERLACED : 1);

/**
 * Stores an encoded picture of an account or a client, and deletes its former one. Lock the owner's row first, and write the
 * hash there in the same transaction.
 * @param ownerId the user id or client_id. It is part of the hash, so no two owners share a picture.
 * @returns the hash, which is the last part of the picture's URL
 */
export async function replacePicture(
  transaction: Queryable,
  ownerId: string,
  before: string | null,
  content: Buffer | null,
): Promise<string | null> {
  const hash = content && createHash('sha256').update(`${ownerId}:`).update(content).digest('base64url');
  if (hash === before) return hash;
  if (content && hash) await insertPicture(transaction, { hash, content, type: 'image/webp' });
  if (before !== null) await deletePicture(transaction, before);
  return hash;
}
