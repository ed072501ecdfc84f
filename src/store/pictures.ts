// Pictures, known by the hash of their content; accounts and applications name theirs by it.
import { execute, findHot } from './query.ts';

export interface Picture {
  /** SHA-256 of the content, base64url. */
  hash: string;
  content: Buffer;
  type: string;
}

/** Keeps a picture; the same one again is kept once, and for longer. */
export const keepPicture = execute<[picture: Picture, now: Date]>(
  'keep_picture',
  `insert into pictures (hash, content, type, used_at) values ($1::text, $2::bytea, $3::text, $4::timestamptz)
  on conflict (hash) do update set used_at = excluded.used_at`,
  (picture, now) => [picture.hash, picture.content, picture.type, now],
);

// A row that nobody shows any more waits for the pruning; what was taken away is not given out until then.
/** A picture by its hash, as long as an account or an application shows it. */
export const findPicture = findHot<Picture, [hash: string]>(
  'find_picture',
  `select p.hash, p.content, p.type from pictures p where p.hash = $1::text
    and (exists (select from users u where u.picture_hash = $1::text)
      or exists (select from clients c where c.logo = $1::text))`,
);
