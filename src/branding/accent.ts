// The accent colour: checks its contrast and derives the colours of pages, emails and the door from it.

/** What the stylesheets call --accent, --accent-hover, --on-accent and --accent-wash. */
export interface Tints {
  accent: Hex;
  hover: Hex;
  on: Hex;
  wash: Hex;
}

export interface Accent {
  light: Tints;
  dark: Tints;
}

/** What accents stand on, as in public/styles/tokens.css: their contrast is measured against both. */
export const GROUNDS = {
  light: { paper: '#fbfaf7', surface: '#ffffff' },
  dark: { paper: '#15131f', surface: '#1f1c2d' },
} as const satisfies Record<string, Record<string, Hex>>;

export const OWN_ACCENT: Accent = {
  light: { accent: '#4f46e5', hover: '#4338ca', on: '#ffffff', wash: '#eef0ff' },
  dark: { accent: '#a5b4fc', hover: '#c7d2fe', on: '#1e1b4b', wash: '#29264a' },
};

const MIN_CONTRAST = 4.5;
/** Contrast of a derived accent on dark pages: as ours has, because links there are thin. */
const DARK_CONTRAST = 7;
/** How much of the accent is in its wash at most, and how far its hover colour is from it. */
const WASH = { light: 0.09, dark: 0.14 };
const HOVER = { light: 0.15, dark: 0.35 };
const EXTREME = { light: '#000000', dark: '#ffffff' } as const;

/** Why a colour can't be read on light pages, with the measured ratio and a shade that can; undefined if it can. */
export function accentFault(colour: Hex): string | undefined {
  const grounds = Object.values(GROUNDS.light);
  const measured = grounds.map((ground) => ({ ground, ratio: contrast(colour, ground) }));
  const worst = measured.reduce((least, one) => (one.ratio < least.ratio ? one : least));
  if (worst.ratio >= MIN_CONTRAST) return undefined;
  const better = mixUntilReadable(colour, EXTREME.light, grounds, MIN_CONTRAST);
  // Cut, not rounded: 4.499 must not be said to be 4.50.
  const ratio = (Math.floor(worst.ratio * 100) / 100).toFixed(2);
  return `${colour} cannot be read on light pages: its contrast with ${worst.ground} is ${ratio}:1, and 4.5:1 is needed; ${better} has it`;
}

/** The accent of a colour that `accentFault` accepts; dark pages get a lighter mix. Without a colour: our own accent. */
export function accentFrom(colour: Hex | undefined): Accent {
  if (colour === undefined) return OWN_ACCENT;
  const dark = mixUntilReadable(colour, EXTREME.dark, Object.values(GROUNDS.dark), DARK_CONTRAST);
  return { light: tintsOf(colour, 'light'), dark: tintsOf(dark, 'dark') };
}

function tintsOf(accent: Hex, theme: 'light' | 'dark'): Tints {
  const { paper, surface } = GROUNDS[theme];
  return {
    accent,
    hover: mix(accent, EXTREME[theme], HOVER[theme]),
    on: theme === 'light' ? surface : paper,
    wash: mixUntilReadable(mix(surface, accent, WASH[theme]), surface, [accent], MIN_CONTRAST),
  };
}

/** How much black the colours of the door have beside the accent. */
const DOOR = {
  light: { night: 0.66, frame: 0.5, leaf: 0.12, panel: 0.25 },
  dark: { night: 0.85, frame: 0.65, leaf: 0.3, panel: 0.4 },
};

/** What goes after the stylesheet of every page: the tokens that an operator's accent replaces. */
export function accentStyles({ light, dark }: Accent): string {
  const tokens = (theme: 'light' | 'dark', tints: Tints) =>
    [
      ['accent', tints.accent],
      ['accent-hover', tints.hover],
      ['on-accent', tints.on],
      ['accent-wash', tints.wash],
      ...Object.entries(DOOR[theme]).map(([name, black]) => [name, mix(light.accent, '#000000', black)]),
    ]
      .map(([name, colour]) => `--${name}: ${colour};`)
      .join(' ');
  return `:root { ${tokens('light', light)} }
@media (prefers-color-scheme: dark) { :root { ${tokens('dark', dark)} } }
`;
}

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
function mix(colour: Hex, other: Hex, share: number): Hex {
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
