// Uploaded pictures, keyed by hash.
import { execute, findHot } from './query.ts';

export interface Picture {
  /** In base64url. */
  hash: string;
  content: Buffer;
  type: string;
}

export const insertPicture = execute<[picture: Picture]>(
  'insert_picture',
  `insert into pictures (hash, content, type) values ($1::text, $2::bytea, $3::text) on conflict (hash) do nothing`,
  ({ hash, content, type }) => [hash, content, type],
);

export const deletePicture = execute<[hash: string]>(
  'delete_picture',
  'delete from pictures where hash = $1::text',
);

export const findPicture = findHot<Picture, [hash: string]>(
  'find_picture',
  'select p.hash, p.content, p.type from pictures p where p.hash = $1::text',
);
