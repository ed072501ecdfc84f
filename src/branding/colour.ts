// Colours: parsing, contrast (WCAG 2.2), mixing.

export type Hex = `#${string}`;

/** A colour as people write it, #rgb or #rrggbb; undefined for anything else. */
export function parseHex(text: string): Hex | undefined {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase() as Hex;
  if (/^#[0-9a-f]{3}$/i.test(text)) return text.toLowerCase().replace(/[0-9a-f]/g, '$&$&') as Hex;
  return undefined;
}

export function contrast(one: Hex, other: Hex): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The colour mixed with another; a share of 0 is the colour, 1 the other. */
export function mix(colour: Hex, other: Hex, share: number): Hex {
  const [from, to] = [bytesOf(colour), bytesOf(other)];
  const mixed = from.map((byte, i) => Math.round(byte + ((to[i] ?? 0) - byte) * share));
  return `#${mixed.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The first mix of the colour with another one that has this contrast with all of `grounds`, else the other one. */
export function mixUntilReadable(colour: Hex, other: Hex, grounds: readonly Hex[], ratio: number): Hex {
  for (let percent = 0; percent < 100; percent++) {
    const mixed = mix(colour, other, percent / 100);
    if (grounds.every((ground) => contrast(mixed, ground) >= ratio)) return mixed;
  }
  return other;
}

const luminance = (colour: Hex): number => {
  const [r = 0, g = 0, b = 0] = bytesOf(colour).map((byte) => {
    const channel = byte / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

const bytesOf = (colour: Hex): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
