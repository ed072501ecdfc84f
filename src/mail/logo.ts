// Loads the logo for emails, converted to PNG once per process.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ImageFile } from '../branding/image-file.ts';

export interface EmailImage {
  cid: string;
  content: Buffer;
}

const DEFAULT_LOGO_URL = new URL('./logo.png', import.meta.url);
const CONVERTER_PATH = fileURLToPath(new URL('./convert-logo.ts', import.meta.url));

/**
 * The returned function resolves to undefined if the conversion fails.
 * @param onError called at most once
 */
export function createLogoLoader(
  { logo }: { logo: ImageFile | undefined },
  onError: (error: unknown) => void,
): () => Promise<EmailImage | undefined> {
  let loaded: Promise<EmailImage | undefined> | undefined;
  const load = async (): Promise<EmailImage> => ({
    cid: 'logo',
    content: await (logo === undefined ? readFile(DEFAULT_LOGO_URL) : convert(logo)),
  });
  return () => {
    loaded ??= load().catch((error) => {
      onError(error);
      return undefined;
    });
    return loaded;
  };
}

function convert({ content }: ImageFile): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', timeout: 20_000, maxBuffer: 1_000_000 } as const;
    const child = execFile(process.execPath, [CONVERTER_PATH], { ...options, env: {} }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    child.stdin?.on('error', () => {}); // if the process exits early, the callback reports the error
    child.stdin?.end(content);
  });
}
