// Pictures of the operator's own: which kinds of files are taken (how large they may be: config.ts). They are served as they are, so an SVG may hold nothing but shapes.

export interface ImageFile {
  type: 'image/svg+xml' | 'image/png' | 'image/jpeg' | 'image/webp';
  content: Buffer;
}

/** What SVG draws with. Not here: scripts, foreign content, links, and what changes attributes over time. */
const SHAPES = [
  ...['svg', 'g', 'defs', 'symbol', 'use', 'title', 'desc', 'metadata', 'style', 'switch', 'image'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'tspan', 'textPath'],
  ...['linearGradient', 'radialGradient', 'stop', 'pattern', 'clipPath', 'mask', 'marker', 'filter'],
];
const FILTER = /^fe[A-Z][A-Za-z]+$/;
/** Pictures within pictures, as drawing programs write them. */
const EMBEDDED = /^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/=\s]*$/;

/**
 * @param most bytes at most
 * @returns the picture, or what is wrong with the file
 */
export function readImage(content: Buffer, most: number): ImageFile | { fault: string } {
  if (content.length > most)
    return { fault: `has ${Math.ceil(content.length / 1000)} kB; ${most / 1000} kB are the most` };
  const type = rasterType(content);
  if (type !== undefined) return { type, content };
  const text = utf8(content);
  if (
    text === undefined ||
    !/^(?:<\?xml [^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE svg [^>[]*>|\s)*<svg[\s>]/.test(text)
  )
    return { fault: 'is no picture that is taken: SVG (in UTF-8), PNG, JPEG or WebP' };
  const fault = svgFault(text);
  return fault === undefined ? { type: 'image/svg+xml', content: Buffer.from(text) } : { fault };
}

function rasterType(content: Buffer): ImageFile['type'] | undefined {
  const begins = content.toString('latin1', 0, 12);
  if (begins.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (begins.startsWith('RIFF') && begins.endsWith('WEBP')) return 'image/webp';
  return undefined;
}

/** Without a mark of byte order; undefined when it is something else. */
function utf8(content: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

function svgFault(text: string): string | undefined {
  if (/<!ENTITY|<!\[CDATA\[|<\?xml-stylesheet|<\?xml [^>]*encoding=["'](?!utf-?8)/i.test(text))
    return 'is an SVG with entities, CDATA, a stylesheet of elsewhere or another encoding than UTF-8';
  const [root = ''] = /<svg[\s>][^>]*>?/.exec(text) ?? [];
  if (!/\sviewBox\s*=/.test(root)) return 'is an SVG without a viewBox: it could not be shown at any size';
  // Another namespace draws nothing, unless it is SVG or HTML under another name.
  if (!/\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(root))
    return 'is an SVG without xmlns="http://www.w3.org/2000/svg": browsers would show nothing of it';
  // What drawing programs note for themselves stands in other namespaces and draws nothing.
  const drawing = [...text.matchAll(/\sxmlns:([^\s=]+)\s*=\s*["'][^"']*(?:2000\/svg|1999\/xhtml|&)/gi)];
  const prefixes = drawing.map(([, prefix]) => prefix);
  for (const [, prefix, name = ''] of text.matchAll(/<\s*(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][^\s/>]*)/g))
    if ((prefix === undefined || prefixes.includes(prefix)) && !SHAPES.includes(name) && !FILTER.test(name))
      return `is an SVG with <${shown(name)}>: only shapes, text, gradients and filters are taken`;
  const [handler] = /[\s"'/]on[a-z]+\s*=/i.exec(text) ?? [];
  if (handler !== undefined) return `is an SVG with a script: ${shown(handler.replace(/[^a-z]/gi, ''))}`;
  for (const [, , address = ''] of text.matchAll(/\bhref\s*=\s*(["'])([\s\S]*?)\1/gi))
    if (!address.startsWith('#') && !EMBEDDED.test(address))
      return `is an SVG that fetches or leads to something: ${shown(address)}`;
  const outside = /@import|url\(\s*["']?\s*(?!["'#\s])[^)]{0,80}/i.exec(text.replaceAll('&quot;', '"'));
  return outside === null ? undefined : `is an SVG that fetches something: ${shown(outside[0])}`;
}

const shown = (text: string): string => text.replace(/[\p{C}\s]+/gu, ' ').slice(0, 60);

/** As an SVG, whatever it is: what shows it in a square keeps its proportions. */
export function asSvg({ type, content }: ImageFile): Buffer {
  if (type === 'image/svg+xml') return content;
  const data = `data:${type};base64,${content.toString('base64')}`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><image width="64" height="64" href="${data}"/></svg>\n`,
  );
}
