// The administrator's logo: its file type, detected from the content.

export interface ImageFile {
  type: 'image/svg+xml' | 'image/png' | 'image/jpeg' | 'image/webp';
  content: Buffer;
}

/** @returns the image, or what is wrong with the file. An SVG may hold anything, because it is served sandboxed. */
export function readImage(content: Buffer, maxBytes: number): ImageFile | { fault: string } {
  if (content.length > maxBytes)
    return { fault: `has ${Math.ceil(content.length / 1000)} kB; ${maxBytes / 1000} kB are the most` };
  const type = rasterType(content);
  if (type !== undefined) return { type, content };
  const text = content.toString('utf8').replace(/^\ufeff/, '');
  const [root] =
    /^(?:<\?xml [^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE svg [^>[]*>|\s)*<svg\s[^>]*>/.exec(text) ?? [];
  if (root === undefined) return { fault: 'is not an SVG (in UTF-8), PNG, JPEG or WebP image' };
  // Without these, browsers show nothing, or not at the size of a button.
  if (!/\sviewBox\s*=/.test(root)) return { fault: 'is an SVG without viewBox' };
  if (!/\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(root))
    return { fault: 'is an SVG without xmlns="http://www.w3.org/2000/svg"' };
  return { type: 'image/svg+xml', content: Buffer.from(text) };
}

function rasterType(content: Buffer): ImageFile['type'] | undefined {
  const begins = content.toString('latin1', 0, 12);
  if (begins.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (begins.startsWith('RIFF') && begins.endsWith('WEBP')) return 'image/webp';
  return undefined;
}

/** Any image as an SVG, which keeps its proportions in a square. */
export function asSvg({ type, content }: ImageFile): Buffer {
  if (type === 'image/svg+xml') return content;
  const data = `data:${type};base64,${content.toString('base64')}`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><image width="64" height="64" href="${data}"/></svg>\n`,
  );
}
