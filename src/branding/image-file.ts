// Detects an image file's type from its content and validates the file.

export interface ImageFile {
  type: 'image/svg+xml' | 'image/png' | 'image/jpeg' | 'image/webp';
  content: Buffer;
}

/** SVGs with scripts are accepted. The sandbox policy prevents browsers from running them. */
export function parseImage(content: Buffer, maxBytes: number): ImageFile | { error: string } {
  if (content.length > maxBytes)
    return { error: `is ${Math.ceil(content.length / 1000)} kB, but the maximum is ${maxBytes / 1000} kB` };
  const type = detectRasterType(content);
  if (type !== undefined) return { type, content };
  const text = content.toString('utf8').replace(/^\ufeff/, '');
  const [root] =
    /^(?:<\?xml [^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE svg [^>[]*>|\s)*<svg\s[^>]*>/.exec(text) ?? [];
  if (root === undefined) return { error: 'is not an SVG (in UTF-8), PNG, JPEG or WebP image' };
  // Browsers can't scale an SVG without viewBox or render one without xmlns.
  if (!/\sviewBox\s*=/.test(root)) return { error: 'is an SVG without viewBox' };
  if (!/\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(root))
    return { error: 'is an SVG without xmlns="http://www.w3.org/2000/svg"' };
  return { type: 'image/svg+xml', content: Buffer.from(text) };
}

function detectRasterType(content: Buffer): ImageFile['type'] | undefined {
  const start = content.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp';
  return undefined;
}

/** Wraps a raster image in a square SVG and keeps its aspect ratio. Returns an SVG unchanged. */
export function wrapInSvg({ type, content }: ImageFile): Buffer {
  if (type === 'image/svg+xml') return content;
  const data = `data:${type};base64,${content.toString('base64')}`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><image width="64" height="64" href="${data}"/></svg>\n`,
  );
}
