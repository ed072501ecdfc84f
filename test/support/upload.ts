// Pictures, and forms with a file as a browser sends them.
import sharp from 'sharp';
import type { BrowserSession, Visit } from './browser-session.ts';

/** Posts a form as multipart/form-data; without a file, as a browser does in which none was chosen. */
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

/** A picture as people have them: wider than high. */
export const samplePicture = (
  color = '#4f46e5',
  format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png',
): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 300, channels: 3, background: color } })
    .toFormat(format)
    .toBuffer();
