// The logo of mails: ours as it lies here, the operator's drawn once, with the first mail that a process sends.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ImageFile } from '../branding/image-file.ts';

/** A PNG that goes along with a mail; its HTML shows it as `cid:`, so that nothing has to be fetched to see it. */
export interface MailImage {
  cid: string;
  content: Buffer;
}

const OURS = new URL('./logo.png', import.meta.url);
const DRAWING = fileURLToPath(new URL('./draw-logo.ts', import.meta.url));

/**
 * Returns the logo, drawn with the first call; undefined if it can't be drawn.
 * @param failed gets the error once: mails go out without a logo
 */
export function logoOfMails(
  { logo }: { logo: ImageFile | undefined },
  failed: (error: unknown) => void,
): () => Promise<MailImage | undefined> {
  let made: Promise<MailImage | undefined> | undefined;
  const make = async (): Promise<MailImage> => ({
    cid: 'logo',
    content: await (logo === undefined ? readFile(OURS) : drawn(logo)),
  });
  return () => {
    made ??= make().catch((error) => {
      failed(error);
      return undefined;
    });
    return made;
  };
}

function drawn({ content }: ImageFile): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', timeout: 20_000, maxBuffer: 1_000_000 } as const;
    const child = execFile(process.execPath, [DRAWING], { ...options, env: {} }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    child.stdin?.on('error', () => {}); // it ended before it had read all: that is told above
    child.stdin?.end(content);
  });
}
