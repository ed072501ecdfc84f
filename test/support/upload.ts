import sharp from 'sharp';
import type { BrowserSession, Visit } from './browser-session.ts';

/** Without a file, sends an empty file as browsers do. */
export async function upload(
  browser: BrowserSession,
  path: string,
  fields: Record<string, string>,
  file?: { name: string; content: Buffer; fileName: string },
): Promise<Visit> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const { name = 'picture', content = Buffer.alloc(0), fileName = '' } = file ?? {};
  form.set(name, new Blob([new Uint8Array(content)]), fileName);
  return browser.send(path, { method: 'POST', body: form, headers: { 'sec-fetch-site': 'same-origin' } });
}

export const createPicture = (
  color = '#4f46e5',
  format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png',
): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 300, channels: 3, background: color } })
    .toFormat(format)
    .toBuffer();
