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

/** The dark one only where the operator has one; none of them where the operator's could not be drawn. */
export interface MailLogo {
  light?: MailImage;
  dark?: MailImage;
}

const OURS = new URL('./logo.png', import.meta.url);
const DRAWING = fileURLToPath(new URL('./draw-logo.ts', import.meta.url));

/** @param failed is told why a logo could not be drawn: mails go out without it */
export function logoOfMails(
  { logo, logoDark }: { logo: ImageFile | undefined; logoDark: ImageFile | undefined },
  failed: (error: unknown) => void,
): () => Promise<MailLogo> {
  let made: Promise<MailLogo> | undefined;
  const make = async (): Promise<MailLogo> => {
    if (logo === undefined) return { light: { cid: 'logo', content: await readFile(OURS) } };
    const [light, dark] = await Promise.all([drawn(logo), logoDark && drawn(logoDark)]);
    return {
      light: { cid: 'logo', content: light },
      ...(dark && { dark: { cid: 'logo-dark', content: dark } }),
    };
  };
  return () => {
    made ??= make().catch((error) => {
      failed(error);
      return {};
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
