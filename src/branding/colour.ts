// Colours: how much two of them differ to the eye (WCAG 2.2), and lighter and darker ones of the same hue (OKLCH).

/** #rrggbb, in small letters. */
export type Hex = `#${string}`;

/** Lightness 0 to 1, chroma from 0 (grey), hue in radians. */
export interface Oklch {
  lightness: number;
  chroma: number;
  hue: number;
}

type Triple = [number, number, number];

/** A colour as people write it, #rgb or #rrggbb; undefined for anything else. */
export function parseHex(text: string): Hex | undefined {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase() as Hex;
  if (/^#[0-9a-f]{3}$/i.test(text)) return text.toLowerCase().replace(/[0-9a-f]/g, '$&$&') as Hex;
  return undefined;
}

/** The contrast ratio of WCAG 2.2, from 1 to 21. */
export function contrast(one: Hex, other: Hex): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** So much of `part` over `ground`, as a translucent layer would look. */
export function mix(ground: Hex, part: Hex, share: number): Hex {
  const [below, above] = [bytesOf(ground), bytesOf(part)];
  return hexOf(below.map((byte, i) => byte + ((above[i] ?? 0) - byte) * share) as Triple);
}

/** Björn Ottosson, « A perceptual color space for image processing » (2020). */
export function toOklch(colour: Hex): Oklch {
  const [r, g, b] = linear(colour);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, bb),
    hue: Math.atan2(bb, a),
  };
}

/** The colour on a screen; where no screen has so much chroma, with as much as there is. */
export function fromOklch({ lightness, chroma, hue }: Oklch): Hex {
  const within = (share: number) => linearOf({ lightness, chroma: chroma * share, hue });
  let [least, most] = [0, 1];
  if (isShown(within(1))) least = 1;
  else
    for (let i = 0; i < 20; i++) {
      const middle = (least + most) / 2;
      if (isShown(within(middle))) least = middle;
      else most = middle;
    }
  return hexOf(within(least).map(encoded) as Triple);
}

/** The colour of the same hue that is nearest in lightness and has this contrast with all of `grounds`; undefined: none. */
export function readable(
  colour: Hex,
  grounds: readonly Hex[],
  ratio: number,
  towards: 'darker' | 'lighter',
): Hex | undefined {
  const { lightness, chroma, hue } = toOklch(colour);
  const step = towards === 'darker' ? -0.005 : 0.005;
  for (let at = lightness; at >= 0 && at <= 1; at += step) {
    const candidate = fromOklch({ lightness: at, chroma, hue });
    if (grounds.every((ground) => contrast(candidate, ground) >= ratio)) return candidate;
  }
  return undefined;
}

function linearOf({ lightness, chroma, hue }: Oklch): Triple {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const isShown = (channels: Triple): boolean =>
  channels.every((channel) => channel >= -0.0005 && channel <= 1.0005);

const luminance = (colour: Hex): number => {
  const [r, g, b] = linear(colour);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

const linear = (colour: Hex): Triple =>
  bytesOf(colour).map((byte) => {
    const channel = byte / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as Triple;

const encoded = (channel: number): number => {
  const within = Math.min(1, Math.max(0, channel));
  return 255 * (within <= 0.0031308 ? within * 12.92 : 1.055 * within ** (1 / 2.4) - 0.055);
};

const bytesOf = (colour: Hex): Triple =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as Triple;

const hexOf = (bytes: Triple): Hex =>
  `#${bytes.map((byte) => Math.round(byte).toString(16).padStart(2, '0')).join('')}`;
